import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Parser } from '@oclif/core';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { commandTable } from '../../src/cli/command-table.ts';
import { plugin } from '../support/plugin.ts';

const root = join(import.meta.dirname, '..', '..');

const pages = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/** Words of a line as a shell splits them, without what pipes, redirects and comments add. */
const wordsOf = (line: string): readonly string[] =>
  line
    .replace(/\s+(#|\||>|&&|;).*$/, '')
    .split(/\s+/)
    .map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
    .filter((word) => word !== '');

/** Everything behind `kubectl webhook` in backticks, and in lines of their own. */
function commandLines(text: string): readonly string[] {
  const inText = [...text.matchAll(/`kubectl webhook ([^`\n]+)`/g)];
  const alone = [...text.matchAll(/^(?:\$ |PATH=\S+ | +)?kubectl webhook (.+)$/gm)];
  return [...inText, ...alone].map(([, line = '']) => line.trim());
}

const lines = [join(root, 'README.md'), join(root, 'CONTRIBUTING.md'), ...pages(join(root, 'docs'))].flatMap(
  (file) =>
    commandLines(readFileSync(file, 'utf8')).map((line) => ({
      file: relative(root, file),
      words: wordsOf(line),
    })),
);

/** Throws in the words of the program when a flag or an argument does not exist. */
async function accepts(words: readonly string[]): Promise<void> {
  const [name = '', ...argv] = words;
  const entry = commandTable.find((one) => one.name === name);
  if (entry === undefined) {
    if (name === '--version' || name === '--help' || name === 'COMMAND' || name === 'help') return;
    throw new Error(`there is no command ${name}`);
  }
  // A command that is only named, or a flag of it, is no line to run.
  if (argv.length === 0 || argv.includes('--help')) return;
  const { default: command } = await entry.load();
  const { flags = {}, args = {}, strict } = command;
  const [only = ''] = argv;
  if (argv.length === 1 && only.startsWith('--') && only.slice(2) in flags) return;
  await Parser.parse([...argv], { flags, args, strict, context: undefined as never });
}

const told = [...new Map(lines.map((line) => [line.words.join(' '), line])).values()];

describe('command lines in the documentation', () => {
  it('are there', () => expect(told.length).to.be.greaterThan(40));

  it('name commands, flags and arguments that exist', async () => {
    const wrong: string[] = [];
    for (const { file, words } of told) {
      await accepts(words).catch((error: Error) =>
        wrong.push(`${file}: ${words.join(' ')}: ${error.message}`),
      );
    }
    expect(wrong).to.deep.equal([]);
  });

  // Placeholders are upper case; the rest needs no cluster.
  const alone = told.filter(
    ({ words }) =>
      (words[0] === 'checks' ||
        (words[0] === 'rbac' && (words.includes('cert-check') || words.includes('connect')))) &&
      !words.some((word) => /^[A-Z_]+$/.test(word)),
  );
  for (const { file, words } of alone.filter(({ file }) => !file.startsWith('docs/checks/'))) {
    it(`runs: kubectl webhook ${words.join(' ')} (${file})`, async () => {
      const { code, stderr } = await plugin(words);
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

  it('runs a command that exists, as that ServiceAccount', async () => {
    const { spec } = objects.find(({ kind }) => kind === 'CronJob').spec.jobTemplate.spec.template;
    expect(spec.serviceAccountName).to.equal('webhook-check');
    await accepts(spec.containers[0].args);
  });

  it('has a workflow whose steps exist', async () => {
    const workflow = parse(readFileSync(join(root, 'docs/examples/cert-check.workflow.yaml'), 'utf8'));
    const runs = workflow.jobs['cert-check'].steps.flatMap(({ run = '' }: { run?: string }) =>
      commandLines(run),
    );
    expect(runs).to.have.length(1);
    for (const line of runs) await accepts(wordsOf(line));
  });
});
