import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { tarGz } from '../../scripts/release/archive.ts';
import { writeChecksums } from '../../scripts/release/checksums.ts';
import { archiveName, platforms } from '../../scripts/release/platforms.ts';

const root = join(import.meta.dirname, '../..');
const script = join(root, 'scripts/release/sign-macos.sh');
const names = ['kubectl-webhook', 'LICENSE', 'bill-of-materials.cdx.json'];

/** Apple's programs, as far as the script sees them: the signature is a line at the end of the program. */
const fakes = (status: string): Readonly<Record<string, string>> => ({
  codesign: `for last; do :; done
[ "$1" = --verify ] && exec grep -q signed "$last"
case " $* " in *" --options runtime --timestamp --entitlements "*) echo "signed by $MACOS_IDENTITY" >>"$last" ;; esac`,
  ditto: 'cp "$3" "$4"',
  xcrun: `[ "$1 $2" = "notarytool submit" ] && grep -q signed "$3" && echo "  status: ${status}"`,
});

async function archives(): Promise<string> {
  const dist = mkdtempSync(join(tmpdir(), 'kubectl-webhook-sign-'));
  for (const platform of platforms) {
    const files = names.map((name, at) => ({
      name,
      content: Buffer.from(`${archiveName(platform)}: ${name}\n`),
      executable: at === 0,
    }));
    writeFileSync(join(dist, archiveName(platform)), await tarGz(files));
  }
  return dist;
}

function sign(dist: string, status: string) {
  const bin = mkdtempSync(join(tmpdir(), 'kubectl-webhook-apple-'));
  for (const [name, text] of Object.entries(fakes(status))) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const { PATH = '' } = process.env;
  const env = {
    PATH: `${bin}:${PATH}`,
    MACOS_IDENTITY: 'Developer ID Application: Test',
    NOTARY_KEY: '/nothing',
    NOTARY_KEY_ID: 'id',
    NOTARY_ISSUER: 'issuer',
  };
  return spawnSync(script, [dist], { env, encoding: 'utf8' });
}

const contentOf = (dist: string) =>
  Object.fromEntries(platforms.map((one) => [archiveName(one), readFileSync(join(dist, archiveName(one)))]));

describe('the signature for macOS', function () {
  this.timeout(30_000);
  before(function () {
    if (process.platform === 'win32' || !existsSync('/bin/bash')) this.skip();
  });

  it('is in the archives for macOS, which keep their files, and in no other', async () => {
    const dist = await archives();
    const before = contentOf(dist);
    const { status, stderr } = sign(dist, 'Accepted');
    expect(status, stderr).to.equal(0);
    for (const platform of platforms) {
      const name = archiveName(platform);
      const now = readFileSync(join(dist, name));
      if (platform.os !== 'darwin') {
        expect(now.equals(before[name] ?? Buffer.alloc(0)), name).to.equal(true);
        continue;
      }
      const tar = (...args: readonly string[]) =>
        execFileSync('tar', [...args, join(dist, name)], { encoding: 'utf8' });
      expect(tar('-tzf').trimEnd().split('\n')).to.deep.equal(names);
      expect(tar('-tvzf')).to.match(/^-rwxr-xr-x .* kubectl-webhook$/m);
      expect(tar('-xOzf')).to.contain('signed by Developer ID Application: Test');
    }
    writeChecksums(dist, join(dist, 'krew-manifest.yaml'));
    const sums = readFileSync(join(dist, 'sha256sums.txt'), 'utf8').trimEnd().split('\n');
    const wanted = Object.entries(contentOf(dist)).map(
      ([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}`,
    );
    expect(sums).to.have.members(wanted);
    for (const line of wanted.filter((one) => one.includes('darwin')))
      for (const file of ['krew-manifest.yaml', 'kubectl-webhook.rb'])
        expect(readFileSync(join(dist, file), 'utf8')).to.contain(line.split(' ')[0]);
  });

  it('ends the release if Apple refuses the program', async () => {
    const dist = await archives();
    const before = contentOf(dist);
    expect(sign(dist, 'Invalid').status).to.equal(1);
    expect(contentOf(dist)).to.deep.equal(before);
  });
});

describe('the release workflow', () => {
  interface Step {
    readonly run?: string;
    readonly if?: string;
    readonly uses?: string;
    readonly with?: { readonly name?: string };
  }
  interface Job {
    readonly needs?: string | readonly string[];
    readonly if?: string;
    readonly steps: readonly Step[];
  }
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yaml'), 'utf8')) as {
    readonly jobs: Readonly<Record<'build' | 'macos' | 'release', Job>>;
  };
  const at = ({ steps }: Job, wanted: (step: Step) => boolean): number => {
    const found = steps.findIndex(wanted);
    expect(found).to.be.at.least(0);
    return found;
  };
  const runs = (text: string) => (step: Step) => step.run?.includes(text) === true;

  it('signs for macOS only if the repository has a Developer ID, before the checksums', () => {
    const { build, macos, release } = jobs;
    expect(macos).to.include({ needs: 'build', if: "vars.MACOS_SIGNING == 'true'" });
    at(macos, runs('scripts/release/sign-macos.sh dist'));
    expect(build.steps.some(runs('cosign'))).to.equal(false);
    expect(release.needs).to.deep.equal(['build', 'macos']);
    expect(release.if).to.contain('needs.macos.result');
    const signed = at(release, ({ with: { name } = {}, ...step }) => {
      return name === 'signed' && step.if === "needs.macos.result == 'success'";
    });
    const order = [
      at(release, ({ with: { name } = {} }) => name === 'dist'),
      signed,
      at(release, runs('npm run release -- --checksums')),
      at(release, ({ uses }) => uses?.startsWith('actions/attest-build-provenance') === true),
      at(release, runs('cosign sign-blob')),
      at(release, runs('gh release create')),
    ];
    expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
  });

  it('consists of shell that bash can parse', () => {
    for (const { steps } of Object.values(jobs))
      for (const { run } of steps)
        if (run !== undefined)
          expect(spawnSync('bash', ['-n'], { input: run, encoding: 'utf8' }).stderr, run).to.equal('');
  });
});
