import { configurationFoughtOver } from '../../../src/checks/ownership/configuration-fought-over.ts';
import type { ManagedFields, Metadata } from '../../../src/facts/objects/metadata.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, conversion, webhook } from '../../support/snapshot.ts';

// Snapshots are taken at 2026-01-01T00:00:00Z.
const wrote = (manager: string, time: string, fields: object = { 'f:webhooks': {} }): ManagedFields => ({
  manager,
  operation: 'Update',
  time,
  fieldsV1: { ...fields },
});
const metadata = (over: Partial<Metadata>): Metadata => ({
  name: 'policy',
  generation: 401,
  creationTimestamp: '2025-12-29T00:00:00Z',
  managedFields: [
    wrote('istiod', '2025-12-31T23:59:50Z'),
    wrote('argocd-controller', '2025-12-31T23:59:58Z'),
  ],
  ...over,
});
const written = (over: Partial<Metadata> = {}) => ({ callouts: [webhook({ metadata: metadata(over) })] });
/** A configuration that one program has changed 400 times within the last hour. */
const rewritten = (configuration: string, namespace: string, manager: string, field = 'f:rules') => {
  const name = 'policy.example.com';
  const fields = { 'f:webhooks': { [`k:${JSON.stringify({ name })}`]: { [field]: { 'f:caBundle': {} } } } };
  return webhook({
    configuration,
    webhook: name,
    client: { service: { namespace, name: 'policy', port: 443 } },
    metadata: metadata({
      name: configuration,
      creationTimestamp: '2025-12-31T23:00:00Z',
      managedFields: [wrote(manager, '2025-12-31T23:59:58Z', fields)],
    }),
  });
};
const fieldsOf = (field: string) => ({
  'f:webhooks': {
    [`k:${JSON.stringify({ name: 'policy.example.com' })}`]: { [field]: { 'f:caBundle': {} } },
  },
});
/** A configuration whose caBundle was last written by one program. */
const bundleOf = (over: Partial<Metadata>, time = '2025-12-31T23:59:58Z') => {
  const one = rewritten('policy', 'a', 'runtime', 'f:clientConfig');
  const managedFields = (one.metadata.managedFields ?? []).map((entry) => ({ ...entry, time }));
  return { ...one, metadata: { ...one.metadata, managedFields, ...over } };
};
/** A configuration that an injector has just written, and another manager as well. */
const besides = (generation: number, other: ManagedFields) =>
  written({
    generation,
    creationTimestamp: '2025-12-31T23:30:00Z',
    managedFields: [wrote('cainjector', '2025-12-31T23:58:20Z', fieldsOf('f:clientConfig')), other],
  });
const twice = <T>(one: T): readonly T[] => [one, one];
const spec = { 'f:spec': { 'f:conversion': {} } };

describeCheck(configurationFoughtOver, {
  reports: [
    {
      name: 'two writers of a moment ago, and hundreds of changes in days',
      facts: written(),
      expect: {
        messageId: 'changed',
        data: { writers: 'argocd-controller and istiod', count: 400, span: '3 days' },
      },
    },
    {
      name: 'a quarrel in a young configuration',
      facts: written({ generation: 31, creationTimestamp: '2025-12-31T23:50:00Z' }),
      expect: {
        messageId: 'changed',
        data: { writers: 'argocd-controller and istiod', count: 30, span: '10 minutes' },
      },
    },
    {
      name: 'a platform that excludes namespaces, and an operator that does not',
      facts: written({
        managedFields: [
          wrote('policy-operator', '2025-12-31T23:59:50Z'),
          wrote('admissionsenforcer', '2025-12-31T23:59:58Z', fieldsOf('f:namespaceSelector')),
        ],
      }),
      expect: {
        messageId: 'platform',
        data: {
          writers: 'admissionsenforcer and policy-operator',
          count: 400,
          span: '3 days',
          instruction: 'only if the object is annotated admissions.enforcer/disabled: "true"',
        },
      },
    },
    {
      name: 'a CRD',
      facts: {
        callouts: [
          conversion({
            metadata: {
              ...metadata({ name: 'widgets.example.com', creationTimestamp: '2025-12-31T10:00:00Z' }),
              managedFields: [
                wrote('cainjector', '2025-12-31T23:59:50Z', spec),
                wrote('helm', '2025-12-31T23:55:00Z', spec),
              ],
            },
          }),
        ],
      },
      expect: {
        messageId: 'changed',
        data: { writers: 'cainjector and helm', count: 400, span: '14 hours' },
      },
    },
    {
      name: 'one writer that rewrites it every half minute, alone',
      facts: written({
        generation: 8641,
        managedFields: [wrote('policy-operator', '2025-12-31T23:59:58Z')],
      }),
      expect: { messageId: 'alone', data: { writers: 'policy-operator', count: 8640, span: '3 days' } },
    },
    {
      name: 'two installations that write the same configurations',
      facts: {
        callouts: [
          rewritten('kyverno-verify-webhook-cfg', 'kyverno', 'kyverno'),
          rewritten('kyverno-resource-webhook-cfg', 'kyverno2', 'kyverno'),
        ],
      },
      expect: twice({
        messageId: 'installations',
        data: { program: 'kyverno', namespaces: 'kyverno and kyverno2' },
      }),
    },
    {
      name: 'a tool that deploys two installations of a program, and rewrites what they change',
      facts: {
        callouts: [
          rewritten('istio-validator-istio-system', 'istio-system', 'argocd-controller'),
          rewritten('istio-revision-tag-edge', 'istio-edge', 'argocd-controller'),
        ],
      },
      expect: twice({ messageId: 'alone' }),
    },
    {
      name: 'one program that rewrites the configurations of several, each with another name',
      facts: {
        callouts: [rewritten('guard-cfg', 'guard', 'olm'), rewritten('policy-cfg', 'policy', 'olm')],
      },
      expect: twice({ messageId: 'alone' }),
    },
    {
      name: 'an injector that rewrites only the caBundle of several configurations',
      facts: {
        callouts: [
          rewritten('policy-a', 'a', 'cainjector', 'f:clientConfig'),
          rewritten('policy-b', 'b', 'cainjector', 'f:clientConfig'),
        ],
      },
      expect: twice({ messageId: 'bundle', data: { writers: 'cainjector', count: 400, span: '60 minutes' } }),
    },
    {
      name: 'a caBundle that has changed every second for a minute: only the last writer is recorded',
      facts: { callouts: [bundleOf({ generation: 41, creationTimestamp: '2025-12-31T23:59:00Z' })] },
      expect: { messageId: 'bundle', data: { writers: 'runtime', count: 40, span: '1 minute' } },
    },
    {
      name: 'a caBundle that does not settle, in a configuration that Helm installed',
      facts: besides(41, wrote('helm', '2025-12-31T23:30:02Z', fieldsOf('f:rules'))),
      expect: { messageId: 'bundle', data: { writers: 'cainjector', count: 40, span: '30 minutes' } },
    },
  ],
  reportsNothing: [
    {
      name: 'an injector fills in the caBundle beside a Helm release',
      facts: written({ generation: 2 }),
      outcome: 'not-applicable',
    },
    {
      name: 'an upgrade every other day has changed it over years',
      facts: written({ generation: 200, creationTimestamp: '2024-12-31T00:00:00Z' }),
    },
    {
      name: 'a caBundle that was renewed now and then over years',
      facts: { callouts: [bundleOf({ generation: 61, creationTimestamp: '2023-12-31T00:00:00Z' })] },
    },
    {
      name: 'an operator that has written many rules, and an injector since then once',
      facts: {
        callouts: [
          bundleOf({ generation: 41, creationTimestamp: '2025-12-31T23:30:00Z' }, '2025-12-31T23:31:00Z'),
        ],
      },
    },
    {
      name: 'an operator that has written the rules of many policies until a few minutes ago, and an injector once',
      facts: besides(41, wrote('policy-operator', '2025-12-31T23:55:00Z', fieldsOf('f:rules'))),
    },
    {
      name: 'an operator that registered many policies long after the installation, and an injector later',
      facts: besides(41, wrote('policy-operator', '2025-12-31T23:34:00Z', fieldsOf('f:rules'))),
    },
    {
      name: 'a person who has edited the rules many times, and an injector once',
      facts: besides(41, wrote('kubectl-edit', '2025-12-31T23:59:00Z', fieldsOf('f:rules'))),
    },
    {
      name: 'an injector that wrote once, and hundreds of changes by an operator',
      facts: besides(400, wrote('policy-operator', '2025-12-31T23:58:00Z', fieldsOf('f:rules'))),
    },
    {
      name: 'an operator makes it again for each policy, alone',
      facts: written({ managedFields: [wrote('kyverno', '2025-12-31T23:59:58Z')] }),
    },
    {
      name: 'an operator makes it again, and who installed it was removed long ago',
      facts: written({
        managedFields: [wrote('helm', '2025-12-29T00:00:00Z'), wrote('kyverno', '2025-12-31T23:59:58Z')],
      }),
    },
    {
      name: 'an operator makes it again for each of many policies, just after the installation',
      facts: written({
        generation: 61,
        creationTimestamp: '2025-12-31T23:40:00Z',
        managedFields: [wrote('helm', '2025-12-31T23:40:05Z'), wrote('operator', '2025-12-31T23:59:58Z')],
      }),
      outcome: 'pass',
    },
    {
      name: 'the other one writes labels only',
      facts: written({
        managedFields: [
          wrote('helm', '2025-12-31T23:59:58Z', { 'f:metadata': { 'f:labels': {} } }),
          wrote('kyverno', '2025-12-31T23:59:58Z'),
        ],
      }),
    },
    {
      name: 'a user edits it, and this program undoes a change',
      facts: written({
        managedFields: [
          wrote('helm', '2025-12-31T23:20:00Z'),
          wrote('kubectl-edit', '2025-12-31T23:59:58Z'),
          wrote('kubectl-webhook', '2025-12-31T23:59:59Z'),
        ],
      }),
    },
    {
      name: 'the writer is unknown',
      facts: written({ managedFields: [] }),
    },
    {
      name: 'an APIService, which has no generation',
      facts: { callouts: [aggregatedApi()] },
      outcome: 'not-applicable',
    },
    {
      name: 'the age is unknown',
      facts: { callouts: [webhook({ metadata: { name: 'policy', generation: 401 } })] },
      outcome: 'not-applicable',
    },
  ],
});
