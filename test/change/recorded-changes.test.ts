import { expect } from 'chai';
import type { Journal } from '../../src/change/journal.ts';
import { recordedChanges } from '../../src/change/recorded-changes.ts';
import type { ClusterReader } from '../../src/collect/cluster.ts';
import { type RecordedStep, recordKey } from '../../src/facts/change-record.ts';

const id = '20260101-000000-abc';
const cluster = { server: 'https://a', uid: 'u' };
const journal = { read: async () => ({ entries: [], unreadable: [] }) } as unknown as Journal;
const configuration = { kind: 'ValidatingWebhookConfiguration', name: 'policy' };

/** The changes in the annotation of a Namespace with that name. */
const saidBy = async (namespace: string, ...steps: readonly RecordedStep[]) => {
  const record = JSON.stringify({ remedy: 'r', at: '2026-01-01T00:00:00Z', steps });
  const carrier = { metadata: { name: namespace, uid: 'n', annotations: { [recordKey(id)]: record } } };
  const reader = {
    list: async (path: string) => ({ items: path === '/api/v1/namespaces' ? [carrier] : [] }),
    get: async () => undefined,
  } as unknown as ClusterReader;
  return (await recordedChanges(reader, journal, cluster)).changes;
};

describe('records of changes in other objects', () => {
  const deployment = { kind: 'Deployment', namespace: 'shop', name: 'policy' };
  const scale: RecordedStep = {
    op: 'scale',
    path: '/spec/replicas',
    object: deployment,
    before: 0,
    after: 1,
  };
  const deletion: RecordedStep = { op: 'delete', object: configuration, uid: 'c', before: {} };

  const lease = { kind: 'Lease', namespace: 'shop', name: 'policy' };
  const release: RecordedStep = { op: 'patch', path: '/spec/holderIdentity', object: lease, before: 'a' };

  it('are found in their Namespace', async () => {
    expect((await saidBy('shop', release))[0]?.steps[0]).to.include({ before: 'a' });
    const [scaled] = await saidBy('shop', { ...scale, uid: 'd' });
    expect(scaled?.steps).to.deep.equal([
      { object: deployment, operation: 'scale', path: '/spec/replicas', before: 0, after: 1, uid: 'd' },
    ]);
    expect(scaled?.recordCarriers).to.deep.equal([{ kind: 'Namespace', name: 'shop' }]);
    expect((await saidBy('kube-system', deletion))[0]?.steps[0]).to.include({
      operation: 'delete',
      uid: 'c',
    });
  });

  it('are ignored if a user who may annotate a Namespace could use them to change other objects', async () => {
    const elsewhere: readonly (readonly [string, RecordedStep])[] = [
      ['other', scale],
      ['shop', deletion],
      ['kube-system', { ...deletion, object: { kind: 'ClusterRoleBinding', name: 'all' } }],
      ['kube-system', { op: 'patch', path: '/webhooks', object: configuration, before: [] }],
      ['shop', { op: 'delete', object: deployment, before: { kind: 'Deployment' } }],
      ['shop', { op: 'create', object: deployment }],
      ['shop', { op: 'patch', path: '/spec/template', object: deployment, before: {} }],
      ['shop', { ...scale, path: '/spec/template/spec' }],
      ['other', release],
      ['shop', { ...release, path: '/metadata/ownerReferences' }],
      ['shop', { ...scale, object: { kind: 'Secret', namespace: 'shop', name: 'x' } }],
    ];
    for (const [namespace, step] of elsewhere)
      expect(await saidBy(namespace, step), JSON.stringify(step)).to.deep.equal([]);
  });
});
