import { expect } from 'chai';
import { parse } from 'yaml';
import { catalogue } from '../../src/checks/catalogue.ts';
import { adviceText } from '../../src/phrases/advice.ts';
import { listChecks } from '../../src/workflows/checks.ts';
import { inProcess } from '../support/in-process.ts';
import { plugin } from '../support/plugin.ts';

const checks = (...argv: string[]) => inProcess(['checks', ...argv], { COLUMNS: '100' });
const ids = catalogue.map(({ meta }) => meta.id);
const fine = { code: 0, stderr: '' };

describe('kubectl webhook checks', () => {
  it('lists every check, with its severity and title, in the order of the chain', async () => {
    const { stdout, ...end } = await plugin(['checks'], { COLUMNS: '100' });
    expect(end).to.deep.equal(fine);
    expect(stdout).to.match(/^ {2}error {4}service-missing +Service does not exist$/m);
    expect([...stdout.matchAll(/^ {2}(?:error|warning|info) +(\S+)/gm)].map(([, id]) => id)).to.have.members(
      ids,
    );
    expect(stdout).to.include(`${ids.length} checks.`);
    expect(stdout.indexOf('\nbackend ')).to.be.greaterThan(stdout.indexOf('routing '));
  });

  it('prints one check completely', async () => {
    const { stdout, ...end } = await checks('service-missing');
    expect(end).to.deep.equal(fine);
    expect(stdout).to.match(/^service-missing · error · routing/);
    for (const part of ['Why', 'What to do', 'Messages', 'Reads']) expect(stdout).to.include(`\n${part}\n`);
    expect(stdout).to.include('Service {service} does not exist');
    expect(stdout).to.match(/the next call fails/);
  });

  it('prints the catalogue as one document, the same in JSON and YAML', async () => {
    const [json, yaml] = [await checks('-o', 'json'), await checks('--output=yaml')];
    const { checks: entries, ...list } = listChecks();
    const printed = {
      ...list,
      checks: entries.map((entry) => ({
        ...entry,
        advice: adviceText(entry.advice),
        messages: entry.messages.map((message) =>
          message.advice === undefined ? message : { ...message, advice: adviceText(message.advice) },
        ),
      })),
    };
    expect(JSON.parse(json.stdout)).to.deep.equal(printed);
    expect(parse(yaml.stdout)).to.deep.equal(printed);
    expect([json.stderr, yaml.stderr]).to.deep.equal(['', '']);
  });

  it('prints one check as one document', async () => {
    expect(JSON.parse((await checks('service-missing', '-o', 'json')).stdout)).to.deep.include({
      ...{ apiVersion: 'kubectl-webhook/v1', kind: 'Check', id: 'service-missing' },
      ...{ link: 'routing', severity: 'error' },
    });
  });

  it('prints ids that --check takes with -o name', async () => {
    expect((await checks('-o', 'name')).stdout.trimEnd().split('\n')).to.deep.equal(ids);
    expect((await checks('service-missing', '-o', 'name')).stdout).to.equal('service-missing\n');
  });

  it('prints with -o wide which checks explain a check', async () => {
    expect((await checks('-o', 'wide')).stdout).to.match(/\(explained\s+by\s+\S/);
    expect((await checks()).stdout).to.not.include('(explained');
  });

  for (const [typed, candidate] of [
    ['service-mising', 'service-missing'],
    ['missing-service', 'service-missing'],
    ['crash', 'replica-crash-looping'],
  ] as const) {
    it(`does not know "${typed}", and suggests ${candidate}`, async () => {
      const { code, stdout, stderr } = await checks(typed);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.include(`there is no check "${typed}"`);
      expect(stderr.split('\n').map((line) => line.trim())).to.include(candidate);
    });
  }

  for (const argv of [['zzzz'], ['service-missing', 'extra'], ['-o', 'xml'], ['--nope']]) {
    it(`ends with 2 and a sentence: checks ${argv.join(' ')}`, async () => {
      const { code, stdout, stderr } = await checks(...argv);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.match(/^error: .+/);
      expect(stderr).to.not.match(/^ +at /m);
    });
  }
});
