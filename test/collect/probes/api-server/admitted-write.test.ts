import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { probe } from '../../../../src/collect/probes/probe.ts';
import { type AdmissionCallout, calloutId } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Metadata } from '../../../../src/facts/objects/metadata.ts';
import type { AdmittedWrite, HttpResponse } from '../../../../src/facts/probes.ts';
import { authority, issue } from '../../../support/certificates.ts';
import { recordedProber, statusOf } from '../../../support/recorded-prober.ts';
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
  /** In place of the status: a valid response. */
  let allowed: boolean | undefined;
  let reviews: number;
  before(async () => {
    const pair = await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] });
    server = createServer(pair, (request, response) => {
      const sent: Buffer[] = [];
      request.on('data', (part: Buffer) => sent.push(part));
      request.on('end', () => {
        reviews += 1;
        if (allowed === undefined) return response.writeHead(status).end('nil pointer');
        const { uid } = JSON.parse(Buffer.concat(sent).toString()).request;
        const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
        return response.end(JSON.stringify({ ...review, response: { uid, allowed } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    status = 500;
    allowed = undefined;
    reviews = 0;
  });

  const endpoint = {
    addresses: ['198.51.100.1'],
    conditions: { ready: true },
    targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
  };
  const worldOf = (callouts: readonly AdmissionCallout[], resources = [configMaps]) =>
    snapshotOf({
      ...healthy({ callouts, endpointSlices: lists({ 'shop/policy': [slice([endpoint])] }) }),
      served: complete([['served', { resources, stale: [] }]]),
    }).facts;
  const portOf = () => (server.address() as AddressInfo).port;

  interface Circumstances {
    readonly forwarded?: boolean;
    /** Message of the API server's own dry run; empty: it passes. */
    readonly ownCall?: string;
  }
  async function written(
    pages: readonly HttpResponse[],
    callout = policy(),
    {
      forwarded = true,
      ownCall = `failed calling webhook "${callout.webhook}": nil pointer`,
    }: Circumstances = {},
  ) {
    const rest = [...pages];
    const prober = recordedProber({
      ...(forwarded ? { port: portOf() } : {}),
      get: (path) => (path.startsWith('/api/v1/configmaps') ? (rest.shift() ?? forbidden) : forbidden),
      dryRun: () =>
        ownCall === '' ? statusOf(201, '') : statusOf(500, `Internal error occurred: ${ownCall}`),
    });
    const { probes } = await probe(prober, worldOf([callout]), [callout], { level: 'review' });
    const lines = prober.asked.filter((line) => line.includes('/configmaps?'));
    return { write: probes.get(calloutId(callout))?.admittedWrite, lists: lines.length };
  }
  /** A list that continues on another page. */
  const firstPage = (now: number, ...items: readonly Written[]): HttpResponse => ({
    ...list(now),
    body: Buffer.from(JSON.stringify({ metadata: { continue: 'next' }, items: items.map(stored) })),
  });
  const created = (at: number, name = 'cart'): Written => ({ name, created: at, at });

  const updates = policy({ rules: [{ ...rules[0], operations: ['UPDATE'] }] as typeof rules });
  const known = created(25);
  const ahead = [known, created(34, 'same')];
  const [a, b, c] = [created(25, 'a'), created(26, 'b'), created(29, 'c')];
  const old = (over: object) => ({ created: 200, at: 299, ...over });
  const none = undefined;
  const cases: readonly (readonly [
    string,
    { readonly pages: readonly HttpResponse[]; readonly callout?: AdmissionCallout },
    object | undefined,
  ])[] = [
    [
      'is later than the review if only a second list has it',
      { pages: [list(30, known), list(35, known, created(32, 'new'))] },
      {
        object: { kind: 'ConfigMap', namespace: 'shop', name: 'new' },
        apiVersion: 'v1',
        operation: 'CREATE',
        at: '2026-01-01T00:00:32Z',
        afterProbe: true,
      },
    ],
    [
      'may be an update, if updates fail',
      { pages: [list(30, { at: 25 }), list(35, { at: 32 })], callout: updates },
      { operation: 'UPDATE', afterProbe: true },
    ],
    ['is not an update, if creations fail', { pages: [list(30, { at: 25 }), list(35, { at: 32 })] }, none],
    [
      'is not a later update, if creations fail',
      { pages: [list(30, known), list(35, known, { name: 'new', at: 32 })] },
      { operation: 'CREATE', at: '2026-01-01T00:00:25Z', afterProbe: false },
    ],
    [
      'is earlier if the second list has no other',
      { pages: [list(30, created(30)), list(35, created(30))] },
      { at: '2026-01-01T00:00:30Z', afterProbe: false },
    ],
    [
      'is the same in both lists, even if its time is after that of the first',
      { pages: [list(30, ...ahead), list(35, ...ahead)] },
      { at: '2026-01-01T00:00:25Z', afterProbe: false },
    ],
    [
      'has no time that is after that of its list',
      { pages: [list(30, known), list(35, known, created(50, 'new'))] },
      { at: '2026-01-01T00:00:25Z', afterProbe: false },
    ],
    ['has no time of a clock that is ahead', { pages: [list(30, created(40)), list(45, created(40))] }, none],
    [
      'is not that of an object that moves to the first page because another one was deleted',
      { pages: [firstPage(30, a, b), firstPage(35, b, c)] },
      { at: '2026-01-01T00:00:26Z', afterProbe: false },
    ],
    [
      'is that of an object between others of the first page',
      { pages: [firstPage(30, a, c), firstPage(35, a, created(32, 'b'), c)] },
      { at: '2026-01-01T00:00:32Z', afterProbe: true },
    ],
    [
      'is not that of a subresource',
      {
        pages: [
          list(300, old({ subresource: 'status' })),
          list(305, old({ at: 304, subresource: 'status' })),
        ],
        callout: updates,
      },
      none,
    ],
    [
      'is not that of an object that the webhook does not select',
      {
        pages: [list(300, created(299)), list(305, created(304))],
        callout: policy({ objectSelector: { matchLabels: { checked: 'yes' } } }),
      },
      none,
    ],
    [
      'is not one that matchConditions may exclude',
      {
        pages: [list(300, created(299)), list(305, created(304))],
        callout: policy({
          matchConditions: [{ name: 'users', expression: "request.userInfo.username != 'app'" }],
        }),
      },
      none,
    ],
  ];
  describe('of two lists', () => {
    const found = new Map<string, AdmittedWrite | undefined>();
    before(async () => {
      status = 500;
      allowed = undefined;
      await Promise.all(
        cases.map(async ([name, { pages, callout }]) =>
          found.set(name, (await written(pages, callout)).write),
        ),
      );
    });
    for (const [name, , wanted] of cases)
      it(name, () => {
        if (wanted === undefined) expect(found.get(name)).to.equal(undefined);
        else expect(found.get(name)).to.deep.include(wanted);
      });
  });

  it('is none if the webhook responds meanwhile', async () => {
    const recovers = setTimeout(() => {
      allowed = true;
    }, 2000);
    const { write } = await written([list(30, created(25)), list(35, created(25), created(34, 'new'))]);
    clearTimeout(recovers);
    expect([write, reviews]).to.deep.equal([undefined, 2]);
  }).timeout(20_000);
  it('is not looked for if the own dry run of the API server passes', async () => {
    expect(await written([], policy(), { ownCall: '' })).to.deep.equal({ write: undefined, lists: 0 });
  });
  for (const refusal of [401, 403])
    it(`is not looked for if the Pods respond with ${refusal}`, async () => {
      status = refusal;
      expect(await written([])).to.deep.equal({ write: undefined, lists: 0 });
    });
  it('is looked for with one list for all webhooks of a resource, and few lists in a run', async () => {
    const named = (name: string, over: Partial<AdmissionCallout> = {}) =>
      policy({
        webhook: `${name}.example.com`,
        ref: { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: `${name}.example.com` },
        ...over,
      });
    const resources = ['first', 'second', 'third', 'fourth'].map((resource) => ({ ...configMaps, resource }));
    const callouts = [
      ...Array.from({ length: 60 }, (_, number) => named(`w${number}`)),
      ...resources.map(({ resource }) =>
        named(resource, { rules: [{ ...rules[0], resources: [resource] }] as typeof rules }),
      ),
    ];
    const prober = recordedProber({
      port: portOf(),
      get: () => list(30, created(25)),
      dryRun: () => statusOf(403, 'configmaps is forbidden: User "dev" cannot create resource "configmaps"'),
    });
    await probe(prober, worldOf(callouts, [configMaps, ...resources]), callouts, { level: 'review' });
    const asked = prober.asked.filter((line) => /GET .*limit=250/.test(line));
    expect(asked.filter((line) => line.includes('/configmaps?'))).to.have.length(2);
    expect(asked).to.have.length(6);
  }).timeout(30_000);

  it('needs no second list if it is old', async () => {
    const { write, lists: read } = await written([list(300, created(30))]);
    expect(write).to.include({ at: '2026-01-01T00:00:30Z', afterProbe: false });
    expect(read).to.equal(1);
  });
  it('is not one from before the configuration was changed', async () => {
    const metadata = {
      name: 'policy',
      creationTimestamp: time(1),
      managedFields: [{ manager: 'helm', operation: 'Update', time: time(290) }],
    };
    // API servers read the configuration some time after its write.
    for (const at of [288, 294])
      expect((await written([list(300, created(at))], policy({ metadata }))).write).to.equal(undefined);
  });
  it('is not read with failurePolicy Ignore', async () => {
    expect(await written([], policy({ failurePolicy: 'Ignore' }))).to.deep.equal({
      write: undefined,
      lists: 0,
    });
  });
  it('is not read if the Pods cannot be reached', async () => {
    expect((await written([], policy(), { forwarded: false })).lists).to.equal(0);
  });
  for (const valid of [true, false])
    it(`is not read if the Pods ${valid ? 'allow' : 'deny'} the test object`, async () => {
      allowed = valid;
      expect((await written([])).lists).to.equal(0);
      expect(reviews).to.equal(1);
    });
  it('is not known if the list is forbidden', async () => {
    expect((await written([forbidden])).write).to.equal(undefined);
  });
});
