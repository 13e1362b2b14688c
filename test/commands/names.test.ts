import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { inProcess } from '../support/in-process.ts';
import { compiledCode, fileWith } from '../support/plugin.ts';
import { webhook } from '../support/snapshot.ts';

const configuration = (kind: 'Validating' | 'Mutating', name: string, webhooks: readonly string[]) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: { name, labels: { 'app.kubernetes.io/name': name } },
  webhooks: webhooks.map((one) => ({
    name: one,
    clientConfig: {
      caBundle: webhook().client.caBundle,
      service: { namespace: 'shop', name: 'policy-backend', port: 443 },
    },
    rules: [
      { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], scope: '*' },
    ],
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  })),
});

const ids = [
  'mutating/defaults/defaults.example.com',
  'validating/policy/orders.example.com',
  'validating/policy/policy.example.com',
];

describe('names as kubectl and errors write them', () => {
  let server: DemoApiServer;
  let admin: string;
  before(async () => {
    server = await startApiServer({
      objects: [
        ...['shop', 'other'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
        configuration('Validating', 'policy', ['policy.example.com', 'orders.example.com']),
        configuration('Mutating', 'defaults', ['defaults.example.com']),
      ],
    });
    admin = fileWith(server.kubeconfig());
  });
  after(() => server.stop());
  const run = (command: string, ...args: readonly string[]) =>
    inProcess([command, '--kubeconfig', admin, ...args]);
  const named = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout, stderr } = await run('doctor', '--probe', 'none', '-o', 'name', '--all', ...args);
    expect(stderr, args.join(' ')).to.equal('');
    return stdout.trimEnd().split('\n').sort();
  };

  it('doctor: the name of a webhook, kinds, a Service, a URL of an error, a prefix', async () => {
    const policy = [ids[1], ids[2]];
    for (const [name, meant] of [
      ['policy.example.com', [ids[2]]],
      ['validatingwebhookconfiguration.admissionregistration.k8s.io/policy', policy],
      ['shop/policy-backend', ids],
      ['https://policy-backend.shop.svc:443/?timeout=10s', ids],
      ['defa', [ids[0]]],
    ] as const)
      expect(await named(name), name).to.deep.equal(meant);
    expect(await named('service/policy-backend', '-n', 'shop')).to.deep.equal(ids);
  });

  it('anything else: the nearest name, and exit code 2', async () => {
    for (const command of ['doctor', 'cert-check', 'alerts', 'soak', 'failopen', 'failclosed', 'fix']) {
      const { code, stdout, stderr } = await run(command, 'polciy');
      expect({ code, stdout }, command).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr, command).to.equal(
        'error: this cluster has no webhook or APIService "polciy"\n  there is a webhook with a similar name: validating/policy\n',
      );
    }
  });

  it('an APIService without a Service, and a CustomResourceDefinition without a webhook', async () => {
    for (const [name, words] of [
      ['apiservice/v1.', 'has no Service (the API server serves it itself)'],
      ['crd/widgets.example.com', 'has no conversion webhook'],
    ] as const) {
      const { code, stderr } = await run('doctor', name);
      expect({ code, words: stderr.split('\n')[0] }).to.deep.equal({
        code: 2,
        words: `error: "${name}" does not exist, or ${words}`,
      });
    }
  });

  it('-n, -l and --affecting filter; an empty selection is not a healthy cluster', async () => {
    expect(await named('-n', 'shop')).to.deep.equal(ids);
    expect(await named('-A', '-n', 'other')).to.deep.equal(ids);
    expect(await named('-l', 'app.kubernetes.io/name in (defaults)')).to.deep.equal([ids[0]]);
    expect(await named('-n', 'other', '--affecting')).to.deep.equal(ids);
    for (const [command, ...flags] of [['doctor', '--probe', 'none'], ['cert-check']] as const) {
      const { code, stdout } = await run(command, ...flags, '-n', 'other');
      expect(code, command).to.equal(0);
      expect(stdout, command).to.contain(
        'No webhook matches the namespace (-n) and labels (-l); 3 others are left out.',
      );
      const document = await run(command, ...flags, '-n', 'other', '-o', 'json');
      expect(JSON.parse(document.stdout), command).to.include({ leftOut: 3 });
    }
    for (const [flags, words] of [
      [['-n', 'othr'], 'namespace "othr" does not exist'],
      [['policy', '-n', 'other'], '"policy": not among the webhooks that -n and -l select'],
      [['-l', 'app in'], "--selector: unable to parse requirement: found '' expected: '('"],
    ] as const) {
      const { code, stderr } = await run('doctor', ...flags);
      expect({ code, words: stderr.split('\n')[0] }).to.deep.equal({ code: 2, words: `error: ${words}` });
    }
  });

  it('a change: a prefix is shown in the plan, and --yes does not accept it', async () => {
    // As with kubectl, client is the default.
    const planned = await run('failopen', 'poli', '--dry-run', '-o', 'json');
    expect(planned.stderr).to.equal('');
    const [change] = JSON.parse(planned.stdout).changes;
    expect(change.summary).to.contain(
      '("poli": validating/policy/policy.example.com, validating/policy/orders',
    );
    const { code, stderr } = await run('failopen', 'poli', '--yes');
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr:
        'error: this cluster has no webhook or APIService "poli"\n  there is a webhook with a similar name: validating/policy\n',
    });
  });

  it('a change: one name does not change webhooks of several configurations', async () => {
    const { code, stderr } = await run('failopen', 'shop/policy-backend', '--dry-run=client');
    expect(code).to.equal(2);
    expect(stderr)
      .to.contain('webhooks of 2 configurations have this name')
      .and.to.contain(ids[0])
      .and.to.contain(ids[2]);
  });

  it('a workload: the flag for the webhooks that block it', async () => {
    for (const [name, word, flags] of [
      ['deployment/cart', 'deployment/cart', []],
      ['po/cart-x', 'po/cart-x', ['-n', 'shop']],
      ['deployment/a; touch x', "'deployment/a; touch x'", []],
    ] as const) {
      const { code, stderr } = await run('doctor', name, ...flags);
      const cluster = [...flags, '--kubeconfig', admin].join(' ');
      expect({ code, stderr }, name).to.deep.equal({
        code: 2,
        stderr: `error: this cluster has no webhook or APIService "${name}"\n  for webhooks that block this object: kubectl webhook doctor --from ${word} ${cluster}\n`,
      });
    }
    const { stderr } = await run('doctor', 'deployment/cart', '--all-contexts');
    expect(stderr).to.match(/--from deployment\/cart --kubeconfig \S+ --context \S+\n$/);
  });

  it('wait: a prefix does not match', async () => {
    const { code, stdout } = await run('wait', 'defa', '--timeout', '8s', '--interval', '8s');
    expect(code).to.equal(1);
    expect(stdout).to.contain('similar name: mutating/defaults');
  });

  it('completion offers all of them', async () => {
    const program = join(import.meta.dirname, '..', '..', 'bin', 'kubectl_complete-webhook');
    const env = { PATH: process.env.PATH, HOME: join(admin, '..'), XDG_CACHE_HOME: compiledCode };
    /** On a busy machine completion exceeds its time limit and suggests nothing. */
    const complete = async (typed: string, tries = 5): Promise<readonly string[]> => {
      const { stdout } = await promisify(execFile)(program, ['doctor', '--kubeconfig', admin, typed], {
        env,
      });
      const words = stdout
        .split('\n')
        .flatMap((line) => (line === '' || line.startsWith(':') ? [] : [line.split('\t')[0] ?? '']))
        .sort();
      return words.length === 0 && tries > 1 ? complete(typed, tries - 1) : words;
    };
    expect(await complete('p')).to.deep.equal(['policy', 'policy.example.com']);
    expect(await complete('validating/')).to.deep.equal(['validating/policy']);
    expect(await complete('policy/')).to.deep.equal([
      'policy/orders.example.com',
      'policy/policy.example.com',
    ]);
    expect(await complete('shop/')).to.deep.equal(['shop/policy-backend']);
    expect(await complete('service/')).to.deep.equal(['service/policy-backend']);
    expect(await complete('validating/policy/p')).to.deep.equal(['validating/policy/policy.example.com']);
  });
});
