import { injectionLabelUnknown } from '../../../src/checks/effect/injection-label-unknown.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import type { LabelSelector } from '../../../src/facts/objects/label-selector.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';

const ofPods = [
  { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' as const },
];
const injector = (namespaceSelector: LabelSelector, over: Partial<AdmissionCallout> = {}) =>
  webhook({ kind: 'mutating', rules: ofPods, namespaceSelector, ...over });
const name = 'rev.namespace.sidecar-injector.istio.io';
const revisions = injector(
  { matchExpressions: [{ key: 'istio.io/rev', operator: 'In', values: ['stable', '1-28'] }] },
  { webhook: name },
);
const agents = (namespaceSelector: LabelSelector) =>
  injector(namespaceSelector, { webhook: 'agent-injector.example.com', failurePolicy: 'Ignore' });
const shop = (labels: Readonly<Record<string, string>>) => {
  const made = namespace('shop');
  return { ...made, metadata: { ...made.metadata, labels } };
};
const given = (labels: Readonly<Record<string, string>>, ...callouts: readonly AdmissionCallout[]) => ({
  callouts,
  namespaces: objects(shop(labels)),
});

describeCheck(injectionLabelUnknown, {
  reports: [
    {
      name: 'a revision that was removed',
      facts: given({ 'istio.io/rev': '1-20' }, revisions),
      expect: {
        messageId: 'unknown',
        subject: { kind: 'Namespace', name: 'shop' },
        data: {
          namespace: 'shop',
          label: 'istio.io/rev=1-20',
          webhooks: name,
          values: 'istio.io/rev=stable and istio.io/rev=1-28',
        },
      },
    },
    {
      name: 'the label of the default injector, where only a revision is installed',
      facts: given(
        { 'istio-injection': 'enabled' },
        injector(
          {
            matchExpressions: [
              { key: 'istio-injection', operator: 'DoesNotExist' },
              { key: 'istio.io/rev', operator: 'In', values: ['1-9-4'] },
            ],
          },
          { webhook: name },
        ),
      ),
      expect: {
        messageId: 'otherKey',
        data: {
          namespace: 'shop',
          label: 'istio-injection=enabled',
          webhooks: name,
          values: 'istio.io/rev=1-9-4',
        },
      },
    },
    {
      name: 'another spelling',
      facts: given({ inject: 'Enabled' }, injector({ matchLabels: { inject: 'enabled' } })),
      expect: { messageId: 'oneValue' },
    },
    {
      name: 'another spelling of a label that is not about injection',
      facts: given({ environment: 'Prod' }, agents({ matchLabels: { environment: 'prod' } })),
      expect: {
        messageId: 'unknown',
        names: { place: 'shop', key: 'environment', label: 'environment=prod' },
      },
    },
    {
      name: 'a value that may be of an injector to come',
      facts: given({ inject: 'canary' }, injector({ matchLabels: { inject: 'stable' } })),
      expect: { messageId: 'unknown', names: { place: 'shop', key: 'inject', label: 'inject=stable' } },
    },
  ],
  reportsNothing: [
    { name: 'a webhook selects it', facts: given({ 'istio.io/rev': '1-28' }, revisions), outcome: 'pass' },
    {
      name: 'it refuses injection',
      facts: given({ 'istio.io/rev': 'disabled' }, revisions),
      outcome: 'pass',
    },
    {
      name: 'a selector names the value to leave it out',
      facts: given(
        { inject: 'manual' },
        injector({ matchLabels: { inject: 'enabled' } }),
        injector({ matchExpressions: [{ key: 'inject', operator: 'NotIn', values: ['manual'] }] }),
      ),
      outcome: 'pass',
    },
    {
      name: 'another label of the namespace has it selected',
      facts: given(
        { inject: 'old', 'istio.io/rev': 'stable' },
        injector({ matchLabels: { inject: 'new' } }),
        revisions,
      ),
      outcome: 'pass',
    },
    {
      name: 'the webhook is for some environments only',
      facts: given({ environment: 'dev' }, injector({ matchLabels: { environment: 'prod' } })),
      outcome: 'not-applicable',
    },
    {
      name: 'the injector is for some environments only',
      facts: given({ environment: 'staging' }, agents({ matchLabels: { environment: 'production' } })),
      outcome: 'pass',
    },
    {
      name: 'the injector is for namespaces of a name, and the label refuses it',
      facts: given(
        { 'agent-injection': 'v2' },
        agents({
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['bank'] },
            { key: 'agent-injection', operator: 'DoesNotExist' },
          ],
        }),
      ),
      outcome: 'not-applicable',
    },
    { name: 'it has no such label', facts: given({ team: 'a' }, revisions), outcome: 'pass' },
    {
      name: 'the webhook checks Pods and changes none',
      facts: given(
        { inject: 'Enabled' },
        webhook({ rules: ofPods, namespaceSelector: { matchLabels: { inject: 'enabled' } } }),
      ),
      outcome: 'not-applicable',
    },
    {
      name: 'namespaces are selected by name',
      facts: given(
        { 'kubernetes.io/metadata.name': 'shop' },
        injector({ matchLabels: { 'kubernetes.io/metadata.name': 'web' } }),
      ),
      outcome: 'not-applicable',
    },
  ],
});
