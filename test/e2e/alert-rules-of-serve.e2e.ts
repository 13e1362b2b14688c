import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveMetrics } from '../../src/serve/metrics.ts';
import { newRecord } from '../../src/serve/record.ts';
import { promtool } from '../cluster/promtool.ts';
import { run } from '../cluster/run-command.ts';
import { fileWith } from '../support/plugin.ts';

const rules = join(import.meta.dirname, '../../charts/kubectl-webhook/files/rules.yaml');

describe('alerts over the metrics of serve', function () {
  this.timeout(1_800_000);

  it('fire and end', async () => {
    const cases = readFileSync(join(import.meta.dirname, 'serve-rules.cases.yaml'), 'utf8');
    const tests = fileWith(cases.replace('rules.yaml', rules), 'tests.yaml');
    await run(await promtool(), ['check', 'rules', rules]);
    await run(await promtool(), ['test', 'rules', tests]);
  });

  it('name metrics that exist', () => {
    const use = { residentBytes: 0, cpuSeconds: 0, startedAt: 0 };
    const names = serveMetrics(newRecord(), use, '0').map(({ name }) => name);
    const used = readFileSync(rules, 'utf8').match(/kubectl_webhook_\w+/g) ?? [];
    expect(used).to.have.length.greaterThan(5);
    for (const name of used) expect(names).to.include(name.replace(/_total$/, ''));
  });
});
