import { expect } from 'chai';
import { overdueHeartbeat } from '../../../../src/collect/probes/samples/heartbeats.ts';
import type { AdmissionCallout } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { recordedProber } from '../../../support/recorded-prober.ts';
import { healthy, namespace, snapshotOf, webhook } from '../../../support/snapshot.ts';

const everything = {
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*'],
  scope: '*',
} as const;
const callout = webhook({ rules: [everything] }) as AdmissionCallout;
const leases = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  singular: 'lease',
  namespaced: true,
  verbs: ['list', 'update'],
};
const { facts } = snapshotOf({
  ...healthy({ callouts: [callout] }),
  served: complete([['served', { resources: [leases], stale: [] }]]),
  namespaces: complete([['kube-node-lease', namespace('kube-node-lease')]]),
});

/** All times are seconds of one hour; the lists are read in second 1000. */
const now = 1000;
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
interface Given {
  /** By the clock of the node. */
  readonly renewed?: number;
  /** By the clock of the API server. */
  readonly written?: number;
  readonly duration?: number;
}
const lease = (name: string, { renewed, written = renewed, duration = 40 }: Given) => ({
  metadata: {
    name,
    namespace: 'kube-node-lease',
    ...(written === undefined
      ? {}
      : { managedFields: [{ manager: 'kubelet', operation: 'Update', time: at(written) }] }),
  },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: duration,
    ...(renewed === undefined ? {} : { renewTime: at(renewed) }),
  },
});
type Lease = ReturnType<typeof lease>;
const many = (count: number, prefix: string, given: Given): readonly Lease[] =>
  Array.from({ length: count }, (_, index) => lease(`${prefix}-${String(index).padStart(4, '0')}`, given));

/** An API server with these Leases, in pages. */
const serving = (all: readonly Lease[], { status = 200, date = new Date(at(now)).toUTCString() } = {}) =>
  recordedProber({
    get(path) {
      const query = new URLSearchParams(path.split('?')[1]);
      const begin = Number(query.get('continue') ?? 0);
      const end = begin + Number(query.get('limit'));
      const metadata = end < all.length ? { continue: String(end) } : {};
      const body = Buffer.from(JSON.stringify({ metadata, items: all.slice(begin, end) }));
      return { status, headers: { date }, body };
    },
  });
const lists = async (prober: ReturnType<typeof serving>, of = callout) => {
  const found = await overdueHeartbeat(prober, of, facts);
  return {
    found: found === undefined ? undefined : `${found.lease.metadata.name} ${found.since}`,
    lists: prober.asked.length,
  };
};

describe('the heartbeat of a node', () => {
  for (const [name, all, expected] of [
    ['of the only node, 26 s ago', [lease('a', { renewed: 974 })], 'a 2026-01-01T00:16:14Z'],
    [
      'of the node that renewed last, whatever its name is',
      [lease('a', { renewed: 100 }), lease('b', { renewed: 900 }), lease('c', { renewed: 500 })],
      'b 2026-01-01T00:15:00Z',
    ],
    [
      'without a record of its managers',
      [{ ...lease('a', { renewed: 900 }), metadata: { name: 'a' } }],
      'a 2026-01-01T00:15:00Z',
    ],
    [
      'with a long duration, 151 s ago',
      [lease('a', { renewed: 849, duration: 240 })],
      'a 2026-01-01T00:14:09Z',
    ],
  ] as const) {
    it(`is overdue: ${name}`, async () => {
      expect(await lists(serving(all as readonly Lease[]))).to.deep.equal({ found: expected, lists: 1 });
    });
  }
  it('is overdue if each of 1200 nodes has stopped', async () => {
    const all = [...many(1199, 'a', { renewed: 100 }), lease('z', { renewed: 200 })];
    expect(await lists(serving(all))).to.deep.equal({ found: 'z 2026-01-01T00:03:20Z', lists: 4 });
  });
  it('is an update by the kubelet, with a new time of renewal', async () => {
    const found = await overdueHeartbeat(serving([lease('a', { renewed: 900 })]), callout, facts);
    expect(found?.request).to.include({ operation: 'UPDATE', resource: 'leases', name: 'a' });
    expect(found?.request.user?.username).to.equal('system:node:a');
    const { spec } = (found as NonNullable<typeof found>).request.object as Lease;
    expect(Date.parse(spec.renewTime ?? '')).to.be.above(Date.parse(at(900)));
  });

  for (const [name, all, count] of [
    ['20 s ago', [lease('a', { renewed: 980 })], 1],
    [
      'one node has stopped, and another has not',
      [lease('a', { renewed: 100 }), lease('b', { renewed: 995 })],
      1,
    ],
    [
      '20 nodes that were deleted come first by name',
      [...many(20, 'a', { renewed: 100 }), ...many(480, 'b', { renewed: 998 })],
      2,
    ],
    [
      'the only node that renews is the last of 1200',
      [...many(1199, 'a', { renewed: 100 }), lease('z', { renewed: 998 })],
      4,
    ],
    ['of an edge node, which renews each 60 s', [lease('edge', { renewed: 950, duration: 240 })], 1],
    [
      'by the API server, while the clock of the node is wrong',
      [lease('a', { renewed: 1, written: 995 })],
      1,
    ],
    [
      'by the node, in an object without managers',
      [{ ...lease('a', { renewed: 995 }), metadata: { name: 'a' } }],
      1,
    ],
    ['never: the Lease has no time', [lease('a', {})], 1],
    ['there is no Lease', [], 1],
  ] as const) {
    it(`is not overdue: ${name}`, async () => {
      expect(await lists(serving(all as readonly Lease[]))).to.deep.equal({ found: undefined, lists: count });
    });
  }
  it('is unknown if there are more Leases than are read', async () => {
    expect((await lists(serving(many(10_000, 'a', { renewed: 100 })))).found).to.equal(undefined);
  });
  it('is unknown if the Leases or the time cannot be read', async () => {
    const stopped = [lease('a', { renewed: 100 })];
    expect((await lists(serving(stopped, { status: 403 }))).found).to.equal(undefined);
    expect((await lists(serving(stopped, { date: '' }))).found).to.equal(undefined);
  });
  it('is not read for a webhook that is not called for Leases', async () => {
    const pods = webhook({ rules: [{ ...everything, resources: ['pods'] }] }) as AdmissionCallout;
    expect(await lists(serving([lease('a', { renewed: 100 })]), pods)).to.deep.equal({
      found: undefined,
      lists: 0,
    });
  });
});
