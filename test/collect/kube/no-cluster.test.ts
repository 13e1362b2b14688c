import { expect } from 'chai';
import type { Environment } from '../../../src/basics/environment.ts';
import { ConnectionProblem } from '../../../src/collect/kube/kubeconfig/connection.ts';
import type { KubeFlags } from '../../../src/collect/kube/kubeconfig/kube-flags.ts';
import { resolveConnection } from '../../../src/collect/kube/kubeconfig/resolve-connection.ts';
import { kubeconfig, simpleKubeconfig, type Workspace, workspace } from './workspace.ts';

describe('flags and kubeconfigs without a cluster', () => {
  let files: Workspace;
  before(() => {
    files = workspace();
  });
  after(() => files.remove());

  const problem = (flags: KubeFlags, env: Environment = {}): ConnectionProblem => {
    try {
      resolveConnection(flags, { HOME: files.directory, ...env });
    } catch (error) {
      expect(error).to.be.instanceOf(ConnectionProblem);
      expect((error as ConnectionProblem).exitCode).to.equal(2);
      return error as ConnectionProblem;
    }
    throw new Error('no problem');
  };
  const secret = 'do-not-show-me';
  const c = { server: 'https://api.example' };

  const contents: readonly (readonly [string, string | object, KubeFlags, RegExp, RegExp])[] = [
    [
      'no YAML',
      `users:\n- name: u\n  user: {token: ${secret}\n`,
      {},
      /not valid YAML: line \d+ \(/,
      /Correct/,
    ],
    ['an alias of nothing', `users: *${secret}`, {}, /not valid YAML: an alias/, /Correct/],
    ['a list', '[1, 2]', {}, /config: must be a map, but is a list/, /Correct/],
    ['a word', secret, {}, /must be a map, but is a text/, /Correct/],
    [
      'a token that is a number',
      simpleKubeconfig(c, { token: 1234567 }),
      {},
      /config: users\[0\]\.user\.token must be a text, but is a number/,
      /quotes/,
    ],
    ['users that are a map', { users: { u: secret } }, {}, /users must be a list, but is a map/, /Correct/],
    [
      'a flag that is a word',
      simpleKubeconfig({ ...c, 'insecure-skip-tls-verify': secret }),
      {},
      /insecure-skip-tls-verify must be true or false, but is a text/,
      /Correct/,
    ],
    [
      'another object',
      { apiVersion: 'v1', kind: 'Secret', data: { a: secret } },
      {},
      /holds a Secret/,
      /--kubeconfig/,
    ],
    ['nothing', '', {}, /^no cluster is configured: nothing in .*config$/, /--kubeconfig/],
    [
      'no current-context',
      kubeconfig({ contexts: { b: {}, a: {} } }),
      {},
      /no cluster is chosen: the kubeconfig has no current-context/,
      /--context: a, b$/,
    ],
    [
      'a context that is not there',
      kubeconfig({ contexts: { a: {} } }),
      { context: 'x' },
      /no context "x"/,
      /: a$/,
    ],
    [
      'a current-context that is not there',
      kubeconfig({ contexts: { a: {} }, current: 'gone' }),
      {},
      /current-context of the kubeconfig is "gone"/,
      /--context: a$/,
    ],
    [
      'a context without a cluster',
      kubeconfig({ contexts: { a: {} }, current: 'a' }),
      {},
      /context "a" of the kubeconfig names no cluster/,
      /--cluster/,
    ],
    [
      'a context whose cluster is not there',
      kubeconfig({ contexts: { a: { cluster: 'c' } }, current: 'a' }),
      {},
      /has no cluster "c", which its context "a" names/,
      /\(none\)/,
    ],
    [
      'a context whose user is not there',
      kubeconfig({ clusters: { c }, contexts: { a: { cluster: 'c', user: 'u' } }, current: 'a' }),
      {},
      /has no user "u", which its context "a" names/,
      /--user/,
    ],
    [
      'a cluster without a server',
      simpleKubeconfig({}),
      {},
      /cluster "c" of the kubeconfig has no server/,
      /--server/,
    ],
    [
      'a server that is no URL',
      simpleKubeconfig({ server: `ftp://me:a@${secret}@x` }),
      {},
      /server address ftp:\/\/x is not an http or https URL/,
      /https:\/\/HOST:PORT/,
    ],
    [
      'a proxy that is no URL',
      simpleKubeconfig({ ...c, 'proxy-url': `gopher://me:${secret}@x` }),
      {},
      /proxy-url of cluster "c" is not/,
      /proxy-url/,
    ],
    [
      'a certificate-authority that is not there',
      simpleKubeconfig({ ...c, 'certificate-authority': 'gone.pem' }),
      {},
      /certificate-authority of cluster "c" .*gone\.pem cannot be read: it does not exist/,
      /relative to the kubeconfig/,
    ],
    [
      'a certificate-authority that is not base64',
      simpleKubeconfig({ ...c, 'certificate-authority-data': `!${secret}` }),
      {},
      /certificate-authority of cluster "c"-data is not valid base64/,
      /unbroken/,
    ],
    [
      'a certificate-authority that is none',
      simpleKubeconfig({ ...c, 'certificate-authority-data': 'aGVsbG8=' }),
      {},
      /certificate-authority of cluster "c" holds no PEM certificate/,
      /PEM/,
    ],
    [
      'a certificate that cannot be parsed',
      simpleKubeconfig(c),
      { 'certificate-authority': 'BROKEN' },
      /holds no certificate that can be parsed/,
      /PEM/,
    ],
    [
      'a name to impersonate with a line break',
      simpleKubeconfig(c),
      { as: `a\n${secret}` },
      /line break/,
      /--as/,
    ],
    [
      'a strange --request-timeout',
      simpleKubeconfig(c),
      { 'request-timeout': '5 parsecs' },
      /not a duration/,
      /30s/,
    ],
    [
      'a --request-timeout below 0',
      simpleKubeconfig(c),
      { 'request-timeout': '-1s' },
      /not a duration/,
      /30s/,
    ],
  ];
  for (const [name, content, flags, message, advice] of contents)
    it(name, () => {
      const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
      const authority = flags['certificate-authority'] && files.write('broken.pem', broken);
      const file = files.write('config', content);
      const error = problem({
        kubeconfig: file,
        ...flags,
        ...(authority ? { 'certificate-authority': authority } : {}),
      });
      expect(error.message).to.match(message).and.not.include('\n');
      expect(error.advice).to.match(advice).and.not.include('\n');
      expect(error.message + error.advice + error.stack)
        .not.to.include(secret)
        .and.not.include('1234567');
    });

  it('no kubeconfig anywhere', () => {
    expect(problem({}).message).to.equal(
      `no cluster is configured: nothing in ${files.directory}/.kube/config`,
    );
    expect(problem({}, { KUBECONFIG: '/a/b:/c' }).message).to.equal(
      'no cluster is configured: nothing in /a/b, /c',
    );
    expect(problem({}, { KUBECONFIG: ':' }).message).to.match(/nothing in KUBECONFIG/);
  });

  it('a kubeconfig that is a directory', () => {
    expect(problem({ kubeconfig: files.directory }).message).to.match(/cannot be read: it is a directory/);
  });
});

describe('a Pod without a kubeconfig', () => {
  let files: Workspace;
  let directory: string;
  const pod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
  before(() => {
    files = workspace();
    files.write('sa/token', 'pod-token');
    files.write('sa/namespace', 'shop\n');
    directory = `${files.directory}/sa`;
  });
  after(() => files.remove());
  const resolve = (flags: KubeFlags, env: Environment) =>
    resolveConnection(flags, { HOME: files.directory, ...env }, directory);

  it('connects to its own cluster with its own token', () => {
    const connection = resolve({}, pod);
    expect(connection.server.href).to.equal('https://10.96.0.1/');
    expect(connection.identity).to.deep.equal({ kind: 'token-file', file: `${directory}/token` });
    expect(connection.namespace).to.equal('shop');
    expect(connection.context).to.equal(undefined);
  });

  it('may have an IPv6 address, a namespace by environment or flag, and another token', () => {
    const env = { ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1', POD_NAMESPACE: 'other' };
    const connection = resolve({ token: 'flagged' }, env);
    expect(connection.server.host).to.equal('[fd00::1]');
    expect(connection.namespace).to.equal('other');
    expect(connection.identity).to.deep.equal({ kind: 'token', token: 'flagged' });
    expect(resolve({ namespace: 'mine' }, env).namespace).to.equal('mine');
  });

  it('prefers the kubeconfig or --server', () => {
    const KUBECONFIG = files.write('config', simpleKubeconfig({ server: 'https://elsewhere.example' }));
    expect(resolve({}, { ...pod, KUBECONFIG }).server.host).to.equal('elsewhere.example');
    const flagged = resolve({ server: 'https://flag.example' }, pod);
    expect(flagged.server.host).to.equal('flag.example');
    expect(flagged.identity).to.deep.equal({ kind: 'anonymous' });
  });

  it('is an error without a token or an address', () => {
    expect(() => resolve({}, {})).to.throw(ConnectionProblem, /no cluster is configured/);
    expect(() => resolveConnection({}, { HOME: files.directory, ...pod }, '/nowhere')).to.throw(
      ConnectionProblem,
      /no cluster is configured/,
    );
  });
});
