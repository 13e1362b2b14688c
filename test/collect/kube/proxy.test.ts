import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import { expect } from 'chai';
import type { Environment } from '../../../src/basics/environment.ts';
import { ReadError } from '../../../src/collect/cluster.ts';
import { proxyFromEnvironment } from '../../../src/collect/kube/kubeconfig/resolve-connection.ts';
import { openCluster } from '../../../src/collect/kube/open-cluster.ts';
import type { KeyPair } from '../../support/certificates.ts';
import { type FakeApiServer, fakeApiServer, type Pki, testPki, valuesOf } from './fake-api-server.ts';
import { base64, simpleKubeconfig, type Workspace, workspace } from './workspace.ts';

describe('the proxy from the environment', () => {
  const HTTPS_PROXY = 'http://proxy:3128';
  const cases: readonly (readonly [string, Environment, string | undefined])[] = [
    ['https://api.example', {}, undefined],
    ['https://api.example', { HTTPS_PROXY }, 'proxy:3128'],
    ['https://api.example', { https_proxy: HTTPS_PROXY }, 'proxy:3128'],
    ['https://api.example', { HTTPS_PROXY: '', https_proxy: HTTPS_PROXY }, 'proxy:3128'],
    ['https://api.example', { HTTPS_PROXY: 'proxy:3128' }, 'proxy:3128'],
    ['https://api.example', { HTTPS_PROXY: 'socks5://proxy:1080' }, 'proxy:1080'],
    ['https://api.example', { HTTPS_PROXY: 'ftp://proxy' }, undefined],
    ['https://api.example', { HTTP_PROXY: HTTPS_PROXY }, undefined],
    ['http://api.example', { HTTP_PROXY: HTTPS_PROXY }, 'proxy:3128'],
    ['http://api.example', { http_proxy: HTTPS_PROXY }, 'proxy:3128'],
    ['http://api.example', { HTTP_PROXY: HTTPS_PROXY, REQUEST_METHOD: 'GET' }, undefined],
    ['http://api.example', { HTTPS_PROXY }, undefined],
    ['https://localhost:6443', { HTTPS_PROXY }, undefined],
    ['https://127.0.0.1:6443', { HTTPS_PROXY }, undefined],
    ['https://127.9.9.9', { HTTPS_PROXY }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY }, undefined],
    ...(
      [
        ['*', 'https://api.example', false],
        ['api.example', 'https://api.example', false],
        ['API.example', 'https://api.EXAMPLE', false],
        ['other, api.example ,x', 'https://api.example', false],
        ['api.example', 'https://eu.api.example', false],
        ['api.example', 'https://myapi.example', true],
        ['.api.example', 'https://api.example', true],
        ['.api.example', 'https://eu.api.example', false],
        ['*.api.example', 'https://eu.api.example', false],
        ['*.api.example', 'https://api.example', true],
        ['api.example:443', 'https://api.example', false],
        ['api.example:6443', 'https://api.example', true],
        ['api.example:6443', 'https://api.example:6443', false],
        ['10.0.0.1', 'https://10.0.0.1', false],
        ['10.0.0.1', 'https://10.0.0.10', true],
        ['10.0.0.1:6443', 'https://10.0.0.1:6443', false],
        ['10.0.0.1:6443', 'https://10.0.0.1', true],
        ['10.0.0.0/8', 'https://10.200.3.4:6443', false],
        ['10.0.0.0/8', 'https://11.0.0.1', true],
        ['10.0.0.0/8', 'https://ten.example', true],
        ['fd00::/8', 'https://[fd12::1]:6443', false],
        ['fd12::1', 'https://[fd12::1]', false],
        ['[fd12::1]:6443', 'https://[fd12::1]:6443', false],
        ['[fd12::1]:6443', 'https://[fd12::1]', true],
        ['0.0.1', 'https://10.0.0.1', true],
        ['10.0.0.0/99', 'https://10.0.0.0', true],
        [':6443', 'https://api.example:6443', true],
        ['', 'https://api.example', true],
      ] as const
    ).map(
      ([NO_PROXY, server, wanted]) =>
        [server, { HTTPS_PROXY, NO_PROXY }, wanted ? 'proxy:3128' : undefined] as const,
    ),
    ['https://api.example', { HTTPS_PROXY, no_proxy: 'api.example' }, undefined],
  ];
  for (const [server, env, host] of cases)
    it(`${server} with ${JSON.stringify(env)}: ${host ?? 'none'}`, () => {
      expect(proxyFromEnvironment(new URL(server), env)?.host).to.equal(host);
    });
});

describe('reading through a proxy', () => {
  let files: Workspace;
  let pki: Pki;
  let secure: FakeApiServer;
  let plain: FakeApiServer;
  let closing: (() => void)[] = [];

  before(async () => {
    files = workspace();
    pki = await testPki();
    secure = await fakeApiServer(pki.server);
    plain = await fakeApiServer();
  });
  after(() => {
    secure.close();
    plain.close();
    files.remove();
  });
  afterEach(() => {
    for (const close of closing) close();
    closing = [];
    secure.reset();
    plain.reset();
  });

  const read = async (cluster: object, env: Environment = {}): Promise<void> => {
    const kubeconfig = files.write(
      'config',
      simpleKubeconfig(
        { server: secure.url, 'certificate-authority-data': base64(pki.ca.cert), ...cluster },
        { token: 'only-for-the-api-server' },
      ),
    );
    const reader = await openCluster({ kubeconfig }, env);
    closing.push(() => reader.close());
    await reader.get('/one');
    await reader.get('/two');
  };

  /** An http or https proxy that opens tunnels, or responds `refuse`; it records the requests. */
  const httpProxy = async (pair?: KeyPair, refuse?: number) => {
    const seen: { line: string; authorization: string | undefined; token: string | undefined }[] = [];
    const proxy = pair ? https.createServer(pair) : http.createServer();
    const remember = ({ method, url, headers }: http.IncomingMessage) =>
      seen.push({
        line: `${method} ${url}`,
        authorization: headers['proxy-authorization'],
        token: headers.authorization,
      });
    proxy.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
      remember(request);
      if (refuse) return void socket.end(`HTTP/1.1 ${refuse} No\r\nContent-Length: 0\r\n\r\n`);
      const onward = net.connect(secure.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) end.on('error', () => undefined);
    });
    proxy.on('request', (request, response) => {
      remember(request);
      const target = new URL(request.url ?? '');
      http.get(target, { headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    return { port: (proxy.address() as net.AddressInfo).port, seen };
  };

  it('opens one tunnel with CONNECT, and sends the proxy only its own password', async () => {
    const proxy = await httpProxy();
    await read({ 'proxy-url': `http://me:p%40ss@127.0.0.1:${proxy.port}` });
    expect(proxy.seen).to.deep.equal([
      {
        line: `CONNECT 127.0.0.1:${secure.port}`,
        authorization: `Basic ${base64('me:p@ss')}`,
        token: undefined,
      },
    ]);
    expect(secure.received.map(({ path }) => path)).to.deep.equal(['/one', '/two']);
    expect(valuesOf(secure.received[0], 'proxy-authorization')).to.deep.equal([]);
  });

  it('verifies the API server through the tunnel', async () => {
    const proxy = await httpProxy();
    const error = await read({
      'proxy-url': `http://127.0.0.1:${proxy.port}`,
      'tls-server-name': 'nobody.example',
    }).catch((reason: unknown) => reason);
    expect((error as ReadError).message).to.match(/not nobody\.example/);
    await read({ 'proxy-url': `http://127.0.0.1:${proxy.port}`, 'tls-server-name': 'api.example' });
  });

  it('supports TLS to the proxy', async () => {
    const proxy = await httpProxy(pki.server);
    await read({ 'proxy-url': `https://127.0.0.1:${proxy.port}` });
    expect(proxy.seen).to.have.length(1);
    expect(secure.received).to.have.length(2);
  });

  it('sends plain HTTP requests to the proxy', async () => {
    const proxy = await httpProxy();
    await read({ server: plain.url, 'proxy-url': `http://me:pw@127.0.0.1:${proxy.port}` });
    expect(proxy.seen.map(({ line }) => line)).to.deep.equal([
      `GET ${plain.url}/one`,
      `GET ${plain.url}/two`,
    ]);
    expect(proxy.seen[0]?.authorization).to.equal(`Basic ${base64('me:pw')}`);
    expect(plain.received.map(({ path }) => path)).to.deep.equal(['/one', '/two']);
    expect(valuesOf(plain.received[0], 'host')).to.deep.equal([`127.0.0.1:${plain.port}`]);
  });

  it('uses the proxy for a server on another machine', async () => {
    const proxy = await httpProxy();
    const cluster = { server: 'https://api.example:6443' };
    await read(cluster, { HTTPS_PROXY: `127.0.0.1:${proxy.port}` });
    expect(proxy.seen.map(({ line }) => line)).to.deep.equal(['CONNECT api.example:6443']);
  });

  it('reports that the proxy refused, without the password', async () => {
    const proxy = await httpProxy(undefined, 407);
    const error = await read({ 'proxy-url': `http://me:hidden@127.0.0.1:${proxy.port}` }).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(ReadError).with.property('reason', 'unreachable');
    expect((error as Error).message).to.equal(
      `${secure.url} cannot be reached: the proxy http://127.0.0.1:${proxy.port} refused the connection to 127.0.0.1:${secure.port}: HTTP 407`,
    );
  });

  it('reports that the proxy cannot be reached', async () => {
    for (const scheme of ['http', 'socks5']) {
      const error = await read({ 'proxy-url': `${scheme}://me:hidden@127.0.0.1:1` }).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(ReadError).with.property('reason', 'unreachable');
      expect((error as Error).message).to.match(/the proxy \w+:\/\/127\.0\.0\.1:1 .*ECONNREFUSED/);
      expect((error as Error).message).not.to.include('hidden');
    }
  });

  it('supports SOCKS5, and lets the proxy resolve the name', async () => {
    const asked: string[] = [];
    const proxy = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(Buffer.from([5, 0]));
        socket.once('data', (request) => {
          // RFC 1928 §4: version, CONNECT, reserved, type 3 (name), length, name, port.
          const length = request[4] ?? 0;
          asked.push(`${request[3]} ${request.subarray(5, 5 + length)}:${request.readUInt16BE(5 + length)}`);
          const onward = net.connect(secure.port, '127.0.0.1', () => {
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            onward.pipe(socket).pipe(onward);
          });
          onward.on('error', () => undefined);
        });
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    closing.push(() => proxy.close());
    const { port } = proxy.address() as net.AddressInfo;
    await read({ server: 'https://api.example', 'proxy-url': `socks5://127.0.0.1:${port}` });
    expect(asked).to.deep.equal(['3 api.example:443']);
    expect(secure.received.map(({ path }) => path)).to.deep.equal(['/one', '/two']);
  });
});
