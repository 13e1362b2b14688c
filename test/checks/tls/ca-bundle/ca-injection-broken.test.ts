import { caInjectionBroken } from '../../../../src/checks/tls/ca-bundle/ca-injection-broken.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { serverDraft, signDraft } from '../../../oracle/certificate/chain-draft.ts';
import { testKey } from '../../../oracle/certificate/test-key.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { healthy, lists, objects, takenAt } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { anotherRoot, issued, mounting, pem, secret, served, trusted } from '../serving.ts';

const good = issued();
/** A certificate of cert-manager's self-signed issuer: no CA. */
const selfSigned = (key: number) =>
  signDraft(serverDraft('policy.shop.svc', new Date(takenAt), testKey('p256', key)));

const annotated = (annotation: string, value: string, caBundle = '') => [
  trusted(caBundle, {
    metadata: { name: 'policy', annotations: { [`cert-manager.io/${annotation}`]: value } },
  }),
];
const servesCertManager = complete([
  [
    'served',
    {
      resources: [
        {
          group: 'cert-manager.io',
          version: 'v1',
          resource: 'certificates',
          kind: 'Certificate',
          namespaced: true,
          verbs: [],
        },
      ],
      kinds: [],
    } as never,
  ],
]);
const from = (value = 'shop/policy', over: Partial<Facts> = {}): Partial<Facts> =>
  healthy({ callouts: annotated('inject-ca-from', value), served: servesCertManager, ...over });
const certificate = (status?: 'True' | 'False') => ({
  metadata: { namespace: 'shop', name: 'policy' },
  spec: { secretName: 'policy-tls' },
  ...(status === undefined
    ? {}
    : {
        status: {
          conditions: [{ type: 'Ready', status, reason: 'DoesNotExist', message: 'Issuer is gone' }],
        },
      }),
});
const lease = (spec: object) => ({
  metadata: { namespace: 'kube-system', name: 'cert-manager-cainjector-leader-election' },
  spec,
});
const owned = (annotations: Readonly<Record<string, string>>, more: object = {}) => {
  const found = secret({ 'ca.crt': good.root, 'tls.crt': pem(good.presented) });
  return objects({ ...found, ...more, metadata: { ...found.metadata, annotations } });
};
const ofPolicy = { 'cert-manager.io/certificate-name': 'policy' };
/** The annotation names a Certificate of namespace `infra`, and these Certificates exist. */
const ofOther = (certificates: Parameters<typeof lists>[0]) =>
  from('infra/policy', {
    certificates: lists({ infra: [], ...certificates }) as Facts['certificates'],
    secrets: owned(ofPolicy),
    pods: lists({ 'shop/policy': [mounting()] }),
  });
/** The CA injector has copied a CA from Secret `ca`, and the Pods mount Secret `policy-tls`. */
const ofOtherSecret = (
  root: string,
  annotations: Readonly<Record<string, string>> = {},
  {
    key,
    injectFrom = 'Certificate',
    serving = { 'ca.crt': good.root, 'tls.crt': pem(good.presented) },
  }: {
    key?: string;
    injectFrom?: 'Certificate' | 'Secret';
    serving?: Readonly<Record<string, string>>;
  } = {},
) => {
  const mounted = secret(serving);
  const source = secret({ 'ca.crt': root, ...(key === undefined ? {} : { 'tls.crt': key }) });
  const allowed = { ...ofPolicy, 'cert-manager.io/allow-direct-injection': 'true' };
  return from('shop/policy', {
    callouts:
      injectFrom === 'Secret'
        ? annotated('inject-ca-from-secret', 'shop/ca', root)
        : annotated('inject-ca-from', 'shop/policy', root),
    certificates: lists({
      shop: [
        { ...certificate('True'), spec: { secretName: 'ca' } },
        { metadata: { namespace: 'shop', name: 'serving' }, spec: { secretName: 'policy-tls' } },
      ],
    }),
    secrets: objects(
      { ...mounted, metadata: { ...mounted.metadata, annotations } },
      { ...source, metadata: { namespace: 'shop', name: 'ca', annotations: allowed } },
    ),
    pods: lists({ 'shop/policy': [mounting()] }),
    ...running,
  });
};
/** The annotation of the Secret that the Pods mount. */
const ofServing = { 'cert-manager.io/certificate-name': 'serving' };
const anotherCa = anotherRoot('another');
/** An issuer of ACME writes no CA. */
const withoutCa = { 'tls.crt': pem(good.presented) };
/** A self-signed certificate of a Certificate without commonName, as kubebuilder's. */
const nameless = (key: number): string =>
  pem([
    signDraft({
      ...serverDraft('policy.shop.svc', new Date(takenAt), testKey('p256', key)),
      subject: {},
    }),
  ]);

/** A CA with another key keeps its name. */
const renewedCa = anotherRoot('root-ca').root;
const whole = {
  certificates: lists({ shop: [certificate('True')] }),
  secrets: owned(ofPolicy),
};
const injected = { callouts: annotated('inject-ca-from', 'shop/policy', good.root) };
const running = {
  leases: lists({
    'kube-system': [lease({ holderIdentity: 'x', renewTime: takenAt, leaseDurationSeconds: 60 })],
  }),
};

const injectorPod = (status: Pod['status'], owner = 'cert-manager-cainjector-5d4'): Pod => ({
  metadata: {
    namespace: 'cert-manager',
    name: `${owner}-x2x4z`,
    labels: { 'pod-template-hash': '5d4' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: 'r', controller: true }],
  },
  spec: { nodeName: 'n', containers: [{ name: 'injector' }] },
  status: { phase: 'Running', ...status },
});
const crashed = (reason: string) => ({
  containerStatuses: [
    {
      name: 'injector',
      ready: false,
      restartCount: 7,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { reason, exitCode: 1 } },
    },
  ],
});
/** With a memory limit. */
const limited = (of: Pod): Pod => ({
  ...of,
  spec: { ...of.spec, containers: [{ name: 'injector', resources: { limits: { memory: '128Mi' } } }] },
});
const injectorPods = (...pods: readonly Pod[]) => ({ namespacePods: lists({ 'cert-manager': pods }) });

describeCheck(caInjectionBroken, {
  reports: [
    {
      name: 'a Certificate that no longer exists, while the old bundle still fits',
      facts: from('shop/policy', { callouts: annotated('inject-ca-from', 'shop/policy', good.root) }),
      expect: { messageId: 'certificateMissing' },
    },
    { name: 'an annotation without a namespace', facts: from('policy'), expect: { messageId: 'malformed' } },
    {
      name: 'cert-manager that does not exist',
      facts: from('shop/policy', { served: complete([['served', { resources: [] } as never]]) }),
      expect: { messageId: 'notInstalled' },
    },
    { name: 'a Certificate that does not exist', facts: from(), expect: { messageId: 'certificateMissing' } },
    {
      name: 'a Certificate of another namespace than that of the serving Secret',
      facts: ofOther({ shop: [certificate('True')] }),
      expect: {
        messageId: 'otherCertificate',
        names: { certificate: 'shop/policy' },
      },
    },
    {
      name: 'a Certificate whose CA is injected, while the Pods mount a Secret of another program',
      facts: ofOtherSecret(anotherCa.root, {}, { key: pem(anotherCa.presented) }),
      expect: {
        messageId: 'otherSecret',
        data: {
          annotation: 'cert-manager.io/inject-ca-from',
          injector: "cert-manager's cainjector",
          target: 'shop/ca',
          detail: 'Secret shop/policy-tls',
        },
        severity: 'error',
      },
    },
    {
      name: 'a Certificate whose CA is injected, while the Pods mount the Secret of another Certificate',
      facts: ofOtherSecret(anotherCa.root, ofServing, { key: pem(anotherCa.presented) }),
      expect: {
        messageId: 'otherCertificate',
        names: { certificate: 'shop/serving' },
        severity: 'error',
      },
    },
    ...[{ key: anotherCa.root }, {}].map((given) => ({
      name: `the Certificate of another CA${given.key === undefined ? ' without a certificate' : ''}`,
      facts: ofOtherSecret(anotherCa.root, ofServing, given),
      expect: { messageId: 'otherCertificate', names: { certificate: 'shop/serving' } },
    })),
    {
      name: 'a Secret whose CA is injected, while the Pods mount the Secret of a Certificate',
      facts: ofOtherSecret(anotherCa.root, ofServing, {
        key: pem(anotherCa.presented),
        injectFrom: 'Secret',
      }),
      expect: { messageId: 'otherIssuer', names: { certificate: 'shop/serving' }, severity: 'error' },
    },
    {
      name: 'a Certificate whose CA is injected, while two self-signed certificates have no names',
      facts: ofOtherSecret(nameless(5), ofServing, {
        key: nameless(5),
        serving: { 'ca.crt': nameless(6), 'tls.crt': nameless(6) },
      }),
      expect: { messageId: 'otherCertificate', names: { certificate: 'shop/serving' } },
    },
    ...(['Certificate', 'Secret'] as const).map((injectFrom) => ({
      name: `a ${injectFrom} whose CA is injected, while the Secret of the serving Certificate has none`,
      facts: ofOtherSecret(anotherCa.root, ofServing, {
        key: pem(anotherCa.presented),
        injectFrom,
        serving: withoutCa,
      }),
      expect: {
        messageId: 'noCaOfServing',
        data: {
          annotation: `cert-manager.io/${injectFrom === 'Secret' ? 'inject-ca-from-secret' : 'inject-ca-from'}`,
          injector: "cert-manager's cainjector",
          target: 'shop/ca',
          detail: 'shop/serving',
        },
        names: { certificate: undefined },
      },
    })),
    {
      name: 'a Certificate that does not exist, while that of the serving Secret has no CA',
      facts: {
        ...ofOther({ shop: [certificate('True')] }),
        secrets: objects({
          ...secret(withoutCa),
          metadata: { namespace: 'shop', name: 'policy-tls', annotations: ofPolicy },
        }),
      },
      expect: { messageId: 'certificateMissing' },
    },
    {
      name: 'a Certificate that does not exist, and that of the serving Secret neither',
      facts: ofOther({ shop: [] }),
      expect: { messageId: 'certificateMissing' },
    },
    {
      name: 'a Certificate that is not issued',
      facts: from('shop/policy', { certificates: lists({ shop: [certificate('False')] }) }),
      expect: { messageId: 'certificateNotReady' },
    },
    {
      name: 'the issuer that does not exist either',
      facts: from('shop/policy', {
        certificates: lists({
          shop: [
            {
              ...certificate('False'),
              spec: { secretName: 'policy-tls', issuerRef: { kind: 'ClusterIssuer', name: 'root' } },
            },
          ],
        }),
      }),
      expect: {
        messageId: 'certificateNotReady',
        data: {
          annotation: 'cert-manager.io/inject-ca-from',
          target: 'shop/policy',
          detail: 'Issuer is gone; ClusterIssuer root does not exist',
          injector: "cert-manager's cainjector",
        },
      },
    },
    {
      name: 'a Secret that no longer exists',
      facts: from('shop/policy', { certificates: lists({ shop: [certificate('True')] }) }),
      expect: { messageId: 'secretMissing' },
    },
    {
      name: 'a Secret that may not be used',
      facts: healthy({
        callouts: annotated('inject-ca-from-secret', 'shop/policy-tls'),
        served: servesCertManager,
        secrets: whole.secrets,
      }),
      expect: { messageId: 'secretNotAllowed', names: { issuing: 'shop', secret: 'policy-tls' } },
    },
    {
      name: 'a Secret without a CA',
      facts: from('shop/policy', {
        ...whole,
        secrets: owned(ofPolicy, {
          keys: ['tls.crt', 'tls.key'],
          certificates: { 'tls.crt': pem(good.presented) },
        }),
      }),
      expect: { messageId: 'secretWithoutCa' },
    },
    {
      name: 'a Secret whose ca.crt is not a certificate',
      facts: from('shop/policy', {
        ...whole,
        secrets: owned(ofPolicy, { certificates: { 'tls.crt': pem(good.presented) } }),
      }),
      expect: { messageId: 'secretCaUnreadable' },
    },
    {
      name: 'a Secret that another Certificate made',
      facts: from('shop/policy', {
        ...whole,
        ...running,
        secrets: owned({ 'cert-manager.io/certificate-name': 'another' }),
      }),
      expect: { messageId: 'secretNotOwned', names: { certificate: 'policy' } },
    },
    {
      name: 'an injector that runs and has not written it',
      facts: from('shop/policy', { ...whole, ...running }),
      expect: { messageId: 'notInjected' },
    },
    {
      name: 'the same beside another authority that still fits',
      facts: from('shop/policy', {
        ...whole,
        callouts: annotated('inject-ca-from', 'shop/policy', anotherCa.root),
      }),
      expect: { messageId: 'notInjected' },
    },
    {
      name: 'a Secret that is named itself, and not followed',
      facts: healthy({
        callouts: annotated('inject-ca-from-secret', 'shop/policy-tls'),
        served: servesCertManager,
        secrets: owned({ 'cert-manager.io/allow-direct-injection': 'true' }),
      }),
      expect: { messageId: 'notInjected' },
    },
    {
      name: 'an injector that does not run',
      facts: from('shop/policy', {
        ...whole,
        leases: lists({
          'kube-system': [
            lease({ holderIdentity: 'x', renewTime: '2025-12-31T00:00:00Z', leaseDurationSeconds: 60 }),
          ],
        }),
      }),
      expect: { messageId: 'notRunning' },
    },
    {
      name: 'an injector that is OOMKilled',
      facts: from('shop/policy', {
        ...whole,
        ...running,
        ...injectorPods(injectorPod(crashed('OOMKilled'))),
      }),
      expect: {
        messageId: 'podsFail',
        data: {
          annotation: 'cert-manager.io/inject-ca-from',
          target: '',
          detail: 'OOMKilled',
          injector: "cert-manager's cainjector",
        },
      },
    },
    {
      name: 'an injector that is OOMKilled at its memory limit',
      facts: from('shop/policy', {
        ...whole,
        ...running,
        ...injectorPods(limited(injectorPod(crashed('OOMKilled')))),
      }),
      expect: {
        messageId: 'outOfMemory',
        data: {
          annotation: 'cert-manager.io/inject-ca-from',
          detail: '128Mi',
          injector: "cert-manager's cainjector",
        },
      },
    },
    {
      name: 'an injector with a memory limit that crashes for another reason',
      facts: from('shop/policy', {
        ...whole,
        ...running,
        ...injectorPods(limited(injectorPod(crashed('Error')))),
      }),
      expect: {
        messageId: 'podsFail',
        data: {
          annotation: 'cert-manager.io/inject-ca-from',
          detail: 'crash-looping',
          injector: "cert-manager's cainjector",
        },
      },
    },
    {
      name: 'an injector that requests an API version which is no longer served',
      facts: from('shop/policy', {
        ...whole,
        ...injectorPods(injectorPod(crashed('Error'))),
        logs: complete([
          [
            'cert-manager/cert-manager-cainjector-5d4-x2x4z/injector',
            'error: no matches for kind "MutatingWebhookConfiguration" in version "admissionregistration.k8s.io/v1beta1"',
          ],
        ]),
      }),
      expect: {
        messageId: 'outdated',
        data: {
          annotation: 'cert-manager.io/inject-ca-from',
          detail:
            'error: no matches for kind "MutatingWebhookConfiguration" in version "admissionregistration.k8s.io/v1beta1"',
          injector: "cert-manager's cainjector",
        },
      },
    },
    {
      name: 'an injector that crashes, and logs why',
      facts: from('shop/policy', {
        ...whole,
        ...injectorPods(injectorPod(crashed('Error'))),
        logs: complete([
          [
            'cert-manager/cert-manager-cainjector-5d4-x2x4z/injector',
            'error: open /certs/ca.crt: no such file or directory',
          ],
        ]),
      }),
      expect: { messageId: 'podsFail', names: { pod: 'cert-manager-cainjector-5d4-x2x4z' } },
    },
    {
      name: 'as an error, if the served certificate was renewed and has the name of that in the caBundle',
      facts: {
        ...served('', [{ presented: [selfSigned(3)] }]),
        ...whole,
        served: servesCertManager,
        callouts: annotated('inject-ca-from', 'shop/policy', pem([selfSigned(4)])),
        leases: lists({ 'kube-system': [lease({ holderIdentity: '' })] }),
      },
      expect: { messageId: 'notRunning', severity: 'error' },
    },
    {
      name: 'one that gave up its Lease',
      facts: from('shop/policy', {
        ...whole,
        leases: lists({ 'kube-system': [lease({ holderIdentity: '' })] }),
      }),
      expect: { messageId: 'notRunning' },
    },
  ],
  reportsNothing: [
    {
      name: 'the CA of the Certificate has signed the certificate of the Secret that the Pods mount',
      facts: ofOtherSecret(good.root),
    },
    ...(['Certificate', 'Secret'] as const).map((injectFrom) => ({
      name: `the CA of the ${injectFrom} was renewed, and not yet the certificate that it signs`,
      facts: ofOtherSecret(renewedCa, ofServing, { key: renewedCa, injectFrom }),
    })),
    {
      name: 'the CA in a Secret that a person fills was renewed',
      facts: ofOtherSecret(anotherCa.root, {}, { injectFrom: 'Secret' }),
    },
    {
      name: 'another Pod of the injector is ready, and another program crashes beside it',
      facts: from('shop/policy', {
        ...whole,
        ...running,
        ...injected,
        ...injectorPods(
          injectorPod(crashed('Error')),
          injectorPod({
            conditions: [{ type: 'Ready', status: 'True' }],
            containerStatuses: [{ name: 'injector', ready: true, restartCount: 0, state: { running: {} } }],
          }),
          injectorPod(crashed('Error'), 'cert-manager-webhook-5d4'),
        ),
      }),
      outcome: 'pass',
    },
    {
      name: 'the Pod of the injector runs and is not Ready',
      facts: from('shop/policy', {
        ...whole,
        ...running,
        ...injected,
        ...injectorPods(
          injectorPod({
            conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2025-12-31T23:00:00Z' }],
            containerStatuses: [
              {
                name: 'injector',
                ready: false,
                restartCount: 0,
                state: { running: { startedAt: '2025-12-31T22:00:00Z' } },
              },
            ],
          }),
        ),
      }),
      outcome: 'pass',
    },
    {
      name: 'all is there and it runs',
      facts: from('shop/policy', { ...whole, ...running, ...injected }),
      outcome: 'pass',
    },
    {
      name: 'no Lease shows whether it runs, and the bundle is right',
      facts: from('shop/policy', { ...whole, ...injected }),
      outcome: 'pass',
    },
    {
      name: 'the Secret was written seconds ago',
      facts: from('shop/policy', {
        ...whole,
        ...running,
        secrets: owned(ofPolicy, { writers: [{ manager: 'cert-manager', at: '2025-12-31T23:59:50Z' }] }),
      }),
      outcome: 'pass',
    },
    {
      name: 'an annotation that says neither true nor false',
      facts: healthy({ callouts: annotated('inject-apiserver-ca', 'yes') }),
      outcome: 'not-applicable',
    },
    { name: 'nothing is called', facts: healthy(), outcome: 'not-applicable' },
    {
      name: 'Certificates could not be read',
      facts: from('shop/policy', { certificates: forbidden('certificates') }),
    },
  ],
});
