import { expect } from 'chai';
import { buildReport } from '../../src/diagnose/build-report.ts';
import { complete } from '../../src/facts/lookup.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import { assume } from '../../src/what-if/assume.ts';
import { whatIf } from '../../src/what-if/what-if.ts';
import { whatIfExitCode } from '../../src/workflows/what-if/what-if.ts';
import { rule } from '../checks/scope/scopes.ts';
import { aggregatedApi, healthy, snapshotOf, webhook } from '../support/snapshot.ts';
import { forbidden } from '../support/unread.ts';
import { ask, clusterOf, idOf, loss } from './clusters.ts';

const set = (name: string, field: 'failurePolicy' | 'timeoutSeconds' | 'namespaceSelector', value: unknown) =>
  ({ assume: 'set', text: '', callouts: new Set([idOf(name)]), field, value }) as const;
const down = (...names: readonly string[]) =>
  loss({ services: new Set(names.map((name) => `${name}/${name}`)) });

describe('what-if --down', () => {
  it('reports what is blocked, with the API server’s error', () => {
    const report = ask(clusterOf([{ name: 'a', of: ['shop'] }]), [down('a')]);
    const [change] = report.changes;
    expect(change).to.deep.include({ callout: idOf('a'), from: 'healthy', to: 'failing', worse: true });
    expect(change?.error).to.include('dial tcp 203.0.113.10:443: connect: connection refused');
    expect(change?.blocks).to.deep.equal(['create pods in namespace shop']);
    expect(change?.restsOn).to.include('Service a/a');
    expect(whatIfExitCode(report)).to.equal(1);
  });

  it('reports what is admitted unchecked', () => {
    const report = ask(clusterOf([{ name: 'a', webhook: { failurePolicy: 'Ignore' } }]), [down('a')]);
    expect(report.changes[0]?.effect).to.deep.equal({ from: 'none', to: 'fails-open' });
    expect(report.changes[0]?.unchecked).to.deep.equal(['create pods in all namespaces']);
    expect(report.changes[0]?.blocks).to.deep.equal([]);
  });

  it('stops one node: what runs elsewhere continues', () => {
    const facts = clusterOf([{ name: 'a' }, { name: 'b', node: 'n2' }]);
    const report = ask(facts, [loss({ nodes: new Set(['n2']) })]);
    expect(report.changes.map(({ callout }) => callout)).to.deep.equal([idOf('b')]);
  });

  it('fails every webhook of the Service, and an APIService', () => {
    const facts = healthy({ callouts: [webhook(), webhook({ kind: 'mutating' }), aggregatedApi()] });
    const report = ask(facts, [loss({ services: new Set(['shop/policy']) })]);
    expect(report.changes.map(({ to }) => to)).to.deep.equal(['failing', 'failing', 'failing']);
    expect(report.changes[2]?.error).to.equal('service unavailable');
  });

  it('treats a URL as down if it was named', () => {
    const url = webhook({ client: { url: 'https://policy.example.com/x' } });
    const report = ask(healthy({ callouts: [url] }), [
      loss({ callouts: new Set(['validating/policy/policy.example.com']) }),
    ]);
    expect(report.changes.map(({ to, blocks }) => [to, blocks])).to.deep.equal([
      ['failing', ['create configmaps in namespace shop']],
    ]);
  });

  it('is unknown for unread facts', () => {
    const facts = clusterOf([{ name: 'a' }], { endpointSlices: forbidden() });
    const report = ask(facts, [loss({ nodes: new Set(['n1']) })]);
    expect(report.changes).to.deep.equal([]);
    expect(report.after.callouts.unknown).to.equal(1);
  });

  it('keeps all other facts', () => {
    const { facts } = snapshotOf(clusterOf([{ name: 'a' }, { name: 'b' }]));
    const after = assume(facts, down('a'));
    const same = (Object.keys(facts) as (keyof Facts)[]).filter((name) => facts[name] === after[name]);
    expect(same).to.include.members(['callouts', 'services', 'namespaces', 'served', 'probes', 'secrets']);
    expect(after.endpointSlices.get('b/b')).to.equal(facts.endpointSlices.get('b/b'));
    expect(after.pods.get('a/a')).to.deep.equal([]);
    expect(facts.pods.get('a/a')).to.have.lengthOf(1);
  });
});

describe('what-if --set and --delete', () => {
  it('finds the deadlock of a policy before anything is down', () => {
    const facts = clusterOf([{ name: 'a', webhook: { failurePolicy: 'Ignore' } }]);
    const report = ask(facts, [set('a', 'failurePolicy', 'Fail')]);
    expect(report.changes).to.deep.equal([]);
    expect(report.findings.map(({ check }) => check)).to.include('bootstrap-deadlock');
    expect(whatIfExitCode(report)).to.equal(1);
  });

  it('is applied before something goes down', () => {
    const facts = clusterOf([{ name: 'a', webhook: { failurePolicy: 'Ignore' } }]);
    const report = ask(facts, [set('a', 'failurePolicy', 'Fail'), down('a')]);
    expect(report.changes[0]?.effect).to.deep.equal({ from: 'none', to: 'blocks' });
    expect(report.recovery?.stuck).to.have.lengthOf(1);
  });

  it('resolves what a selector selects', () => {
    const selector = {
      matchExpressions: [
        { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['a', 'kube-system'] },
      ],
    };
    const report = ask(clusterOf([{ name: 'a' }]), [set('a', 'namespaceSelector', selector)]);
    expect(report.resolved.map((id) => id.split(':')[0])).to.include('bootstrap-deadlock');
    expect(whatIfExitCode(report)).to.equal(0);
  });

  it('reports what a deleted webhook does not check any more', () => {
    const report = ask(clusterOf([{ name: 'a' }]), [
      { assume: 'delete', text: '', callouts: new Set([idOf('a')]) },
    ]);
    expect(report.changes[0]).to.deep.include({
      to: 'absent',
      worse: true,
      unchecked: ['create pods in all namespaces'],
    });
    expect(report.after.callouts.total).to.equal(0);
  });
});

describe('what-if --upgrade', () => {
  const resource = (version: string) => ({
    group: 'networking.k8s.io',
    version,
    resource: 'ipaddresses',
    kind: 'IPAddress',
    singular: 'ipaddress',
    namespaced: false,
    verbs: ['create'],
  });
  const facts = clusterOf(
    [
      {
        name: 'a',
        webhook: {
          rules: [rule('ipaddresses', { apiGroups: ['networking.k8s.io'], apiVersions: ['v1beta1'] })],
        },
      },
    ],
    { served: complete([['served', { resources: [resource('v1'), resource('v1beta1')], stale: [] }]]) },
  );
  const upgrade = { assume: 'upgrade', text: '', version: 'v1.37.0' } as const;

  it('finds rules for APIs that are removed', () => {
    const report = ask(facts, [upgrade]);
    expect(report.findings.map(({ check }) => check)).to.include('rule-resource-unknown');
  });

  it('finds requests that are sent to no webhook any more', () => {
    const reviews = { apiGroups: ['authentication.k8s.io'], operations: ['CREATE'] };
    const given = clusterOf([{ name: 'a', webhook: { rules: [rule('tokenreviews,pods', reviews)] } }]);
    const report = ask(given, [upgrade, down('a')]);
    const now = ask(given, [down('a')]);
    expect(now.changes[0]?.blocks.join()).to.include('tokenreviews');
    expect(report.changes[0]?.blocks.join()).to.not.include('tokenreviews');
    const broken = clusterOf([
      {
        name: 'a',
        webhook: {
          rules: [rule('tokenreviews,pods', reviews)],
          client: { ...webhook().client, service: { namespace: 'a', name: 'gone', port: 443 } },
        },
      },
    ]);
    const [change] = ask(broken, [upgrade]).changes;
    expect(change).to.deep.include({ from: 'failing', to: 'failing', worse: false, blocks: [] });
    expect(change?.frees.join()).to.include('tokenreviews');
  });

  it('finds errors whose text changes', () => {
    const untrusted = { client: { service: { namespace: 'a', name: 'a', port: 443 } } };
    const given = clusterOf([{ name: 'a', webhook: untrusted }], { version: 'v1.26.9' });
    const [change] = ask(given, [upgrade]).changes;
    expect(change).to.deep.include({ from: 'failing', to: 'failing', worse: false });
    expect(change?.error).to.include('tls: failed to verify certificate: x509: ');
  });
});

describe('what-if --down each', () => {
  it('ranks what cannot recover before what can, and both before what fails open', () => {
    const facts = clusterOf([
      { name: 'open', webhook: { failurePolicy: 'Ignore' } },
      { name: 'shopping', of: ['shop'] },
      { name: 'all' },
    ]);
    const report = ask(facts, [], { rank: true });
    expect(
      report.ranking?.map(({ backend, effect, comesBack }) => [backend, effect, comesBack]),
    ).to.deep.equal([
      ['Service all/all', 'blocks', 'no'],
      ['Service shopping/shopping', 'blocks', 'yes'],
      ['Service open/open', 'fails-open', 'yes'],
    ]);
    expect(report.ranking?.[0]?.stops).to.have.members([
      'Deployment open/open',
      'Deployment shopping/shopping',
    ]);
    expect(report.changes).to.deep.equal([]);
  });

  it('ranks each of 100 webhooks', () => {
    const names = Array.from({ length: 100 }, (_, at) => `w${at}`);
    const snapshot = snapshotOf(
      clusterOf(names.map((name, at) => ({ name, of: at % 10 === 0 ? ['shop', name] : ['shop'] }))),
    );
    const report = buildReport(snapshot, snapshot.facts.callouts, []);
    const { ranking } = whatIf(snapshot, report, { each: [], coldStart: false, rank: true }, '');
    expect(ranking).to.have.lengthOf(100);
  });
});
