import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../scripts/bundle.js';
import { about } from '../../scripts/release/project.ts';
import { recordedSteps, steps, transcriptFile, transcriptPage } from '../../scripts/transcript/steps.ts';
import { plugin } from '../support/plugin.ts';

const recorded = recordedSteps();
const printedBy = (line: string): string => recorded.find((one) => one.line === line)?.printed ?? '';

/** Seconds of the run and ports of loopback differ from run to run. */
const steady = (text: string): string =>
  text
    .replace(/ +\d+\.\d s$/gm, '')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/ +$/gm, '')
    .trimEnd();

describe('docs/transcript.md', () => {
  it('is the output of scripts/transcript/record.ts', () => {
    const page = readFileSync(transcriptFile, 'utf8').replaceAll('\r\n', '\n');
    const [, krew = ''] = /, krew (\S+), a\n/.exec(page) ?? [];
    expect(krew).to.match(/^v\d+\.\d+/);
    expect(recorded.map(({ line }) => line)).to.deep.equal(steps.map(({ line }) => line));
    expect(
      transcriptPage(
        krew,
        recorded.map(({ printed }) => printed),
      ),
    ).to.equal(page);
  });

  it('shows this version, and the current output', async () => {
    expect(printedBy('kubectl webhook --version')).to.equal(`kubectl-webhook v${about.version}\n`);
    const line = 'kubectl webhook demo service-port-missing';
    const { stdout, stderr } = await plugin(line.split(' ').slice(2), { COLUMNS: '100' });
    expect(steady(printedBy(line))).to.equal(steady(stderr + stdout));
    const completed = spawnSync(join(root, 'bin', 'kubectl_complete-webhook'), ['cert'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: mkdtempSync(join(tmpdir(), 'kubectl-webhook-home-')) },
    });
    expect(printedBy('kubectl __complete webhook cert 2>/dev/null')).to.equal(completed.stdout);
  });
});
