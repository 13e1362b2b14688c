import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { homebrewFormula } from '../../scripts/release/homebrew-formula.ts';
import { archiveName, platforms } from '../../scripts/release/platforms.ts';
import { about } from '../../scripts/release/project.ts';
import { plugin } from '../support/plugin.ts';

const released = platforms.map((platform, at) => ({ platform, sha256: String(at).repeat(64) }));
const formula = homebrewFormula(released);

describe('the Homebrew formula', () => {
  it('has address and hash of each archive that Homebrew can install, under its platform', () => {
    const wanted = released.filter(({ platform }) => platform.os !== 'windows');
    for (const { platform, sha256 } of wanted) {
      const os = platform.os === 'darwin' ? 'on_macos' : 'on_linux';
      const processor = platform.arch === 'arm64' ? 'on_arm' : 'on_intel';
      const address = `/releases/download/v${about.version}/${archiveName(platform)}`;
      const block = formula.split(/^ {2}(?=on_\w+ do$)/m).find((text) => text.startsWith(`${os} do`));
      const inner = block?.split(/^ {4}(?=on_\w+ do$)/m).find((text) => text.startsWith(`${processor} do`));
      expect(inner).to.contain(`${address}"`).and.contain(`sha256 "${sha256}"`);
    }
    expect(formula.match(/^ +url /gm)).to.have.length(wanted.length);
  });

  it('balances its blocks', () => {
    const opened = formula.match(/^ *(class|def) |\bdo$/gm);
    expect(formula.match(/^ *end$/gm)).to.have.length(opened?.length ?? 0);
  });

  it('installs the completion by an existing command', async () => {
    const line = /^ +system bin\/"kubectl-webhook", (.*), bin$/m.exec(formula)?.[1] ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-brew-'));
    const path = `${folder}${delimiter}${process.env.PATH ?? ''}`;
    const { code, stderr } = await plugin([...JSON.parse(`[${line}]`), folder], { PATH: path });
    expect(code, stderr).to.equal(0);
    const completion = join(folder, 'kubectl_complete-webhook');
    expect(existsSync(completion) && (statSync(completion).mode & 0o111) !== 0).to.equal(true);
  });
});
