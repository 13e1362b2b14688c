import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { ReadError } from '../../../src/collect/cluster.ts';
import type { KubeFlags } from '../../../src/collect/kube/kubeconfig/kube-flags.ts';
import { openCluster, openConnection } from '../../../src/collect/kube/open-cluster.ts';
import { type Authority, authority, issue, type KeyPair } from '../../support/certificates.ts';
import { type FakeApiServer, fakeApiServer, json, testPki } from './fake-api-server.ts';
import { base64, simpleKubeconfig, type Workspace, workspace } from './workspace.ts';

const day = 24 * 60 * 60 * 1000;
const ips = ['127.0.0.1'];

describe('verification of the API server', () => {
  let files: Workspace;
  let ca: Authority;
  let other: Authority;
  let intermediate: Authority;
  let servers: FakeApiServer[] = [];

  before(async () => {
    files = workspace();
    ca = (await testPki()).ca;
    other = await authority({ cn: 'other-ca' });
    intermediate = await authority({ cn: 'intermediate', parent: ca });
  });
  after(() => files.remove());
  afterEach(() => {
    for (const server of servers) server.close();
    servers = [];
  });

  const serve = async (pair?: KeyPair): Promise<FakeApiServer> => {
    const server = await fakeApiServer(pair);
    servers.push(server);
    return server;
  };

  /** `read`, or the error. */
  const outcome = async (server: FakeApiServer, cluster: object, flags: KubeFlags = {}): Promise<string> => {
    const kubeconfig = files.write('config', simpleKubeconfig({ server: server.url, ...cluster }));
    server.reset();
    const reader = await openCluster({ kubeconfig, ...flags }, {});
    try {
      await reader.get('/version');
      return 'read';
    } catch (error) {
      expect(error).to.be.instanceOf(ReadError);
      expect((error as ReadError).reason).to.equal('unreachable');
      expect(server.received).to.have.length(0);
      return (error as ReadError).message;
    } finally {
      reader.close();
    }
  };

  const trusting = (...authorities: readonly Authority[]) => ({
    'certificate-authority-data': base64(authorities.map(({ cert }) => cert).join('\n')),
  });

  it('accepts a certificate of one of several authorities', async () => {
    const server = await serve(await issue(ca, { ips }));
    expect(await outcome(server, trusting(other, ca))).to.equal('read');
  });

  it('refuses an unknown authority', async () => {
    const server = await serve(await issue(other, { ips }));
    expect(await outcome(server, trusting(ca))).to.equal(
      `${server.url} cannot be reached: its certificate is signed by a CA that the kubeconfig does not name (certificate-authority)`,
    );
  });

  it('refuses an unknown authority without a configured certificate-authority', async () => {
    expect(await outcome(await serve(await issue(other, { ips })), {})).to.match(/signed by a CA/);
  });

  it('ignores NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect(await outcome(await serve(await issue(other, { ips })), trusting(ca))).to.match(
        /signed by a CA/,
      );
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it('resumes the session of an earlier connection for those of probes', async () => {
    const server = await serve(await issue(ca, { ips }));
    const resumed: boolean[] = [];
    server.answer = (request, response) => {
      resumed.push((request.socket as TLSSocket).isSessionReused());
      json({})(request, response);
    };
    const kubeconfig = files.write('config', simpleKubeconfig({ server: server.url, ...trusting(ca) }));
    const { reader, prober } = await openConnection({ kubeconfig }, {});
    try {
      await reader.get('/version');
      await (await prober()).get('/version', new AbortController().signal);
      expect(resumed).to.deep.equal([false, true]);
    } finally {
      reader.close();
    }
  });

  it('insecure-skip-tls-verify accepts everything', async () => {
    const server = await serve(await issue(other, { dns: ['else.example'] }));
    expect(await outcome(server, { 'insecure-skip-tls-verify': true })).to.equal('read');
    expect(await outcome(server, trusting(ca), { 'insecure-skip-tls-verify': true })).to.equal('read');
  });

  it('refuses an expired certificate, and one that is not yet valid', async () => {
    const past = { notBefore: new Date(Date.now() - 3 * day), notAfter: new Date(Date.now() - day) };
    const future = { notBefore: new Date(Date.now() + day), notAfter: new Date(Date.now() + 3 * day) };
    expect(await outcome(await serve(await issue(ca, { ips, ...past })), trusting(ca))).to.match(
      /has expired/,
    );
    expect(await outcome(await serve(await issue(ca, { ips, ...future })), trusting(ca))).to.match(
      /not valid yet/,
    );
  });

  it('refuses a wrong name, and lists the names of the certificate', async () => {
    const server = await serve(await issue(ca, { dns: ['api.example'], ips: ['10.0.0.1'] }));
    const message = await outcome(server, trusting(ca));
    expect(message).to.match(/certificate is valid for DNS:api\.example, IP Address:10\.0\.0\.1, not 127/);
    expect(message).to.match(/tls-server-name/);
  });

  it('uses tls-server-name, a name or an address', async () => {
    const server = await serve(await issue(ca, { dns: ['api.example'], ips: ['10.0.0.1'] }));
    for (const name of ['api.example', '10.0.0.1'])
      expect(await outcome(server, { ...trusting(ca), 'tls-server-name': name })).to.equal('read');
    expect(await outcome(server, trusting(ca), { 'tls-server-name': 'api.example' })).to.equal('read');
    expect(await outcome(server, trusting(ca), { 'tls-server-name': 'no.example' })).to.match(
      /not no\.example/,
    );
  });

  it('ignores the CN, like Go', async () => {
    const server = await serve(await issue(ca, { cn: 'api.example' }));
    expect(await outcome(server, { ...trusting(ca), 'tls-server-name': 'api.example' })).to.match(
      /valid for no names at all/,
    );
  });

  it('accepts an intermediate certificate as a trust anchor, like Go', async () => {
    expect(await outcome(await serve(await issue(intermediate, { ips })), trusting(intermediate))).to.equal(
      'read',
    );
  });

  it('refuses a certificate without the usage for servers', async () => {
    const server = await serve(await issue(ca, { ips, eku: ['client'] }));
    expect(await outcome(server, trusting(ca))).to.match(/does not allow server authentication/);
  });

  it('reports https to a port of plain HTTP', async () => {
    const server = await serve();
    const address = server.url.replace('http:', 'https:');
    expect(await outcome(server, trusting(ca), { server: address })).to.match(/does not use TLS/);
  });

  it('reports plain HTTP to a port of TLS', async () => {
    const server = await serve(await issue(ca, { ips }));
    const reader = await openCluster({ server: server.url.replace('https:', 'http:') }, {});
    const error = await reader.get('/version').catch((reason: ReadError) => reason);
    expect(error).to.be.instanceOf(ReadError);
    expect((error as ReadError).message).to.match(/closed the connection|does not speak HTTP|https:\/\//);
    reader.close();
  });
});

describe('an API server that cannot be reached', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['nothing listens', 'https://127.0.0.1:1', /connection refused by 127\.0\.0\.1:1/],
    ['no such host', 'https://nobody.invalid:6443', /no such host|no name server/],
  ];
  for (const [name, server, message] of cases)
    it(name, async () => {
      const reader = await openCluster({ server, token: 'secret-token' }, {});
      const error = await reader.get('/version').catch((reason: ReadError) => reason);
      expect(error).to.be.instanceOf(ReadError).with.property('reason', 'unreachable');
      expect((error as ReadError).message)
        .to.match(message)
        .and.not.include('secret-token');
    });
});
