import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Admission } from '../../src/serve/callers.ts';
import { type RunningServer, type ServedPages, startHttpServer } from '../../src/serve/http-server.ts';
import { waitFor } from '../cluster/wait.ts';

/** Larger than the kernel's buffer for an unread page. */
const large = 24 * 2 ** 20;

const page = (body: string) => () => ({ type: 'text/plain', body });

describe('the server of metrics, with hostile clients', () => {
  let server: RunningServer;
  const sockets: Socket[] = [];
  const start = async (served: Partial<ServedPages> = {}): Promise<void> => {
    server = await startHttpServer({
      host: undefined,
      port: 0,
      keyPair: undefined,
      open: { '/healthz': page('ok') },
      guarded: { '/metrics': page('metrics'), '/': page('x'.repeat(large)) },
      admit: async () => 'allowed',
      seen: () => undefined,
      ...served,
    });
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.close();
  });

  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  /** Requests a page and does not read it. */
  const half = async (path: string, token = 'a'): Promise<Socket> => {
    const socket = await open('127.0.0.1');
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  };
  const status = async (path: string): Promise<number | undefined> => {
    const options = { port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2', agent: false, path };
    const [response] = await once(get(options), 'response');
    response.resume();
    return response.statusCode;
  };

  it('accepts others if one address opens all connections that it can', async () => {
    await start();
    const opened = await Promise.all(Array.from({ length: 200 }, () => open('127.0.0.1')));
    expect(await status('/healthz')).to.equal(200);
    await waitFor('the others to be closed', () => opened.filter((one) => !one.closed).length === 32);
    for (const one of opened) one.destroy();
    await waitFor('that address to be served again', async () => {
      const socket = await open('127.0.0.1');
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      return await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
    });
  });

  it('renders pages while the API server is slow to authorize others', async () => {
    const slow = new Promise<Admission>(() => undefined);
    let waiting = 0;
    const admit = (token = ''): Promise<Admission> => {
      if (token !== 'slow') return Promise.resolve('allowed');
      waiting += 1;
      return slow;
    };
    await start({ admit });
    await Promise.all(Array.from({ length: 20 }, () => half('/metrics', 'slow')));
    await waitFor('all of them to be asked for', () => waiting === 20);
    expect(await status('/metrics')).to.equal(200);
  });

  it('sends few pages at a time', async () => {
    await start();
    const readers = await Promise.all(Array.from({ length: 8 }, () => half('/')));
    await waitFor('all pages to be under way', async () => (await status('/metrics')) === 503, {
      interval: 1,
    });
    expect(await status('/healthz')).to.equal(200);
    for (const reader of readers) reader.destroy();
    await waitFor('room for others', async () => (await status('/metrics')) === 200, { interval: 1 });
  });

  it('disconnects clients that never stop reading', async () => {
    await start({ timeout: 100 });
    const reader = await half('/');
    let bytes = 0;
    reader.on('data', (data: Buffer) => {
      bytes += data.length;
      reader.pause();
      setTimeout(() => reader.resume(), 5);
    });
    reader.resume();
    await once(reader, 'close');
    expect(bytes).to.be.within(1, large - 1);
  });
});
