import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { ownCallEnd } from '../../../src/apiserver/connection/own-call.ts';
import { nextCall } from '../../../src/apiserver/next-call/next-call.ts';
import { ReadError } from '../../../src/collect/cluster.ts';
import { looksHealthyToProbes } from '../../../src/collect/probes/looks-healthy.ts';
import { probe } from '../../../src/collect/probes/probe.ts';
import type { ProbePlan, ProbePlanFacts } from '../../../src/collect/probes/run.ts';
import { startBackend } from '../../../src/demo/backend/backend.ts';
import type { DemoBackend } from '../../../src/demo/backend/options.ts';
import { notTriedAt } from '../../../src/diagnose/coverage.ts';
import { type AdmissionCallout, type Callout, calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { keyOf } from '../../../src/facts/object-ref.ts';
import type { Endpoint } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Service } from '../../../src/facts/objects/service.ts';
import type { CalloutProbes, HttpResponse } from '../../../src/facts/probes.ts';
import type { ServedResource } from '../../../src/facts/served-resources.ts';
import { unreadText } from '../../../src/facts/unread.ts';
import { authority, issue } from '../../support/certificates.ts';
import { listenWithFullQueue } from '../../support/full-listen-queue.ts';
import { answerOf, type ProberAnswers, recordedProber, statusOf } from '../../support/recorded-prober.ts';
import {
  aggregatedApi,
  conversion,
  healthy,
  lists,
  namespace,
  objects,
  service,
  slice,
  snapshotOf,
  webhook,
} from '../../support/snapshot.ts';

const served = (over: Partial<ServedResource>): ServedResource => ({
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  singular: 'configmap',
  namespaced: true,
  verbs: ['create', 'get', 'list', 'update', 'patch', 'delete'],
  ...over,
});

const everything = [
  served({}),
  served({ resource: 'pods', kind: 'Pod' }),
  served({ resource: 'pods/exec', kind: 'PodExecOptions', verbs: ['create', 'get'] }),
  served({ resource: 'nodes', kind: 'Node', namespaced: false }),
  served({ group: 'example.com', resource: 'widgets', kind: 'Widget' }),
];

const endpoint = (index: number, over: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [`198.51.100.${index}`],
  conditions: { ready: true },
  targetRef: { kind: 'Pod', namespace: 'shop', name: `policy-${index}` },
  ...over,
});

const rule = (over: object) => [
  { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], ...over },
];

describe('probes', () => {
  let backend: DemoBackend;
  before(async () => {
    const ca = await authority({ cn: 'shop-ca' });
    backend = await startBackend({ certificate: await issue(ca, { dns: ['policy.shop.svc'] }) });
  });
  after(() => backend.close());

  const factsOf = (
    callouts: readonly Callout[],
    endpoints: readonly Endpoint[],
    one: Service = service(),
  ): ProbePlanFacts =>
    snapshotOf({
      ...healthy({
        callouts,
        services: objects(one),
        endpointSlices: lists({ 'shop/policy': [slice(endpoints)] }),
      }),
      served: complete([['served', { resources: everything, stale: [] }]]),
    }).facts;

  async function probing(
    callouts: readonly Callout[],
    {
      endpoints = [endpoint(1)],
      answers = { port: backend.port },
      plan = { level: 'review' },
      asked: wanted = callouts,
      service: one,
    }: {
      service?: Service;
      endpoints?: readonly Endpoint[];
      answers?: ProberAnswers;
      plan?: ProbePlan;
      asked?: readonly Callout[];
    } = {},
  ) {
    const prober = recordedProber(answers);
    const { probes, notLookedAt } = await probe(prober, factsOf(callouts, endpoints, one), wanted, plan);
    const of = (callout: Callout): CalloutProbes => {
      const found = probes.get(calloutId(callout));
      if (found === undefined) throw new Error('nothing was probed');
      return found;
    };
    const troubled = new Set(
      wanted.flatMap((callout) =>
        looksHealthyToProbes(of(callout)) || callout.client.service === undefined
          ? []
          : keyOf(callout.client.service),
      ),
    );
    return { of, notLookedAt, troubled, asked: prober.asked, probes };
  }

  it('use each method once', async () => {
    const callout = webhook();
    const { of, asked, notLookedAt, troubled } = await probing([callout], {
      endpoints: [endpoint(1), endpoint(2, { conditions: { ready: false } })],
    });
    expect([...asked].sort()).to.deep.equal([
      'GET /api/v1/namespaces/shop/pods/https:policy-1:8443/proxy/',
      'GET /api/v1/namespaces/shop/pods/https:policy-2:8443/proxy/',
      'dry run: create /api/v1/namespaces/shop/configmaps',
      'port-forward shop/policy-1:8443',
      'port-forward shop/policy-2:8443',
    ]);
    const { replicas, serverName, dryRun, notTried } = of(callout);
    expect(serverName).to.equal('policy.shop.svc');
    expect(replicas.map(({ pod, ready }) => [pod, ready])).to.deep.equal([
      ['policy-1', true],
      ['policy-2', false],
    ]);
    const uids = replicas.flatMap(({ dialogues }) => dialogues.flatMap(({ reviews }) => reviews));
    expect(new Set(uids.map(({ uid }) => uid)).size, 'one review for all').to.equal(1);
    expect(uids.map(({ answer }) => answer?.status)).to.deep.equal([200, 200]);
    expect(dryRun).to.include({ status: 201, message: '', resource: 'configmaps', namespace: 'shop' });
    expect(replicas.map(({ proxy }) => proxy?.reached)).to.deep.equal([true, true]);
    expect(notTried).to.deep.equal([]);
    expect(notLookedAt).to.deep.equal([]);
    expect([...troubled]).to.deep.equal([]);
  });

  it('send a GET to a Pod after its review and the dry run', async () => {
    const { asked } = await probing([webhook()]);
    expect(asked.map((line) => line.split(' ')[0])).to.have.members(['port-forward', 'dry', 'GET']);
    expect(asked.at(-1)).to.match(/^GET /);
  });

  it('send a GET to no other Pod if the first one closes the connection', async () => {
    const callout = webhook();
    const closed = statusOf(503, 'error trying to reach service: EOF');
    const endpoints = [endpoint(1), endpoint(2), endpoint(3)];
    const { of } = await probing([callout], {
      endpoints,
      answers: { port: backend.port, get: () => closed },
    });
    const notTried = of(callout).replicas.flatMap((replica) => replica.notTried);
    expect(notTried.map(({ why, detail }) => [why, detail])).to.deep.equal(
      Array.from({ length: 2 }, () => [
        'not-requested',
        'another Pod of the Service closed the connection after a GET',
      ]),
    );
    const { asked } = await probing([callout], {
      endpoints,
      answers: { port: backend.port, get: () => statusOf(404, '') },
    });
    expect(asked.filter((line) => line.startsWith('GET '))).to.have.length(3);
  });

  describe('from a Pod of the cluster', () => {
    const callout = webhook();
    /**
     * The connections of the one replica with their numbers of reviews, what was not tried, and the requests
     * that the backend received.
     */
    async function seen(answers: ProberAnswers) {
      const { facts } = snapshotOf({
        ...healthy({
          callouts: [callout],
          endpointSlices: lists({
            'shop/policy': [
              slice([endpoint(1, { addresses: ['127.0.0.1'] })], {
                ports: [{ name: '', port: backend.port, protocol: 'TCP' }],
              }),
            ],
          }),
        }),
        served: complete([['served', { resources: everything, stale: [] }]]),
      });
      const before = backend.requests;
      const prober = recordedProber(answers);
      const { probes, notLookedAt } = await probe(prober, facts, [callout], { level: 'review' });
      const [replica] = probes.get(calloutId(callout))?.replicas ?? [];
      return {
        ways: replica?.dialogues.map(({ way, reviews }) => `${way} ${reviews.length}`),
        shaken: replica?.dialogues.every(({ handshake }) => handshake !== undefined),
        notTried: replica?.notTried.map(unreadText),
        missed: notLookedAt.map(unreadText),
        requests: backend.requests - before,
      };
    }
    const noProxy = (path: string) => {
      const [, kind = ''] = /(pods|services)/.exec(path.replace('/namespaces/shop', '')) ?? [];
      return statusOf(403, `cannot get resource "${kind}/proxy"`, { kind });
    };

    it('use the address if port-forward is not allowed, and miss nothing', async () => {
      expect(await seen({ amongPods: true })).to.deep.equal({
        ways: ['direct 1'],
        shaken: true,
        notTried: [],
        missed: [],
        requests: 1,
      });
    });

    it('connect to the address without a request if no other method tested it', async () => {
      expect(await seen({ amongPods: true, port: backend.port, get: noProxy })).to.deep.include({
        ways: ['port-forward 1', 'direct 0'],
        shaken: true,
        requests: 1,
      });
    });

    it('do not use the address if both other methods failed', async () => {
      expect((await seen({ amongPods: true, port: backend.port })).ways).to.deep.equal(['port-forward 1']);
    });

    it('use addresses only in a Pod', async () => {
      const { ways, missed, requests } = await seen({});
      expect({ ways, missed, requests }).to.deep.equal({
        ways: [],
        missed: ['pods/portforward in namespace shop'],
        requests: 0,
      });
    });
  });

  it('report an unknown end of a handshake, and do not call anything failing for it', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(Buffer.from([0x16, 3, 3, 0, 4, 0x63, 0, 0, 0]));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const callout = webhook();
      const { port } = server.address() as AddressInfo;
      const { of } = await probing([callout], { answers: { port } });
      const { replicas, dryRun } = of(callout);
      expect(replicas[0]?.dialogues[0]?.failure).to.include({ stage: 'tls', kind: 'other' });
      const { text: detail } = replicas[0]?.dialogues[0]?.failure ?? {};
      expect(detail).to.not.equal('');
      const what = 'a TLS handshake by port-forward to Pod shop/policy-1';
      expect(replicas[0]?.notTried).to.deep.equal([{ what, why: 'unreachable', detail }]);
      expect(dryRun?.status).to.equal(201);
      const { facts } = snapshotOf(healthy({ callouts: [callout] }));
      const probes = complete([[calloutId(callout), of(callout)]]);
      expect(nextCall(callout, { ...facts, probes }).outcome).to.equal('succeeds');
      expect(notTriedAt(callout, { probes })).to.deep.equal([{ what, why: detail }]);
    } finally {
      server.close();
    }
  });

  it('--probe connect: handshakes without requests', async () => {
    const before = backend.requests;
    const callout = webhook();
    const { of, asked } = await probing([callout], { plan: { level: 'connect' } });
    expect(of(callout).replicas[0]?.dialogues[0]).to.deep.include({ reviews: [] });
    expect(of(callout).replicas[0]?.dialogues[0]?.handshake?.presented).to.have.length(1);
    expect(asked.filter((line) => line.startsWith('dry run'))).to.deep.equal([]);
    expect(backend.requests).to.equal(before);
  });

  it('send no request to a webhook that may act on a dry run', async () => {
    const before = backend.requests;
    for (const sideEffects of ['Some', 'Unknown', undefined]) {
      const callout = webhook({ sideEffects });
      const { of, asked } = await probing([callout]);
      expect(
        of(callout)
          .notTried.map(({ detail }) => detail)
          .join(),
        String(sideEffects),
      ).to.match(/side effects/);
      expect(of(callout).replicas[0]?.dialogues[0]?.handshake).to.not.equal(undefined);
      expect(asked.filter((line) => line.startsWith('dry run'))).to.deep.equal([]);
    }
    expect(backend.requests).to.equal(before);
  });

  it('make no dry run that a webhook with side effects can receive', async () => {
    const callout = webhook();
    const other = webhook({ configuration: 'other', webhook: 'other.example.com', sideEffects: 'Some' });
    const { of, asked } = await probing([callout, other], { asked: [callout] });
    expect(asked.filter((line) => line.startsWith('dry run'))).to.deep.equal([]);
    expect(of(callout).notTried.map(({ detail }) => detail)).to.deep.equal([
      'a webhook with side effects would be called as well',
    ]);
  });

  it('send one dry run for all webhooks that it can reach', async () => {
    const callouts = ['a', 'b', 'c'].map((name) =>
      webhook({ configuration: name, webhook: `${name}.example.com` }),
    );
    const { asked } = await probing(callouts);
    expect(asked.filter((line) => line.startsWith('dry run'))).to.have.length(1);
    expect(asked.filter((line) => line.startsWith('port-forward'))).to.have.length.at.most(2);
    expect(asked.filter((line) => line.startsWith('GET'))).to.have.length(1);
  });

  it('assign the error of a dry run to the webhook that it names only', async () => {
    const mine = webhook({ configuration: 'a', webhook: 'a.example.com' });
    const other = webhook({ configuration: 'b', webhook: 'b.example.com' });
    const message =
      'Internal error occurred: failed calling webhook "b.example.com": failed to call webhook: EOF';
    const { of, troubled } = await probing([mine, other], {
      answers: { port: backend.port, dryRun: () => statusOf(500, message) },
    });
    expect(of(other).dryRun).to.include({ status: 500, message });
    expect(of(mine).dryRun).to.equal(undefined);
    expect(of(mine).notTried.map(({ why, detail }) => [why, detail])).to.deep.equal([
      ['server-error', message],
    ]);
    expect([...troubled]).to.deep.equal(['shop/policy']);
  });

  it('use a failed connection to a Service port for its other webhooks, also if they were not called', async () => {
    const callouts = ['a', 'b'].map((name) =>
      webhook({
        configuration: name,
        webhook: `${name}.example.com`,
        ...(name === 'a' ? { namespaceSelector: { matchLabels: { none: 'has' } } } : {}),
      }),
    );
    const elsewhere = webhook({
      configuration: 'c',
      webhook: 'c.example.com',
      client: { service: { namespace: 'shop', name: 'policy', port: 8444 }, caBundle: '' },
    });
    const dial = 'dial tcp 203.0.113.10:443: connect: no route to host';
    const message = `Internal error occurred: failed calling webhook "b.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ${dial}`;
    const { of } = await probing([...callouts, elsewhere], {
      answers: { port: backend.port, dryRun: () => statusOf(500, message) },
    });
    const [a, b] = callouts as [AdmissionCallout, AdmissionCallout];
    expect([of(a).dialError, of(b).dialError, of(elsewhere).dialError]).to.deep.equal([
      dial,
      dial,
      undefined,
    ]);
    expect(ownCallEnd(a, of(a))).to.deep.include({ outcome: 'fails', link: 'network', inferred: true });
  });

  it('do not use it if the API server called another webhook of the port', async () => {
    const [called, failed, neither] = ['pods', 'configmaps', 'secrets'].map((resource) =>
      webhook({
        configuration: resource,
        webhook: `${resource}.example.com`,
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: [resource] }],
        ...(resource === 'secrets' ? { namespaceSelector: { matchLabels: { none: 'has' } } } : {}),
      }),
    ) as [AdmissionCallout, AdmissionCallout, AdmissionCallout];
    const message =
      'Internal error occurred: failed calling webhook "configmaps.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": dial tcp 203.0.113.10:443: connect: connection refused';
    const { of } = await probing([called, failed, neither], {
      answers: {
        port: backend.port,
        dryRun: ({ path }) => (path.includes('/pods') ? statusOf(201, '') : statusOf(500, message)),
      },
    });
    expect(ownCallEnd(called, of(called)).outcome).to.equal('passes');
    expect(ownCallEnd(failed, of(failed)).outcome).to.equal('fails');
    expect(of(neither).dialError).to.equal(undefined);
    expect(ownCallEnd(neither, of(neither)).outcome).to.equal('nothing');
  });

  it('do not use a failed connection to a URL for webhooks with other URLs', async () => {
    const [a, b] = ['a', 'b'].map((name) =>
      webhook({
        configuration: name,
        webhook: `${name}.example.com`,
        client: { url: `https://${name}.example.com/validate`, caBundle: '' },
        ...(name === 'a' ? { namespaceSelector: { matchLabels: { none: 'has' } } } : {}),
      }),
    ) as [AdmissionCallout, AdmissionCallout];
    const message =
      'Internal error occurred: failed calling webhook "b.example.com": failed to call webhook: Post "https://b.example.com/validate?timeout=10s": dial tcp 192.0.2.7:443: connect: connection refused';
    const { of } = await probing([a, b], {
      answers: { port: backend.port, dryRun: () => statusOf(500, message) },
    });
    expect(of(b).dryRun).to.include({ message });
    expect(ownCallEnd(a, of(a)).outcome).to.equal('nothing');
  });

  it('assign a name that several webhooks have to the webhook that matches the request', async () => {
    const message =
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: EOF';
    const bearer = (configuration: string, app: string) =>
      webhook({ configuration, objectSelector: { matchLabels: { app } } });
    const [a, b, c] = [bearer('a', 'one'), bearer('b', 'two'), bearer('c', 'two')];
    const { of } = await probing([a, b, c], {
      answers: { port: backend.port, dryRun: () => statusOf(500, message) },
    });
    expect(of(a).dryRun).to.include({ status: 500, message });
    expect([of(b).dryRun, of(c).dryRun]).to.deep.equal([undefined, undefined]);
  });

  it('assign an error that quotes a matchCondition to the webhook that has it', async () => {
    const conditional = (configuration: string, expression: string) =>
      webhook({
        configuration,
        webhook: `${configuration}.example.com`,
        matchConditions: [{ name: 'one', expression }],
      });
    const [mine, other] = [conditional('a', 'object.nope == 1'), conditional('b', 'object.other == 1')];
    const message = `configmaps "x" is forbidden: expression 'object.nope == 1' resulted in error: no such key: nope`;
    const { of } = await probing([mine, other], {
      answers: { port: backend.port, dryRun: () => statusOf(403, message) },
    });
    expect(of(mine).dryRun).to.include({ status: 403, message });
    expect(of(other).dryRun).to.equal(undefined);
  });

  it('prove nothing by a dry run that only conditions may send to the webhook', async () => {
    const matchConditions = [{ name: 'one', expression: 'object.nope == 1' }];
    const callout = webhook({ matchConditions });
    const { of, asked } = await probing([callout]);
    expect(asked.filter((line) => line.startsWith('dry run'))).to.have.length(1);
    expect(of(callout).dryRun).to.equal(undefined);
  });

  it('treat an admission error of a request through the API server as no response of the backend', async () => {
    const sentences: readonly (readonly [number, string])[] = [
      [500, 'Internal error occurred: failed calling webhook "b.example.com": failed to call webhook: EOF'],
      [403, 'admission webhook "b.example.com" denied the request: no ways in here'],
      [422, `pods "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`],
      [
        403,
        `policy 'm' with binding 'b' denied request: expression 'object.x == 1' resulted in error: no such key: x`,
      ],
      [422, `policy 'm' with binding 'b' denied request: JSON Patch: error in remove for path: '/x'`],
    ];
    for (const [code, message] of sentences) {
      const callout = webhook();
      const { of, notLookedAt } = await probing([callout], {
        answers: { port: backend.port, get: () => statusOf(code, message) },
      });
      const [replica] = of(callout).replicas;
      expect(replica?.proxy).to.equal(undefined);
      expect(replica?.notTried.map(({ why, detail }) => [why, detail])).to.deep.equal([
        ['server-error', message],
      ]);
      expect(replica?.dialogues).to.have.length(1);
      expect(notLookedAt).to.deep.equal([]);
    }
    // A backend may be an API server itself, and refuse with its own error.
    const own = webhook();
    const { of } = await probing([own], {
      answers: {
        port: backend.port,
        get: () => statusOf(403, 'forbidden: User "system:anonymous" cannot get path "/"'),
      },
    });
    expect(of(own).replicas[0]?.proxy).to.include({ reached: true, status: 403 });
  });

  it('report a missing permission once, and use the other methods', async () => {
    const callout = webhook();
    const { of, asked, notLookedAt } = await probing([callout], {
      endpoints: [endpoint(1), endpoint(2), endpoint(3)],
      answers: {
        get: () => statusOf(403, 'pods "x" is forbidden: cannot get resource "pods/proxy"', { kind: 'pods' }),
      },
    });
    expect(notLookedAt).to.have.length(2);
    expect(notLookedAt.map(unreadText).sort()).to.deep.equal([
      'pods/portforward in namespace shop',
      'pods/proxy in namespace shop',
    ]);
    expect(notLookedAt.map(({ allow }) => allow)).to.deep.include({
      apiGroups: [''],
      resources: ['pods/portforward'],
      verbs: ['get', 'create'],
      namespace: 'shop',
    });
    expect(of(callout).dryRun?.status).to.equal(201);
    for (const replica of of(callout).replicas) {
      expect(replica.dialogues).to.deep.equal([]);
      expect(replica.notTried.map(({ why }) => why)).to.deep.equal(['forbidden', 'forbidden']);
    }
    expect(asked.length).to.be.at.most(8);
  });

  it('report once that a method failed for replicas that accept connections', async () => {
    const serverMessage = 'error dialing backend: dial tcp 192.0.2.10:10250: connect: connection refused';
    const forwardError = new ReadError('no', {
      reason: 'server-error',
      path: '',
      status: 500,
      serverMessage,
    });
    const callout = webhook();
    const broken = async (endpoints: readonly Endpoint[], error: Error) =>
      (await probing([callout], { endpoints, answers: { forwardError: error } })).notLookedAt;
    expect(await broken([endpoint(1), endpoint(2)], forwardError)).to.deep.equal([
      {
        what: { resource: 'pods/portforward', verb: 'get', namespaces: ['shop'] },
        why: 'unreachable',
        detail: serverMessage,
      },
    ]);
    expect(await broken([endpoint(1, { conditions: { ready: false } })], forwardError)).to.deep.equal([]);
    const gone = new ReadError('no', {
      reason: 'server-error',
      path: '',
      status: 404,
      serverMessage: 'pods "policy-1" not found',
    });
    expect(await broken([endpoint(1)], gone)).to.deep.equal([]);
  });

  it('do not report a refusal of the kubelet as a missing permission', async () => {
    const serverMessage =
      'Forbidden (user=kube-apiserver, verb=create, resource=nodes, subresource(s)=[proxy])';
    const forwardError = new ReadError('no', {
      reason: 'forbidden',
      path: '',
      status: 403,
      serverMessage,
    });
    const { notLookedAt } = await probing([webhook()], {
      endpoints: [endpoint(1)],
      answers: { forwardError },
    });
    expect(notLookedAt).to.deep.equal([
      {
        what: { resource: 'pods/portforward', verb: 'get', namespaces: ['shop'] },
        why: 'unreachable',
        detail: `the kubelet, or a proxy before it, returned 403 to the API server: ${serverMessage}`,
      },
    ]);
  });

  it('return what the proxy received', async () => {
    const callout = webhook();
    const net = 'dial tcp 198.51.100.1:8443: i/o timeout';
    const { of, troubled } = await probing([callout], {
      answers: { port: backend.port, get: () => statusOf(503, `error trying to reach service: ${net}`) },
    });
    expect(of(callout).replicas[0]?.proxy).to.include({ reached: false, status: 503, text: net });
    expect([...troubled]).to.deep.equal(['shop/policy']);
  });

  it('treat a Status of the backend as its response', async () => {
    const callout = webhook();
    const { of } = await probing([callout], {
      answers: {
        port: backend.port,
        get: () => statusOf(403, 'forbidden: User "system:anonymous" cannot get path "/"'),
      },
    });
    expect(of(callout).replicas[0]?.proxy).to.include({ reached: true, status: 403 });
  });

  it('stop at 20 replicas and report it', async () => {
    const callout = webhook();
    const { of } = await probing([callout], {
      endpoints: Array.from({ length: 23 }, (_, index) => endpoint(index + 1)),
    });
    expect(of(callout).replicas).to.have.length(20);
    expect(of(callout).notTried.map(({ what }) => what)).to.deep.equal(['3 more Pods']);
  });

  it('report that an address without a Pod was not tested', async () => {
    const callout = webhook();
    const { targetRef: _pod, ...bare } = endpoint(1);
    const { of, asked, notLookedAt, troubled } = await probing([callout], { endpoints: [bare] });
    expect(asked).to.deep.equal(['dry run: create /api/v1/namespaces/shop/configmaps']);
    expect(notLookedAt).to.deep.equal([]);
    expect([...troubled]).to.deep.equal([]);
    const [replica] = of(callout).replicas;
    expect(replica).to.deep.include({ endpoint: '198.51.100.1:8443', dialogues: [] });
    expect(replica?.notTried.map(({ why }) => why)).to.deep.equal(['not-requested']);
  });

  it('do not confuse this machine with the API server', async () => {
    const callout = webhook({ client: { url: `https://127.0.0.1:${backend.port}/validate` } });
    const { of } = await probing([callout]);
    expect(of(callout).url).to.equal(undefined);
    expect(of(callout).notTried.map(({ detail }) => detail)).to.include(
      "it points to the API server's own machine, which is not this one",
    );
  });

  it('send a conversion of a sample object', async () => {
    const callout = conversion();
    const { of, asked } = await probing([callout]);
    const [review] = of(callout).replicas[0]?.dialogues[0]?.reviews ?? [];
    expect(review).to.include({ operation: 'CONVERT', resource: 'widgets.example.com' });
    expect(review?.answer).to.not.equal(undefined);
    expect(asked.filter((line) => line.startsWith('dry run'))).to.deep.equal([]);
  });

  it('find the stored object that a conversion webhook does not convert', async () => {
    const stored = Array.from({ length: 30 }, (_, index) => ({
      metadata: { namespace: 'shop', name: `w-${index}` },
    }));
    const failed = statusOf(500, 'conversion webhook for example.com/v1, Kind=Widget failed: unknown unit');
    /** Reads of widgets, of which the webhook does not convert those at the positions `faulty`; some reads fail anyway. */
    const reading = async (
      faulty: readonly number[],
      failure = failed,
      others: Readonly<Record<number, HttpResponse>> = {},
    ) => {
      const callout = conversion();
      let reads = 0;
      const { of, asked } = await probing([callout], {
        answers: {
          port: backend.port,
          get: (path) => {
            const limit = Number(/limit=(\d+)/.exec(path)?.[1] ?? 1);
            const position = Number(/\/w-(\d+)$/.exec(path)?.[1] ?? -1);
            const isConverted = path.includes('/v1beta1/');
            if (isConverted) reads += 1;
            const isFaulty = faulty.some((one) => (position < 0 ? one < limit : one === position));
            const other = isConverted ? others[reads] : undefined;
            if (other !== undefined) return other;
            return isConverted && isFaulty ? failure : answerOf(200, { items: stored.slice(0, limit) });
          },
        },
      });
      return { ...of(callout).dryRun, lists: asked.filter((one) => /\/widgets\?limit/.test(one)).length };
    };
    for (const position of [1, 9, 29])
      expect(await reading([position, 29]), `${position}`).to.deep.include({
        status: 500,
        object: { namespace: 'shop', name: `w-${position}` },
      });
    const none = await reading([]);
    expect(none).to.include({ status: 200, lists: 2 });
    expect(none).to.not.have.property('object');
    // No search after an error of the connection, nor if the conversion of the first object fails.
    const unreachable = statusOf(
      500,
      'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://policy.shop.svc:443/convert?timeout=30s": EOF',
    );
    expect(await reading([9], unreachable)).to.include({ status: 500, lists: 2 });
    expect(await reading([0])).to.include({ status: 500, lists: 1 });
    // No object is named if a read fails for another reason, or if not all Pods fail.
    expect(await reading([20], failed, { 4: statusOf(429, 'too many requests') })).to.not.have.property(
      'object',
    );
    expect(await reading([], failed, { 2: failed, 3: failed, 5: failed })).to.not.have.property('object');
  });

  it('send requests to an APIService through the aggregator', async () => {
    const callout = aggregatedApi();
    const { of, asked } = await probing([callout], {
      plan: { level: 'connect' },
      answers: {
        port: backend.port,
        get: (path) => (path.startsWith('/apis/') ? statusOf(503, 'service unavailable') : statusOf(200, '')),
      },
    });
    expect(asked).to.include('GET /apis/metrics.example.com/v1beta1');
    expect(of(callout).discovery).to.include({ status: 503, message: 'service unavailable' });
  });

  it('conclude nothing from the condition of an APIService that may be older than the endpoints', async () => {
    const message =
      'failing or missing response from https://203.0.113.10:443/apis/metrics.example.com/v1beta1: Get "https://203.0.113.10:443/apis/metrics.example.com/v1beta1": dial tcp 203.0.113.10:443: connect: connection refused';
    const callout = aggregatedApi({
      conditions: [{ type: 'Available', status: 'False', reason: 'FailedDiscoveryCheck', message }],
    });
    const statusWith = async (creationTimestamp: string) => {
      const { of } = await probing([callout], {
        service: service({}, { creationTimestamp }),
        plan: { level: 'connect' },
        answers: { port: backend.port, get: () => statusOf(503, 'service unavailable') },
      });
      return of(callout).discovery?.status;
    };
    expect(await statusWith('2025-12-31T23:59:50Z')).to.equal(undefined);
    expect(await statusWith('2025-12-31T23:00:00Z')).to.equal(503);
  });

  it('keep results if they are interrupted, and report no failure for the rest', async () => {
    const hanging = await listenWithFullQueue(0, '127.0.0.1');
    try {
      const interruption = new AbortController();
      setTimeout(() => interruption.abort(), 100);
      const callout = webhook();
      const { of, notLookedAt } = await probing([callout], {
        answers: { port: hanging.port, ended: interruption.signal },
        plan: { level: 'review' },
      });
      const { replicas, dryRun } = of(callout);
      expect(dryRun?.status).to.equal(201);
      expect(replicas[0]?.dialogues).to.deep.equal([]);
      expect(replicas[0]?.notTried.map(({ why, detail }) => [why, detail])).to.deep.equal([
        ['timeout', 'interrupted'],
        ['timeout', 'interrupted'],
      ]);
      expect(notLookedAt.map(({ why }) => why)).to.deep.equal(['timeout']);
    } finally {
      await hanging.close();
    }
  });

  it('repeat a request through a silent proxy before they report a network failure', async () => {
    const silences = new Set<string>();
    const callout = webhook({ timeoutSeconds: 1 });
    const { of, asked } = await probing([callout], {
      answers: {
        port: backend.port,
        get: (path, signal) => {
          const pod = /\/pods\/https?:(\S+)/.exec(path)?.[1];
          if (pod === undefined || silences.has(pod)) return statusOf(404, 'not found');
          silences.add(pod);
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      },
    });
    expect(of(callout).replicas[0]?.proxy?.reached).to.equal(true);
    expect(asked.filter((one) => one.includes('/pods/'))).to.have.length(2);
  });

  it('conclude nothing from a silent proxy about a server that does not respond to GET', async () => {
    const mute = await startBackend({
      certificate: await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] }),
      fault: 'hang-http',
    });
    try {
      const { of } = await probing([webhook({ timeoutSeconds: 1 })], {
        answers: {
          port: mute.port,
          get: (path, signal) =>
            path.includes('/pods/')
              ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
              : statusOf(404, 'not found'),
        },
        plan: { level: 'connect' },
      });
      expect(of(webhook()).replicas[0]).to.not.have.property('proxy');
    } finally {
      await mute.close();
    }
  });

  it('send no GET to the handler of the only Pod, which the dry run has reached', async () => {
    for (const net of [
      'EOF',
      'net/http: HTTP/1.x transport connection broken: malformed HTTP response "\\x15"',
    ]) {
      const { of, asked } = await probing([webhook()], {
        answers: {
          port: backend.port,
          get: () => statusOf(503, `error trying to reach service: ${net}`),
        },
      });
      expect(asked.filter((one) => one.includes('/pods/'))).to.deep.equal([
        `GET /api/v1/namespaces/shop/pods/http:policy-1:8443/proxy/`,
      ]);
      expect(of(webhook()).replicas[0]?.proxy).to.include({ reached: true });
    }
  });

  it('call again while the endpoints of a Service have just changed', async () => {
    const message =
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": dial tcp 203.0.113.10:443: connect: connection refused';
    const statusAfter = async (creationTimestamp: string) => {
      let calls = 0;
      const { of } = await probing([webhook()], {
        service: service({}, { creationTimestamp }),
        answers: {
          port: backend.port,
          dryRun: () => {
            calls += 1;
            return calls === 1 ? statusOf(500, message) : statusOf(201, '');
          },
        },
      });
      return of(webhook()).dryRun?.status;
    };
    expect(await statusAfter('2025-12-31T23:59:59Z')).to.equal(201);
    expect(await statusAfter('2025-12-31T23:00:00Z')).to.equal(500);
  });

  it('call again if the endpoints were replaced after they were read', async () => {
    const message =
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": dial tcp 203.0.113.10:443: connect: connection refused';
    const statusWith = async (now: readonly Endpoint[]) => {
      let calls = 0;
      const { of, asked } = await probing([webhook()], {
        service: service({}, { creationTimestamp: '2025-12-31T23:00:00Z' }),
        answers: {
          port: backend.port,
          get: (path) =>
            path.includes('/endpointslices')
              ? answerOf(200, { items: [slice(now)] })
              : statusOf(404, 'not found'),
          dryRun: () => {
            calls += 1;
            return calls === 1 ? statusOf(500, message) : statusOf(201, '');
          },
        },
      });
      expect(asked.filter((one) => one.includes('/endpointslices'))).to.deep.equal([
        'GET /apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dpolicy',
      ]);
      return of(webhook()).dryRun?.status;
    };
    expect(await statusWith([endpoint(1, { conditions: { ready: false } }), endpoint(2)])).to.equal(201);
    expect(await statusWith([endpoint(1)])).to.equal(500);
    // A Service without endpoints is another failure.
    expect(await statusWith([endpoint(1, { conditions: { ready: false } })])).to.equal(500);
  });

  it('call four times more if the next call may reach another address that belongs to no Pod', async () => {
    const message = (words: string) =>
      `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ${words}`;
    const untrusted = message(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
    const manual = (address: string): Endpoint => ({ addresses: [address], conditions: { ready: true } });
    const outcome = async (
      errors: readonly string[],
      { addresses = ['192.0.2.1', '192.0.2.2'], spec = {} }: { addresses?: string[]; spec?: object } = {},
    ) => {
      let calls = 0;
      const { of } = await probing([webhook()], {
        service: service({ selector: {}, ...spec }, { creationTimestamp: '2025-12-31T23:00:00Z' }),
        endpoints: addresses.map(manual),
        answers: {
          port: backend.port,
          dryRun: () => {
            const error = errors[calls] ?? '';
            calls += 1;
            return error === '' ? statusOf(201, '') : statusOf(500, error);
          },
        },
      });
      const { status, failsAgain = false } = of(webhook()).dryRun ?? {};
      return { calls, status, failsAgain };
    };
    const refused = message('dial tcp 203.0.113.10:443: connect: connection refused');
    const late = message('context deadline exceeded');
    const responded =
      'Internal error occurred: failed calling webhook "policy.example.com": expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=';
    const all = { calls: 5, status: 500, failsAgain: true };
    expect(await outcome([untrusted, untrusted, untrusted, untrusted, untrusted, ''])).to.deep.equal(all);
    expect(await outcome([refused, untrusted, late, late, refused])).to.deep.equal(all);
    expect(await outcome([untrusted, untrusted, untrusted, '', untrusted])).to.deep.equal({
      ...all,
      failsAgain: false,
    });
    const once = { ...all, calls: 1, failsAgain: false };
    expect(await outcome([''])).to.deep.equal({ ...once, status: 201 });
    expect(await outcome([responded, untrusted]), 'it responded').to.deep.equal(once);
    expect(await outcome([untrusted, untrusted], { addresses: ['192.0.2.1'] })).to.deep.equal(once);
    expect(
      await outcome([untrusted, untrusted], { spec: { sessionAffinity: 'ClientIP' } }),
      'each reaches the same address',
    ).to.deep.equal(once);
  });

  it('conclude nothing about the address of a Pod whose process ends at a GET', async () => {
    const ended = await startBackend({
      certificate: await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] }),
    });
    let times = 0;
    const callout = webhook({ failurePolicy: 'Ignore' });
    const { of } = await probing([callout], {
      answers: {
        port: ended.port,
        get: async () => {
          times += 1;
          if (times === 1) await ended.close();
          const net = times === 1 ? 'EOF' : 'dial tcp 198.51.100.1:8443: connect: connection refused';
          return statusOf(503, `error trying to reach service: ${net}`);
        },
      },
    });
    const [replica] = of(callout).replicas;
    expect(times).to.equal(2);
    expect(replica).to.not.have.property('proxy');
    expect(replica?.dialogues[0]?.reviews[0]?.answer?.status).to.equal(200);
  });

  it('conclude from a connection that is closed after a GET only that an APIService fails', async () => {
    const closing = await startBackend({
      certificate: await issue(await authority({ cn: 'shop-ca' }), { dns: ['policy.shop.svc'] }),
      fault: 'close-http',
    });
    try {
      const failures = async (callout: Callout) => {
        const { of } = await probing([callout], {
          answers: {
            port: closing.port,
            get: (path) =>
              path.includes('/pods/')
                ? statusOf(503, 'error trying to reach service: EOF')
                : statusOf(404, 'not found'),
          },
          plan: { level: 'connect' },
        });
        return of(callout).replicas[0]?.dialogues.map(({ failure }) => failure?.kind);
      };
      // The handler of a webhook may fail only because a GET has no review.
      expect(await failures(webhook())).to.deep.equal([undefined]);
      expect(await failures(aggregatedApi())).to.deep.equal(['closed']);
    } finally {
      await closing.close();
    }
  });

  it('wait twice before they report a hanging replica if its timeout is short', async () => {
    const hanging = await listenWithFullQueue(0, '127.0.0.1');
    try {
      const callout = webhook({ timeoutSeconds: 1 });
      const { of, asked } = await probing([callout], { answers: { port: hanging.port } });
      expect(of(callout).replicas[0]?.dialogues[0]?.failure?.kind).to.equal('timed-out');
      expect(asked.filter((one) => one.startsWith('port-forward'))).to.have.length(2);
    } finally {
      await hanging.close();
    }
  });

  it('find an object to update if creations are not covered', async () => {
    const callout = webhook({ rules: rule({ operations: ['UPDATE'] }) });
    const { of, asked } = await probing([callout], {
      answers: {
        port: backend.port,
        get: (path) =>
          path.includes('configmaps')
            ? { status: 200, headers: {}, body: Buffer.from('{"items":[{"metadata":{"name":"settings"}}]}') }
            : statusOf(400, ''),
        dryRun: () => ({ status: 200, headers: {}, body: Buffer.from('{}') }),
      },
    });
    expect(asked).to.include('dry run: patch /api/v1/namespaces/shop/configmaps/settings');
    expect(of(callout).dryRun).to.include({ status: 200, operation: 'UPDATE' });
  });

  describe('sample objects', () => {
    for (const [what, over, expected] of [
      ['plain rules', {}, ['CREATE', 'configmaps']],
      [
        'everything',
        { rules: rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }) },
        ['CREATE', 'configmaps'],
      ],
      ['updates only', { rules: rule({ operations: ['UPDATE'] }) }, ['UPDATE', 'configmaps']],
      ['deletions only', { rules: rule({ operations: ['DELETE'] }) }, ['DELETE', 'configmaps']],
      [
        'connections only',
        { rules: rule({ operations: ['CONNECT'], resources: ['pods/exec'] }) },
        ['CONNECT', 'pods'],
      ],
      [
        'custom resources',
        { rules: rule({ apiGroups: ['example.com'], resources: ['widgets'] }) },
        ['CREATE', 'widgets.example.com'],
      ],
      ['cluster scope', { rules: rule({ resources: ['nodes'] }) }, ['CREATE', 'nodes']],
    ] as const) {
      it(`${what}: ${expected.join(' ')}`, async () => {
        const callout = webhook(over);
        const { of } = await probing([callout]);
        const [review] = of(callout).replicas[0]?.dialogues[0]?.reviews ?? [];
        expect([review?.operation, review?.resource]).to.deep.equal(expected);
      });
    }

    it('have the labels that the objectSelector selects', async () => {
      const callout = webhook({
        objectSelector: {
          matchLabels: { team: 'shop' },
          matchExpressions: [
            { key: 'tier', operator: 'In', values: ['gold', 'silver'] },
            { key: 'checked', operator: 'Exists' },
            { key: 'ignored', operator: 'DoesNotExist' },
          ],
        },
      });
      const { of } = await probing([callout]);
      const [review] = of(callout).replicas[0]?.dialogues[0]?.reviews ?? [];
      const { metadata } = (review?.object ?? {}) as { metadata?: object };
      expect(metadata).to.deep.include({
        namespace: 'shop',
        labels: { team: 'shop', tier: 'gold', checked: 'true' },
      });
    });

    it('are in a namespace that the namespaceSelector selects', async () => {
      const callout = webhook({ namespaceSelector: { matchLabels: { policy: 'on' } } });
      const facts = snapshotOf({
        ...healthy({
          callouts: [callout],
          services: objects(service()),
          namespaces: objects(namespace('default'), namespace('shop'), namespace('zoo', { policy: 'on' })),
        }),
        served: complete([['served', { resources: everything, stale: [] }]]),
      }).facts;
      const prober = recordedProber({ port: backend.port });
      await probe(prober, facts, [callout], { level: 'review' });
      expect(prober.asked).to.include('dry run: create /api/v1/namespaces/zoo/configmaps');
    });
  });
});
