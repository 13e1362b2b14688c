import { namespaceOptedOut } from '../../../src/checks/scope/namespace-opted-out.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import type { LabelSelectorRequirement } from '../../../src/facts/objects/label-selector.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, namespace, objects, service, webhook } from '../../support/snapshot.ts';

const ignore = 'admission.gatekeeper.sh/ignore';
const without = (...matchExpressions: readonly LabelSelectorRequirement[]) => ({
  namespaceSelector: { matchExpressions },
});
const gatekeeper = (over: Partial<AdmissionCallout> = {}) =>
  webhook({
    webhook: 'validation.gatekeeper.sh',
    client: { service: { namespace: 'gatekeeper-system', name: 'gatekeeper-webhook-service', port: 443 } },
    ...without({ key: ignore, operator: 'DoesNotExist' }),
    ...over,
  });
const certManager = webhook({
  webhook: 'webhook.cert-manager.io',
  client: { service: { namespace: 'cert-manager', name: 'cert-manager-webhook', port: 443 } },
  ...without({ key: 'cert-manager.io/disable-validation', operator: 'NotIn', values: ['true'] }),
});
/** Istio's webhooks for namespaces, and for Pods of the other namespaces (istio-discovery mutatingwebhook.yaml). */
const istio = [
  gatekeeper({
    kind: 'mutating',
    webhook: 'namespace.sidecar-injector.istio.io',
    namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
  }),
  gatekeeper({
    kind: 'mutating',
    webhook: 'object.sidecar-injector.istio.io',
    ...without({ key: 'istio-injection', operator: 'DoesNotExist' }),
    objectSelector: { matchLabels: { 'sidecar.istio.io/inject': 'true' } },
  }),
];
/** Istio's webhook on a platform that excludes the namespaces of operators. */
const asked = gatekeeper({
  kind: 'mutating',
  webhook: 'namespace.sidecar-injector.istio.io',
  ...without(
    { key: 'istio-injection', operator: 'In', values: ['enabled'] },
    { key: 'control-plane', operator: 'DoesNotExist' },
  ),
});
/** Another webhook of the configuration, for objects that opt in to it. */
const strict = gatekeeper({
  webhook: 'strict.gatekeeper.sh',
  namespaceSelector: {},
  objectSelector: { matchLabels: { strict: 'true' } },
});
const quiet = (name: string) => namespace(name, { [ignore]: 'no-self-managing' });
const facts = (
  callouts: readonly AdmissionCallout[],
  ...namespaces: readonly ReturnType<typeof namespace>[]
) =>
  healthy({
    callouts,
    namespaces: objects(...namespaces),
    services: objects(service(), service({}, { namespace: 'bank' })),
  });
const detail = { product: 'Gatekeeper', what: 'The constraints and mutations', label: ignore };

describeCheck(namespaceOptedOut, {
  reports: [
    {
      name: 'a namespace in use that carries the label',
      facts: facts([gatekeeper()], quiet('shop'), namespace('bank')),
      expect: { messageId: 'inUse', data: { ...detail, namespaces: 'namespace shop' } },
    },
    {
      name: 'namespaces in use apart from those that hold nothing',
      facts: facts([gatekeeper()], quiet('shop'), quiet('bank'), quiet('attic')),
      expect: [
        { messageId: 'inUse', data: { ...detail, namespaces: 'namespaces shop and bank' } },
        { messageId: 'empty', data: { ...detail, namespaces: 'namespace attic' } },
      ],
    },
    {
      name: 'a value that the selector refuses',
      facts: facts(
        [
          gatekeeper({
            webhook: 'linkerd-proxy-injector.linkerd.io',
            ...without({
              key: 'config.linkerd.io/admission-webhooks',
              operator: 'NotIn',
              values: ['disabled'],
            }),
          }),
        ],
        namespace('shop', { 'config.linkerd.io/admission-webhooks': 'disabled' }),
        namespace('bank', { 'config.linkerd.io/admission-webhooks': 'enabled' }),
      ),
      expect: {
        messageId: 'inUse',
        data: {
          product: 'Linkerd',
          what: 'The mutual TLS and authorization',
          label: 'config.linkerd.io/admission-webhooks',
          namespaces: 'namespace shop',
        },
      },
    },
    {
      name: 'it once for webhooks of one product with one selector',
      facts: facts(
        [gatekeeper(), gatekeeper({ kind: 'mutating', webhook: 'mutation.gatekeeper.sh' })],
        quiet('shop'),
      ),
      expect: { messageId: 'inUse' },
    },
    {
      name: 'namespaces that leave themselves out of a product that enforces nothing',
      facts: facts(
        [certManager],
        namespace('shop', { 'cert-manager.io/disable-validation': 'true' }),
        namespace('bank'),
      ),
      expect: {
        messageId: 'skipped',
        data: {
          webhook: 'webhook.cert-manager.io',
          namespaces: 'namespace shop',
          label: 'cert-manager.io/disable-validation',
        },
      },
    },
    {
      name: 'the same of a webhook of no product',
      facts: facts([gatekeeper({ webhook: 'policy.example.com' })], quiet('shop')),
      expect: { messageId: 'skipped' },
    },
    {
      name: 'a namespace that the label excludes from all webhooks of the configuration',
      facts: facts(istio, namespace('shop', { 'istio-injection': 'disabled' })),
      expect: {
        messageId: 'inUse',
        data: {
          product: 'Istio',
          what: 'The mutual TLS and authorization',
          label: 'istio-injection',
          namespaces: 'namespace shop',
        },
      },
    },
    {
      name: 'a namespace in which another webhook of the configuration is called for chosen objects only',
      facts: facts([gatekeeper(), strict], quiet('shop')),
      expect: { messageId: 'inUse' },
    },
    {
      name: 'a namespace with a label that requests injection, and one that excludes it',
      facts: facts(
        [asked],
        namespace('attic', { 'istio-injection': 'enabled', 'control-plane': 'operator' }),
      ),
      expect: {
        messageId: 'requested',
        severity: 'warning',
        data: {
          label: 'control-plane',
          namespaces: 'namespace attic',
          webhook: 'namespace.sidecar-injector.istio.io',
          request: 'istio-injection=enabled',
          consequence: 'new Pods get no Istio proxy',
        },
        names: { place: 'attic', key: 'control-plane' },
      },
    },
    {
      name: 'objects that can leave themselves out of a policy',
      facts: facts(
        [
          gatekeeper({
            namespaceSelector: {},
            objectSelector: { matchExpressions: [{ key: 'policy/skip', operator: 'DoesNotExist' }] },
          }),
        ],
        namespace('shop'),
      ),
      expect: {
        messageId: 'objects',
        data: { product: 'Gatekeeper', what: 'The constraints and mutations', label: 'policy/skip' },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'the namespace that is excluded does not request injection',
      facts: facts([asked], namespace('attic', { 'control-plane': 'operator' })),
      outcome: 'pass',
    },
    {
      name: 'no namespace carries the label',
      facts: facts([gatekeeper()], namespace('shop')),
      outcome: 'pass',
    },
    { name: 'it is the namespace of the product', facts: facts([gatekeeper()], quiet('gatekeeper-system')) },
    { name: 'it is kube-system', facts: facts([gatekeeper()], quiet('kube-system')) },
    {
      name: 'objects have to ask for it',
      facts: facts(
        [gatekeeper({ namespaceSelector: {}, objectSelector: { matchLabels: { guarded: 'yes' } } })],
        namespace('shop'),
      ),
    },
    {
      name: 'objects opt out of the injection',
      facts: facts(
        [
          gatekeeper({
            kind: 'mutating',
            webhook: 'linkerd-proxy-injector.linkerd.io',
            namespaceSelector: {},
            objectSelector: { matchExpressions: [{ key: 'linkerd.io/skip', operator: 'DoesNotExist' }] },
          }),
        ],
        namespace('shop'),
      ),
    },
    {
      name: 'another webhook of the configuration is called in the namespace because of the label',
      facts: facts(istio, namespace('shop', { 'istio-injection': 'enabled' })),
    },
    {
      name: 'another webhook of the configuration is called there for the same chosen objects',
      facts: facts([gatekeeper({ objectSelector: strict.objectSelector }), strict], quiet('shop')),
    },
    { name: 'nothing is sent to it', facts: facts([gatekeeper({ rules: [] })], quiet('shop')) },
    {
      name: 'namespaces have to ask for it',
      facts: facts(
        [
          gatekeeper({
            webhook: 'namespace.sidecar-injector.istio.io',
            namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
          }),
        ],
        namespace('shop', { 'istio-injection': 'disabled' }),
      ),
    },
    {
      name: 'it is left out by its name',
      facts: facts(
        [gatekeeper(without({ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] }))],
        quiet('shop'),
      ),
    },
    {
      name: 'it would be left out without the label as well',
      facts: facts(
        [
          gatekeeper(
            without(
              { key: ignore, operator: 'DoesNotExist' },
              { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] },
            ),
          ),
        ],
        quiet('shop'),
      ),
    },
  ],
});
