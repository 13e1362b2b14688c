import { namespaceSelectorMatchesNothing } from '../../../src/checks/registration/namespace-selector-matches-nothing.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { lookup } from '../../../src/facts/lookup.ts';
import type { Namespace } from '../../../src/facts/objects/namespace.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { served } from './served.ts';

const rule = (over: Partial<RuleWithOperations> = {}): RuleWithOperations => ({
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
  scope: '*',
  ...over,
});
const namespaces = objects(namespace('shop', { team: 'a' }), namespace('kube-system'));
const selecting = (
  namespaceSelector: AdmissionCallout['namespaceSelector'],
  rules: readonly RuleWithOperations[] = [rule()],
) => ({ callouts: [webhook({ namespaceSelector, rules })], namespaces, served: served() });

const refused = { what: 'namespaces', why: 'forbidden' } as const;
const someNamespaces = lookup<Namespace>(new Map([['shop', namespace('shop', { team: 'a' })]]), {
  others: refused,
});

const writesSelector = {
  'f:webhooks': { 'k:{"name":"validate.kyverno.svc-fail"}': { 'f:namespaceSelector': {} } },
};
const ofKyverno = (
  matchLabels: Readonly<Record<string, string>>,
  managedFields: NonNullable<AdmissionCallout['metadata']['managedFields']> = [],
) =>
  webhook({
    webhook: 'validate.kyverno.svc-fail',
    namespaceSelector: { matchLabels },
    rules: [rule()],
    metadata: { name: 'kyverno-resource-validating-webhook-cfg', managedFields },
  });

describeCheck(namespaceSelectorMatchesNothing, {
  reports: [
    {
      name: 'labels that no namespace has',
      facts: selecting({ matchLabels: { team: 'b' } }),
      expect: { messageId: 'none', data: { total: 2, selector: 'team=b' }, names: { label: 'team=b' } },
    },
    {
      name: 'a product for which no namespace has asked, which is no mistake',
      facts: {
        ...selecting({}),
        callouts: [
          webhook({
            webhook: 'rev.namespace.sidecar-injector.istio.io',
            namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
            rules: [rule()],
          }),
        ],
      },
      expect: {
        messageId: 'notAsked',
        data: {
          total: 2,
          selector: 'istio-injection=enabled',
          webhook: 'rev.namespace.sidecar-injector.istio.io',
          product: 'Istio',
        },
      },
    },
    {
      name: 'a policy engine whose settings name a label that no namespace has',
      facts: {
        ...selecting({}),
        callouts: [ofKyverno({ env: 'prodd' }, [{ manager: 'kyverno', fieldsV1: writesSelector }])],
      },
      expect: {
        messageId: 'unenforced',
        data: {
          total: 2,
          selector: 'env=prodd',
          webhook: 'validate.kyverno.svc-fail',
          product: 'Kyverno',
          instruction: 'in the policies (`spec.webhookConfiguration`) and in the ConfigMap kyverno',
        },
        names: { label: 'env=prodd' },
      },
    },
    {
      name: 'a policy engine whose configuration was written by hand',
      facts: { ...selecting({}), callouts: [ofKyverno({ env: 'prodd' })] },
      expect: { messageId: 'none', data: { total: 2, selector: 'env=prodd' } },
    },
    {
      name: 'a policy engine to which namespaces opt in with its label',
      facts: { ...selecting({}), callouts: [ofKyverno({ 'policy.example.com/include': 'true' })] },
      expect: { messageId: 'notAsked' },
    },
    {
      name: 'a value in other capitals',
      facts: selecting({ matchExpressions: [{ key: 'team', operator: 'In', values: ['A'] }] }),
      expect: { messageId: 'none', data: { total: 2, selector: 'team in (A)' }, names: { label: undefined } },
    },
    {
      name: 'rules for all resources that have a namespace',
      facts: selecting({ matchLabels: { team: 'b' } }, [rule({ resources: ['*/*'], scope: 'Namespaced' })]),
      expect: { messageId: 'none', data: { total: 2, selector: 'team=b' } },
    },
    {
      name: 'requirements that exclude each other, although other namespaces may not be read',
      facts: {
        ...selecting({
          matchLabels: { team: 'b' },
          matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['b'] }],
        }),
        namespaces: someNamespaces,
      },
      expect: { messageId: 'never', data: { selector: 'team=b,team notin (b)', key: 'team' } },
    },
    {
      name: 'every namespace left out',
      facts: selecting({
        matchExpressions: [
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop', 'kube-system'] },
          { key: 'team', operator: 'DoesNotExist' },
          { key: 'kubernetes.io/metadata.name', operator: 'Exists' },
        ],
      }),
      expect: {
        messageId: 'none',
        data: {
          total: 2,
          selector: 'kubernetes.io/metadata.name notin (shop,kube-system),!team,kubernetes.io/metadata.name',
        },
      },
    },
  ],
  reportsNothing: [
    { name: 'a namespace has the labels', facts: selecting({ matchLabels: { team: 'a' } }) },
    {
      name: 'a namespace lacks the label that would leave it out',
      facts: selecting({ matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] }),
    },
    { name: 'nothing is demanded', facts: selecting({}), outcome: 'not-applicable' },
    {
      name: 'the rules cover resources without a namespace',
      facts: selecting({ matchLabels: { team: 'b' } }, [rule(), rule({ resources: ['nodes'] })]),
    },
    {
      name: 'the rules cover Namespaces, which may be created with the labels',
      facts: selecting({ matchLabels: { team: 'b' } }, [rule({ resources: ['*'] })]),
    },
    {
      name: 'there are no rules, which is the reason',
      facts: selecting({ matchLabels: { team: 'b' } }, []),
      outcome: 'not-applicable',
    },
    {
      name: 'a namespace has the labels and others may not be read',
      facts: { ...selecting({ matchLabels: { team: 'a' } }), namespaces: someNamespaces },
    },
  ],
  isUnknown: [
    {
      name: 'other namespaces may not be read',
      facts: { ...selecting({ matchLabels: { team: 'b' } }), namespaces: someNamespaces },
    },
    {
      name: 'discovery does not show which resources are namespaced',
      facts: { ...selecting({ matchLabels: { team: 'b' } }), served: forbidden('discovery') },
    },
    {
      name: 'discovery could not list a group of the rules',
      facts: {
        ...selecting({ matchLabels: { team: 'b' } }, [rule({ apiGroups: ['a.example'] })]),
        served: served('a.example/v1'),
      },
    },
  ],
});
