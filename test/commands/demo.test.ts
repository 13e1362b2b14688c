import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { inProcess } from '../support/in-process.ts';
import { plugin } from '../support/plugin.ts';
import { hasTmux, inTerminal } from '../support/tmux.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** Joins lines that were wrapped at the width of the terminal. */
const unwrapped = (text: string): string => text.replace(/\s+/g, ' ');

/** failurePolicy of all admission webhooks, as list reads them. */
async function policies(kubeconfig: string): Promise<readonly string[]> {
  const { stdout } = await inProcess(['list', '-o', 'json', '--kubeconfig', kubeconfig]);
  return (JSON.parse(stdout) as { items: { failurePolicy: string }[] }).items.map(
    (item) => item.failurePolicy,
  );
}

describe('kubectl webhook demo', () => {
  it('shows several broken webhooks with their causes, and ends with 0', async () => {
    const { code, stdout, stderr } = await plugin(['demo', '--details']);
    expect(stdout.match(/^✖ failing +\S+/gm)).to.have.length.at.least(8);
    expect(stdout.match(/^✖ FAILING +\S+\/\S+/gm)).to.have.length.at.least(8);
    expect(unwrapped(stdout))
      .to.include('service "order-policy-webhook" not found')
      .and.include('error: --cluster-name must be set')
      .and.include('exceeded quota: frozen')
      .and.include('(Lease gangs/gang-controller), listens on')
      .and.include('while trying to verify candidate authority certificate')
      .and.include('connect: no route to host');
    expect(stderr).to.match(/^An embedded cluster with \d+ scenarios/);
    expect(code).to.equal(0);
  });

  it('prints one JSON document, with healthy callouts beside the broken ones', async () => {
    const { code, stdout } = await inProcess(['demo', '-o', 'json']);
    const { summary, callouts } = JSON.parse(stdout) as DoctorReport;
    expect(summary.callouts.failing).to.be.at.least(8);
    expect(summary.callouts.healthy).to.be.at.least(5);
    expect(summary.callouts.unknown).to.equal(0);
    expect(new Set(callouts.map(({ kind }) => kind)).size).to.equal(4);
    expect(code).to.equal(0);
  });

  it('prints the named scenario', async () => {
    const { code, stdout, stderr } = await inProcess(['demo', 'orphaned-after-uninstall', '-o', 'json']);
    expect(stderr).to.match(/^A Helm release was uninstalled\. /);
    expect((JSON.parse(stdout) as DoctorReport).summary.callouts.total).to.equal(1);
    expect(code).to.equal(0);
  });

  it('lists its scenarios', async () => {
    const { code, stdout } = await inProcess(['demo', '--list']);
    expect(stdout.split('\n')).to.have.length.at.least(40);
    expect(stdout).to.match(/^crash-loop +The new version/m);
    expect(code).to.equal(0);
  });

  it('refuses an unknown scenario, and suggests similar names', async () => {
    const { code, stdout, stderr } = await inProcess(['demo', 'crash']);
    expect(stderr).to.match(/there is no scenario "crash"\n.*crash-loop, one-of-two-crashes/);
    expect(stdout).to.equal('');
    expect(code).to.equal(2);
  });

  it('keeps running with --keep until Ctrl-C, accepts the printed commands, and leaves nothing behind', async () => {
    const child = spawn(program, ['demo', 'selector-matches-no-pod', '--keep', '-o', 'name'], {
      timeout: 900_000,
    });
    try {
      let told = '';
      for await (const chunk of child.stderr) {
        told += String(chunk);
        if (/ changes\n$/.test(told)) break;
      }
      const kubeconfig = /export KUBECONFIG=(\S+)/.exec(told)?.[1] ?? '';
      const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-demo-test-'));
      const env = { KUBECONFIG: kubeconfig, XDG_STATE_HOME: state };
      const run = (line: string) => inProcess(line.split(' '), env);
      const runProgram = (line: string) => plugin(line.split(' '), env);
      const lines = [...told.matchAll(/^ {2}kubectl webhook (.*)$/gm)].map(([, line = '']) => line);
      expect(lines.map((line) => line.split(' ')[0])).to.deep.equal([
        ...['doctor', 'failopen', 'undo', 'fix', 'changes'],
      ]);
      const [doctor = '', failopen = '', undo = '', fix = '', changes = ''] = lines;
      expect((await run(doctor)).code).to.equal(1);
      expect((await runProgram(`${failopen} --yes`)).code).to.equal(0);
      expect(await policies(kubeconfig)).to.deep.equal(['Ignore']);
      expect((await runProgram(`${undo} --yes`)).code).to.equal(0);
      expect(await policies(kubeconfig)).to.deep.equal(['Fail']);
      const fixed = await run(`${fix} --yes`);
      expect(fixed.code, fixed.stderr).to.equal(0);
      expect(unwrapped(fixed.stdout)).to.include('will succeed');
      expect((await runProgram(changes)).stdout).to.match(/✔ changed · Service billing\/billing-policy/);
      expect((await run('doctor')).code).to.equal(0);
      const closed = once(child, 'exit');
      child.kill('SIGINT');
      expect(await closed).to.deep.equal([0, null]);
      expect(existsSync(kubeconfig)).to.equal(false);
      rmSync(state, { recursive: true });
    } finally {
      child.kill('SIGKILL');
    }
  }).timeout(900_000);

  const tour = hasTmux() ? it : it.skip;
  tour('has a tour, one key a step, that ends where it began: with a webhook that works', async () => {
    const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-tour-'));
    const terminal = await inTerminal([program, 'demo', '--tour'], { XDG_STATE_HOME: state });
    try {
      for (const [step, line] of [
        '$ kubectl -n payments patch service policy',
        '$ kubectl webhook doctor',
        '$ kubectl webhook failopen payments-policy',
        '$ kubectl webhook fix selector-matches-no-pod',
        '$ kubectl webhook undo payments-policy',
      ].entries()) {
        const seen = await terminal.shows(new RegExp(`^${step + 1} of 5[^$]*^\\$ `, 'm'));
        // Printed, and not yet run.
        expect(seen.trimEnd().split('\n').slice(-2).join(' ')).to.include(line.slice(0, 30));
        await terminal.press('Space');
      }
      const whole = await terminal.shows(/It works again/);
      expect(unwrapped(whole))
        .to.include('selects tier=webhook, but Pods of Deployment policy have tier=admission')
        .and.include('Undo the fail-open');
      expect(await terminal.ended()).to.equal(0);
    } finally {
      await terminal.close();
      rmSync(state, { recursive: true });
    }
  }).timeout(900_000);
});
