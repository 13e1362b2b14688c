import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Parser } from '@oclif/core';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { commandTable } from '../../src/cli/command-table.ts';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { compiledCode, fileWith } from '../support/plugin.ts';
import { schemaErrors } from '../support/schema.ts';

const root = join(import.meta.dirname, '..', '..');
const example = (name: string): string => readFileSync(join(root, 'docs', 'examples', name), 'utf8');

type Environment = Readonly<Record<string, string>>;
interface Step {
  readonly name: string;
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Environment;
}

const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
};

describe('examples for pipelines, as the runners run them', function () {
  this.timeout(120_000);
  const servers: DemoApiServer[] = [];
  const kubeconfigs: Record<string, string> = {};
  let tools: string;

  before(async () => {
    for (const slug of ['crash-loop', 'webhook-name-twice', 'stale-ca-bundle']) {
      const parts = scenarios.find((one) => one.slug === slug)?.parts ?? [];
      const server = await startApiServer(clusterContent(parts, new Date()));
      servers.push(server);
      kubeconfigs[slug] = fileWith(server.kubeconfig());
    }
    tools = mkdtempSync(join(tmpdir(), 'kubectl-webhook-tools-'));
    symlinkSync(join(root, 'bin', 'kubectl-webhook'), join(tools, 'kubectl-webhook'));
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  async function bash(script: string, env: Environment, cwd?: string, path = tools) {
    const folders = [path, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd,
      env: {
        PATH: folders.join(delimiter),
        HOME: mkdtempSync(join(tmpdir(), 'home-')),
        XDG_CACHE_HOME: compiledCode,
        LANG: 'C.UTF-8',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.on('close', resolve)),
    ]);
    return { stdout, stderr, code };
  }

  /**
   * Runs the steps one after the other, each with the outputs of earlier ones; stops at the first that fails.
   */
  async function runAction(given: Environment, slug: string) {
    const temp = mkdtempSync(join(tmpdir(), 'runner-'));
    const files = { GITHUB_OUTPUT: 'output', GITHUB_STEP_SUMMARY: 'summary', GITHUB_PATH: 'path' };
    const github = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(temp, file)]));
    for (const file of Object.values(github)) writeFileSync(file, '');
    const outputs = (): Environment =>
      Object.fromEntries(
        readFileSync(join(temp, 'output'), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => line.split(/=(.*)/s).slice(0, 2)),
      );
    const filled = (value: string): string =>
      value.replace(/\$\{\{ (inputs|steps\.report\.outputs)\.([\w-]+) \}\}/g, (_, from, name) =>
        from === 'inputs' ? (given[name] ?? action.inputs[name]?.default ?? '') : (outputs()[name] ?? ''),
      );
    for (const { name, run, env = {} } of action.runs.steps) {
      if (run === undefined) continue;
      const values = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value)]));
      const path = readFileSync(join(temp, 'path'), 'utf8').trim() || tools;
      const { code, stderr } = await bash(
        run,
        { RUNNER_TEMP: temp, KUBECONFIG: kubeconfigs[slug] ?? '', ...github, ...values },
        temp,
        path,
      );
      if (code !== 0) return { failed: name, code, stderr, outputs: outputs(), temp };
    }
    return { outputs: outputs(), temp };
  }

  it('the action installs, runs once, reports, and fails if something fails', async () => {
    const { failed, code, outputs, temp, stderr } = await runAction({ package: root }, 'crash-loop');
    expect([failed, code], stderr).to.deep.equal(['Verdict', 1]);
    expect(outputs['exit-code']).to.equal('1');
    expect(schemaErrors(JSON.parse(readFileSync(outputs.report ?? '', 'utf8')))).to.deep.equal([]);
    expect(JSON.parse(readFileSync(outputs.sarif ?? '', 'utf8')).version).to.equal('2.1.0');
    expect(readFileSync(join(temp, 'summary'), 'utf8')).to.match(/^## Webhooks of demo: 1 failing/);
  });

  it('the action passes if all is well, or if no state should fail it', async () => {
    expect((await runAction({ package: root }, 'webhook-name-twice')).outputs['exit-code']).to.equal('0');
    const never = await runAction({ package: root, 'fail-on': 'never' }, 'crash-loop');
    expect([never.failed, never.outputs['exit-code']]).to.deep.equal([undefined, '0']);
  });

  it('the action treats names as data, not as shell code', async () => {
    const names = '$(touch stolen)\n; false\n--all';
    const { failed, code, stderr, temp } = await runAction({ package: root, webhooks: names }, 'crash-loop');
    expect([failed, code]).to.deep.equal(['Report', 2]);
    expect(stderr).to.contain('$(touch stolen)');
    expect((await bash('ls', {}, temp)).stdout).not.to.contain('stolen');
  });

  it('the action compares certificates', async () => {
    const { outputs, temp } = await runAction(
      { package: root, command: 'cert-check', 'expires-within': '1000y', webhooks: 'payments-policy' },
      'crash-loop',
    );
    expect(outputs['exit-code']).to.equal('1');
    expect(readFileSync(join(temp, 'summary'), 'utf8')).to.contain('payments-policy');
  });

  it('the action checks manifests without a cluster', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    const service = { namespace: 'shop', name: 'policy', path: 'no-slash' };
    const webhooks = [{ name: 'policy', clientConfig: { service }, admissionReviewVersions: ['v1'] }];
    const object = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'policy' },
      webhooks,
    };
    writeFileSync(join(folder, 'policy.json'), JSON.stringify(object));
    const given = { package: root, command: 'lint', files: `${folder}\n`, context: 'nowhere' };
    const { failed, code, outputs, temp, stderr } = await runAction(given, 'crash-loop');
    expect([failed, code], stderr).to.deep.equal(['Verdict', 1]);
    const { runs } = JSON.parse(readFileSync(outputs.sarif ?? '', 'utf8'));
    expect(runs[0].results).to.not.have.lengthOf(0);
    expect(readFileSync(join(temp, 'summary'), 'utf8')).to.contain('policy.json');
    const none = await runAction({ ...given, files: '/no/such/file' }, 'crash-loop');
    expect([none.failed, none.code]).to.deep.equal(['Report', 2]);
  });

  it('the action stops without a cluster', async () => {
    const { failed, code } = await runAction({ package: root, context: 'nowhere' }, 'crash-loop');
    expect([failed, code]).to.deep.equal(['Read the cluster', 2]);
  });

  it('GitLab: a job with an HTML page and JUnit', async () => {
    const { webhooks: job } = parse(example('webhooks.gitlab-ci.yml'));
    const script = (job.script as readonly string[]).filter((line) => !line.startsWith('npm ')).join('\n');
    expect(job.script).to.have.length(script.split('\n').length + 1);
    for (const [slug, expected] of [
      ['crash-loop', 1],
      ['webhook-name-twice', 0],
    ] as const) {
      const folder = mkdtempSync(join(tmpdir(), 'gitlab-'));
      const { code, stderr } = await bash(script, { KUBECONFIG: kubeconfigs[slug] ?? '' }, folder);
      expect(code, stderr).to.equal(expected);
      for (const path of [...job.artifacts.paths, job.artifacts.reports.junit])
        expect(readFileSync(join(folder, path), 'utf8').length, path).to.be.greaterThan(100);
    }
  });

  it('GitHub: a nightly workflow with JUnit', async () => {
    const { steps } = parse(example('cert-check.workflow.yaml')).jobs['cert-check'];
    const { run = '', env = {} } = steps.find(({ env: given }: Step) => given !== undefined) as Step;
    const [secret = ''] = Object.keys(env);
    const folder = mkdtempSync(join(tmpdir(), 'github-'));
    for (const [slug, expected] of [
      ['webhook-name-twice', 0],
      ['stale-ca-bundle', 1],
    ] as const) {
      const runner = { [secret]: readFileSync(kubeconfigs[slug] ?? '', 'utf8'), RUNNER_TEMP: folder };
      const { code, stderr } = await bash(run, runner, folder);
      expect(code, stderr).to.equal(expected);
      expect(readFileSync(join(folder, 'webhooks.xml'), 'utf8')).to.match(/^<\?xml .*<testsuites/s);
    }
  });

  it('Tekton: a task with a result', async () => {
    const { spec } = parse(example('tekton-task.yaml'));
    const [step] = spec.steps;
    const folder = mkdtempSync(join(tmpdir(), 'tekton-'));
    const env = Object.fromEntries(
      step.env.map(({ name, value }: { name: string; value: string }) => [
        name,
        value
          .replace('$(params.fail-on)', spec.params[0].default)
          .replace('$(results.summary.path)', join(folder, 'summary')),
      ]),
    );
    const { code, stderr } = await bash(
      step.script,
      { ...env, KUBECONFIG: kubeconfigs['crash-loop'] ?? '' },
      folder,
    );
    expect(code, stderr).to.equal(1);
    // The maximum content of a result.
    const summary = readFileSync(join(folder, 'summary'), 'utf8');
    expect(summary).to.match(/^Webhooks of demo at /);
    expect(summary.length).to.be.lessThan(4096);
  });

  it('k9s: plugins that are valid by its schema, and whose commands run', async () => {
    const { plugins } = parse(example('k9s-plugins.yaml')) as {
      plugins: Record<
        string,
        { scopes: string[]; command: string; args: string[]; shortCut: string; description: string }
      >;
    };
    for (const [name, { scopes, command, args, shortCut, description }] of Object.entries(plugins)) {
      expect([command, scopes.length > 0, shortCut !== '', description !== ''], name).to.deep.equal([
        'sh',
        true,
        true,
        true,
      ]);
      // As k9s fills them in: it has no "$1", and older versions do not run a command that contains one.
      const values: Environment = { NAME: 'payments-policy', CONTEXT: 'demo' };
      const [flag, script = '', ...words] = args.map((word) =>
        word.replace(/\$(!?[\w-]+)/g, (_, key: string) => {
          expect(Object.keys(values), name).to.include(key);
          return values[key] ?? '';
        }),
      );
      expect(flag).to.equal('-c');
      // In the embedded cluster, the name is that of a webhook configuration.
      const line = script.replace(' | less -R', '');
      const named = words
        .map((word) => `'${word.replace(/^(apiservice|customresourcedefinition)\//, '')}'`)
        .join(' ');
      const shown = await bash(`sh -c "$SCRIPT" ${named} || true`, {
        KUBECONFIG: kubeconfigs['crash-loop'] ?? '',
        SCRIPT: line,
      });
      expect(shown.stdout, shown.stderr).to.contain('payments-policy');
    }
  });

  for (const file of ['argo-cd-wait.yaml', 'helm-test-wait.yaml'])
    it(`${file}: a hook whose command exists, with the minimal permissions`, async () => {
      const objects = parseAllDocuments(example(file)).map((one) => one.toJS());
      const { metadata, spec } = objects.find(({ kind }) => kind === 'Job');
      expect(Object.keys(metadata.annotations).join(' ')).to.match(/argocd.argoproj.io\/hook|helm.sh\/hook/);
      const [{ args, command, securityContext }] = spec.template.spec.containers;
      expect(command).to.deep.equal(['kubectl-webhook']);
      const [name, ...argv] = args;
      const { default: entry } = (await commandTable.find((one) => one.name === name)?.load()) ?? {};
      const { flags, args: names, strict } = entry ?? ({} as never);
      await Parser.parse(argv, { flags, args: names, strict, context: undefined as never });
      expect(securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      // The timeout of the hook is shorter than that of its Job.
      const [, minutes] = /^(\d+)m$/.exec(argv.at(-1) ?? '') ?? [];
      expect(spec.activeDeadlineSeconds).to.be.greaterThan(Number(minutes) * 60);
    });

  it('pre-commit: a hook that lints the repository', async () => {
    const [hook] = parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8'));
    const folder = mkdtempSync(join(tmpdir(), 'commit-'));
    const lint = () => bash([hook.entry, ...hook.args].join(' '), {}, folder);
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n';
    writeFileSync(join(folder, 'namespace.yaml'), namespace);
    expect((await lint()).code).to.equal(0);
    const webhooks =
      '[{name: policy.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {}}]';
    const kind = 'ValidatingWebhookConfiguration';
    writeFileSync(
      join(folder, 'webhook.yaml'),
      `apiVersion: admissionregistration.k8s.io/v1\nkind: ${kind}\nmetadata: {name: policy}\nwebhooks: ${webhooks}\n`,
    );
    const { code, stdout } = await lint();
    expect(code, stdout).to.equal(1);
    expect(stdout).to.contain('webhook.yaml');
  });

  it('krew-release-bot fills in what krew-manifest.yaml says', () => {
    const manifest = parse(readFileSync(join(root, 'krew-manifest.yaml'), 'utf8'));
    const { version } = manifest.spec;
    const filled = readFileSync(join(root, '.krew.yaml'), 'utf8')
      // Its text, whatever stands in front of it (krew-release-bot, source/template.go).
      .replace(/\{\{addURIAndSha "(.+?)" \.TagName \}\}/g, 'uri: $1\n    sha256: filled-in')
      .replaceAll('{{ .TagName }}', version);
    for (const platform of manifest.spec.platforms) platform.sha256 = 'filled-in';
    expect(parse(filled)).to.deep.equal(manifest);
  });
});
