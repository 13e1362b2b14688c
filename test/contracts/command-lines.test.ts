import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { commandTable } from '../../src/cli/command-table.ts';
import { accepts } from '../support/accepted-line.ts';
import { inProcess } from '../support/in-process.ts';
import { plugin } from '../support/plugin.ts';
import { hasPlaceholder, told } from '../support/told-lines.ts';

const root = join(import.meta.dirname, '..', '..');

describe('command lines in the documentation', () => {
  it('exist', () => expect(told.length).to.be.greaterThan(40));

  it('name commands, flags and arguments that exist', async () => {
    const wrong: string[] = [];
    for (const { file, words } of told) {
      await accepts(words).catch((error: Error) =>
        wrong.push(`${file}: ${words.join(' ')}: ${error.message}`),
      );
    }
    expect(wrong).to.deep.equal([]);
  });

  it('name in SKILL.md every command', () => {
    const skill = readFileSync(join(root, 'SKILL.md'), 'utf8');
    const missing = commandTable.filter(({ name }) => !new RegExp(`(?<=webhook |\`)${name}\\b`).test(skill));
    expect(missing.map(({ name }) => name)).to.deep.equal([]);
  });

  // The suite of real clusters runs the others.
  const alone = told.filter(
    (line) =>
      (line.words[0] === 'checks' ||
        (line.words[0] === 'rbac' &&
          (line.words.includes('cert-check') || line.words.includes('connect')))) &&
      !hasPlaceholder(line),
  );
  for (const { file, words } of alone.filter(({ file }) => !file.startsWith('docs/checks/'))) {
    it(`runs: kubectl webhook ${words.join(' ')} (${file})`, async () => {
      const { code, stderr } = await inProcess(words);
      expect(stderr).to.equal('');
      expect(code).to.equal(0);
    });
  }
});

describe('docs/examples', () => {
  const cronJob = readFileSync(join(root, 'docs/examples/cert-check-cronjob.yaml'), 'utf8');
  const objects = parseAllDocuments(cronJob).map((document) => document.toJS());

  it('has the role that the program prints', async () => {
    const { stdout } = await plugin(
      'rbac cert-check --serviceaccount webhook-check:webhook-check -o json'.split(' '),
    );
    const roles = objects.filter(({ apiVersion }) => apiVersion === 'rbac.authorization.k8s.io/v1');
    expect(roles).to.deep.equal(JSON.parse(stdout).items);
  });

  it('runs an existing command, as that ServiceAccount', async () => {
    const { spec } = objects.find(({ kind }) => kind === 'CronJob').spec.jobTemplate.spec.template;
    expect(spec.serviceAccountName).to.equal('webhook-check');
    await accepts(spec.containers[0].args);
  });
});
