import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { type ClusterProber, ReadError } from '../../src/collect/cluster.ts';
import { ForwardError } from '../../src/collect/kube/kube-prober.ts';
import { type OpenedCluster, openConnection } from '../../src/collect/kube/open-cluster.ts';
import { forwardedPeer } from '../../src/collect/probes/connection/peer.ts';
import { probePeer } from '../../src/collect/probes/connection/probe-peer.ts';
import { probe } from '../../src/collect/probes/probe.ts';
import type { ProbePlanFacts } from '../../src/collect/probes/run.ts';
import { complete } from '../../src/facts/lookup.ts';
import { backendImage } from '../cluster/image.ts';
import { furnished, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { service, slice, snapshotOf, webhook } from '../support/snapshot.ts';

const mega = 1024 * 1024;

/** The behavior of the Pod's ports. */
const program = `
const { createServer } = require('node:net');
const quiet = (serve) => createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined);
  serve(socket);
});
const endless = (socket, left) => {
  const chunk = Buffer.alloc(65536, 'x');
  const write = () => {
    while (left > 0) {
      left -= chunk.length;
      if (!socket.write(chunk)) return;
    }
    socket.end();
  };
  socket.on('drain', write);
  write();
};
quiet((socket) => {
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes === ${5 * mega}) endless(socket, ${20 * mega});
  });
}).listen(7001);
quiet((socket) => endless(socket, ${512 * mega})).listen(7002);
quiet(() => undefined).listen(7003);
quiet((socket) => socket.once('data', () => setTimeout(() => socket.end('late answer'), 300))).listen(7004);
quiet((socket) => socket.once('data', () => socket.resetAndDestroy())).listen(7005);
`;

describe('port-forward on a real node', () => {
  needs('node');
  const namespace = `forward-${randomBytes(3).toString('hex')}`;
  const pod = 'ports';
  let kubeconfig: string;
  let client: Scene['client'];
  let opened: OpenedCluster;
  let prober: ClusterProber;

  before(async () => {
    const cluster = await nodeCluster();
    ({ client, kubeconfig } = cluster);
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await furnished(client, namespace);
    await client.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: pod, namespace },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'ports',
            image: backendImage,
            imagePullPolicy: 'Never',
            command: ['/usr/bin/node', '-e', program],
            readinessProbe: { tcpSocket: { port: 7004 }, periodSeconds: 1 },
          },
        ],
      },
    });
    await waitFor('the Pod', async () => {
      const found = await client.get({ apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, namespace } });
      const conditions = (found?.status?.conditions ?? []) as { type: string; status: string }[];
      return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    });
  });
  beforeEach(async () => {
    opened = await openConnection({ kubeconfig }, {});
    prober = await opened.prober();
  });
  afterEach(() => opened.reader.close());
  after(() => client?.delete({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));

  const open = (port: number): Promise<Duplex> =>
    prober.portForward(namespace, pod, port, AbortSignal.timeout(10_000));

  const errorOf = (stream: Duplex): Promise<Error> =>
    new Promise((resolve) => stream.on('error', resolve).resume());

  it('carries 5 MB there and 20 MB back', async () => {
    const stream = await open(7001);
    stream.write(Buffer.alloc(5 * mega));
    let bytes = 0;
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
    expect(bytes).to.equal(20 * mega);
  });

  it('applies backpressure to a Pod if its data are read slowly, in bounded memory', async () => {
    const stream = await open(7002);
    let bytes = 0;
    let most = 0;
    global.gc?.();
    const before = process.memoryUsage().rss;
    const iterator = stream.iterator();
    for (let round = 0; round < 40; round += 1) {
      const { value } = (await iterator.next()) as { value: Buffer };
      bytes += value.length;
      await sleep(20);
      most = Math.max(most, stream.readableLength);
    }
    expect(bytes).to.be.above(0);
    expect(most).to.be.below(mega);
    expect(process.memoryUsage().rss - before, 'resident memory').to.be.below(64 * mega);
    stream.destroy();
  });

  it('observes backpressure of a Pod that does not read, in bounded memory', async () => {
    const stream = await open(7003);
    const chunk = Buffer.alloc(mega);
    const before = process.memoryUsage().rss;
    const write = (): Promise<string> =>
      new Promise((resolve) => stream.write(chunk, () => resolve('taken')));
    let taken = 0;
    while (taken < 256 && (await Promise.race([write(), sleep(2000, 'held up')])) === 'taken') taken += 1;
    expect(taken, 'megabytes that were taken').to.be.below(256);
    expect(stream.writableLength).to.be.at.most(mega);
    expect(process.memoryUsage().rss - before, 'resident memory').to.be.below(64 * mega);
    stream.destroy();
  });

  it('has no half-close: version 5 of the protocol, which has one, is not offered for port-forwards', async () => {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const options = {};
    await config.applyToHTTPSOptions(options);
    const server = String(config.getCurrentCluster()?.server).replace(/^https/, 'wss');
    const url = `${server}/api/v1/namespaces/${namespace}/pods/${pod}/portforward?ports=7004`;
    const chosen = (...offered: readonly string[]): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(url, [...offered], options);
        socket.on('open', () => resolve(socket.protocol));
        socket.on('error', (error) => resolve(error.message));
        socket.on('open', () => socket.terminate());
      });
    expect(await chosen('v5.channel.k8s.io', 'v4.channel.k8s.io')).to.equal('v4.channel.k8s.io');
    expect(await chosen('v5.channel.k8s.io')).to.match(/^Unexpected server response: 4/);
  });

  it('a port without a listener: the runtime’s message on the error channel', async () => {
    const error = await errorOf(await open(7999));
    expect(error).to.be.instanceOf(ForwardError);
    expect(error.message).to.match(/^error forwarding port 7999 to pod .*connection refused/);
  });

  it('a connection that is reset: the message of the error channel', async () => {
    const stream = await open(7005);
    stream.write('hello');
    const error = await errorOf(stream);
    expect(error).to.be.instanceOf(ForwardError);
    expect(error.message).to.match(/connection reset by peer/);
  });

  it('reads on after it closed its own side', async () => {
    const stream = await open(7004);
    stream.end('question');
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text).to.equal('late answer');
  });

  it('a refused upgrade: the message and code of the Status', async () => {
    const other = await openConnection({ kubeconfig, as: 'nobody' }, {});
    try {
      const nobody = await other.prober();
      const error = await nobody.portForward(namespace, pod, 7001, AbortSignal.timeout(10_000)).then(
        () => undefined,
        (refused: unknown) => refused,
      );
      expect(error).to.be.instanceOf(ReadError);
      expect(error).to.include({ reason: 'forbidden', status: 403 });
      expect((error as ReadError).serverMessage).to.match(
        /^pods "ports" is forbidden: User "nobody" cannot (get|create) resource "pods\/portforward"/,
      );
    } finally {
      other.reader.close();
    }
  });

  it('names the permission for a WebSocket: get alone is not enough from 1.35 on', async () => {
    const user = `forwarder-${namespace}`;
    const give = async (verbs: readonly string[]): Promise<void> => {
      const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'forward', namespace } };
      const rules = [{ apiGroups: [''], resources: ['pods/portforward'], verbs }];
      await client.apply({ ...rbac, kind: 'Role', rules });
      await client.apply({
        ...rbac,
        kind: 'RoleBinding',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'forward' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      });
    };
    const other = await openConnection({ kubeconfig, as: user }, {});
    const may = async (): Promise<string> => {
      const asked = await other.prober();
      return asked.portForward(namespace, pod, 7001, AbortSignal.timeout(10_000)).then(
        (stream) => {
          stream.destroy();
          return 'open';
        },
        (error: ReadError) => error.serverMessage ?? error.message,
      );
    };
    try {
      await give(['get']);
      await waitFor('the permission to get', async () => !(await may()).includes('cannot get'));
      // 1.35.4 does not say what is missing.
      expect(await may()).to.equal('pods "ports" is forbidden: ');
      await give(['get', 'create']);
      await waitFor('the permission to create', async () => (await may()) === 'open');
    } finally {
      other.reader.close();
    }
  });

  it('a server that hangs takes its timeout, ten at once no more than one', async () => {
    const signal = new AbortController().signal;
    const started = performance.now();
    const conversations = await Promise.all(
      Array.from({ length: 10 }, () =>
        probePeer(
          forwardedPeer(prober, { namespace, pod, port: 7003 }, 'policy.shop.svc'),
          [{ callout: 'one', reviews: [] }],
          { timeout: 2000, version: 'v1.35.4', signal },
        ),
      ),
    );
    const took = performance.now() - started;
    for (const conversation of conversations) {
      const connection = 'connections' in conversation ? conversation.connections.get('one') : undefined;
      expect(connection?.failure).to.include({ stage: 'tls', kind: 'timed-out' });
    }
    expect(took, 'one after the other it were 20 s').to.be.within(2000, 8000);
  });

  /** Sockets and timers of this process, after those that are about to end. */
  const counted = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const kind of process.getActiveResourcesInfo())
      if (/TCP|TLS|Timeout/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  };
  const noMoreThan = (before: Record<string, number>): Promise<unknown> =>
    waitFor(
      'sockets to close',
      async () => {
        const now = counted();
        return Object.keys(now).every((kind) => (now[kind] ?? 0) <= (before[kind] ?? 0));
      },
      { timeout: 5000 },
    ).catch(() => expect(counted()).to.deep.equal(before));

  it('leaves no socket and no timer', async () => {
    opened.reader.close();
    await sleep(200);
    const before = counted();
    const again = await openConnection({ kubeconfig }, {});
    const asked = await again.prober();
    const interruption = new AbortController();
    const talks = [7001, 7003, 7004, 7005, 7999].flatMap((port) =>
      Array.from({ length: 4 }, () =>
        probePeer(
          forwardedPeer(asked, { namespace, pod, port }, 'policy.shop.svc'),
          [{ callout: 'one', reviews: [] }],
          {
            timeout: 60_000,
            version: 'v1.35.4',
            signal: interruption.signal,
          },
        ).catch(() => undefined),
      ),
    );
    await sleep(1500);
    interruption.abort();
    await Promise.all(talks);
    again.reader.close();
    await noMoreThan(before);
  });

  it('nor does a whole run of probes, with all methods, with replicas that hang, reset and refuse', async () => {
    opened.reader.close();
    await sleep(200);
    const before = counted();
    const again = await openConnection({ kubeconfig }, {});
    const ports = [7001, 7003, 7004, 7005, 7999];
    const facts = factsOf(namespace, pod, ports);
    const { probes } = await probe(await again.prober(), facts, facts.callouts, { level: 'review' });
    const ends = probes
      .all()
      .flatMap(({ replicas }) =>
        replicas.flatMap(({ dialogues }) => dialogues.map(({ failure }) => failure?.kind)),
      );
    expect(ends).to.have.length(ports.length);
    expect(ends).to.not.include(undefined);
    again.reader.close();
    await noMoreThan(before);
  });
});

/** Webhooks with one Service each, whose one endpoint is a port of the Pod. */
function factsOf(namespace: string, pod: string, ports: readonly number[]): ProbePlanFacts {
  const names = ports.map((port) => `port-${port}`);
  const callouts = names.map((name) =>
    webhook({
      configuration: name,
      webhook: `${name}.example.com`,
      timeoutSeconds: 2,
      client: { service: { namespace, name, port: 443 } },
    }),
  );
  return snapshotOf({
    callouts,
    services: complete(
      names.map((name) => [
        `${namespace}/${name}`,
        service({ ports: [{ name: 'https', port: 443 }] }, { name, namespace }),
      ]),
    ),
    endpointSlices: complete(
      ports.map((port) => {
        const endpoints = [
          { addresses: ['198.51.100.200'], targetRef: { kind: 'Pod', namespace, name: pod } },
        ];
        return [
          `${namespace}/port-${port}`,
          [slice(endpoints, { ports: [{ name: 'https', protocol: 'TCP', port }] })],
        ] as const;
      }),
    ),
  }).facts;
}
