import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { waitFor } from '../cluster/wait.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin, startPlugin } from '../support/plugin.ts';

const ajv = new Ajv2020({ allErrors: true, strictRequired: false, strictTypes: false });
formats.default(ajv);
const validate = ajv.compile(
  JSON.parse(readFileSync(new URL('../../docs/schema/soak-report.schema.json', import.meta.url), 'utf8')),
);

describe('kubectl webhook alerts and soak', () => {
  let server: DemoApiServer;
  let kubeconfig: string;
  before(async () => {
    const parts = scenarios.slice(0, 2).flatMap((scenario) => scenario.parts);
    server = await startApiServer(clusterContent(parts, new Date()));
    kubeconfig = fileWith(server.kubeconfig());
  });
  after(() => server.stop());
  const run = (...args: string[]) => inProcess([...args, '--kubeconfig', kubeconfig]);

  it('prints a PrometheusRule, and plain groups', async () => {
    const { code, stdout, stderr } = await plugin([
      'alerts',
      '-n',
      'monitoring',
      '--label',
      'release=x',
      '--kubeconfig',
      kubeconfig,
    ]);
    expect(stderr).to.equal('');
    expect(code).to.equal(0);
    const rule = parse(stdout);
    expect(rule.metadata).to.deep.equal({
      name: 'webhooks',
      namespace: 'monitoring',
      labels: { release: 'x' },
    });
    const plain = parse((await run('alerts', '-o', 'plain')).stdout);
    expect(plain).to.deep.equal(rule.spec);
    expect(plain.groups.length).to.be.greaterThan(0);
  });

  it('prints no rules for a webhook that does not exist', async () => {
    const { code, stdout } = await run('alerts', 'nowhere');
    expect(stdout).to.equal('');
    expect(code).to.equal(2);
  });

  it('refuses values outside the limits, and names that are not webhooks', async () => {
    for (const args of [
      ['x', '--rate', '51'],
      ['x', '--for', '11m'],
      ['nowhere'],
      ['x', '--compare', join(tmpdir(), 'nowhere')],
    ]) {
      const { code, stdout, stderr } = await run('soak', ...args);
      expect(stderr, args.join(' ')).to.match(/^error: /);
      expect(stdout).to.equal('');
      expect(code).to.equal(2);
    }
  });

  it('sends dry runs, counts them, and compares with an earlier run; Ctrl-C ends it with the current numbers', async () => {
    const groups = parse((await run('alerts', '-o', 'plain')).stdout).groups as {
      rules: { labels: Record<string, string> }[];
    }[];
    const validating = groups
      .flatMap(({ rules }) => rules.slice(0, 1))
      .find(({ labels }) => labels.kind === 'validating');
    const { configuration = '', webhook = '' } = validating?.labels ?? expect.fail('no validating webhook');
    const folder = mkdtempSync(join(tmpdir(), 'soak-'));
    const object = join(folder, 'object.yaml');
    writeFileSync(object, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: soak, namespace: default}\n');
    const args = ['soak', `validating/${configuration}/${webhook}`, '-f', object, '--rate', '10'];
    const { stdout, stderr } = await run(...args, '--during', 'exit 3', '-o', 'json');
    expect(stdout, stderr).to.not.equal('');
    const report = JSON.parse(stdout);
    expect(validate(report), JSON.stringify(validate.errors)).to.equal(true);
    expect(report.during.exitCode).to.equal(3);
    expect(report.totals.requests).to.be.within(25, 60);
    const file = join(folder, 'before.json');
    writeFileSync(file, stdout);
    const during = ['--during', 'echo started; exec sleep 60', '--compare', file];
    const running = startPlugin([...args, ...during, '--kubeconfig', kubeconfig]);
    await waitFor('soak to send requests', () => running.written().stderr.includes('started'));
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.stdout).to.include('Interrupted').and.include('now');
    expect(ended.code).to.equal(130);
  });
});
