import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type PeerCertificate } from 'node:tls';
import { expect } from 'chai';
import { startBackend } from '../../../src/demo/backend/backend.ts';
import type { BackendOptions, DemoBackend } from '../../../src/demo/backend/options.ts';
import { startProgram } from '../../cluster/backend/program.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Authority, authority, issue, type KeyPair } from '../../support/certificates.ts';
import { listenWithFullQueue } from '../../support/full-listen-queue.ts';

describe('webhook backend', () => {
  let ca: Authority;
  let pair: KeyPair;
  let backend: DemoBackend | undefined;

  before(async () => {
    ca = await authority({ cn: 'test-ca' });
    pair = await issue(ca, { dns: ['localhost'], ips: ['127.0.0.1'] });
  });
  afterEach(async () => {
    await backend?.close();
    backend = undefined;
  });

  async function start(options: BackendOptions = {}): Promise<DemoBackend> {
    backend = await startBackend({ certificate: pair, ...options });
    return backend;
  }

  function call(path: string, body?: unknown, more: RequestOptions = {}): Promise<Reply> {
    return ask({ port: backend?.port, path, ca: ca.cert, ...more }, body);
  }

  const admission = (apiVersion = 'admission.k8s.io/v1') => ({
    apiVersion,
    kind: 'AdmissionReview',
    request: { uid: 'u-1', object: { metadata: { name: 'a' } } },
  });

  describe('responds to an AdmissionReview', () => {
    for (const apiVersion of ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']) {
      it(`${apiVersion}: allow`, async () => {
        await start();
        const { status, json } = await call('/validate', admission(apiVersion));
        expect(status).to.equal(200);
        expect(json).to.deep.equal({
          apiVersion,
          kind: 'AdmissionReview',
          response: { uid: 'u-1', allowed: true },
        });
      });
    }

    it('deny, with the configured sentence', async () => {
      await start({ answer: 'deny', message: 'no latest tags' });
      const { json } = await call('/validate', admission());
      expect(json?.response).to.deep.equal({
        uid: 'u-1',
        allowed: false,
        status: { code: 403, message: 'no latest tags' },
      });
    });

    it('patch', async () => {
      await start({ answer: 'patch' });
      const { json } = await call('/mutate', admission());
      expect(json?.response).to.include({ uid: 'u-1', allowed: true, patchType: 'JSONPatch' });
      expect(JSON.parse(Buffer.from(json?.response.patch, 'base64').toString())).to.deep.equal([
        { op: 'add', path: '/metadata/labels', value: {} },
        { op: 'add', path: '/metadata/labels/patched-by-webhook', value: 'true' },
      ]);
    });

    it('patch, with the configured one', async () => {
      const wanted = [{ op: 'add', path: '/spec/template/spec/schedulerName', value: 'nobody' }];
      await start({ answer: 'patch', patch: wanted });
      const { json } = await call('/mutate', admission());
      expect(JSON.parse(Buffer.from(json?.response.patch, 'base64').toString())).to.deep.equal(wanted);
    });

    it('violates the contract if configured', async () => {
      const seen: Record<string, unknown> = {};
      for (const answer of [
        'empty',
        'not-json',
        'no-response',
        'wrong-uid',
        'wrong-kind',
        'redirect',
      ] as const) {
        await start({ answer });
        const { status, body } = await call('/', admission());
        seen[answer] = [status, body];
        await backend?.close();
      }
      const head = '"apiVersion":"admission.k8s.io/v1"';
      expect(seen).to.deep.equal({
        empty: [200, ''],
        'not-json': [200, '<html><body>welcome</body></html>'],
        'no-response': [200, `{${head},"kind":"AdmissionReview"}`],
        'wrong-uid': [
          200,
          `{${head},"kind":"AdmissionReview","response":{"uid":"00000000-0000-0000-0000-000000000000","allowed":true}}`,
        ],
        'wrong-kind': [200, `{${head},"kind":"Status","response":{"uid":"u-1","allowed":true}}`],
        redirect: [302, ''],
      });
    });

    it('any status and body', async () => {
      await start({ answer: 'raw', status: 418, body: 'teapot' });
      expect(await call('/', admission())).to.include({ status: 418, body: 'teapot' });
    });

    it('a status for one path only', async () => {
      await start({ answer: 'raw', status: 404, atPath: '/convert' });
      expect((await call('/convert', admission())).status).to.equal(404);
      expect((await call('/validate', admission())).json.response.allowed).to.equal(true);
    });

    it('returns 400 for a request without a review', async () => {
      await start();
      expect(await call('/', 'hello')).to.include({ status: 400 });
    });

    it('late', async () => {
      await start({ delay: 80 });
      const before = performance.now();
      await call('/', admission());
      expect(performance.now() - before).to.be.greaterThan(75);
    });
  });

  it('converts objects by changing their apiVersion, or refuses to', async () => {
    const review = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u-2', desiredAPIVersion: 'x.dev/v2', objects: [{ apiVersion: 'x.dev/v1', spec: 1 }] },
    };
    await start();
    expect((await call('/convert', review)).json?.response).to.deep.equal({
      uid: 'u-2',
      result: { status: 'Success' },
      convertedObjects: [{ apiVersion: 'x.dev/v2', spec: 1 }],
    });
    await backend?.close();
    await start({ answer: 'deny', message: 'too old' });
    expect((await call('/convert', review)).json?.response).to.deep.equal({
      uid: 'u-2',
      result: { status: 'Failed', message: 'too old' },
    });
  });

  it('serves the discovery of an aggregated API', async () => {
    await start({ api: 'metrics.example/v1' });
    expect((await call('/apis/metrics.example/v1')).json).to.include({ kind: 'APIResourceList' });
    expect((await call('/apis')).json).to.include({ kind: 'APIGroupList' });
    expect((await call('/apis/metrics.example/v1/namespaces/a/widgets')).json?.items).to.deep.equal([]);
    expect((await call('/apis/other/v1')).status).to.equal(404);
  });

  describe('failures', () => {
    for (const [fault, sentence] of [
      ['close-tls', 'Client network socket disconnected before secure TLS connection was established'],
      ['close-http', 'socket hang up'],
      ['reset-tls', 'read ECONNRESET'],
      ['reset-http', 'read ECONNRESET'],
    ] as const) {
      it(fault, async () => {
        await start({ fault });
        const error = await call('/', admission()).catch((caught: Error) => caught);
        expect(error).to.have.property('message', sentence);
      });
    }

    for (const [fault, handshake] of [
      ['hang-tls', false],
      ['hang-http', true],
    ] as const) {
      it(fault, async () => {
        await start({ fault });
        const socket = connectTls({ port: backend?.port ?? 0, host: '127.0.0.1', ca: ca.cert });
        socket.on('error', () => {});
        await once(socket, 'connect');
        const done = once(socket, 'secureConnect').then(() => true);
        if (handshake) {
          expect(await done).to.equal(true);
          socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
          await waitFor('the request', () => backend?.requests === 1);
          expect(socket.bytesRead).to.be.lessThan(4000);
        } else {
          expect(await Promise.race([done, silence(150)])).to.equal('silence');
        }
        socket.destroy();
      });
    }

    it('a full queue: connections are neither accepted nor refused', async () => {
      const { port, close } = await listenWithFullQueue(0, '127.0.0.1');
      const socket = createConnection({ port, host: '127.0.0.1' });
      const connected = once(socket, 'connect');
      connected.catch(() => {});
      expect(await Promise.race([connected, silence(200)])).to.equal('silence');
      socket.destroy();
      await close();
    });

    it('plain HTTP where HTTPS is expected', async () => {
      backend = await startBackend({});
      const error = await call('/', admission()).catch((caught: NodeJS.ErrnoException) => caught);
      expect(String(error)).to.contain('wrong version number');
    });

    it('a certificate that does not exist', async () => {
      const error = await startProgram({ folder: '/nonexistent' }).catch((e: Error) => e);
      expect(error).to.have.property('code', 'ENOENT');
    });
  });

  it('drains: completes pending responses, and accepts no more', async () => {
    const ending = await start({ delay: 200 });
    const last = call('/', admission());
    await new Promise((resolve) => setTimeout(resolve, 100));
    await ending.drain();
    expect(await last).to.include({ status: 200 });
    const late = await call('/', admission()).catch((caught: NodeJS.ErrnoException) => caught);
    expect(late).to.have.property('code', 'ECONNREFUSED');
  });

  describe('leader election', () => {
    it('listener: refuses connections until it is the leader', async () => {
      const follower = await start({ gate: 'listener', leader: false });
      expect(follower.port).to.equal(0);
      await follower.setLeader(true);
      expect(follower.port).to.be.greaterThan(0);
      expect(await call('/', admission())).to.include({ status: 200 });
      const { port } = follower;
      await follower.setLeader(false);
      const error = await ask({ port, ca: ca.cert }).catch((caught: NodeJS.ErrnoException) => caught);
      expect(error).to.have.property('code', 'ECONNREFUSED');
    });

    it('answer: 503 until it is the leader', async () => {
      const follower = await start({ gate: 'answer', leader: false });
      expect(await call('/', admission())).to.include({ status: 503, body: 'not the leader' });
      expect(await call('/readyz')).to.include({ status: 200 });
      await follower.setLeader(true);
      expect(await call('/', admission())).to.include({ status: 200 });
    });

    it('certificate: ends the handshake like a Go server without one, until it is the leader', async () => {
      const follower = await start({ gate: 'certificate', leader: false });
      const bare = (): Promise<string> =>
        call('/', admission()).then(String, (error: Error) => error.message);
      expect(await bare()).to.contain('tlsv1 alert internal error');
      await follower.setLeader(true);
      expect(await call('/', admission())).to.include({ status: 200 });
      await follower.setLeader(false);
      expect(await bare()).to.contain('tlsv1 alert internal error');
    });

    it('cache: denies until it is the leader, or has filled its own', async () => {
      const response = async () => (await call('/', admission())).json?.response;
      const cold = { uid: 'u-1', allowed: false, status: { code: 403, message: 'cluster "shop" not found' } };
      const follower = await start({ gate: 'cache', leader: false, warmUp: 60_000 });
      expect(await response()).to.deep.equal(cold);
      await follower.setLeader(true);
      expect(await response()).to.include({ allowed: true });
      await follower.close();
      await start({ gate: 'cache', leader: false });
      expect(await response()).to.include({ allowed: true });
    });

    it('readiness: responds, but is not ready until it is the leader', async () => {
      const follower = await start({ gate: 'readiness', leader: false });
      expect(await call('/', admission())).to.include({ status: 200 });
      expect(await call('/readyz')).to.include({ status: 503 });
      await follower.setLeader(true);
      expect(await call('/readyz')).to.include({ status: 200 });
    });
  });

  it('reports readiness on a separate port, and changes it', async () => {
    const program = await startProgram({ readinessPort: 0, ready: false });
    backend = program;
    const { setReady, readinessPort } = program;
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${readinessPort}${path}`)).status;
    expect(await ask('/readyz')).to.equal(503);
    expect(await ask('/healthz')).to.equal(200);
    setReady(true);
    expect(await ask('/readyz')).to.equal(200);
    expect(backend?.requests).to.equal(0);
  });

  it('requires a client certificate', async () => {
    await start({ clientCa: ca.cert });
    const error = await call('/', admission()).catch((caught: NodeJS.ErrnoException) => caught);
    expect(error).to.be.instanceOf(Error);
    const client = await issue(ca, { cn: 'apiserver', eku: ['client'] });
    expect(await call('/', admission(), client)).to.include({ status: 200 });
  });

  it('supports only the configured TLS versions', async () => {
    await start({ minTls: 'TLSv1.3' });
    const error = await call('/', admission(), { maxVersion: 'TLSv1.2' } as RequestOptions).catch(
      (e: Error) => e,
    );
    expect(String(error)).to.contain('alert protocol version');
  });

  describe('with its certificate in files', () => {
    let folder: string;
    const write = (files: KeyPair) => {
      writeFileSync(join(folder, 'tls.crt'), files.cert);
      writeFileSync(join(folder, 'tls.key'), files.key);
    };
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'backend-'));
      write(pair);
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    async function serial(): Promise<string> {
      const socket = connectTls({ port: backend?.port ?? 0, host: '127.0.0.1', ca: ca.cert });
      await once(socket, 'secureConnect');
      const certificate: PeerCertificate = socket.getPeerCertificate();
      socket.destroy();
      return certificate.serialNumber;
    }

    it('reloads a new one', async () => {
      backend = await startProgram({ folder });
      const first = await serial();
      write(await issue(ca, { ips: ['127.0.0.1'] }));
      await waitFor('the new certificate', async () => (await serial()) !== first);
    });

    it('keeps the old one if configured', async () => {
      backend = await startProgram({ folder, reload: false });
      const first = await serial();
      write(await issue(ca, { ips: ['127.0.0.1'] }));
      await silence(450);
      expect(await serial()).to.equal(first);
    });

    it('keeps the old one until it is the leader, if only that reloads', async () => {
      const follower = await startProgram({ folder, gate: 'reload', leader: false });
      backend = follower;
      const first = await serial();
      write(await issue(ca, { ips: ['127.0.0.1'] }));
      await silence(450);
      expect(await serial()).to.equal(first);
      await follower.setLeader(true);
      expect(await serial()).to.not.equal(first);
    });
  });
});

interface Reply {
  readonly status: number;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check its content
  readonly json: any;
}

function ask(options: RequestOptions, body?: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const outgoing = request({ host: '127.0.0.1', method, agent: false, ...options }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, json: parse(text) }));
    });
    outgoing.on('error', reject);
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function silence(milliseconds: number): Promise<'silence'> {
  return new Promise((resolve) => setTimeout(() => resolve('silence'), milliseconds));
}
