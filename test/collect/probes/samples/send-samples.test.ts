import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { allowsAll } from '../../../../src/collect/probes/looks-healthy.ts';
import { refusesSize, sendSamples } from '../../../../src/collect/probes/samples/send-samples.ts';
import type { AdmissionCallout } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { allows, denies, type Tried, tried } from '../../../checks/probed.ts';
import { authority, issue } from '../../../support/certificates.ts';
import { answerOf, recordedProber } from '../../../support/recorded-prober.ts';
import { conversion, healthy, lists, slice, snapshotOf, webhook } from '../../../support/snapshot.ts';

const configMaps = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  singular: 'configmap',
  namespaced: true,
  verbs: ['create', 'update', 'list'],
};
const callout = webhook() as AdmissionCallout;
const { facts } = snapshotOf({
  ...healthy({
    callouts: [callout],
    endpointSlices: lists({
      'shop/policy': [
        slice([
          {
            addresses: ['198.51.100.1'],
            conditions: { ready: true },
            targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
          },
        ]),
      ],
    }),
  }),
  served: complete([['served', { resources: [configMaps], stale: [] }]]),
});

describe('a large test object', () => {
  let server: Server;
  let refusal: { readonly status: number; readonly body: string };
  let bodies: readonly string[];
  before(async () => {
    const { cert, key } = await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] });
    server = createServer({ cert, key }, async (request, response) => {
      const body = await text(request);
      bodies = [...bodies, body];
      const { apiVersion, kind, request: about } = JSON.parse(body);
      if (body.length > 100_000) response.writeHead(refusal.status).end(refusal.body);
      else response.end(JSON.stringify({ apiVersion, kind, response: { uid: about.uid, allowed: true } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close());
  beforeEach(() => {
    bodies = [];
  });

  const send = (large = true) =>
    sendSamples(
      {
        prober: recordedProber({ port: (server.address() as AddressInfo).port }),
        facts,
        plan: { level: 'review' },
      },
      callout,
      {
        given: [],
        namespace: 'shop',
        stored: false,
        withStored: false,
        heartbeats: false,
        further: true,
        large,
      },
    );

  for (const [status, body, isReported] of [
    [413, '', true],
    [500, 'http: request body too large', true],
    [400, 'the body exceeds the size that is allowed', true],
    [429, 'rate limit: try again later', false],
    [503, 'no healthy upstream', false],
    [500, 'nil pointer', false],
  ] as const) {
    it(`is ${isReported ? 'a' : 'no'} finding after ${status} ${body}`, async () => {
      refusal = { status, body };
      const samples = await send();
      expect(samples.map(({ kibibytes }) => kibibytes)).to.deep.equal(isReported ? [128] : []);
    });
  }
  it('is sent only to a webhook that allows the small one', async () => {
    refusal = { status: 413, body: '' };
    expect(await send(false)).to.deep.equal([]);
    expect(bodies).to.deep.equal([]);
  });
  it('is not sent after a denial of one replica', () => {
    const allowed = (...replicas: readonly Tried[]) => {
      const [probes] = [...(tried(replicas).probes?.all() ?? [])];
      return probes !== undefined && allowsAll(probes);
    };
    expect(allowed(allows, allows)).to.equal(true);
    expect(allowed(allows, denies('no'))).to.equal(false);
    expect(allowed(denies('no'))).to.equal(false);
    expect(allowed({})).to.equal(false);
  });
  it('is looked for in a long text', () => {
    expect(refusesSize({ status: 500, body: Buffer.from('body'.repeat(200_000)) })).to.equal(false);
  });
  it('has an annotation and is a dry run', async () => {
    refusal = { status: 413, body: '' };
    await send();
    const [{ request }] = bodies.map((body) => JSON.parse(body));
    expect(request.dryRun).to.equal(true);
    expect(Object.keys(request.object.metadata.annotations)).to.deep.equal(['kubectl-webhook-probe']);
  });
});

describe('a CRD with several versions', () => {
  let server: Server;
  let asked: readonly string[] = [];
  before(async () => {
    const { cert, key } = await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] });
    server = createServer({ cert, key }, async (request, response) => {
      const { apiVersion, kind, request: about } = JSON.parse(await text(request));
      asked = [...asked, `${about.objects[0].apiVersion} to ${about.desiredAPIVersion}`];
      const result = { status: 'Failure', message: 'no' };
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: about.uid, result } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close());

  it('is converted to each served version, from the storage version', async () => {
    const version = (name: string, over: object = {}) => ({ name, served: true, storage: false, ...over });
    const versions = [
      version('v1', { storage: true }),
      version('v2'),
      version('v3', { served: false }),
      version('v4'),
    ];
    const samples = await sendSamples(
      {
        prober: recordedProber({ port: (server.address() as AddressInfo).port }),
        facts,
        plan: { level: 'review' },
      },
      conversion({ versions }),
      {
        given: [],
        namespace: 'shop',
        stored: true,
        withStored: true,
        heartbeats: false,
        further: true,
        large: true,
      },
    );
    expect([...new Set(asked)].sort()).to.deep.equal([
      'example.com/v1 to example.com/v2',
      'example.com/v1 to example.com/v4',
    ]);
    expect(samples.map(({ operation, desired }) => `${operation} ${desired}`)).to.deep.equal([
      'CONVERT v2',
      'CONVERT v4',
    ]);
  });
});

describe('an update of the test object without a change', () => {
  let server: Server;
  let deniesUpdates: boolean;
  before(async () => {
    const { cert, key } = await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] });
    server = createServer({ cert, key }, async (request, response) => {
      const { apiVersion, kind, request: about } = JSON.parse(await text(request));
      const allowed = !(deniesUpdates && about.operation === 'UPDATE');
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: about.uid, allowed } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close());

  const rules = [
    { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['*'] },
  ];
  const send = async (withStored = true) => {
    const prober = recordedProber({
      port: (server.address() as AddressInfo).port,
      get: (path) =>
        answerOf(200, {
          items: path.includes('configmaps') ? [{ metadata: { name: 'a', namespace: 'shop' } }] : [],
        }),
    });
    const samples = await sendSamples(
      { prober, facts, plan: { level: 'review' } },
      webhook({ rules }) as AdmissionCallout,
      {
        given: [],
        namespace: 'shop',
        stored: false,
        withStored,
        heartbeats: false,
        further: true,
        large: false,
      },
    );
    return {
      listed: prober.asked.some((one) => one.startsWith('GET') && one.includes('/configmaps?')),
      stored: samples.flatMap(({ by, operation }) => (by === 'stored' ? operation : [])),
    };
  };

  it('is followed by stored objects, if it is denied', async () => {
    deniesUpdates = true;
    expect(await send()).to.deep.equal({ listed: true, stored: ['CREATE', 'UPDATE'] });
  });
  it('reads no stored object, if it is admitted, or if none may be read', async () => {
    deniesUpdates = false;
    expect(await send()).to.deep.equal({ listed: false, stored: [] });
    deniesUpdates = true;
    expect(await send(false)).to.deep.equal({ listed: false, stored: [] });
  });
});

describe('an update of a test Pod', () => {
  let server: Server;
  let patches: boolean;
  before(async () => {
    const { cert, key } = await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] });
    server = createServer({ cert, key }, async (request, response) => {
      const { apiVersion, kind, request: about } = JSON.parse(await text(request));
      const patch = Buffer.from('[{"op":"add","path":"/spec/initContainers","value":[]}]').toString('base64');
      const patched = patches ? { patchType: 'JSONPatch', patch } : {};
      response.end(
        JSON.stringify({ apiVersion, kind, response: { uid: about.uid, allowed: true, ...patched } }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close());

  const pods = {
    ...{ group: '', version: 'v1', resource: 'pods', kind: 'Pod', singular: 'pod', namespaced: true },
    verbs: ['create', 'update', 'patch', 'list'],
  };
  const served = complete([['served', { resources: [configMaps, pods], stale: [] }]] as const);
  const rules = [
    { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] },
  ];
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const items = [
    { metadata: { name: 'runs', namespace: 'shop' } },
    {
      metadata: { name: 'ends', namespace: 'shop', deletionTimestamp, finalizers: ['batch/job-tracking'] },
    },
  ];
  const send = async () => {
    const prober = recordedProber({
      port: (server.address() as AddressInfo).port,
      get: (path) => answerOf(200, { items: path.includes('/pods') ? items : [] }),
    });
    const samples = await sendSamples(
      { prober, facts: { ...facts, served }, plan: { level: 'review' } },
      webhook({ kind: 'mutating', rules }) as AdmissionCallout,
      {
        ...{ given: [], namespace: 'shop', stored: false, withStored: true },
        ...{ heartbeats: false, further: true, large: false },
      },
    );
    return samples.flatMap(({ by, object, finalizers }) =>
      by === 'stored' ? [[object.name, finalizers]] : [],
    );
  };

  it('is followed by a stored Pod that is being deleted, if it is patched', async () => {
    patches = true;
    expect(await send()).to.deep.equal([['ends', ['batch/job-tracking']]]);
  });
  it('is followed by no stored Pod, if it is not patched', async () => {
    patches = false;
    expect(await send()).to.deep.equal([]);
  });
});
