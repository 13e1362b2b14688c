import { expect } from 'chai';
import { complete } from '../../src/facts/lookup.ts';
import { whatIfExitCode } from '../../src/workflows/what-if/what-if.ts';
import { rule } from '../checks/scope/scopes.ts';
import { lists, pod, workload } from '../support/snapshot.ts';
import { forbidden } from '../support/unread.ts';
import { ask, type Backend, clusterOf, idOf, loss } from './clusters.ts';

const cold = (backends: readonly Backend[], over = {}) =>
  ask(clusterOf(backends, over), [], { coldStart: true });
const deployment = (name: string) => `Deployment ${name}/${name}`;

describe('what-if --cold-start', () => {
  it('starts in rounds: webhooks that cover others come first', () => {
    const report = cold([
      { name: 'c', of: ['shop'] },
      { name: 'b', of: ['c'] },
      { name: 'a', of: ['b'] },
    ]);
    expect(report.recovery?.order).to.deep.equal([[deployment('a')], [deployment('b')], [deployment('c')]]);
    expect(report.recovery?.stuck).to.deep.equal([]);
    expect(report.changes).to.deep.equal([]);
    expect(whatIfExitCode(report)).to.equal(0);
  });

  it('names a webhook that covers its own Pods, what waits for it, and the change that ends the deadlock', () => {
    const report = cold([{ name: 'a' }, { name: 'b', of: ['shop'] }]);
    const [stuck, ...others] = report.recovery?.stuck ?? [];
    expect(others).to.deep.equal([]);
    expect(stuck?.cycle).to.deep.equal([
      { workload: deployment('a'), needs: 'CREATE pods', webhook: idOf('a') },
    ]);
    expect(stuck?.waiting).to.deep.equal([deployment('b')]);
    expect(stuck?.opens).to.equal(`kubectl webhook failopen ${idOf('a')}`);
    expect(report.changes.map(({ callout, to, effect }) => [callout, to, effect.to])).to.deep.equal([
      [idOf('a'), 'failing', 'blocks'],
      [idOf('b'), 'failing', 'blocks'],
    ]);
    expect(report.changes[0]?.because).to.include('no-ready-endpoint');
    expect(whatIfExitCode(report)).to.equal(1);
  });

  it('finds the requests of the creation of a Pod', () => {
    for (const [resource, needs] of [
      ['pods/binding', 'CREATE pods/binding'],
      ['serviceaccounts/token', 'CREATE serviceaccounts/token'],
    ] as const) {
      const report = cold([{ name: 'a', webhook: { rules: [rule(resource, { operations: ['CREATE'] })] } }]);
      expect(report.recovery?.stuck.map(({ cycle }) => cycle)).to.deep.equal([
        [{ workload: deployment('a'), needs, webhook: idOf('a') }],
      ]);
    }
  });

  it('names a cycle, and one change that ends it', () => {
    const report = cold([
      { name: 'a', of: ['b'] },
      { name: 'b', of: ['c'] },
      { name: 'c', of: ['a'] },
    ]);
    const [stuck, ...others] = report.recovery?.stuck ?? [];
    expect(others).to.deep.equal([]);
    expect(stuck?.cycle.map(({ workload }) => workload)).to.have.members(['a', 'b', 'c'].map(deployment));
    expect(stuck?.opens).to.match(/^kubectl webhook failopen validating\/[abc]\/[abc]\.example\.com$/);
  });

  it('has no deadlock after the change that it names', () => {
    const facts = clusterOf([{ name: 'a' }]);
    const opened = ask(
      facts,
      [{ assume: 'set', text: '', callouts: new Set([idOf('a')]), field: 'failurePolicy', value: 'Ignore' }],
      { coldStart: true },
    );
    expect(opened.recovery?.stuck).to.deep.equal([]);
    expect(opened.recovery?.order).to.deep.equal([[deployment('a')]]);
  });

  it('changes two configurations of one backend together if one does not suffice', () => {
    const twin = {
      ...clusterOf([{ name: 'a' }]).callouts?.[0],
      configuration: 'twin',
      webhook: 'twin.example.com',
      matchPolicy: 'Exact',
    };
    const given = clusterOf([{ name: 'a' }]);
    const report = ask({ ...given, callouts: [...(given.callouts ?? []), twin as never] }, [], {
      coldStart: true,
    });
    expect(report.recovery?.stuck.map(({ opens }) => opens)).to.deep.equal([
      'kubectl webhook failopen validating/a && kubectl webhook failopen validating/twin',
    ]);
  });

  it('is unknown if it depends on unknown labels', () => {
    const report = cold([{ name: 'a', webhook: { objectSelector: { matchLabels: { tier: 'edge' } } } }], {
      workloads: lists({ a: [] }),
    });
    expect(report.recovery?.unknown).to.deep.equal([
      { workload: 'Service a/a', needs: 'CREATE pods', webhook: idOf('a') },
    ]);
    expect(whatIfExitCode(report)).to.equal(3);
  });

  it('is unknown if the deciding webhook is unknown', () => {
    const report = cold(
      [
        { name: 'a', of: ['b'] },
        { name: 'b', of: ['shop'] },
      ],
      {
        endpointSlices: forbidden(),
      },
    );
    expect(report.recovery?.order).to.deep.equal([[deployment('a')]]);
    expect(report.recovery?.unknown).to.deep.equal([
      { workload: deployment('b'), needs: 'CREATE pods', webhook: idOf('a') },
    ]);
    expect(whatIfExitCode(report)).to.equal(3);
  });

  it('reports that nothing recreates Pods without a controller', () => {
    const bare = pod({
      metadata: { name: 'a-1', namespace: 'a', labels: { app: 'a' }, ownerReferences: [] },
    });
    const report = cold([{ name: 'a', of: ['shop'] }], {
      workloads: lists({ a: [] }),
      pods: lists({ 'a/a': [bare] }),
    });
    expect(report.recovery?.notRecreated).to.deep.equal(['Service a/a']);
    expect(report.changes.map(({ to }) => to)).to.deep.equal(['failing']);
  });

  it('needs the network of the node before any other Pod', () => {
    const template = {
      metadata: { labels: { app: 'cni' } },
      spec: {
        hostNetwork: true,
        containers: [{ name: 'cni' }],
        volumes: [{ name: 'cni', hostPath: { path: '/etc/cni/net.d' } }],
      },
    };
    const cni = workload({
      kind: 'DaemonSet',
      metadata: { name: 'cni', namespace: 'kube-system' },
      spec: { template },
    });
    const given = clusterOf([{ name: 'a', of: ['shop'] }]);
    const workloads = complete([...(given.workloads?.entries() ?? []), ['kube-system', [cni]] as const]);
    const free = ask({ ...given, workloads }, [], { coldStart: true });
    expect(free.recovery?.order).to.deep.equal([['DaemonSet kube-system/cni'], [deployment('a')]]);
    const guarded = clusterOf([{ name: 'a', of: ['kube-system'] }]);
    const stuck = ask({ ...guarded, workloads }, [], { coldStart: true });
    const [cycle] = stuck.recovery?.stuck ?? [];
    expect(cycle?.cycle.map((step) => [step.workload, step.needs])).to.have.deep.members([
      [deployment('a'), 'the network of its node'],
      ['DaemonSet kube-system/cni', 'CREATE pods'],
    ]);
    expect(cycle?.opens).to.equal(`kubectl webhook failopen ${idOf('a')}`);
  });

  it('does not rely on a webhook that fails already', () => {
    const report = cold([
      { name: 'a', of: ['b'], webhook: { client: { service: { namespace: 'a', name: 'gone', port: 443 } } } },
      { name: 'b', of: ['shop'] },
    ]);
    expect(report.recovery?.stuck.map(({ cycle }) => cycle)).to.deep.equal([
      [{ workload: deployment('b'), needs: 'CREATE pods', webhook: idOf('a'), fails: true }],
    ]);
  });
});

describe('what-if --down, recovery', () => {
  it('recovers while everything else runs', () => {
    const report = ask(
      clusterOf([
        { name: 'a', of: ['b'] },
        { name: 'b', of: ['a'] },
      ]),
      [loss({ services: new Set(['a/a']) })],
    );
    expect(report.recovery?.order).to.deep.equal([[deployment('a')]]);
  });

  it('does not if the webhook that must admit its Pods is down as well', () => {
    const report = ask(
      clusterOf([
        { name: 'a', of: ['b'] },
        { name: 'b', of: ['a'] },
      ]),
      [loss({ services: new Set(['a/a', 'b/b']) })],
    );
    expect(report.recovery?.order).to.deep.equal([]);
    expect(report.recovery?.stuck).to.have.lengthOf(1);
  });
});
