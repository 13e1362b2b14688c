import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ClusterProber, ReadError } from '../../../src/collect/cluster.ts';
import { ForwardBroken, ForwardError } from '../../../src/collect/kube/kube-prober.ts';
import { openConnection } from '../../../src/collect/kube/open-cluster.ts';
import {
  type Behaviour,
  type PortForwardServer,
  portForwardServer,
} from '../../support/port-forward-server.ts';

/**
 * A count that increases until the sender is blocked, however busy the machine is; without backpressure it
 * never stops.
 */
async function standingStill(count: () => number): Promise<number> {
  for (let before = -1; ; ) {
    const now = count();
    if (now > 0 && now === before) return now;
    before = now;
    await sleep(250);
  }
}

describe('port-forward', () => {
  let stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.toReversed()) await stop();
    stops = [];
  });

  async function forwarding(
    behaviour: Behaviour,
    flags = {},
  ): Promise<{ readonly server: PortForwardServer; readonly prober: ClusterProber }> {
    const server = await portForwardServer(behaviour);
    const opened = await openConnection({ server: server.url, ...flags }, {});
    stops.push(server.stop, opened.reader.close);
    return { server, prober: await opened.prober() };
  }

  async function listening(serve: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      serve(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as { port: number }).port;
  }

  const open = (
    prober: ClusterProber,
    port: number,
    signal = new AbortController().signal,
  ): Promise<Duplex> =>
    prober.portForward('shop', 'policy-0', port, signal).then((stream) => {
      stops.push(() => stream.destroy());
      return stream;
    });

  const errorOf = (stream: Duplex): Promise<Error> =>
    new Promise((resolve) => stream.on('error', resolve).resume());

  const rejection = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('carries both directions, and sends the request of kubectl: path, port, subprotocol, user', async () => {
    const { server, prober } = await forwarding({ kind: 'forward' }, { as: 'jane' });
    const port = await listening((socket) => socket.pipe(socket));
    const stream = await open(prober, port);
    stream.write('hello');
    expect(String((await stream.iterator().next()).value)).to.equal('hello');
    const [request] = server.requests;
    expect(request?.url).to.equal(`/api/v1/namespaces/shop/pods/policy-0/portforward?ports=${port}`);
    expect(request?.headers['sec-websocket-protocol']).to.equal('v4.channel.k8s.io');
    expect(request?.headers['sec-websocket-extensions'], 'no compression').to.equal(undefined);
    expect(request?.headers['impersonate-user']).to.equal('jane');
  });

  it('carries 8 MB unchanged in both directions', async () => {
    const { prober } = await forwarding({ kind: 'forward' });
    const port = await listening((socket) => socket.pipe(socket));
    const stream = await open(prober, port);
    const sent = Buffer.alloc(8 * 1024 * 1024, 'abcdefg');
    stream.write(sent);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length >= sent.length) break;
    }
    expect(Buffer.concat(chunks).equals(sent)).to.equal(true);
  });

  it('reports the text of the error channel', async () => {
    const { prober } = await forwarding({ kind: 'forward' });
    const error = await errorOf(await open(prober, 1));
    expect(error).to.be.instanceOf(ForwardError);
    expect(error.message).to.match(/^error forwarding port: .*ECONNREFUSED/);
  });

  it('reports a refused upgrade with the message of its Status', async () => {
    const message = 'pods "policy-0" is forbidden: User "jane" cannot get resource "pods/portforward"';
    const body = { kind: 'Status', code: 403, reason: 'Forbidden', message };
    const { prober } = await forwarding({ kind: 'refuse', status: 403, body });
    const error = await rejection(open(prober, 443));
    expect(error).to.be.instanceOf(ReadError);
    expect(error).to.include({ reason: 'forbidden', status: 403, serverMessage: message, byApiServer: true });
  });

  it('limits the wait for an upgrade', async () => {
    const { prober } = await forwarding({ kind: 'deaf' });
    expect(await rejection(open(prober, 443, AbortSignal.timeout(100)))).to.be.instanceOf(ReadError);
  });

  it('reports a connection that ended without an error', async () => {
    const { prober } = await forwarding({ kind: 'break' });
    expect(await errorOf(await open(prober, 443))).to.be.instanceOf(ForwardBroken);
  });

  it('ends when the port’s connection ends', async () => {
    const { prober } = await forwarding({ kind: 'forward' });
    const port = await listening((socket) => socket.end('bye'));
    const chunks: string[] = [];
    for await (const chunk of await open(prober, port)) chunks.push(String(chunk));
    expect(chunks.join('')).to.equal('bye');
  });

  it('reads on after it closed its own side', async () => {
    const { prober } = await forwarding({ kind: 'forward' });
    const port = await listening((socket) =>
      socket.once('data', () => setTimeout(() => socket.end('late answer'), 50)),
    );
    const stream = await open(prober, port);
    stream.end('question');
    const chunks: string[] = [];
    for await (const chunk of stream) chunks.push(String(chunk));
    expect(chunks.join('')).to.equal('late answer');
  });

  it('applies backpressure to a sender without a reader', async () => {
    const { server, prober } = await forwarding({ kind: 'forward' });
    const all = 256 * 1024 * 1024;
    const port = await listening((socket) => {
      const chunk = Buffer.alloc(64 * 1024);
      let left = all;
      const write = (): void => {
        while (left > 0 && socket.write(chunk)) left -= chunk.length;
      };
      socket.on('drain', write);
      write();
    });
    const stream = await open(prober, port);
    expect(await standingStill(server.read)).to.be.below(all / 4);
    expect(stream.readableLength).to.be.below(1024 * 1024);
  });

  it('observes backpressure of a port that does not read', async () => {
    const { prober } = await forwarding({ kind: 'forward' });
    const port = await listening((socket) => socket.pause());
    const stream = await open(prober, port);
    let accepted = 0;
    const chunk = Buffer.alloc(64 * 1024);
    const write = (): void => {
      stream.write(chunk, (error) => {
        if (error) return;
        accepted += chunk.length;
        write();
      });
    };
    write();
    expect(await standingStill(() => accepted)).to.be.below(64 * 1024 * 1024);
  });

  it('leaves no socket open', async () => {
    const { server, prober } = await forwarding({ kind: 'forward' });
    const port = await listening((socket) => socket.pipe(socket));
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(prober, port)));
    expect(server.open.size).to.equal(20);
    for (const stream of streams) stream.destroy();
    for (let wait = 0; server.open.size > 0 && wait < 50; wait += 1) await sleep(20);
    expect(server.open.size).to.equal(0);
  });
});
