import { certificateNotIssued } from '../../../../src/checks/tls/writer/certificate-not-issued.ts';
import type { AdmissionCallout } from '../../../../src/facts/callout.ts';
import { complete, lookup } from '../../../../src/facts/lookup.ts';
import type { CertManagerCertificate } from '../../../../src/facts/objects/cert-manager.ts';
import type { Condition } from '../../../../src/facts/objects/metadata.ts';
import type { Workload } from '../../../../src/facts/objects/workload.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { healthy, lists, objects, pod, slice, webhook, workload } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { issued, kept, mounting, pem, secret, served } from '../serving.ts';

const certificate = (
  conditions: readonly Condition[],
  secretName = 'policy-tls',
): CertManagerCertificate => ({
  metadata: { name: 'policy', namespace: 'shop' },
  spec: { secretName },
  status: { conditions },
});
const refused: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'DoesNotExist',
  message: 'Issuer "policy" not found',
};
const firstIssuance: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'DoesNotExist',
  message: 'Issuing certificate as Secret does not exist',
};
/** The webhook, called for Secrets. */
const ofSecrets = (over: Partial<AdmissionCallout>, version = 'v1') =>
  webhook({
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: [version], resources: ['secrets'] }],
    ...over,
  });

const waiting = pod({
  metadata: { creationTimestamp: '2025-12-31T23:00:00Z' },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True' }],
    containerStatuses: [
      { name: 'webhook', ready: false, restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } } },
    ],
  },
});
const facts = (over: Partial<Facts>): Partial<Facts> =>
  healthy({
    endpointSlices: lists({ 'shop/policy': [slice([])] }),
    pods: lists({ 'shop/policy': [waiting] }),
    events: lists({
      shop: [
        {
          metadata: { name: 'e', namespace: 'shop' },
          involvedObject: { kind: 'Pod', namespace: 'shop', name: 'policy-1', uid: 'uid-1' },
          type: 'Warning',
          reason: 'FailedMount',
          message: 'MountVolume.SetUp failed for volume "certs" : secret "policy-tls" not found',
          lastTimestamp: '2025-12-31T23:59:00Z',
        },
      ],
    }),
    secrets: objects(),
    ...over,
  });
/** The Certificate is Ready without its Secret, and the Pod waits since then. */
const deleted = (creationTimestamp: string) =>
  facts({
    certificates: lists({ shop: [certificate([isReady])] }),
    pods: lists({ 'shop/policy': [{ ...waiting, metadata: { ...waiting.metadata, creationTimestamp } }] }),
  });
const other = pod({ metadata: { name: 'policy-2', uid: 'uid-2' }, status: { podIP: '198.51.100.8' } });

const good = issued();
const expired = issued({ server: { notAfter: new Date('2025-12-30T00:00:00Z') } });

const ordered = (issuerRef: object, ready: Condition): CertManagerCertificate => ({
  ...certificate([ready]),
  spec: { secretName: 'policy-tls', issuerRef },
});
const isReady: Condition = { type: 'Ready', status: 'True' };
const lying = (found: CertManagerCertificate, over: Partial<Facts> = {}): Partial<Facts> =>
  kept(good.root, secret({ 'tls.crt': pem(good.presented) }), {
    certificates: lists({ shop: [found] }),
    ...over,
  });
/** A Certificate that is Ready, with this time of renewal. */
const due = (renewalTime: string, ...conditions: readonly Condition[]): CertManagerCertificate => ({
  ...certificate([isReady]),
  status: { conditions: [isReady, ...conditions], renewalTime },
});
const issuers = (key: string, conditions?: readonly Condition[]) =>
  complete([[key, { metadata: { name: 'ca' }, ...(conditions ? { status: { conditions } } : {}) }]]);
const keyIsGone: Condition = { type: 'Ready', status: 'False', message: 'secret "ca" not found' };

/** The Certificate of a server and that of its CA, whose Secret the Issuer does not find. */
const ofMissingCa = (ofCa: readonly Condition[]) => ({
  certificates: lists({
    shop: [
      ordered({ name: 'ca' }, firstIssuance),
      { ...certificate(ofCa, 'ca-tls'), metadata: { name: 'ca', namespace: 'shop' } },
    ],
  }),
  issuers: issuers('Issuer shop/ca', [
    {
      type: 'Ready',
      status: 'False',
      message: 'Error getting keypair for CA issuer: secrets "ca-tls" not found',
    },
  ]),
});

/** A Deployment of cert-manager in namespace certs. */
const controller = (replicas: number, name = 'cert-manager', component = 'controller') =>
  workload({
    metadata: {
      name: 'cm',
      namespace: 'certs',
      labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': component },
    },
    spec: { replicas },
  });

/** The webhook of cert-manager, in these namespaces. */
const certManagerIn = (...namespaces: readonly string[]) =>
  namespaces.map((namespace) =>
    webhook({
      configuration: `cert-manager-${namespace}`,
      webhook: 'webhook.cert-manager.io',
      client: { service: { namespace, name: 'cert-manager-webhook', port: 443 } },
    }),
  );
/** A missed renewal, beside these Deployments in namespace certs, and webhooks of cert-manager. */
const missed = (certs: readonly Workload[], ...installed: readonly string[]) => {
  const facts = lying(due('2025-12-31T12:00:00Z'));
  return {
    ...facts,
    callouts: [...(facts.callouts ?? []), ...certManagerIn(...installed)],
    workloads: lookup(new Map([['certs', certs]]), {
      others: { what: 'workloads of a namespace whose backends look healthy', why: 'not-requested' },
    }),
  };
};

describeCheck(certificateNotIssued, {
  reports: [
    {
      name: 'the Secret that a ClusterIssuer does not find',
      facts: facts({
        certificates: lists({ shop: [ordered({ name: 'ca', kind: 'ClusterIssuer' }, refused)] }),
        issuers: issuers('ClusterIssuer ca', [
          {
            type: 'Ready',
            status: 'False',
            message: 'Error getting keypair for CA issuer: secrets "company-ca" not found',
          },
        ]),
      }),
      expect: {
        messageId: 'clusterSecret',
        data: {
          certificate: 'shop/policy',
          secret: 'shop/policy-tls',
          issuer: 'ClusterIssuer ca',
          missing: 'company-ca',
        },
        names: { missing: 'company-ca' },
      },
    },
    {
      name: 'the condition of an Issuer of the namespace that does not find its Secret',
      facts: facts({
        certificates: lists({ shop: [ordered({ name: 'ca' }, refused)] }),
        issuers: issuers('Issuer shop/ca', [keyIsGone]),
      }),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'a Secret that was deleted, and is not issued again: cert-manager does not run',
      facts: facts({ certificates: lists({ shop: [certificate([isReady])] }) }),
      expect: { messageId: 'notAgain' },
    },
    {
      name: 'the same a minute after it was deleted',
      facts: deleted('2025-12-31T23:59:00Z'),
      expect: { messageId: 'notAgain' },
    },
    {
      name: 'a first issuance, if the webhook fails open',
      facts: facts({
        certificates: lists({ shop: [certificate([firstIssuance])] }),
        callouts: [ofSecrets({ failurePolicy: 'Ignore' })],
      }),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'a first issuance, if the webhook is not called for its version',
      facts: facts({
        certificates: lists({ shop: [certificate([firstIssuance])] }),
        callouts: [
          ofSecrets({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } }, 'v2'),
        ],
      }),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'an issuance that failed, although the webhook would refuse the Secret',
      facts: facts({
        certificates: lists({
          shop: [certificate([firstIssuance, { type: 'Issuing', status: 'False', reason: 'Failed' }])],
        }),
        callouts: [ofSecrets({})],
      }),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'an issuer whose CA is not issued for another reason, although the webhook would refuse the Secret',
      facts: facts({ ...ofMissingCa([refused]), callouts: [ofSecrets({})] }),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'an issuer whose CA is being issued, if the webhook fails open',
      facts: facts({ ...ofMissingCa([firstIssuance]), callouts: [ofSecrets({ failurePolicy: 'Ignore' })] }),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'a renewal that does not come about, while the old certificate lies there',
      facts: kept(good.root, secret({ 'tls.crt': pem(good.presented) }), {
        certificates: lists({
          shop: [
            {
              metadata: { namespace: 'shop', name: 'policy' },
              spec: { secretName: 'policy-tls' },
              status: {
                conditions: [{ type: 'Ready', status: 'False', reason: 'Expired', message: 'no issuer' }],
              },
            },
          ],
        }),
      }),
      expect: {
        messageId: 'renewalFails',
        data: {
          certificate: 'shop/policy',
          detail: 'no issuer',
          secret: 'shop/policy-tls',
          day: '2026-03-22',
        },
      },
    },
    {
      name: 'a Certificate whose issuer is missing',
      facts: facts({ certificates: lists({ shop: [certificate([refused])] }) }),
      expect: {
        messageId: 'notReady',
        data: { certificate: 'shop/policy', secret: 'shop/policy-tls', detail: 'Issuer "policy" not found' },
      },
    },
    {
      name: 'it with the issuer that does not exist',
      facts: facts({ certificates: lists({ shop: [ordered({ name: 'ca' }, refused)] }) }),
      expect: {
        messageId: 'noIssuer',
        data: {
          certificate: 'shop/policy',
          secret: 'shop/policy-tls',
          detail: 'Issuer shop/ca does not exist',
        },
      },
    },
    {
      name: 'an issuer that no longer exists while its certificate still lasts',
      facts: lying(ordered({ name: 'ca' }, isReady)),
      expect: {
        messageId: 'issuerFails',
        data: {
          certificate: 'shop/policy',
          secret: 'shop/policy-tls',
          detail: 'Issuer shop/ca does not exist',
          day: '2026-03-22',
        },
      },
    },
    {
      name: 'a ClusterIssuer that is not Ready',
      facts: lying(ordered({ kind: 'ClusterIssuer', name: 'ca' }, isReady), {
        issuers: issuers('ClusterIssuer ca', [keyIsGone]),
      }),
      expect: {
        messageId: 'issuerFails',
        data: {
          certificate: 'shop/policy',
          secret: 'shop/policy-tls',
          detail: 'ClusterIssuer ca is not Ready: secret "ca" not found',
          day: '2026-03-22',
        },
      },
    },
    {
      name: 'a renewal that the controller has missed',
      facts: lying(due('2025-12-31T12:00:00Z')),
      expect: {
        messageId: 'notRenewed',
        severity: 'warning',
        data: {
          certificate: 'shop/policy',
          secret: 'shop/policy-tls',
          detail: '2025-12-31',
          day: '2026-03-22',
        },
      },
    },
    ...(
      [
        ['a controller scaled to zero, in its own namespace', [controller(0)], 'controllerStopped'],
        ['a controller that runs', [controller(2)], 'notRenewed'],
        ['another program scaled to zero', [controller(0, 'cainjector')], 'notRenewed'],
        ['a webhook scaled to zero', [controller(0, 'cert-manager', 'webhook')], 'notRenewed'],
        [
          'a former controller scaled to zero, and one that runs',
          [controller(0), controller(1)],
          'notRenewed',
        ],
      ] as const
    ).map(([what, certs, messageId]) => ({
      name: `a missed renewal beside ${what}`,
      facts: missed(certs, 'certs'),
      expect: {
        messageId,
        ...(messageId === 'controllerStopped'
          ? { names: { certificate: 'policy', place: 'certs', affected: 'deployment/cm' } }
          : {}),
      },
    })),
    {
      name: 'a missed renewal beside a former controller at zero, with a webhook of cert-manager in another namespace',
      facts: missed([controller(0)], 'certs', 'cert-manager'),
      expect: { messageId: 'notRenewed' },
    },
    {
      name: 'a missed renewal beside a controller at zero in a namespace without a webhook of cert-manager',
      facts: missed([controller(0)], 'cert-manager'),
      expect: { messageId: 'notRenewed' },
    },
    {
      name: 'the same, as the reason why calls fail, after the certificate has expired',
      facts: kept(expired.root, secret({ 'tls.crt': pem(expired.presented) }), {
        certificates: lists({ shop: [due('2025-12-01T12:00:00Z')] }),
      }),
      expect: { messageId: 'notRenewed', severity: 'error' },
    },
    {
      name: 'a warning while the Pods serve a valid certificate, although the one in the Secret has expired',
      facts: {
        ...served(good.root, [{ presented: good.presented }]),
        pods: lists({ 'shop/policy': [mounting()] }),
        secrets: objects(secret({ 'tls.crt': pem(expired.presented) })),
        certificates: lists({ shop: [due('2025-12-01T12:00:00Z')] }),
      },
      expect: { messageId: 'notRenewed', severity: 'warning' },
    },
    {
      name: 'an issuer that was not read',
      facts: lying(ordered({ name: 'ca' }, isReady), { issuers: issuers('Issuer shop/ca') }),
      expect: { messageId: 'issuerFails' },
    },
    {
      name: 'a Certificate that was not read',
      facts: facts({ certificates: lists({ shop: [certificate([])] }) }),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'it as a warning while another replica responds',
      facts: facts({
        certificates: lists({ shop: [certificate([refused])] }),
        endpointSlices: lists({
          'shop/policy': [
            slice([
              {
                addresses: ['198.51.100.8'],
                conditions: { ready: true },
                targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-2', uid: 'uid-2' },
              },
            ]),
          ],
        }),
        endpointPods: objects(other),
      }),
      expect: { messageId: 'some' },
    },
  ],
  reportsNothing: [
    { name: 'the renewal is due since a few minutes', facts: lying(due('2025-12-31T23:50:00Z')) },
    { name: 'the renewal is due later', facts: lying(due('2026-02-01T00:00:00Z')) },
    {
      name: 'a renewal is in progress, or failed and is tried again later',
      facts: lying(due('2025-12-31T12:00:00Z', { type: 'Issuing', status: 'False' })),
    },
    {
      name: 'the webhook of these Pods refuses the Secret of the CA',
      facts: facts({ ...ofMissingCa([firstIssuance]), callouts: [ofSecrets({})] }),
    },
    {
      name: 'the webhook of these Pods refuses the Secret',
      facts: facts({
        certificates: lists({ shop: [certificate([firstIssuance])] }),
        callouts: [ofSecrets({})],
      }),
    },
    {
      name: 'the issuer is Ready',
      facts: lying(ordered({ kind: 'Issuer', name: 'ca' }, isReady), {
        issuers: issuers('Issuer shop/ca', [isReady]),
      }),
    },
    {
      name: 'the issuer could not be read, and the Certificate is Ready',
      facts: lying(ordered({ name: 'ca' }, isReady), { issuers: forbidden() }),
    },
    {
      name: 'the issuer is of another group',
      facts: lying(ordered({ group: 'awspca.cert-manager.io', kind: 'AWSPCAIssuer', name: 'ca' }, isReady)),
    },
    { name: 'no issuer is named', facts: lying(ordered({}, isReady)) },
    {
      name: 'no Certificate asks for the Secret',
      facts: facts({ certificates: lists({ shop: [certificate([refused], 'other')] }) }),
    },
    { name: 'the Certificate does not exist', facts: facts({ certificates: lists({ shop: [] }) }) },
    {
      name: 'the Certificate is Ready, and the Secret about to come back',
      facts: deleted('2025-12-31T23:59:50Z'),
    },
    {
      name: 'the Certificate is Ready, and the Secret is back: the kubelet mounts it within two minutes',
      facts: { ...deleted('2025-12-31T23:59:00Z'), secrets: objects(secret({})) },
    },
    {
      name: 'every replica is ready',
      facts: healthy({ certificates: lists({ shop: [certificate([refused])] }) }),
    },
  ],
  isUnknown: [{ name: 'Certificates may not be read', facts: facts({ certificates: forbidden() }) }],
});
