import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { probe } from '../../../../src/collect/probes/probe.ts';
import { type AdmissionCallout, calloutId } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Metadata } from '../../../../src/facts/objects/metadata.ts';
import type { HttpResponse } from '../../../../src/facts/probes.ts';
import { authority, issue } from '../../../support/certificates.ts';
import { recordedProber } from '../../../support/recorded-prober.ts';
import { healthy, lists, slice, snapshotOf, webhook } from '../../../support/snapshot.ts';

const configMaps = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  singular: 'configmap',
  namespaced: true,
  verbs: ['create', 'update', 'list'],
};
const rules = [
  { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
];
const time = (seconds: number) =>
  new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString().replace('.000', '');
const policy = (over: Partial<AdmissionCallout> = {}) =>
  webhook({
    failurePolicy: 'Fail',
    rules,
    metadata: { name: 'policy', creationTimestamp: time(1) },
    ...over,
  }) as AdmissionCallout;
interface Written {
  readonly name?: string;
  /** Seconds of the clock of the API server. */
  readonly created?: number;
  readonly at: number;
  readonly subresource?: string;
  readonly labels?: Metadata['labels'];
}
const stored = ({ name = 'cart', created = 0, at, subresource, labels = {} }: Written) => ({
  metadata: {
    name,
    namespace: 'shop',
    labels,
    creationTimestamp: time(created),
    managedFields: [
      { manager: 'kubectl', operation: 'Update', apiVersion: 'v1', time: time(created) },
      {
        manager: 'app',
        operation: 'Update',
        apiVersion: 'v1',
        time: time(at),
        ...(subresource && { subresource }),
      },
    ],
  },
});
/** A list at that second of the clock of the API server. */
const list = (now: number, ...items: readonly Written[]): HttpResponse => ({
  status: 200,
  headers: { date: new Date(time(now)).toUTCString() },
  body: Buffer.from(JSON.stringify({ items: items.map(stored) })),
});
const forbidden: HttpResponse = { status: 403, headers: {}, body: Buffer.from('{}') };

describe('the last write that a webhook admitted', () => {
  let server: Server;
  let status: number;
  before(async () => {
    const pair = await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] });
    server = createServer(pair, (request, response) => {
      request.resume().on('end', () => response.writeHead(status).end('nil pointer'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    status = 500;
  });

  async function written(pages: readonly HttpResponse[], callout = policy(), forwarded = true) {
    const endpoint = {
      addresses: ['198.51.100.1'],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
    };
    const { facts } = snapshotOf({
      ...healthy({ callouts: [callout], endpointSlices: lists({ 'shop/policy': [slice([endpoint])] }) }),
      served: complete([['served', { resources: [configMaps], stale: [] }]]),
    });
    const rest = [...pages];
    const { port } = server.address() as AddressInfo;
    const prober = recordedProber({
      ...(forwarded ? { port } : {}),
      get: (path) => (path.startsWith('/api/v1/configmaps') ? (rest.shift() ?? forbidden) : forbidden),
    });
    const { probes } = await probe(prober, facts, [callout], { level: 'review' });
    const lines = prober.asked.filter((line) => line.includes('/configmaps?'));
    return { write: probes.get(calloutId(callout))?.admittedWrite, lists: lines.length };
  }

  it('is later than the review if a second list has it', async () => {
    const { write, lists: read } = await written([list(30, { at: 25 }), list(35, { at: 32 })]);
    expect(write).to.deep.equal({
      object: { kind: 'ConfigMap', namespace: 'shop', name: 'cart' },
      apiVersion: 'v1',
      operation: 'UPDATE',
      at: '2026-01-01T00:00:32Z',
      afterProbe: true,
    });
    expect(read).to.equal(2);
  }).timeout(20_000);
  it('may be a creation', async () => {
    const both = { at: 25, name: 'other' };
    const { write } = await written([list(30, both), list(35, both, { created: 33, at: 33 })]);
    expect(write).to.include({ operation: 'CREATE', afterProbe: true });
  }).timeout(20_000);
  it('is earlier if the second list has no other', async () => {
    const { write } = await written([list(30, { at: 30 }), list(35, { at: 30 })]);
    expect(write).to.include({ at: '2026-01-01T00:00:30Z', afterProbe: false });
  }).timeout(20_000);

  for (const [name, page, over = {}] of [
    ['is not that of a subresource', list(300, { at: 299, subresource: 'status' })],
    [
      'is not that of an object that the webhook does not select',
      list(300, { at: 299 }),
      { objectSelector: { matchLabels: { checked: 'yes' } } },
    ],
    [
      'is not one that matchConditions may exclude',
      list(300, { at: 299 }),
      { matchConditions: [{ name: 'users', expression: "request.userInfo.username != 'app'" }] },
    ],
  ] as const) {
    it(name, async () => {
      const { write } = await written(
        [page, list(305, { created: 304, at: 304, subresource: 'status' })],
        policy(over),
      );
      expect(write?.afterProbe ?? false).to.equal(false);
    }).timeout(20_000);
  }
  it('needs no second list if it is old', async () => {
    const { write, lists: read } = await written([list(300, { at: 30 })]);
    expect(write).to.include({ at: '2026-01-01T00:00:30Z', afterProbe: false });
    expect(read).to.equal(1);
  });
  it('is not one from before the configuration was changed', async () => {
    const metadata = {
      name: 'policy',
      creationTimestamp: time(1),
      managedFields: [{ manager: 'helm', operation: 'Update', time: time(299) }],
    };
    expect((await written([list(300, { at: 298 })], policy({ metadata }))).write).to.equal(undefined);
  });
  it('is not read with failurePolicy Ignore', async () => {
    expect(await written([], policy({ failurePolicy: 'Ignore' }))).to.deep.equal({
      write: undefined,
      lists: 0,
    });
  });
  it('is not read if the Pods respond, or cannot be reached', async () => {
    expect((await written([], policy(), false)).lists).to.equal(0);
    status = 202;
    expect((await written([], policy())).lists).to.equal(1);
  });
  it('is not known if the list is forbidden', async () => {
    expect((await written([forbidden])).write).to.equal(undefined);
  });
});
