import { expect } from 'chai';
import { misplacedIn } from '../../src/collect/stuck-object.ts';
import type { Callout } from '../../src/facts/callout.ts';
import type { Labels } from '../../src/facts/objects/label-selector.ts';
import type { StuckObjectKind } from '../../src/facts/stuck-object.ts';
import { objects, snapshotOf, webhook } from '../support/snapshot.ts';

interface Marks {
  readonly labels?: Labels;
  readonly annotations?: Labels;
}
interface Given {
  readonly template?: Marks;
  readonly kind?: StuckObjectKind;
  readonly callouts?: readonly Callout[];
  readonly injectors?: readonly Callout[];
  readonly ofNamespace?: Marks;
}

/** Webhooks for Pods of the owners of the keys in these tests. */
const injecting = ['vault.hashicorp.com', 'mutation.azure-workload-identity.io', 'mpod.opentelemetry.io'].map(
  (name) =>
    webhook({
      kind: 'mutating',
      webhook: name,
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    }),
);

describe('requests of injection that only a workload has', () => {
  const fieldsOf = (
    workload: Marks,
    {
      template = {},
      kind = 'Deployment',
      callouts = [],
      injectors = injecting,
      ofNamespace = {},
    }: Given = {},
  ) =>
    misplacedIn(
      {
        ref: { kind, namespace: 'shop', name: 'cart' },
        metadata: { name: 'cart', namespace: 'shop', ...workload },
        template: { metadata: template, spec: { containers: [] } },
        owners: [],
        words: [],
      },
      { by: 'requests', callouts, words: [] },
      snapshotOf({
        callouts: injectors,
        namespaces: objects({ metadata: { name: 'shop', ...ofNamespace } }),
      }).facts,
    ).map(({ field }) => field);
  const vault = { annotations: { 'vault.hashicorp.com/agent-inject': 'true' } };
  const identity = { labels: { 'azure.workload.identity/use': 'true' } };
  const java = { annotations: { 'instrumentation.opentelemetry.io/inject-java': 'true' } };
  const changing = (resource: string, over: Partial<Callout> = {}) =>
    webhook({
      kind: 'mutating',
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: [resource] }],
      ...over,
    } as Parameters<typeof webhook>[0]);

  it('are found by the keys of known injectors, and by names of others', () => {
    expect(fieldsOf(vault)).to.deep.equal(['metadata.annotations[vault.hashicorp.com/agent-inject]']);
    expect(fieldsOf(identity)).to.deep.equal(['metadata.labels[azure.workload.identity/use]']);
    expect(fieldsOf(java)).to.deep.equal([
      'metadata.annotations[instrumentation.opentelemetry.io/inject-java]',
    ]);
    expect(fieldsOf(vault, { callouts: [changing('pods')] })).to.have.length(1);
  });
  it('are none if no webhook for Pods belongs to the key: an operator may read workloads', () => {
    expect(fieldsOf({ annotations: { 'sidecar.jaegertracing.io/inject': 'true' } })).to.deep.equal([]);
    expect(fieldsOf(vault, { injectors: [] })).to.deep.equal([]);
    expect(
      fieldsOf(vault, { injectors: [changing('deployments', { webhook: 'vault.hashicorp.com' })] }),
    ).to.deep.equal([]);
  });
  it('are none if the namespace requests it, or a webhook for all resources is called', () => {
    const mesh = { annotations: { 'linkerd.io/inject': 'enabled' } };
    const injectors = [changing('pods', { webhook: 'linkerd-proxy-injector.linkerd.io' })];
    expect(fieldsOf(mesh, { injectors })).to.have.length(1);
    expect(fieldsOf(mesh, { injectors, ofNamespace: mesh })).to.deep.equal([]);
    expect(fieldsOf(mesh, { injectors, callouts: [changing('*/*')] })).to.deep.equal([]);
  });
  it('are none if the Pods have the key too, with any value', () => {
    expect(fieldsOf(vault, { template: vault })).to.deep.equal([]);
    expect(
      fieldsOf(vault, { template: { annotations: { 'vault.hashicorp.com/agent-inject': 'false' } } }),
    ).to.deep.equal([]);
    expect(fieldsOf(vault, { kind: 'Pod' })).to.deep.equal([]);
  });
  it('are none for other keys, other values, and the other kind of mark', () => {
    expect(fieldsOf({ annotations: { 'vault.hashicorp.com/agent-inject': 'false' } })).to.deep.equal([]);
    expect(fieldsOf({ annotations: { 'vault.hashicorp.com/role': 'true' } })).to.deep.equal([]);
    expect(fieldsOf({ annotations: { 'sidecar.example.org/skip-inject': 'true' } })).to.deep.equal([]);
    expect(fieldsOf({ annotations: identity.labels }), 'the injector selects labels').to.deep.equal([]);
  });
  it('are none if a mutating webhook is called for the workload itself', () => {
    expect(fieldsOf(vault, { callouts: [changing('deployments')] })).to.deep.equal([]);
    expect(fieldsOf(vault, { callouts: [changing('*')] })).to.deep.equal([]);
    expect(fieldsOf(vault, { callouts: [changing('deployments', { kind: 'validating' })] })).to.have.length(
      1,
    );
  });
});
