import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { commandTable } from '../../src/cli/command-table.ts';
import { plugin } from '../support/plugin.ts';

const file = new URL('../../README.md', import.meta.url).pathname;
const example = /(<!-- example: (?<command>.*) -->\n```\n)(?<printed>[\s\S]*?)(```\n<!-- \/example -->)/;

/** Seconds of the run and ports of loopback differ from run to run. */
const steady = (text: string): string =>
  text.replace(/ +\d+\.\d s$/gm, '').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');

describe('README', () => {
  it('shows what the command prints (UPDATE=1 refreshes it)', async () => {
    const readme = readFileSync(file, 'utf8');
    const { command = '', printed = '' } = example.exec(readme)?.groups ?? {};
    const { stdout, code } = await plugin(command.split(' '), { COLUMNS: '100' });
    expect(code).to.equal(0);
    const now = `$ kubectl webhook ${command}\n${stdout}`;
    if (process.env.UPDATE)
      writeFileSync(
        file,
        readme.replace(example, (_, start, __, ___, end) => `${start}${now}${end}`),
      );
    else expect(steady(printed)).to.equal(steady(now));
  });

  it('names every command', () => {
    const text = readFileSync(file, 'utf8');
    const names = commandTable
      .map(({ name }) => name)
      .filter((name) => !['version', 'options'].includes(name));
    expect(names.filter((name) => !new RegExp(`(?:webhook |\`)${name}\\b`).test(text))).to.be.empty;
  });

  it('starts with the two lines of the set-up', () => {
    const [, block = ''] = /```\n([\s\S]*?)```/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(
      block
        .trim()
        .split('\n')
        .map((line) => line.replace(/\s*#.*/, '')),
    ).to.deep.equal(['npm ci && npm run demo', 'npm cit']);
  });
});
