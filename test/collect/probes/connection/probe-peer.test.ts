import { X509Certificate } from 'node:crypto';
import * as https from 'node:https';
import { createServer, type Server } from 'node:net';
import * as tls from 'node:tls';
import { expect } from 'chai';
import { directPeer } from '../../../../src/collect/probes/connection/peer.ts';
import {
  type PeerResult,
  type ProbePayload,
  probePeer,
} from '../../../../src/collect/probes/connection/probe-peer.ts';
import { startBackend } from '../../../../src/demo/backend/backend.ts';
import type { BackendOptions } from '../../../../src/demo/backend/options.ts';
import type { ProbeConnection } from '../../../../src/facts/probes.ts';
import { brokenServers } from '../../../e2e/broken-servers.ts';
import { type Authority, authority, issue, type KeyPair } from '../../../support/certificates.ts';

const name = 'policy.shop.svc';

describe('a probe of one replica', () => {
  let ca: Authority;
  let pair: KeyPair;
  let stops: (() => unknown)[] = [];
  before(async () => {
    ca = await authority({ cn: 'shop-ca' });
    pair = await issue(ca, { dns: [name] });
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
    stops = [];
  });

  const asking = (callout = 'one', timeout = 2000): ProbePayload => ({
    callout,
    reviews: [
      {
        about: { version: 'v1', uid: `uid-${callout}`, operation: 'CREATE', resource: 'configmaps' },
        post: {
          host: `${name}:443`,
          path: '/validate?timeout=2s',
          body: JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            request: { uid: `uid-${callout}`, operation: 'CREATE' },
          }),
          timeout,
        },
      },
    ],
  });

  const probe = (
    port: number,
    questions: readonly ProbePayload[] = [asking()],
    timeout = 1000,
    serverName = name,
    signal = new AbortController().signal,
  ): Promise<PeerResult> =>
    probePeer(directPeer('127.0.0.1', port, serverName), questions, { timeout, version: 'v1.35.4', signal });

  const only = (result: PeerResult, callout = 'one'): ProbeConnection => {
    const connection = 'connections' in result ? result.connections.get(callout) : undefined;
    if (connection === undefined) throw new Error('there was no connection');
    return connection;
  };

  async function backend(options: BackendOptions = {}) {
    const started = await startBackend({ certificate: pair, ...options });
    stops.push(started.close);
    return started;
  }

  async function raw(serve: Parameters<typeof createServer>[1]): Promise<number> {
    const server: Server = createServer(serve);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => server.close());
    return (server.address() as { port: number }).port;
  }

  it('reports an alert that OpenSSL does not know', async () => {
    for (const [number, alert] of [
      [121, 'encrypted client hello required'],
      [200, 'alert(200)'],
    ] as const) {
      const port = await raw((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, number])));
      });
      expect(only(await probe(port)).failure).to.include({ stage: 'tls', kind: 'alert', alert });
    }
  });

  it('reports the handshake and the response', async () => {
    const { port } = await backend();
    const { handshake, reviews, failure } = only(await probe(port));
    expect(failure).to.equal(undefined);
    expect(handshake?.protocol).to.equal('TLSv1.3');
    expect(handshake?.cipher).to.match(/^TLS_/);
    const [leaf] = handshake?.presented ?? [];
    expect(new X509Certificate(Buffer.from(leaf ?? [])).subjectAltName).to.equal(`DNS:${name}`);
    const [review] = reviews;
    expect(review?.answer?.status).to.equal(200);
    expect(JSON.parse(Buffer.from(review?.answer?.body ?? []).toString()).response).to.deep.include({
      uid: 'uid-one',
      allowed: true,
    });
  });

  it('reads the certificates that OpenSSL refuses from the plain handshake', async () => {
    const identity = { address: '127.0.0.1', ca: ca.cert, ...pair };
    const presenting = brokenServers.filter(({ name }) => name.startsWith('presents'));
    const counts = new Map<string, number | undefined>();
    for (const { name, serve } of presenting) {
      const server = serve(identity);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      stops.push(() => server.close());
      const { port } = server.address() as { port: number };
      const { failure, handshake } = only(await probe(port));
      expect(failure, name).to.include({ stage: 'tls', kind: 'other' });
      counts.set(name.replace(/^presents /, ''), handshake?.presented.length);
    }
    expect(Object.fromEntries(counts)).to.deep.equal({
      garbage: 1,
      'an empty certificate': 1,
      'garbage behind its certificate': 2,
      'its CA first': 2,
      'an RSA key of 8193 bits': 1,
      'a key for RSA-PSS alone': 1,
      'a signature of RSA-PSS with other parameters': 1,
      'certificates of 20 KiB': 1,
    });
  });

  it('sends requests of all callouts after one handshake', async () => {
    let handshakes = 0;
    const server = tls.createServer({ cert: pair.cert, key: pair.key }, (socket) => {
      handshakes += 1;
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => server.close());
    const callouts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    const { port } = server.address() as { port: number };
    const result = await probe(
      port,
      callouts.map((callout) => asking(callout)),
    );
    for (const callout of callouts) expect(only(result, callout).reviews[0]?.answer?.status).to.equal(200);
    // One, and another if a response takes long on a busy machine.
    expect(handshakes).to.be.below(callouts.length);
  });

  it('sends all reviews of a webhook, also after one that hangs', async () => {
    const paths: string[] = [];
    const interruption = new AbortController();
    const server = https.createServer(pair, (request, response) => {
      paths.push(request.url ?? '');
      if (request.url !== '/hangs') response.end('{}');
      if (paths.length === 4) setTimeout(() => interruption.abort(), 200);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const { port } = server.address() as { port: number };
    const { reviews } = asking('one', 60_000);
    const sent = ['/a', '/hangs', '/b', '/c'].flatMap((path) =>
      reviews.map(({ about, post }) => ({ about: { ...about, uid: path }, post: { ...post, path } })),
    );
    const payload = { callout: 'one', reviews: sent };
    const connection = only(await probe(port, [payload], 20_000, name, interruption.signal));
    expect(connection.cutShort).to.equal(true);
    const responses = connection.reviews.map(({ uid, answer }) => [uid, answer?.status]);
    expect(responses.slice(0, 3).map(([uid]) => uid)).to.have.members(['/a', '/b', '/c']);
    expect(new Set(responses.map(([, status]) => status))).to.deep.equal(new Set([200]));
    expect(paths).to.have.members(['/a', '/hangs', '/b', '/c']);
  });

  for (const [what, upgrade, detail] of [
    ['with all that follows', 'Upgrade: x\r\nConnection: Upgrade\r\n', 'words'],
    ['which is the whole answer where it says no protocol', '', ''],
  ] as const) {
    it(`handles a 101 response as Go does, ${what}`, async () => {
      const server = tls.createServer({ cert: pair.cert, key: pair.key }, (socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}\r\nwords`));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      stops.push(() => server.close());
      const { port } = server.address() as { port: number };
      const answer = only(await probe(port)).reviews[0]?.answer;
      expect(answer?.status).to.equal(101);
      expect(Buffer.from(answer?.body ?? []).toString()).to.equal(detail);
    });
  }

  it('does not delay other reviews by one that hangs', async () => {
    const questions = Array.from({ length: 12 }, (_, index) => asking(String(index), 60_000));
    const interruption = new AbortController();
    let answered = 0;
    const server = https.createServer(pair, (request, response) => {
      request.resume().once('end', () => {
        answered += 1;
        // The first one hangs: if the others waited for it, the test would time out.
        if (answered > 1) response.end('{}');
        if (answered === questions.length) setTimeout(() => interruption.abort(), 200);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const { port } = server.address() as { port: number };
    const result = await probe(port, questions, 1000, name, interruption.signal);
    const reviews = questions.flatMap(({ callout }) => only(result, callout).reviews);
    expect(reviews.filter(({ answer }) => answer?.status === 200)).to.have.length(questions.length - 1);
  });

  it('keeps the chain in the order of the server, with unrelated certificates', async () => {
    const stranger = await authority({ cn: 'stranger' });
    const { port } = await backend({
      certificate: { cert: `${pair.cert}\n${stranger.cert}\n${ca.cert}`, key: pair.key },
    });
    const presented = only(await probe(port)).handshake?.presented ?? [];
    const subjects = presented.map((der) => new X509Certificate(Buffer.from(der)).subject);
    expect(subjects.slice(1)).to.deep.equal(['CN=stranger', 'CN=shop-ca']);
  });

  it('sends the server name as the API server does, and none for an address', async () => {
    const asked: (string | false)[] = [];
    const server = tls.createServer({ cert: pair.cert, key: pair.key }, (socket) => {
      asked.push(socket.servername ?? false);
      socket.on('error', () => undefined);
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => server.close());
    const { port } = server.address() as { port: number };
    await probe(port, [{ callout: 'one', reviews: [] }]);
    await probe(port, [{ callout: 'one', reviews: [] }], 1000, '192.0.2.1');
    expect(asked).to.deep.equal([name, false]);
  });

  describe('failures', () => {
    const cases: readonly (readonly [string, BackendOptions, object])[] = [
      ['hangs before TLS', { fault: 'hang-tls' }, { stage: 'tls', kind: 'timed-out' }],
      ['closes before TLS', { fault: 'close-tls' }, { stage: 'tls', kind: 'closed' }],
      ['resets before TLS', { fault: 'reset-tls' }, { stage: 'tls', kind: 'reset' }],
      [
        'TLS 1.1 only',
        { maxTls: 'TLSv1.1', minTls: 'TLSv1' },
        { stage: 'tls', kind: 'alert', alert: 'protocol version not supported' },
      ],
    ];
    for (const [what, options, expected] of cases) {
      it(`${what}: ${JSON.stringify(expected)}`, async () => {
        const { port } = await backend(options);
        const { handshake, failure } = only(await probe(port, [asking()], 300));
        expect(handshake).to.equal(undefined);
        expect(failure).to.deep.include(expected);
      });
    }

    it('plain HTTP', async () => {
      const port = await raw((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
      });
      expect(only(await probe(port)).failure).to.deep.include({ stage: 'tls', kind: 'plain-http' });
    });

    it('another protocol', async () => {
      const port = await raw((socket) => {
        socket.on('error', () => undefined);
        socket.end('220 mail.example.com ESMTP\r\n');
      });
      expect(only(await probe(port)).failure).to.deep.include({ stage: 'tls', kind: 'not-tls' });
    });

    it('nothing listens', async () => {
      const { port, close } = await startBackend({});
      await close();
      expect(only(await probe(port)).failure).to.deep.include({ stage: 'connect', kind: 'refused' });
    });

    it('a name that does not resolve', async () => {
      const peer = directPeer('nowhere.invalid', 443, 'nowhere.invalid');
      const signal = new AbortController().signal;
      const result = await probePeer(peer, [asking()], { timeout: 3000, version: undefined, signal });
      expect(only(result).failure).to.deep.include({ stage: 'connect', kind: 'unresolved' });
    });

    for (const [what, options, expected] of [
      ['hangs', { fault: 'hang-http' }, { stage: 'http', kind: 'timed-out' }],
      ['closes', { fault: 'close-http' }, { stage: 'http', kind: 'closed' }],
      ['resets', { fault: 'reset-http' }, { stage: 'http', kind: 'reset' }],
    ] as const) {
      it(`${what} on the request: the handshake remains`, async () => {
        const { port } = await backend(options);
        const { handshake, failure, reviews } = only(await probe(port, [asking('one', 300)]));
        expect(handshake?.presented).to.have.length(1);
        expect(failure).to.equal(undefined);
        expect(reviews[0]?.failure).to.deep.include(expected);
      });
    }

    it('another protocol than HTTP inside TLS', async () => {
      const server = tls.createServer({ cert: pair.cert, key: pair.key }, (socket) => {
        socket.on('error', () => undefined);
        socket.end('\x00\x00\x12\x04\x00\x00\x00\x00\x00');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      stops.push(() => server.close());
      const { port } = server.address() as { port: number };
      expect(only(await probe(port)).reviews[0]?.failure).to.deep.include({
        stage: 'http',
        kind: 'malformed-http',
      });
    });

    for (const maxTls of ['TLSv1.2', 'TLSv1.3'] as const) {
      it(`a required client certificate, ${maxTls}, handshake only`, async () => {
        const { port } = await backend({ clientCa: ca.cert, maxTls });
        const { failure } = only(await probe(port, [{ callout: 'one', reviews: [] }]));
        expect(failure?.kind).to.equal('alert');
        expect(failure?.alert).to.equal(maxTls === 'TLSv1.3' ? 'certificate required' : 'handshake failure');
      });
    }

    it('a required client certificate under TLS 1.3: the review fails', async () => {
      const { port } = await backend({ clientCa: ca.cert });
      const { handshake, reviews } = only(await probe(port));
      expect(handshake?.protocol).to.equal('TLSv1.3');
      expect(reviews[0]?.failure).to.deep.include({ kind: 'alert', alert: 'certificate required' });
    });
  });

  it('does not follow a redirect', async () => {
    const { port } = await backend({ answer: 'redirect' });
    const [review] = only(await probe(port)).reviews;
    expect(review?.answer?.status).to.be.within(300, 399);
  });

  for (const [what, wait, good, calls, expected] of [
    ['until it gets another answer', 0, 3, 3, { status: 200, repeats: false }],
    ['ten times', 0, Number.POSITIVE_INFINITY, 11, { status: 503, repeats: false }],
    ['as long as its time allows', 1, Number.POSITIVE_INFINITY, 2, { status: 503, repeats: true }],
    ['not at all where it cannot wait so long', 60, 2, 1, { status: 503, repeats: true }],
  ] as const)
    it(`repeats a review after a Retry-After, ${what}`, async () => {
      let asked = 0;
      const server = https.createServer(pair, (request, response) => {
        request.resume().once('end', () => {
          asked += 1;
          const busy = { 'retry-after': String(wait) };
          if (asked < good) response.writeHead(503, busy).end('busy');
          else response.end('{}');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      stops.push(() => server.close());
      const { port } = server.address() as { port: number };
      const [review] = only(await probe(port, [asking('one', wait === 1 ? 2000 : 60_000)])).reviews;
      const { status, headers = {} } = review?.answer ?? {};
      expect({ status, repeats: headers['retry-after'] !== undefined }).to.deep.equal(expected);
      expect(asked).to.equal(calls);
      const repeated = calls === 1 ? undefined : { status: 503, seconds: wait, waited: (calls - 1) * wait };
      expect(review?.repeatedAfter).to.deep.equal(repeated);
      expect(review?.milliseconds).to.be.at.least((calls - 1) * wait * 1000);
    });

  it('reports no problem of a healthy server without a request', async () => {
    const { port } = await backend();
    expect(only(await probe(port, [{ callout: 'one', reviews: [] }])).failure).to.equal(undefined);
  });

  it('ends at once if it is interrupted', async () => {
    const { port } = await backend({ fault: 'hang-tls' });
    const interruption = new AbortController();
    setTimeout(() => interruption.abort(), 50);
    // Longer than mocha's timeout.
    const ended = await probe(port, [asking()], 600_000, name, interruption.signal).then(
      () => 'answered',
      () => 'interrupted',
    );
    expect(ended).to.equal('interrupted');
  });

  it('keeps its results if it is interrupted', async () => {
    const { port } = await backend({ fault: 'hang-http' });
    const interruption = new AbortController();
    setTimeout(() => interruption.abort(), 300);
    const { handshake, reviews } = only(await probe(port, [asking()], 5000, name, interruption.signal));
    expect(handshake?.presented).to.have.length(1);
    expect(reviews).to.deep.equal([]);
  });
});
