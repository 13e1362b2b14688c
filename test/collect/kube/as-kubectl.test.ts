import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Environment } from '../../../src/basics/environment.ts';
import type { KubeFlags } from '../../../src/collect/kube/kubeconfig/kube-flags.ts';
import { openCluster } from '../../../src/collect/kube/open-cluster.ts';
import { type FakeApiServer, fakeApiServer, testPki, valuesOf } from './fake-api-server.ts';
import { base64, type Entries, kubeconfig, type Workspace, workspace } from './workspace.ts';

/** The request that the API server received, or `error`. */
interface Seen {
  readonly path?: string;
  readonly authorization?: string;
  readonly client?: string;
  readonly as?: Readonly<Record<string, readonly string[]>>;
  readonly error?: true;
}

interface Case {
  readonly name: string;
  /** Kubeconfig files by name; `URL/one` is the server under the path /one, CA_DATA its CA. */
  readonly files?: Readonly<Record<string, Entries | string>>;
  /** KUBECONFIG, as names of files. */
  readonly list?: readonly string[];
  readonly env?: Environment;
  readonly flags?: KubeFlags;
  readonly seen: Seen;
}

const secured = { server: 'URL/one', 'certificate-authority-data': 'CA_DATA' };
const secondOne = { ...secured, server: 'URL/two' };
const chosen = { contexts: { x: { cluster: 'c', user: 'u' } }, current: 'x' };

const cases: readonly Case[] = [
  {
    name: 'one file, token',
    files: { a: { clusters: { c: secured }, users: { u: { token: 'token-a' } }, ...chosen } },
    seen: { path: '/one/version', authorization: 'Bearer token-a' },
  },
  {
    name: 'the first file of a list wins whole entries and current-context; missing files are passed over',
    files: {
      a: { clusters: { c: secured }, users: { u: { token: 'token-a' } } },
      b: {
        clusters: { c: secondOne },
        users: { u: { token: 'token-b', as: 'bob' } },
        contexts: { x: { cluster: 'c', user: 'u' }, y: { cluster: 'd', user: 'u' } },
        current: 'x',
      },
      d: { clusters: { d: secondOne }, contexts: { x: { cluster: 'd', user: 'u' } }, current: 'y' },
    },
    list: ['nowhere', 'a', 'b', 'a', '', 'd'],
    seen: { path: '/one/version', authorization: 'Bearer token-a' },
  },
  {
    name: 'a current-context that is empty in the first file comes from the next',
    files: {
      a: { clusters: { c: secured }, users: { u: { token: 'token-a' } }, current: '' },
      b: { contexts: { y: { cluster: 'c', user: 'u' } }, current: 'y' },
    },
    list: ['a', 'b'],
    seen: { path: '/one/version', authorization: 'Bearer token-a' },
  },
  {
    name: '--kubeconfig is used alone',
    files: {
      a: { clusters: { c: secured }, users: { u: { token: 'token-a' } }, ...chosen },
      b: { clusters: { c: secondOne }, users: { u: { token: 'token-b' } }, ...chosen },
    },
    list: ['a'],
    flags: { kubeconfig: 'b' },
    seen: { path: '/two/version', authorization: 'Bearer token-b' },
  },
  {
    name: '--kubeconfig must exist',
    files: { a: { clusters: { c: secured }, ...chosen } },
    list: ['a'],
    flags: { kubeconfig: 'nowhere' },
    seen: { error: true },
  },
  {
    name: 'a broken file of a list is an error',
    files: { a: { clusters: { c: secured }, users: { u: { token: 't' } }, ...chosen }, b: 'clusters: [' },
    list: ['a', 'b'],
    seen: { error: true },
  },
  {
    name: 'a name twice in one file is an error',
    files: {
      a: `{clusters: [{name: c, cluster: {server: URL/one}}, {name: c, cluster: {server: URL/two}}],
           users: [{name: u, user: {token: t}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`,
    },
    seen: { error: true },
  },
  {
    name: 'a token that is a number is an error',
    files: {
      a: `{clusters: [{name: c, cluster: {server: URL/one, certificate-authority-data: CA_DATA}}],
           users: [{name: u, user: {token: 12345}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`,
    },
    seen: { error: true },
  },
  {
    name: 'apiVersion and kind may be missing, unknown fields and comments may be there',
    files: {
      a: `# mine
clusters:
- {name: c, cluster: {server: URL/one, certificate-authority-data: CA_DATA, colour: red}}
users: [{name: u, user: {token: token-a}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
preferences: {}`,
    },
    seen: { path: '/one/version', authorization: 'Bearer token-a' },
  },
  {
    name: 'another kind of object is an error',
    files: { a: '{apiVersion: v1, kind: Pod}' },
    seen: { error: true },
  },
  {
    name: '--context, --cluster, --user',
    files: {
      a: {
        clusters: { c: secured, d: secondOne },
        users: { u: { token: 'token-u' }, v: { token: 'token-v' } },
        contexts: { x: { cluster: 'c', user: 'u' }, y: { cluster: 'd', user: 'u' } },
        current: 'x',
      },
    },
    flags: { context: 'y', user: 'v' },
    seen: { path: '/two/version', authorization: 'Bearer token-v' },
  },
  ...(['context', 'cluster', 'user'] as const).map((flag) => ({
    name: `--${flag} that does not exist`,
    files: { a: { clusters: { c: secured }, users: { u: { token: 't' } }, ...chosen } },
    flags: { [flag]: 'nope' },
    seen: { error: true as const },
  })),
  {
    name: 'a current-context that does not exist',
    files: { a: { clusters: { c: secured }, users: { u: { token: 't' } }, current: 'gone' } },
    seen: { error: true },
  },
  {
    name: 'paths are relative to their own file',
    files: {
      'deep/a': {
        clusters: { c: { server: 'URL/one', 'certificate-authority': '../ca.pem' } },
        users: { u: { tokenFile: 'token' } },
        ...chosen,
      },
      'deep/token': 'token-of-file\n',
    },
    list: ['deep/a'],
    seen: { path: '/one/version', authorization: 'Bearer token-of-file' },
  },
  {
    name: 'tokenFile wins over token',
    files: {
      a: { clusters: { c: secured }, users: { u: { token: 'old', tokenFile: 'token' } }, ...chosen },
      token: 'new',
    },
    seen: { path: '/one/version', authorization: 'Bearer new' },
  },
  {
    name: 'user name and password',
    files: {
      a: { clusters: { c: secured }, users: { u: { username: 'jürgen', password: 'p:w' } }, ...chosen },
    },
    seen: { path: '/one/version', authorization: `Basic ${base64('jürgen:p:w')}` },
  },
  {
    name: 'token and password together are an error',
    files: { a: { clusters: { c: secured }, users: { u: { token: 't', username: 'a' } }, ...chosen } },
    seen: { error: true },
  },
  {
    name: 'client certificate as data',
    files: {
      a: {
        clusters: { c: secured },
        users: { u: { 'client-certificate-data': 'ALICE_CERT', 'client-key-data': 'ALICE_KEY' } },
        ...chosen,
      },
    },
    seen: { path: '/one/version', client: 'alice' },
  },
  {
    name: 'client certificate as files, with a token by flag',
    files: {
      a: {
        clusters: { c: secured },
        users: { u: { 'client-certificate': 'alice.pem', 'client-key': 'alice.key' } },
        ...chosen,
      },
    },
    flags: { token: 'flagged' },
    seen: { path: '/one/version', client: 'alice', authorization: 'Bearer flagged' },
  },
  {
    name: 'client certificate without key is an error',
    files: {
      a: { clusters: { c: secured }, users: { u: { 'client-certificate-data': 'ALICE_CERT' } }, ...chosen },
    },
    seen: { error: true },
  },
  {
    name: 'a token without an override, by flag',
    files: { a: { clusters: { c: secured }, users: { u: { token: 'token-a' } }, ...chosen } },
    flags: { token: 'flagged' },
    seen: { path: '/one/version', authorization: 'Bearer flagged' },
  },
  {
    name: 'impersonation from the kubeconfig',
    files: {
      a: {
        clusters: { c: secured },
        users: {
          u: {
            token: 't',
            as: 'bob',
            'as-uid': '42',
            'as-groups': ['g1', 'g2'],
            'as-user-extra': { 'acme.com/scope': ['r', 'w'] },
          },
        },
        ...chosen,
      },
    },
    seen: {
      path: '/one/version',
      authorization: 'Bearer t',
      as: {
        'impersonate-user': ['bob'],
        'impersonate-uid': ['42'],
        'impersonate-group': ['g1', 'g2'],
        'impersonate-extra-acme.com%2fscope': ['r', 'w'],
      },
    },
  },
  {
    name: 'impersonation by flag replaces user and groups of the kubeconfig',
    files: {
      a: {
        clusters: { c: secured },
        users: { u: { token: 't', as: 'bob', 'as-groups': ['g1', 'g2'] } },
        ...chosen,
      },
    },
    flags: { as: 'system:serviceaccount:a:b', 'as-group': ['g3', 'g4'], 'as-uid': '7' },
    seen: {
      path: '/one/version',
      authorization: 'Bearer t',
      as: {
        'impersonate-user': ['system:serviceaccount:a:b'],
        'impersonate-uid': ['7'],
        'impersonate-group': ['g3', 'g4'],
      },
    },
  },
  {
    name: 'extra values by flag, several of one key',
    files: { a: { clusters: { c: secured }, users: { u: { token: 't' } }, ...chosen } },
    flags: { as: 'bob', 'as-user-extra': ['scope=r', 'scope=w', 'team=a=b'] },
    seen: {
      path: '/one/version',
      authorization: 'Bearer t',
      as: {
        'impersonate-user': ['bob'],
        'impersonate-extra-scope': ['r', 'w'],
        'impersonate-extra-team': ['a=b'],
      },
    },
  },
  {
    name: 'a user name and a password by flag',
    files: { a: { clusters: { c: secured }, users: { u: {} }, ...chosen } },
    flags: { username: 'eve', password: 'p:w' },
    seen: { path: '/one/version', authorization: 'Basic ZXZlOnA6dw==' },
  },
  {
    name: 'a user name by flag beside a token of the kubeconfig is an error',
    files: { a: { clusters: { c: secured }, users: { u: { token: 't' } }, ...chosen } },
    flags: { username: 'eve', password: 'p' },
    seen: { error: true },
  },
  {
    name: 'groups without a user are an error',
    files: { a: { clusters: { c: secured }, users: { u: { token: 't' } }, ...chosen } },
    flags: { 'as-group': ['g'] },
    seen: { error: true },
  },
  {
    name: '--server and --certificate-authority alone',
    flags: { server: 'URL/three', token: 'flagged', 'certificate-authority': 'ca.pem' },
    seen: { path: '/three/version', authorization: 'Bearer flagged' },
  },
  {
    name: '--insecure-skip-tls-verify drops the kubeconfig authority',
    files: {
      a: {
        clusters: { c: { ...secured, 'tls-server-name': 'nobody.example' } },
        users: { u: { token: 't' } },
        ...chosen,
      },
    },
    flags: { 'insecure-skip-tls-verify': true },
    seen: { path: '/one/version', authorization: 'Bearer t' },
  },
  {
    name: 'authority and insecure-skip-tls-verify in one kubeconfig are an error',
    files: {
      a: {
        clusters: { c: { ...secured, 'insecure-skip-tls-verify': true } },
        users: { u: { token: 't' } },
        ...chosen,
      },
    },
    seen: { error: true },
  },
  {
    name: 'tls-server-name',
    files: {
      a: {
        clusters: { c: { ...secured, 'tls-server-name': 'api.example' } },
        users: { u: { token: 't' } },
        ...chosen,
      },
    },
    seen: { path: '/one/version', authorization: 'Bearer t' },
  },
  {
    name: 'a tls-server-name that the certificate lacks is an error',
    files: {
      a: {
        clusters: { c: { ...secured, 'tls-server-name': 'nobody.example' } },
        users: { u: { token: 't' } },
        ...chosen,
      },
    },
    seen: { error: true },
  },
  {
    name: '--server drops the tls-server-name of the kubeconfig',
    files: {
      a: {
        clusters: { c: { ...secured, 'tls-server-name': 'nobody.example' } },
        users: { u: { token: 't' } },
        ...chosen,
      },
    },
    flags: { server: 'URL/four' },
    seen: { path: '/four/version', authorization: 'Bearer t' },
  },
  {
    name: 'broken certificate-authority-data is an error',
    files: {
      a: {
        clusters: { c: { server: 'URL/one', 'certificate-authority-data': base64('no PEM') } },
        users: { u: { token: 't' } },
        ...chosen,
      },
    },
    seen: { error: true },
  },
  {
    name: 'user information in the URL of the server',
    files: {
      a: {
        clusters: { c: { ...secured, server: 'https://me:pw@HOST/one' } },
        users: { u: { 'client-certificate-data': 'ALICE_CERT', 'client-key-data': 'ALICE_KEY' } },
        ...chosen,
      },
    },
    seen: { path: '/one/version', client: 'alice', authorization: `Basic ${base64('me:pw')}` },
  },
  {
    name: 'plain http gets no credentials; without a scheme it is http',
    files: {
      a: { clusters: { c: { server: 'PLAIN' } }, users: { u: { token: 't', as: 'bob' } }, ...chosen },
    },
    seen: { path: '/version', as: { 'impersonate-user': ['bob'] } },
  },
  {
    name: 'an auth-provider that no longer exists',
    files: {
      a: { clusters: { c: secured }, users: { u: { 'auth-provider': { name: 'gcp' } } }, ...chosen },
    },
    seen: { error: true },
  },
];

const run = promisify(execFile);
const kubectl = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'kubectl'))
  .find(existsSync);

describe('the connection to a cluster', () => {
  let files: Workspace;
  let secure: FakeApiServer;
  let plain: FakeApiServer;
  let fill: (text: string) => string;

  before(async () => {
    const { ca, server, alice } = await testPki();
    files = workspace();
    secure = await fakeApiServer(server, ca);
    plain = await fakeApiServer();
    files.write('ca.pem', ca.cert);
    files.write('alice.pem', alice.cert);
    files.write('alice.key', alice.key);
    fill = (text) =>
      text
        .replaceAll('URL', secure.url)
        .replaceAll('HOST', `127.0.0.1:${secure.port}`)
        .replaceAll('PLAIN', `127.0.0.1:${plain.port}`)
        .replaceAll('CA_DATA', base64(ca.cert))
        .replaceAll('ALICE_CERT', base64(alice.cert))
        .replaceAll('ALICE_KEY', base64(alice.key));
  });
  after(() => {
    secure.close();
    plain.close();
    files.remove();
  });
  afterEach(() => {
    secure.reset();
    plain.reset();
  });

  /** Writes the files of a case; environment and flags with real paths and addresses. */
  const prepare = ({ files: contents = {}, list, env = {}, flags = {} }: Case) => {
    for (const [name, content] of Object.entries(contents)) {
      const text = typeof content === 'string' ? content : JSON.stringify(kubeconfig(content));
      files.write(name, fill(text));
    }
    const path = (name: string) => (name === '' ? '' : join(files.directory, name));
    const named = list ?? Object.keys(contents).slice(0, 1);
    const filled = Object.entries(flags).map(([flag, value]) => {
      const isPath = flag === 'kubeconfig' || flag === 'certificate-authority';
      return [flag, typeof value !== 'string' ? value : isPath ? path(value) : fill(value)];
    });
    return {
      env: { HOME: files.directory, KUBECONFIG: named.map(path).join(delimiter), ...env },
      flags: Object.fromEntries(filled) as KubeFlags,
    };
  };

  /** The received request, in the form of an expectation. */
  const seen = (): Seen => {
    const request = [...secure.received, ...plain.received].at(-1);
    if (!request) return { error: true };
    const [authorization] = valuesOf(request, 'authorization');
    const names = request.headers.map(([name]) => name).filter((name) => name.startsWith('impersonate-'));
    const as = Object.fromEntries(names.map((name) => [name, valuesOf(request, name)]));
    return {
      path: request.path.replace(/\?.*/, ''),
      ...(authorization === undefined ? {} : { authorization }),
      ...(request.client === undefined ? {} : { client: request.client }),
      ...(names.length === 0 ? {} : { as }),
    };
  };

  for (const example of cases) {
    it(example.name, async () => {
      const { env, flags } = prepare(example);
      try {
        const reader = await openCluster(flags, env);
        await reader.get('/version');
        reader.close();
      } catch (error) {
        expect(example.seen, String(error)).to.deep.equal({ error: true });
        expect(['ConnectionProblem', 'ReadError']).to.include((error as Error).name);
      }
      expect(seen()).to.deep.equal(example.seen);
    });

    // COMPARE_WITH_KUBECTL=1 runs the same cases with the kubectl on PATH (two seconds).
    if (kubectl && process.env.COMPARE_WITH_KUBECTL) {
      it(`${example.name}: same as kubectl`, async () => {
        const { env, flags } = prepare(example);
        const args = Object.entries(flags).flatMap(([flag, value]) =>
          [value].flat().map((one) => `--${flag}=${one}`),
        );
        const asked = run(kubectl, ['version', ...args], {
          env: { ...(env as NodeJS.ProcessEnv), PATH: process.env.PATH },
        });
        asked.child.stdin?.end();
        await asked.catch(() => undefined);
        expect(seen()).to.deep.equal(example.seen);
      });
    }
  }
});
