import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { root } from '../../scripts/bundle.js';
import { run } from '../cluster/run-command.ts';
import { authority, issue } from '../support/certificates.ts';
import { packed } from '../support/npm-package.ts';

const list = (...items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

const service = { namespace: 'policy', name: 'policy', path: '/validate' };
const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
const configuration = (kind: string, name: string, webhook: object) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig: { service },
      rules,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...webhook,
    },
  ],
});

const files: Readonly<Record<string, string>> = {
  'webhooks.json': list(
    configuration('ValidatingWebhookConfiguration', 'check', {
      matchConditions: [{ name: 'not-kube', expression: 'request.namespace.startsWith("kube-")' }],
    }),
    configuration('MutatingWebhookConfiguration', 'later', {
      namespaceSelector: { matchLabels: { inject: 'yes' } },
    }),
    configuration('MutatingWebhookConfiguration', 'early', {
      clientConfig: { service: { ...service, name: 'gone' } },
      objectSelector: { matchLabels: { app: 'billing' } },
    }),
  ),
  'namespaces.json': list({ kind: 'Namespace', metadata: { name: 'shop', labels: { inject: 'yes' } } }),
  'services.json': list({
    kind: 'Service',
    metadata: { namespace: 'policy', name: 'policy' },
    spec: { clusterIP: '203.0.113.9', selector: { app: 'policy' }, ports: [{ port: 443, targetPort: 8443 }] },
  }),
  'endpointslices.json': list(),
  'pods.json': list(),
};

/** The output of each example of docs/library.md, with the files above. */
const printed = [
  'mutating early.example.com skipped\nmutating later.example.com called\nvalidating check.example.com skipped\n',
  'check.example.com fails backend failed calling webhook "check.example.com": failed to call webhook: Post "https://policy.policy.svc:443/validate?timeout=10s": dial tcp 203.0.113.9:443: connect: connection refused\n' +
    'later.example.com fails backend failed calling webhook "later.example.com": failed to call webhook: Post "https://policy.policy.svc:443/validate?timeout=10s": dial tcp 203.0.113.9:443: connect: connection refused\n' +
    'early.example.com fails routing failed calling webhook "early.example.com": failed to call webhook: Post "https://gone.policy.svc:443/validate?timeout=10s": service "gone" not found\n',
  'tls: failed to verify certificate: x509: certificate is valid for other.shop.svc, not policy.shop.svc\n',
  'call-failure policy.example.com shop connection-refused\n',
];

const page = readFileSync(join(root, 'docs', 'library.md'), 'utf8');
const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

describe('the package as a library', function () {
  this.timeout(180_000);
  let folder = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-library-'));
    const archive = await packed(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: folder });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const ca = await authority({ cn: 'ca' });
    writeFileSync(join(folder, 'ca.crt'), ca.cert);
    writeFileSync(join(folder, 'tls.crt'), (await issue(ca, { dns: ['other.shop.svc'] })).cert);
    for (const [index, code] of examples.entries()) writeFileSync(join(folder, `example-${index}.ts`), code);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is documented by an example for each subject', () => expect(examples).to.have.length(printed.length));

  for (const [index, expected] of printed.entries())
    it(`prints what its page shows: example ${index + 1}`, async () => {
      const { outputFiles } = await build({
        entryPoints: [join(folder, `example-${index}.ts`)],
        packages: 'external',
        bundle: true,
        write: false,
        format: 'esm',
        platform: 'node',
      });
      writeFileSync(join(folder, `example-${index}.js`), outputFiles[0]?.text ?? '');
      const out = execFileSync(process.execPath, [`example-${index}.js`], { cwd: folder, encoding: 'utf8' });
      expect(out).to.equal(expected);
    });

  it('has types: its examples compile, and a wrong argument does not', () => {
    symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
    const compile = (compiler: 'typescript' | 'typescript-native', ...words: readonly string[]) =>
      execFileSync(
        process.execPath,
        [
          join(root, 'node_modules', compiler, 'bin', 'tsc'),
          ...['--strict', '--noEmit', '--target', 'es2022', '--types', 'node', ...words],
        ],
        { cwd: folder, encoding: 'utf8', stdio: 'pipe' },
      );
    const all = examples.map((_, index) => `example-${index}.ts`);
    compile('typescript', '--module', 'nodenext', ...all);
    compile(
      'typescript-native',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--skipLibCheck',
      ...all,
    );
    writeFileSync(
      join(folder, 'wrong.ts'),
      "import { parseCallError } from 'kubectl-webhook/apiserver';\nparseCallError(7);\n",
    );
    expect(() => compile('typescript-native', '--module', 'nodenext', '--skipLibCheck', 'wrong.ts'))
      .to.throw()
      .with.property('stdout')
      .that.matches(/wrong\.ts\W2\W16\b/);
  });

  /** Bytes of a bundled import, and its imports of Node. */
  const bundled = async (names: string) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export { ${names} } from 'kubectl-webhook/apiserver';`, resolveDir: folder },
      bundle: true,
      write: false,
      minify: true,
      metafile: true,
      format: 'esm',
      platform: 'node',
    });
    const [output] = Object.values(metafile.outputs);
    return {
      bytes: outputFiles[0]?.contents.length ?? 0,
      imports: (output?.imports ?? []).map(({ path }) => path),
    };
  };

  it('excludes unused code from a bundle', async () => {
    const all = await bundled(
      'matchRequest, webhookChain, nextCall, verifyServerCertificate, parseCallError',
    );
    const order = await bundled('webhookChain');
    const sentence = await bundled('parseCallError');
    const certificate = await bundled('verifyServerCertificate');
    console.log(
      `      all ${all.bytes}, order ${order.bytes}, sentence ${sentence.bytes}, certificate ${certificate.bytes} bytes`,
    );
    expect(order.bytes).to.be.lessThan(all.bytes / 100);
    expect(sentence.bytes).to.be.lessThan(all.bytes / 10);
    expect(certificate.bytes).to.be.lessThan(all.bytes / 4);
    expect(order.imports).to.deep.equal([]);
    expect(sentence.imports).to.deep.equal([]);
  });

  it('opens no file and no connection', async () => {
    const { imports } = await bundled(
      'matchRequest, clusterOf, nextCall, verifyServerCertificate, webhooksOf',
    );
    expect(
      imports.filter(
        (path) => !['node:buffer', 'node:crypto', 'node:path', 'node:util', 'node:zlib'].includes(path),
      ),
    ).to.deep.equal([]);
  });

  it('needs no other package', () =>
    expect(
      JSON.parse(readFileSync(join(folder, 'node_modules', 'kubectl-webhook', 'package.json'), 'utf8')),
    ).to.not.have.any.keys('dependencies', 'peerDependencies'));
});
