import { staleCaBundle } from '../../../../src/checks/tls/ca-bundle/stale-ca-bundle.ts';
import { type AdmissionCallout, calloutId } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Service } from '../../../../src/facts/objects/service.ts';
import { serverDraft, signDraft } from '../../../oracle/certificate/chain-draft.ts';
import { testKey } from '../../../oracle/certificate/test-key.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects, service, takenAt } from '../../../support/snapshot.ts';
import { anotherRoot, host, issued, kept, mounting, pem, secret, served, silent } from '../serving.ts';

const good = issued();
const other = anotherRoot('other-ca');
const selfSigned = signDraft(serverDraft(host, new Date(takenAt), testKey('p256', 3)));

const bundle = good.root;
const others = { presented: other.presented };
const fine = { presented: good.presented };
const reports = ['all', 'some', 'spare'].flatMap((extent) => {
  const among = (presented: readonly Buffer[]) =>
    extent === 'all' ? [{ presented }] : [{ presented, ready: extent === 'some' }, fine];
  return [
    {
      name: `another authority, ${extent}`,
      facts: served(bundle, among(other.presented)),
      expect: { messageId: extent, confidence: 'observed' as const },
    },
    {
      name: `another key of the same name, ${extent}`,
      facts: served(bundle, among(anotherRoot().presented)),
      expect: { messageId: `${extent}Key` },
    },
    {
      name: `a self-signed certificate, ${extent}`,
      facts: served(bundle, among([selfSigned])),
      expect: { messageId: `${extent}Self` },
    },
  ];
});

/** A caBundle with a certificate for these names, which another server than that of the webhook uses. */
const bundleFor = (...names: readonly string[]) =>
  pem([
    signDraft({
      ...serverDraft(host, new Date(takenAt), testKey('p256', 4)),
      names: names.map((dns) => ({ dns })),
    }),
  ]);

/** cert-manager's self-signed issuer: no CA, and each renewal has the same name. */
const namesake = {
  name: 'a renewed self-signed certificate that is no CA',
  facts: served(bundleFor(host), [{ presented: [selfSigned] }]),
  expect: { messageId: 'allSelf', confidence: 'observed' as const },
};

/** The facts with a second configuration for the same Service. */
const beside = (renewed: string, over: Partial<AdmissionCallout> = {}) => {
  const facts = served(bundle, [others]);
  const [[first], [trusting]] = [facts, served(renewed, [])].map(
    ({ callouts }) => callouts as readonly AdmissionCallout[],
  ) as [readonly [AdmissionCallout], readonly [AdmissionCallout]];
  const ref = { kind: 'ValidatingWebhookConfiguration', name: 'renamed', webhook: 'new.example.com' };
  const second = { ...trusting, webhook: 'new.example.com', configuration: 'renamed', ref, ...over };
  return { ...facts, callouts: [first, second] };
};

/** The API server rejects a certificate whose CA has another key, and these Services exist. */
const renewedKey = { presented: anotherRoot().presented };
const recreated = (...services: readonly Service[]) =>
  served(bundle, [renewedKey], { services: objects(service(), ...services) });
const inStaging = service({}, { namespace: 'staging' });

/** A second installation may exist, and the configuration has this metadata. */
const withMetadata = (metadata: Partial<AdmissionCallout['metadata']>, webhook = 'policy.example.com') => {
  const { callouts, probes, ...facts } = recreated(inStaging);
  const [first] = callouts as readonly [AdmissionCallout];
  const own = { ...first, webhook, metadata: { ...first.metadata, ...metadata } };
  const probed = [...(probes?.entries() ?? [])].map(([, found]) => [calloutId(own), found] as const);
  return { ...facts, callouts: [own], probes: complete(probed) };
};
/** This field manager wrote the caBundle. */
const writtenBy = (manager: string, field: object = { 'f:clientConfig': { 'f:caBundle': {} } }) => ({
  managedFields: [
    {
      manager,
      operation: 'Update',
      fieldsV1: {
        'f:webhooks': {
          'k:{"name":"policy.example.com"}': field,
          'k:{"name":"vault.hashicorp.com"}': field,
        },
      },
    },
  ],
});

/** Two configurations with this metadata, of which one trusts the certificate. */
const twins = (metadata: object, others: object = metadata) => {
  const facts = beside(other.root, { kind: 'mutating' });
  const [first, second] = facts.callouts as [AdmissionCallout, AdmissionCallout];
  const having = (one: AdmissionCallout, more: object) => ({
    ...one,
    metadata: { ...one.metadata, ...more },
  });
  return { ...facts, callouts: [having(first, metadata), having(second, others)] };
};
const release = (version: string, annotations: object = {}) => ({
  annotations: {
    'meta.helm.sh/release-name': 'acme',
    'meta.helm.sh/release-namespace': 'shop',
    ...annotations,
  },
  labels: { 'app.kubernetes.io/version': version },
});

describeCheck(staleCaBundle, {
  reports: [
    {
      name: 'beside one of the same release, so that neither is left over',
      facts: twins(release('1.2.3')),
      expect: { messageId: 'trustedBeside', names: { leftover: undefined } },
    },
    {
      name: 'beside one of another version',
      facts: twins(release('1.2.3'), release('1.3.0')),
      expect: { messageId: 'trustedBeside', names: {} },
    },
    {
      name: 'beside another one that requests a CA injector, too',
      facts: twins(release('1.2.3', { 'cert-manager.io/inject-ca-from': 'shop/policy' })),
      expect: { messageId: 'all' },
    },
    ...reports,
    namesake,
    {
      name: 'a second installation, whose Service no configuration calls',
      facts: recreated(inStaging),
      expect: {
        messageId: 'secondInstallation',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          issuer: 'root-ca',
          other: 'staging/policy',
        },
      },
    },
    {
      name: 'no second installation, if the other Service has another selector',
      facts: recreated(service({ selector: { app: 'ledger' } }, { namespace: 'staging' })),
      expect: { messageId: 'allKey' },
    },
    {
      name: 'no second installation, if several Services may be of it',
      facts: recreated(inStaging, service({}, { namespace: 'testing' })),
      expect: { messageId: 'allKey' },
    },
    {
      name: 'no second installation, if another configuration calls its Service',
      facts: (() => {
        const facts = recreated(inStaging);
        const [first] = facts.callouts as readonly [AdmissionCallout];
        const own = { ...first, configuration: 'staging', webhook: 'staging.example.com' };
        const client = { ...first.client, service: { ...first.client.service, namespace: 'staging' } };
        return { ...facts, callouts: [first, { ...own, client } as AdmissionCallout] };
      })(),
      expect: [{ messageId: 'allKey' }],
    },
    ...[
      { annotations: { 'cert-manager.io/inject-ca-from': 'shop/serving' } },
      { annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } },
      writtenBy('cert-manager-cainjector'),
      writtenBy('kube-webhook-certgen'),
    ].map((metadata) => ({
      name: `no second installation, if another tool writes the caBundle: ${JSON.stringify(metadata)}`,
      facts: withMetadata(metadata),
      expect: { messageId: 'allKey' as const },
    })),
    {
      name: 'no second installation, if the caBundle fits another Pod',
      facts: served(bundle, [{ ...renewedKey, ready: true }, fine], {
        services: objects(service(), inStaging),
      }),
      expect: { messageId: 'someKey' },
    },
    {
      name: 'a second installation of a product whose own process writes the caBundle',
      facts: withMetadata(writtenBy('vault-k8s'), 'vault.hashicorp.com'),
      expect: { messageId: 'secondInstallation' },
    },
    {
      name: 'a second installation, beside a tool that wrote only another field',
      facts: withMetadata(writtenBy('kube-webhook-certgen', { 'f:failurePolicy': {} })),
      expect: { messageId: 'secondInstallation' },
    },
    {
      name: 'a second installation, beside a field manager of any product',
      facts: withMetadata(writtenBy('manager')),
      expect: { messageId: 'secondInstallation' },
    },
    {
      name: 'a configuration that another one has replaced',
      facts: beside(other.root),
      expect: {
        messageId: 'replaced',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          issuer: 'other-ca',
          other: 'renamed',
        },
      },
    },
    {
      name: 'a caBundle with the certificate of an installation in another namespace',
      facts: served(bundleFor('policy', 'policy.staging', 'policy.staging.svc'), [others]),
      expect: {
        messageId: 'otherInstallation',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          issuer: 'other-ca',
          other: 'staging/policy',
        },
      },
    },
    {
      name: 'a caBundle with a certificate of both namespaces',
      facts: served(bundleFor('policy.staging.svc', 'policy.shop.svc'), [others]),
      expect: { messageId: 'all' },
    },
    {
      name: 'a caBundle with the certificate of another Service',
      facts: served(bundleFor('keeper.staging.svc'), [others]),
      expect: { messageId: 'all' },
    },
    {
      name: 'a caBundle with an earlier certificate of the same Service',
      facts: served(bundleFor('policy.shop.svc'), [others]),
      expect: { messageId: 'all' },
    },
    {
      name: 'beside one of the other phase',
      facts: beside(other.root, { kind: 'mutating' }),
      expect: {
        messageId: 'trustedBeside',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          issuer: 'other-ca',
          other: 'ValidatingWebhookConfiguration renamed',
        },
      },
    },
    {
      name: 'beside one of other resources',
      facts: beside(other.root, { rules: [] }),
      expect: { messageId: 'trustedBeside' },
    },
    {
      name: 'beside one that trusts neither',
      facts: beside(bundle, { kind: 'mutating' }),
      expect: { messageId: 'all' },
    },
    {
      name: 'the Secret, without a connection',
      facts: kept(bundle, secret({ 'tls.crt': pem(other.presented) })),
      expect: {
        messageId: 'all',
        confidence: 'derived',
        data: {
          certificate: 'The certificate in Secret shop/policy-tls',
          issuer: 'other-ca',
          anchors: 'root-ca',
        },
      },
    },
    {
      name: 'an old certificate beside a Secret and a bundle that are new',
      facts: served(bundle, [others], {
        pods: lists({ 'shop/policy': [mounting()] }),
        secrets: objects(secret({ 'tls.crt': pem(good.presented), 'ca.crt': good.root })),
      }),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing: [
    ...silent(),
    { name: 'there is no bundle, which another check reports', facts: served('', [fine]) },
    {
      name: 'an intermediate is left out',
      facts: served(bundle, [{ presented: issued({}, 1).presented.slice(0, 1) }]),
    },
  ],
});
