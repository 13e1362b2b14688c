import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { inProcess } from '../support/in-process.ts';
import { plugin } from '../support/plugin.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../docs/schema/scan-report.schema.json', import.meta.url), 'utf8'),
);
const ajv = new Ajv2020({ allErrors: true, strictRequired: false });
formats.default(ajv);
const validate = ajv.compile(schema);

const folder = mkdtempSync(join(tmpdir(), 'scan-'));
const write = (name: string, content: string | Buffer): string => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};
const line =
  'W0228 10:00:00.123456 12 dispatcher.go:217] Failed calling webhook, failing open \u001b[31ma.example.com: failed calling webhook "\u001b[31ma.example.com": failed to call webhook: Post "https://a.shop.svc:443/?timeout=3s": EOF\n';
const scan = (...args: string[]) => inProcess(['scan', ...args]);

describe('kubectl webhook scan', () => {
  it('prints what failed, without control characters, and ends with 1', async () => {
    const { code, stdout, stderr } = await plugin(['scan', write('a.log', line.repeat(3)), '--no-cluster']);
    expect(stdout).to.include('3 calls failed, 3 admitted unchecked, 0 denied').and.not.include('\u001b');
    expect(stderr).to.equal('');
    expect(code).to.equal(1);
  });

  for (const [name, content] of [
    ['plain', Buffer.from(line)],
    ['packed', gzipSync(line)],
    ['packed in two parts', Buffer.concat([gzipSync(line), gzipSync('nothing\n')])],
  ] as const)
    it(`prints one JSON document of a ${name} file`, async () => {
      const { code, stdout } = await scan(
        write(name.replaceAll(' ', '-'), content),
        '--no-cluster',
        '-o',
        'json',
      );
      const report = JSON.parse(stdout);
      expect(validate(report), JSON.stringify(validate.errors)).to.equal(true);
      expect(report.summary).to.deep.include({ failures: 1, failedOpen: 1, denials: 0 });
      expect(report.source).to.not.have.property('brokenOff');
      expect(code).to.equal(1);
    });

  it('reads the readable part of a truncated gzip file', async () => {
    // Random text, so that the compressed file is long.
    const noise = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('\n');
    const packed = gzipSync(`${line}${noise}`);
    const { stdout } = await scan(
      write('cut.gz', packed.subarray(0, packed.length - 1_000)),
      '--no-cluster',
      '-o',
      'json',
    );
    const report = JSON.parse(stdout);
    expect(report.summary.failures).to.equal(1);
    expect(report.source.brokenOff).to.be.a('string');
  });

  it('ends with 0 if nothing failed', async () => {
    const { code, stdout } = await scan(
      write('quiet.log', '2026-02-28T10:00:00Z all is well\n'),
      '--no-cluster',
    );
    expect(stdout).to.include('No failed webhook call');
    expect(code).to.equal(0);
  });

  it('handles a text that is not a log like explain: 1 for a known text, 3 for any other', async () => {
    const known = await scan(
      write('known.txt', 'Error: x509: certificate signed by unknown authority\n'),
      '--no-cluster',
    );
    expect(known.stdout).to.include('Means').and.include('stale-ca-bundle');
    expect(known.code).to.equal(1);
    const other = await scan(write('other.txt', 'all is well\n'), '--no-cluster', '-o', 'json');
    const report = JSON.parse(other.stdout);
    expect(validate(report), JSON.stringify(validate.errors)).to.equal(true);
    expect(report.source.kind).to.equal('text');
    expect(other.code).to.equal(3);
    const { stdout } = await scan(write('other.txt', 'all is well\n'), '--no-cluster');
    expect(stdout).to.include('No known webhook error in this text.');
  });

  it('ends with 3 if nothing failed in a part, or the input is empty', async () => {
    const cut = gzipSync('all is well\n').subarray(0, -4);
    for (const [name, content, words] of [
      ['cut-quiet.gz', cut, 'The input is truncated'],
      ['empty.log', '', 'The input is empty.'],
    ] as const) {
      const { code, stdout } = await scan(write(name, content), '--no-cluster');
      expect(stdout).to.include(words);
      expect(code).to.equal(3);
    }
  });

  it('does not wait for input after an interruption', async () => {
    const waiting = `import { scan } from './src/workflows/scan/scan.ts';
      const interruption = new AbortController();
      setTimeout(() => interruption.abort(), 10);
      const { signal } = interruption;
      console.log((await scan({ source: '-', now: new Date(), signal })).source.brokenOff);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', waiting], {
      cwd: new URL('../..', import.meta.url),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      expect(await text(child.stdout)).to.equal('it was interrupted\n');
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('prints why it read no cluster, and keeps its exit code', async () => {
    const { code, stdout } = await scan(write('b.log', line), '--server', 'https://127.0.0.1:1');
    expect(stdout).to.include('The cluster was not examined');
    expect(code).to.equal(1);
  });

  it('refuses a file that does not exist, and a directory', async () => {
    for (const [file, words] of [
      [join(folder, 'nowhere'), 'no such file'],
      [folder, 'it is a directory'],
    ] as const) {
      const { code, stdout, stderr } = await scan(file);
      expect(stderr).to.include(words);
      expect(stdout).to.equal('');
      expect(code).to.equal(2);
    }
  });
});
