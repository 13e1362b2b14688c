import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ClusterReader, ReadError } from '../../../src/collect/cluster.ts';
import { pluginInput } from '../../../src/collect/kube/credentials/exec-credentials.ts';
import { ConnectionProblem } from '../../../src/collect/kube/kubeconfig/connection.ts';
import type { KubeFlags } from '../../../src/collect/kube/kubeconfig/kube-flags.ts';
import { openCluster, tokenFileCredentials } from '../../../src/collect/kube/open-cluster.ts';
import {
  type FakeApiServer,
  fakeApiServer,
  json,
  type Pki,
  status,
  testPki,
  valuesOf,
} from './fake-api-server.ts';
import { base64, simpleKubeconfig, type Workspace, workspace } from './workspace.ts';

const v1 = 'client.authentication.k8s.io/v1';

describe('credentials', () => {
  let files: Workspace;
  let pki: Pki;
  let server: FakeApiServer;
  let opened: ClusterReader[] = [];
  const env = { PATH: process.env.PATH };

  before(async () => {
    files = workspace();
    pki = await testPki();
    server = await fakeApiServer(pki.server, pki.ca);
  });
  after(() => {
    server.close();
    files.remove();
  });
  afterEach(() => {
    for (const reader of opened) reader.close();
    opened = [];
    server.reset();
  });

  const cluster = (more: object = {}) => ({
    server: server.url,
    'certificate-authority-data': base64(pki.ca.cert),
    ...more,
  });

  const open = async (user: object, flags: KubeFlags = {}, more: object = {}, signal?: AbortSignal) => {
    const kubeconfig = files.write('config', simpleKubeconfig(cluster(more), user));
    const reader = await openCluster({ kubeconfig, ...flags }, env, signal);
    opened.push(reader);
    return reader;
  };

  const problem = async (opening: Promise<unknown>): Promise<ConnectionProblem> => {
    const error = await opening.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(ConnectionProblem);
    expect((error as ConnectionProblem).advice).not.to.equal('');
    return error as ConnectionProblem;
  };

  const authorizations = () => server.received.map((request) => valuesOf(request, 'authorization')[0]);

  /** Accepts this token only. */
  const accept = (token: string) => {
    server.answer = (request, response) =>
      (request.headers.authorization === `Bearer ${token}`
        ? json({ fine: true })
        : status(401, 'Unauthorized', 'Unauthorized'))(request, response);
  };

  describe('a token in a file', () => {
    it('is read again if the server refuses it', async () => {
      const tokenFile = files.write('token', 'first\n');
      accept('second');
      const reader = await open({ tokenFile });
      files.write('token', ' second \n');
      expect(await reader.get('/x')).to.deep.equal({ fine: true });
      expect(authorizations()).to.deep.equal(['Bearer first', 'Bearer second']);
    });

    it('is not sent twice if it did not change', async () => {
      accept('other');
      const reader = await open({ tokenFile: files.write('token', 'first') });
      const error = await reader.get('/x').catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ReadError).with.property('reason', 'unauthorized');
      expect(authorizations()).to.deep.equal(['Bearer first']);
    });

    it('is read again after an interval, and kept if the file was deleted', async () => {
      let now = 0;
      const file = files.write('token', 'one');
      const credentials = tokenFileCredentials(file, undefined, () => now);
      const current = async () => (await credentials.current()).authorization;
      expect(await current()).to.equal('Bearer one');
      files.write('token', 'two');
      now = 40_000;
      expect(await current()).to.equal('Bearer one');
      now = 60_000;
      expect(await current()).to.equal('Bearer two');
      files.write('token', '');
      now = 120_000;
      expect(await current()).to.equal('Bearer two');
    });

    it('must exist and not be empty at the start', async () => {
      expect((await problem(open({ tokenFile: 'missing' }))).message).to.match(
        /token file .* does not exist/,
      );
      files.write('empty', '\n');
      expect((await problem(open({ tokenFile: 'empty' }))).message).to.match(/is empty/);
    });
  });

  describe('a credential plugin', () => {
    const credential = (statusOfIt: object, apiVersion = v1) =>
      JSON.stringify({ apiVersion, kind: 'ExecCredential', status: statusOfIt });
    const plugin = (name: string, lines: string, more: object = {}) => ({
      exec: {
        apiVersion: v1,
        command: files.script(name, lines),
        interactiveMode: 'Never',
        ...more,
      },
    });
    const issuing = (name: string, statusOfIt: object, more: object = {}) =>
      plugin(name, `echo x >> "$0.runs"; echo '${credential(statusOfIt)}'`, more);
    const runs = (name: string) => readFileSync(`${files.directory}/${name}.runs`, 'utf8').length / 2;

    it('is run once for all requests, with arguments and environment', async () => {
      const user = plugin(
        'args',
        `echo x >> "$0.runs"; sleep 0.05; printf '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"%s"}}' "$1-$FLAVOUR"`,
        { args: ['one'], env: [{ name: 'FLAVOUR', value: 'two' }] },
      );
      const reader = await open(user);
      await Promise.all(Array.from({ length: 20 }, () => reader.get('/x')));
      expect(new Set(authorizations())).to.deep.equal(new Set(['Bearer one-two']));
      expect(runs('args')).to.equal(1);
    });

    it('is found relative to the kubeconfig, or on PATH', async () => {
      issuing('bin/mine', { token: 'from-mine' });
      const reader = await open({
        exec: { apiVersion: v1, command: './bin/mine', interactiveMode: 'Never' },
      });
      await reader.get('/x');
      const kubeconfig = files.write(
        'config',
        simpleKubeconfig(cluster(), {
          exec: { apiVersion: v1, command: 'mine', interactiveMode: 'Never' },
        }),
      );
      const onPath = await openCluster(
        { kubeconfig },
        { PATH: `${files.directory}/bin:${process.env.PATH}` },
      );
      opened.push(onPath);
      await onPath.get('/x');
      expect(authorizations()).to.deep.equal(['Bearer from-mine', 'Bearer from-mine']);
    });

    it('may issue a client certificate', async () => {
      const reader = await open(
        issuing('certificate', {
          clientCertificateData: pki.alice.cert.replaceAll('\n', '\\n'),
          clientKeyData: pki.alice.key.replaceAll('\n', '\\n'),
        }),
      );
      await reader.get('/x');
      expect(server.received[0]?.client).to.equal('alice');
      expect(authorizations()).to.deep.equal([undefined]);
    }).slow(200);

    it('is run again if its credential expires', async () => {
      const reader = await open(
        issuing('expiring', {
          token: 'short',
          expirationTimestamp: new Date(Date.now() - 1000).toISOString(),
        }),
      );
      await reader.get('/x');
      await reader.get('/x');
      expect(runs('expiring')).to.equal(3);
      const lasting = await open(
        issuing('lasting', {
          token: 'long',
          expirationTimestamp: new Date(Date.now() + 60_000).toISOString(),
        }),
      );
      await lasting.get('/x');
      await lasting.get('/x');
      expect(runs('lasting')).to.equal(1);
    });

    it('is run again, once, if its credential is refused', async () => {
      accept('token-2');
      const reader = await open(
        plugin(
          'refused',
          `echo x >> "$0.runs"; printf '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"token-%s"}}' $(wc -l < "$0.runs")`,
        ),
      );
      expect(await Promise.all([reader.get('/x'), reader.get('/x')])).to.deep.equal([
        { fine: true },
        { fine: true },
      ]);
      expect(runs('refused')).to.equal(2);
      accept('none');
      const error = await reader.get('/x').catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ReadError).with.property('reason', 'unauthorized');
      expect(runs('refused')).to.equal(3);
    });

    it('gets the cluster if it asks for it', async () => {
      const more = {
        'tls-server-name': 'api.example',
        extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }],
      };
      const user = plugin(
        'told',
        `printf '%s' "$KUBERNETES_EXEC_INFO" > "$0.info"; echo '${credential({ token: 't' })}'`,
        { provideClusterInfo: true },
      );
      await open(user, {}, more);
      expect(JSON.parse(readFileSync(`${files.directory}/told.info`, 'utf8'))).to.deep.equal({
        kind: 'ExecCredential',
        apiVersion: v1,
        spec: {
          cluster: {
            server: server.url,
            'tls-server-name': 'api.example',
            'certificate-authority-data': base64(pki.ca.cert),
            config: { audience: 'a' },
          },
          interactive: false,
        },
      });
    });

    it('gets no cluster otherwise', () => {
      const exec = {
        apiVersion: v1,
        command: 'x',
        args: [],
        env: [],
        installHint: undefined,
        interactiveMode: 'IfAvailable',
        provideClusterInfo: false,
      };
      const shown = {
        server: 's',
        tlsServerName: undefined,
        insecureSkipTlsVerify: false,
        certificateAuthority: undefined,
        proxyUrl: undefined,
        disableCompression: false,
        config: undefined,
      };
      for (const interactive of [true, false])
        expect(pluginInput(exec, shown, interactive)).to.deep.equal({
          interactive,
          execInfo: JSON.stringify({ kind: 'ExecCredential', apiVersion: v1, spec: { interactive } }),
        });
    });

    it('is not used beside a token or a client certificate', async () => {
      const broken = { exec: { apiVersion: v1, command: './missing', interactiveMode: 'Never' } };
      await (await open(broken, { token: 'flagged' })).get('/x');
      expect(authorizations()).to.deep.equal(['Bearer flagged']);
      await (
        await open({
          ...broken,
          'client-certificate-data': base64(pki.alice.cert),
          'client-key-data': base64(pki.alice.key),
        })
      ).get('/x');
      expect(server.received.at(-1)?.client).to.equal('alice');
    });

    it('may still be v1beta1, without interactiveMode', async () => {
      const v1beta1 = 'client.authentication.k8s.io/v1beta1';
      const command = files.script('beta', `echo '${credential({ token: 'beta' }, v1beta1)}'`);
      await (await open({ exec: { apiVersion: v1beta1, command } })).get('/x');
      expect(authorizations()).to.deep.equal(['Bearer beta']);
    });

    it('is stopped with the run', async () => {
      const error = await open(plugin('slow', 'exec sleep 20'), {}, {}, AbortSignal.timeout(50)).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(ReadError).with.property('reason', 'timeout');
    });

    const secret = 'c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWUtaW4tYW4tZXJyb3I';
    const failures: readonly (readonly [string, string, object, RegExp, RegExp])[] = [
      [
        'fails',
        `echo "no session for $USERNAME" >&2; echo ${secret} >&2; exit 3`,
        {},
        /exit code 3: no session/,
        /in a shell/,
      ],
      ['prints no JSON', `echo 'token: ${secret}'`, {}, /did not return JSON/, /in a shell/],
      ['prints something else', `echo '{"token": "${secret}"}'`, {}, /ExecCredential/, /apiVersion/],
      ['has no status', `echo '${credential({})}'`, {}, /neither a token/, /Sign in/],
      [
        'answers with a key and no certificate',
        `echo '${credential({ clientKeyData: secret })}'`,
        {},
        /do not match/,
        /Sign in/,
      ],
      [
        'has another version',
        `echo '${credential({ token: secret }, 'client.authentication.k8s.io/v1beta1')}'`,
        {},
        /ExecCredential of client.*v1$/,
        /apiVersion/,
      ],
      [
        'is configured for v1alpha1',
        ':',
        { apiVersion: 'client.authentication.k8s.io/v1alpha1' },
        /no longer supported/,
        /kubeconfig again/,
      ],
      ['has no interactiveMode', ':', { interactiveMode: null }, /no interactiveMode/, /Never/],
      [
        'has an unknown interactiveMode',
        ':',
        { interactiveMode: 'Maybe' },
        /unknown interactiveMode/,
        /Never/,
      ],
      [
        'is not there',
        ':',
        { command: 'nowhere/aws', installHint: 'Get it from \u001b[31mhttps://tool.example' },
        /nowhere\/aws was not found/,
        /^Get it from \[31mhttps:\/\/tool\.example$/,
      ],
    ];
    for (const [name, lines, more, message, advice] of failures)
      it(`returns the error if it ${name}`, async () => {
        const error = await problem(open(plugin(`failing ${name.replaceAll(' ', '-')}`, lines, more)));
        expect(error.message)
          .to.match(message)
          .and.to.match(/^the credential plugin /);
        expect(error.advice).to.match(advice);
        expect(error.message + error.advice + error.stack).not.to.include(secret);
      });
  });

  describe('an auth-provider', () => {
    const token = (exp: number) => `${base64('{"alg":"none"}')}.${base64(JSON.stringify({ exp }))}.sig`;
    const oidc = (idToken?: string) => ({
      'auth-provider': { name: 'oidc', config: { 'id-token': idToken } },
    });

    it('of OIDC is used until its token expires', async () => {
      const live = token(Date.now() / 1000 + 60);
      await (await open(oidc(live))).get('/x');
      expect(authorizations()).to.deep.equal([`Bearer ${live}`]);
    });

    it('of OIDC with an expired token, or none, is an error', async () => {
      const dead = token(Date.now() / 1000 - 60);
      for (const user of [oidc(dead), oidc(), oidc('no.jwt')]) {
        const error = await problem(open(user));
        expect(error.message)
          .to.match(/OIDC token of user "u" is missing or has expired/)
          .and.not.include(dead);
      }
    });

    it('that was removed is an error with its successor', async () => {
      const error = await problem(open({ 'auth-provider': { name: 'gcp' } }));
      expect(error.message).to.include('"gcp"');
      expect(error.advice).to.include('gke-gcloud-auth-plugin');
    });
  });

  it('refuses a token that cannot be sent in a header, without printing it', async () => {
    const error = await problem(open({ token: 'two\nlines' }));
    expect(error.message)
      .to.match(/line break/)
      .and.not.include('two');
  });

  it('refuses a certificate with another private key', async () => {
    const user = {
      'client-certificate-data': base64(pki.alice.cert),
      'client-key-data': base64(pki.server.key),
    };
    expect((await problem(open(user))).message).to.match(/do not match/);
  });
});
