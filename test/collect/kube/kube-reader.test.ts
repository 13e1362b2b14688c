import { truncateSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { limits } from '../../../src/basics/limits.ts';
import { type ClusterReader, ReadError } from '../../../src/collect/cluster.ts';
import type { Observation } from '../../../src/collect/kube/http/observation.ts';
import type { KubeFlags } from '../../../src/collect/kube/kubeconfig/kube-flags.ts';
import { openCluster } from '../../../src/collect/kube/open-cluster.ts';
import {
  type FakeApiServer,
  fakeApiServer,
  type Handler,
  json,
  status,
  testPki,
  valuesOf,
} from './fake-api-server.ts';
import { base64, simpleKubeconfig, type Workspace, workspace } from './workspace.ts';

const token = 'token-that-nobody-may-see';

describe('reading a cluster', () => {
  let files: Workspace;
  let server: FakeApiServer;
  let opened: ClusterReader[] = [];
  let observed: Observation[] = [];

  before(async () => {
    const pki = await testPki();
    files = workspace();
    server = await fakeApiServer(pki.server);
    const cluster = { server: server.url, 'certificate-authority-data': base64(pki.ca.cert) };
    files.write('config', simpleKubeconfig(cluster, { token }));
    files.write('uncompressed', simpleKubeconfig({ ...cluster, 'disable-compression': true }));
  });
  after(() => {
    server.close();
    files.remove();
  });
  afterEach(() => {
    for (const reader of opened) reader.close();
    opened = [];
    observed = [];
  });
  beforeEach(() => server.reset());

  const open = async (flags: KubeFlags = {}, signal?: AbortSignal, config = 'config') => {
    const kubeconfig = `${files.directory}/${config}`;
    const reader = await openCluster({ kubeconfig, ...flags }, {}, signal, {
      observe: (observation) => observed.push(observation),
    });
    opened.push(reader);
    return reader;
  };

  const failure = async (read: Promise<unknown>): Promise<ReadError> => {
    const error = await read.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error, 'the read should fail').to.be.instanceOf(ReadError);
    expect((error as ReadError).message).not.to.include(token);
    return error as ReadError;
  };

  describe('get', () => {
    it('gives the object in the shape of the API', async () => {
      server.answer = json({
        kind: 'Service',
        metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
        odd: 1,
      });
      const reader = await open();
      expect(await reader.get('/api/v1/namespaces/a/services/b')).to.deep.equal({
        kind: 'Service',
        metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
        odd: 1,
      });
      expect(valuesOf(server.received[0], 'accept')).to.deep.equal(['application/json']);
      expect(reader.context).to.equal('x');
      expect(reader.server).to.equal(server.url);
    });

    it('escapes queries, omits undefined values, and sends the requested Accept header', async () => {
      const reader = await open();
      await reader.get('/version', { a: 'b=c,d in (e)', limit: 5, watch: false, no: undefined }, 'text/x');
      const [request] = server.received;
      expect(new URL(request?.path ?? '', server.url).searchParams.toString()).to.equal(
        new URLSearchParams({ a: 'b=c,d in (e)', limit: '5', watch: 'false' }).toString(),
      );
      expect(valuesOf(request, 'accept')).to.deep.equal(['text/x']);
    });

    it('is undefined for an object that does not exist', async () => {
      server.answer = status(404, 'NotFound', 'services "b" not found', { name: 'b', kind: 'services' });
      expect(await (await open()).get('/api/v1/namespaces/a/services/b')).to.equal(undefined);
    });

    for (const [name, answer] of [
      ['no details', status(404, 'NotFound', 'the server could not find the requested resource')],
      ['text', plain(404, '404 page not found\n')],
    ] as const)
      it(`throws not-served for a path that does not exist (${name})`, async () => {
        server.answer = answer;
        expect((await failure((await open()).get('/apis/x/v1/things/b'))).reason).to.equal('not-served');
      });

    it('decodes text that arrives in chunks', async () => {
      const text = 'é€😀'.repeat(20_000);
      server.answer = (_request, response) => {
        response.setHeader('content-type', 'application/json');
        const body = Buffer.from(JSON.stringify({ text }));
        for (let at = 0; at < body.length; at += 1001) response.write(body.subarray(at, at + 1001));
        response.end();
      };
      expect(await (await open()).get('/x')).to.deep.equal({ text });
    });
  });

  describe('list', () => {
    /** A collection of `total` items, served in pages; the continue token is the position. */
    const collection =
      (total: number, onPage: Handler = () => {}): Handler =>
      (request, response) => {
        onPage(request, response);
        if (response.writableEnded) return;
        const query = new URL(request.url ?? '', server.url).searchParams;
        const from = Number(query.get('continue') ?? 0);
        const to = Math.min(total, from + Number(query.get('limit') ?? total));
        json({
          items: Array.from({ length: to - from }, (_, index) => from + index),
          metadata: { resourceVersion: '77', ...(to < total ? { continue: String(to) } : {}) },
        })(request, response);
      };

    it('follows all pages', async () => {
      server.answer = collection(2500);
      const { items, resourceVersion } = await (await open()).list<number>('/api/v1/pods', {
        labelSelector: 'a',
      });
      expect(items).to.deep.equal(Array.from({ length: 2500 }, (_, index) => index));
      expect(resourceVersion).to.equal('77');
      expect(server.received.map(({ path }) => path)).to.deep.equal([
        '/api/v1/pods?limit=1000&labelSelector=a',
        '/api/v1/pods?limit=1000&labelSelector=a&continue=1000',
        '/api/v1/pods?limit=1000&labelSelector=a&continue=2000',
      ]);
    });

    it('uses the limit of the caller, and accepts null items', async () => {
      server.answer = json({ items: null, metadata: {} });
      const result = await (await open()).list('/api/v1/pods', { limit: 3 });
      expect(result).to.deep.equal({ items: [], resourceVersion: '' });
      expect(server.received[0]?.path).to.equal('/api/v1/pods?limit=3');
    });

    it('reads only the first page with the limit of the caller', async () => {
      server.answer = collection(2500);
      const { items } = await (await open()).list<number>('/api/v1/pods', { limit: 500 });
      expect(items).to.have.length(500);
      expect(server.received.map(({ path }) => path)).to.deep.equal(['/api/v1/pods?limit=500']);
    });

    it('restarts without pages if the continue token expired', async () => {
      const gone = status(410, 'Expired', 'The provided continue parameter is too old');
      server.answer = collection(2500, (request, response) => {
        if (request.url?.includes('continue=2000')) gone(request, response);
      });
      const { items } = await (await open()).list<number>('/api/v1/pods');
      expect(items).to.have.length(2500);
      expect(new Set(items)).to.have.property('size', 2500);
      expect(server.received.at(-1)?.path).to.equal('/api/v1/pods');
    });

    it('restarts once only', async () => {
      server.answer = status(410, 'Expired', 'too old');
      expect((await failure((await open()).list('/api/v1/pods'))).status).to.equal(410);
      expect(server.received).to.have.length(2);
    });

    it('throws for 404, from whichever server', async () => {
      server.answer = status(404, 'NotFound', 'not found', { name: 'b' });
      expect((await failure((await open()).list('/apis/x/v1/things'))).reason).to.equal('not-served');
    });
  });

  describe('text', () => {
    it('returns logs unchanged', async () => {
      server.answer = plain(200, '{"not": "parsed"\nünd\n');
      const reader = await open();
      expect(
        await reader.text('/api/v1/namespaces/a/pods/b/log', { tailLines: 20, previous: true }),
      ).to.equal('{"not": "parsed"\nünd\n');
      expect(server.received[0]?.path).to.equal('/api/v1/namespaces/a/pods/b/log?tailLines=20&previous=true');
    });

    it('fails like the other reads', async () => {
      server.answer = status(400, 'BadRequest', 'previous terminated container "c" not found');
      const error = await failure((await open()).text('/log'));
      expect(error).to.include({ reason: 'server-error', status: 400 });
      expect(error.serverMessage).to.equal('previous terminated container "c" not found');
    });
  });

  describe('invalid responses', () => {
    const html = '<!DOCTYPE html><html><body>Sign in</body></html>';
    const cases: readonly (readonly [string, Handler, string, RegExp])[] = [
      ['401', status(401, 'Unauthorized', 'Unauthorized'), 'unauthorized', /did not accept the credentials/],
      [
        '403',
        status(403, 'Forbidden', 'User "bob" cannot list'),
        'forbidden',
        /\/x is forbidden: User "bob"/,
      ],
      ['404', plain(404, '404 page not found'), 'not-served', /does not serve \/x/],
      ['429', status(429, 'TooManyRequests', 'later'), 'rate-limited', /too busy/],
      ['500', status(500, 'InternalError', 'etcdserver: no leader'), 'server-error', /no leader/],
      ['503 as text', plain(503, 'service unavailable\n'), 'server-error', /service unavailable/],
      ['504 of the API server', status(504, 'Timeout', 'slow'), 'timeout', /ran out of time/],
      ['an HTML page with 200', page(200, html), 'not-kubernetes', /sent an HTML page/],
      ['an HTML page with 502', page(502, html), 'not-kubernetes', /HTML page \(HTTP 502\)/],
      ['an HTML page with 403', page(403, html), 'not-kubernetes', /HTML page/],
      ['an HTML page with 404', page(404, html), 'not-kubernetes', /HTML page/],
      [
        'the answer of Go to plain http on a TLS port',
        plain(400, 'Client sent an HTTP request to an HTTPS server.\n'),
        'not-kubernetes',
        /it expects TLS; write its address with https:\/\//,
      ],
      ['half of a JSON text', plain(200, '{"items": ['), 'not-kubernetes', /something that is not JSON/],
      ['a JSON text that is no object', json('hello'), 'not-kubernetes', /not JSON/],
      ['nothing', plain(200, ''), 'not-kubernetes', /empty response/],
      ['a ConfigMap', json({ apiVersion: 'v1', kind: 'ConfigMap' }), 'not-kubernetes', /does not respond/],
      [
        'a redirect',
        (_request, response) =>
          response.writeHead(302, { location: `https://login.example/?t=${token}` }).end(),
        'not-kubernetes',
        /redirects requests \(to https:\/\/login\.example\)/,
      ],
      ['a closed connection', (request) => request.socket.destroy(), 'unreachable', /closed the connection/],
      [
        'an answer cut short',
        (request, response) => {
          response.writeHead(200, { 'content-length': '100' }).write('{', () => request.socket.destroy());
        },
        'unreachable',
        /closed the connection/,
      ],
      [
        'broken gzip',
        (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
        'not-kubernetes',
        /decompressed/,
      ],
    ];
    for (const [name, answer, reason, message] of cases)
      it(`${name}: ${reason}`, async () => {
        server.answer = answer;
        const error = await failure((await open()).list('/x'));
        expect(error.reason).to.equal(reason);
        expect(error.message).to.match(message);
        expect(error.path).to.equal('/x');
        expect(error.message).not.to.include('\n');
      });
  });

  describe('a server that sends the request back', () => {
    const echoes: readonly (readonly [string, (header: string) => Handler])[] = [
      ['in a Status', (header) => status(403, 'Forbidden', `you sent ${header}`)],
      ['as text', (header) => plain(500, `bad header ${header}`)],
      [
        'as the place of a redirect',
        (header) => page(302, '', { location: `https://${header.slice(7)}.x/` }),
      ],
      ['in a page', (header) => page(500, `<p>${header}</p>`)],
    ];
    for (const [name, echo] of echoes)
      it(`never puts the token into the error: ${name}`, async () => {
        server.answer = (request, response) => echo(request.headers.authorization ?? '')(request, response);
        const error = await failure((await open()).get('/x'));
        expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.to.include(
          token,
        );
      });
  });

  describe('retries', () => {
    const failing = (times: number, answer: Handler): Handler => {
      let left = times;
      return (request, response) => {
        left -= 1;
        (left >= 0 ? answer : json({ fine: true }))(request, response);
      };
    };

    for (const [code, reason] of [
      [429, 'TooManyRequests'],
      [503, 'ServiceUnavailable'],
      [500, 'InternalError'],
    ] as const)
      it(`waits for Retry-After (${code})`, async () => {
        server.answer = failing(3, status(code, reason, 'wait', {}, { 'retry-after': '0' }));
        expect(await (await open()).get('/x')).to.deep.equal({ fine: true });
        expect(server.received).to.have.length(4);
      });

    it('stops after some retries', async () => {
      server.answer = status(429, 'TooManyRequests', 'wait', {}, { 'retry-after': '0' });
      expect((await failure((await open()).get('/x'))).reason).to.equal('rate-limited');
      expect(server.received).to.have.length(6);
    });

    it('does not wait for hours', async () => {
      server.answer = status(429, 'TooManyRequests', 'wait', {}, { 'retry-after': '7200' });
      expect((await failure((await open()).get('/x'))).reason).to.equal('rate-limited');
    });

    it('does not wait longer than the time limit of the run', async () => {
      server.answer = status(503, 'ServiceUnavailable', 'wait', {}, { 'retry-after': '30' });
      const error = await failure((await open({}, AbortSignal.timeout(80))).get('/x'));
      expect(error.reason).to.equal('timeout');
      expect(error.message).to.match(/time limit of the run/);
    });

    it('does not retry without Retry-After', async () => {
      server.answer = failing(1, status(503, 'ServiceUnavailable', 'no'));
      expect((await failure((await open()).get('/x'))).reason).to.equal('server-error');
      expect(server.received).to.have.length(1);
    });

    it('retries if a keep-alive connection was closed', async () => {
      const reader = await open();
      await reader.get('/first');
      let closed = false;
      server.answer = (request, response) => {
        if (closed) return json({ fine: true })(request, response);
        closed = true;
        request.socket.destroy();
      };
      expect(await reader.get('/second')).to.deep.equal({ fine: true });
    });
  });

  describe('time limits', () => {
    const never: Handler = () => {};

    it('--request-timeout ends one request', async () => {
      server.answer = never;
      const error = await failure((await open({ 'request-timeout': '60ms' })).get('/x'));
      expect(error.reason).to.equal('timeout');
      expect(error.message).to.equal('no response for /x within --request-timeout (0.06s)');
    });

    it('--request-timeout includes the whole response', async () => {
      server.answer = (_request, response) => {
        response.write('{');
      };
      expect((await failure((await open({ 'request-timeout': '60ms' })).get('/x'))).reason).to.equal(
        'timeout',
      );
    });

    it('--request-timeout does not include the wait for a free connection', async () => {
      server.answer = (request, response) =>
        request.url === '/ninth' && json({ fine: true })(request, response);
      const reader = await open({ 'request-timeout': '400ms' });
      const stuck = Array.from({ length: 8 }, () => failure(reader.get('/stuck')));
      expect(await reader.get('/ninth')).to.deep.equal({ fine: true });
      for (const error of await Promise.all(stuck)) expect(error.reason).to.equal('timeout');
    });

    it('the time limit of the run ends active and waiting reads', async () => {
      server.answer = never;
      const reader = await open({}, AbortSignal.timeout(300));
      const errors = await Promise.all(
        Array.from({ length: 20 }, (_, index) => failure(reader.get(`/${index}`))),
      );
      expect(new Set(errors.map(({ reason }) => reason))).to.deep.equal(new Set(['timeout']));
      expect(server.received.length).to.be.within(1, 8);
    });

    it('Ctrl-C is not a timeout', async () => {
      server.answer = never;
      const controller = new AbortController();
      const reading = failure((await open({}, controller.signal)).get('/x'));
      setTimeout(() => controller.abort(), 30);
      expect((await reading).reason).to.equal('interrupted');
    });
  });

  describe('limits', () => {
    const zipped = (status: number, body: Buffer): Handler => {
      const content = gzipSync(body, { level: 1 });
      return (_request, response) =>
        response
          .writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(content);
    };
    const plain = (text: string, status = 200): Handler => {
      return (_request, response) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    const nested = '['.repeat(5 * 1024 * 1024);

    for (const [what, answer, sentence] of [
      ['large', zipped(200, Buffer.alloc(65 * 1024 * 1024, ' ')), 'is larger than 64 MiB'],
      ['deep', plain(nested), 'is nested deeper than 1000 levels'],
      ['full', plain(`{"items":[${'{},'.repeat(2_500_000)}{}]}`), 'holds more than 4000000 values'],
    ] as const)
      it(`a response that is too ${what} is an error`, async () => {
        server.answer = answer;
        const error = await failure((await open()).get('/x'));
        expect(error).to.include({ reason: 'too-large', message: `the response for /x ${sentence}` });
      });

    it('a list whose items are not an array is not from the API server', async () => {
      server.answer = json({ items: { more: 1 } });
      expect((await failure((await open()).list('/x'))).reason).to.equal('not-kubernetes');
    });

    it('an endless list is an error', async () => {
      const items = Array.from({ length: 50_000 }, () => 1);
      server.answer = json({ items, metadata: { continue: 'more' } });
      const error = await failure((await open()).list('/x'));
      expect(error.message).to.equal('the list /x holds more than 200000 objects');
      expect(server.received).to.have.length(5);
    });

    it('a page that is too large is requested in smaller pages', async () => {
      const all = zipped(200, Buffer.alloc(65 * 1024 * 1024, ' '));
      server.answer = (request, response) =>
        (request.url === '/x?limit=1000' ? all : json({ items: [1] }))(request, response);
      expect((await (await open()).list('/x')).items).to.deep.equal([1]);
      expect(server.received.map(({ path }) => path)).to.deep.equal(['/x?limit=1000', '/x?limit=50']);
    });

    it('the only page is requested again with a lower limit', async () => {
      const all = zipped(200, Buffer.alloc(65 * 1024 * 1024, ' '));
      server.answer = (request, response) =>
        (request.url === '/x?limit=500' ? all : json({ items: [1], metadata: { continue: 'more' } }))(
          request,
          response,
        );
      expect((await (await open()).list('/x', { limit: 500 })).items).to.deep.equal([1]);
      expect(server.received.map(({ path }) => path)).to.deep.equal(['/x?limit=500', '/x?limit=25']);
    });

    for (const [what, answer] of [
      ['as it comes', plain('no '.repeat(7_000_000), 500)],
      ['zipped', zipped(500, Buffer.alloc(100 * 1024 * 1024, 'no '))],
    ] as const)
      it(`of an error response only the beginning is read, ${what}`, async () => {
        server.answer = answer;
        const error = await failure((await open()).get('/x'));
        expect(error.reason).to.equal('server-error');
        expect(error.message.length).to.be.below(500);
        expect(observed[0]?.bytes).to.be.below(3 * 1024 * 1024);
      });

    it('a kubeconfig that is too large is refused', async () => {
      files.write('large', '');
      const file = `${files.directory}/large`;
      truncateSync(file, limits.kubeconfig + 1);
      const problem = await openCluster({ kubeconfig: file }, {}).catch((error: Error) => error.message);
      expect(problem).to.equal(`the kubeconfig ${file} is larger than 16 MiB`);
    });
  });

  describe('connections', () => {
    it('one is used for many reads', async () => {
      const reader = await open();
      for (let index = 0; index < 10; index += 1) await reader.get(`/${index}`);
      expect(server.connections()).to.equal(1);
      expect(server.received).to.have.length(10);
    });

    it('are eight at most', async () => {
      let now = 0;
      let most = 0;
      server.answer = (request, response) => {
        now += 1;
        most = Math.max(most, now);
        setTimeout(() => {
          now -= 1;
          json({})(request, response);
        }, 100);
      };
      const reader = await open();
      await Promise.all(Array.from({ length: 40 }, (_, index) => reader.get(`/${index}`)));
      expect(most).to.equal(8);
      expect(server.connections()).to.be.at.most(8);
    });
  });

  describe('compression', () => {
    it('accepts gzip, and counts the bytes on the network', async () => {
      const value = { text: 'a'.repeat(100_000) };
      const body = gzipSync(JSON.stringify(value));
      server.answer = (_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
      expect(await (await open()).get('/x')).to.deep.equal(value);
      expect(valuesOf(server.received[0], 'accept-encoding')).to.deep.equal(['gzip']);
      expect(observed[0]?.bytes).to.equal(body.length);
    });

    for (const [what, zipped] of [
      ['longer than what is unpacked at a time', (whole: Buffer) => whole],
      [
        'sent as two streams, of which the last tells its own length',
        (whole: Buffer) => {
          const half = whole.length / 2;
          return [whole.subarray(0, half), whole.subarray(half)];
        },
      ],
    ] as const) {
      it(`reads a response ${what}`, async () => {
        const value = { text: 'a'.repeat(9_000_000) };
        const parts = [zipped(Buffer.from(JSON.stringify(value)))].flat();
        const body = Buffer.concat(parts.map((part) => gzipSync(part)));
        server.answer = (_request, response) =>
          response
            .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
            .end(body);
        expect(await (await open()).get('/x')).to.deep.equal(value);
      });
    }

    it('is not requested if the kubeconfig disables it', async () => {
      await (await open({}, undefined, 'uncompressed')).get('/x');
      expect(valuesOf(server.received[0], 'accept-encoding')).to.deep.equal([]);
    });
  });

  it('reports every request to its observer, without credentials', async () => {
    server.answer = (request, response) =>
      request.url === '/bad' ? request.socket.destroy() : json({ a: 1 })(request, response);
    const reader = await open();
    await reader.get('/good', { limit: 1 });
    await failure(reader.get('/bad'));
    expect(observed.map(({ milliseconds, ...rest }) => [rest, milliseconds > 0])).to.deep.equal([
      [{ method: 'GET', path: '/good?limit=1', status: 200, bytes: 7 }, true],
      [{ method: 'GET', path: '/bad', status: undefined, bytes: 0 }, true],
    ]);
    expect(JSON.stringify(observed)).not.to.include(token);
  });
});

function plain(code: number, text: string): Handler {
  return (_request, response) => void response.writeHead(code, { 'content-type': 'text/plain' }).end(text);
}

function page(code: number, text: string, headers: Record<string, string> = {}): Handler {
  return (_request, response) =>
    void response.writeHead(code, { 'content-type': 'text/html', ...headers }).end(text);
}
