import { execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { plugin } from '../support/plugin.ts';

const hour = 3600;
const folderIn = (cache: string): string => join(cache, 'kubectl-webhook', 'compiled', 'commands');

describe('compiled code that is cached between runs', () => {
  /** The folder after one run of `options`, which starts fast; each case starts with a copy. */
  let filled: string;
  let cache: string;
  let folder: string;
  let first: string;
  let printed: string;

  const make = (): string => mkdtempSync(join(tmpdir(), 'kubectl-webhook-kept-'));
  const run = async (...words: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await plugin(words, { XDG_CACHE_HOME: cache });
    expect({ code, stderr }).deep.equal({ code: 0, stderr: '' });
    printed = stdout;
  };
  /** The one file that is stored for `options`. */
  const kept = (): string => {
    const files = readdirSync(folder).filter((name) => name.startsWith('options-'));
    expect(files).lengthOf(1);
    return join(folder, files[0] ?? '');
  };
  /** Whole seconds since 1970, which a file system stores exactly. */
  const ago = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;
  const writtenAt = (file: string): number => statSync(file).mtimeMs / 1000;

  before(async () => {
    filled = cache = make();
    await run('options');
    first = printed;
  });
  after(() => rmSync(filled, { recursive: true }));
  beforeEach(() => {
    cache = make();
    cpSync(filled, cache, { recursive: true });
    folder = folderIn(cache);
  });
  afterEach(() => rmSync(cache, { recursive: true }));

  it('is readable by its user only, and is used', async () => {
    const file = kept();
    expect(statSync(file).mode & 0o777).equal(0o600);
    expect(statSync(folderIn(filled)).mode & 0o777).equal(0o700);
    const before = ago(hour / 2);
    utimesSync(file, before, before);
    await run('options');
    expect(printed).equal(first);
    expect(writtenAt(kept()), 'V8 took it: it is not written anew').equal(before);
  });

  it('is written again after an hour, and deleted if it is not used', async () => {
    const unused = join(folder, 'soak-v20.0.0-x64-0');
    writeFileSync(unused, '');
    for (const file of [kept(), unused]) utimesSync(file, ago(31 * 24 * hour), ago(31 * 24 * hour));
    await run('options');
    expect(writtenAt(kept())).greaterThan(ago(hour));
    expect(existsSync(unused)).equal(false);
  });

  for (const [what, damaged] of [
    ['with another byte in it', (whole: Buffer) => whole.fill(0x41, whole.length / 2, whole.length / 2 + 64)],
    ['that ends early', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    ['that is empty', () => Buffer.alloc(0)],
  ] as const) {
    it(`a file ${what} is replaced`, async () => {
      const file = kept();
      const whole = readFileSync(file);
      writeFileSync(file, damaged(Buffer.from(whole)));
      await run('options');
      expect(printed).equal(first);
      expect(readFileSync(kept()).length).greaterThan(whole.length / 2 + 1);
    });
  }

  it('is not read through a symbolic link', async () => {
    const file = kept();
    const elsewhere = join(cache, 'elsewhere');
    writeFileSync(elsewhere, readFileSync(file));
    rmSync(file);
    symlinkSync(elsewhere, file);
    await run('options');
    expect(readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isFile())).deep.equal([]);
    expect(kept()).equal(file);
  });

  it('does not wait for a writer of a pipe', async () => {
    const file = kept();
    rmSync(file);
    execFileSync('mkfifo', [file]);
    await run('options');
    expect(statSync(kept()).isFile()).equal(true);
  });

  it('is not left half-written', async () => {
    const file = kept();
    rmSync(file);
    mkdirSync(file);
    await run('options');
    expect(readdirSync(folder)).deep.equal([basename(file)]);
  });

  it('is not stored for help, the version and refused command lines', async () => {
    rmSync(folder, { recursive: true });
    await run('--version');
    await run('doctor', '--help');
    for (const refused of [['doctr'], ['checks', '--no-such-flag']])
      expect((await plugin(refused, { XDG_CACHE_HOME: cache })).code).equal(2);
    expect(existsSync(folder)).equal(false);
  });

  it('is not stored in a relative path', async () => {
    for (const env of [{ XDG_CACHE_HOME: 'cache' }, { XDG_CACHE_HOME: '' }]) {
      const cwd = mkdtempSync(join(cache, 'cwd-'));
      expect((await plugin(['options'], { HOME: '', ...env }, cwd)).code).equal(0);
      expect(readdirSync(cwd)).deep.equal([]);
    }
  });

  it('is not stored in the home of another user', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const home = mkdtempSync(join(cache, 'home-'));
    chownSync(home, 12345, 12345);
    for (const words of [['options'], ['options', '--help']])
      expect((await plugin(words, { XDG_CACHE_HOME: '', HOME: home })).code).equal(0);
    expect(readdirSync(home)).deep.equal([]);
  });

  for (const place of ['/dev/null', '/proc/cache'])
    it(`is optional: a path that cannot be written is no error: ${place}`, async () => {
      const { code, stdout, stderr } = await plugin(['options'], { XDG_CACHE_HOME: place });
      expect({ code, stderr }).deep.equal({ code: 0, stderr: '' });
      expect(stdout).equal(first);
    });
});
