import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { plugin } from '../support/plugin.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** Lines end where the terminal's width wants it. */
const unwrapped = (text: string): string => text.replace(/\s+/g, ' ');

describe('kubectl webhook demo', () => {
  it('shows several broken webhooks with their causes, and ends with 0', async () => {
    const { code, stdout, stderr } = await plugin(['demo', '--details']);
    expect(stdout.match(/^✖ failing +\S+/gm)).to.have.length.at.least(8);
    expect(stdout.match(/^✖ FAILING +\S+\/\S+/gm)).to.have.length.at.least(8);
    expect(unwrapped(stdout))
      .to.include('service "order-policy-webhook" not found')
      .and.include('error: --cluster-name must be set')
      .and.include('exceeded quota: frozen')
      .and.include('the holder of Lease gangs/gang-controller, listens')
      .and.include('while trying to verify candidate authority certificate')
      .and.include('connect: no route to host');
    expect(stderr).to.match(/^An embedded cluster with \d+ set-ups/);
    expect(code).to.equal(0);
  });

  it('prints one JSON document, with sound callouts beside the broken ones', async () => {
    const { code, stdout } = await plugin(['demo', '-o', 'json']);
    const { summary, callouts } = JSON.parse(stdout) as DoctorReport;
    expect(summary.callouts.failing).to.be.at.least(8);
    expect(summary.callouts.healthy).to.be.at.least(5);
    expect(summary.callouts.unknown).to.equal(0);
    expect(new Set(callouts.map(({ kind }) => kind)).size).to.equal(4);
    expect(code).to.equal(0);
  });

  it('tells the story of the scenario that is named', async () => {
    const { code, stdout, stderr } = await plugin(['demo', 'orphaned-after-uninstall', '-o', 'json']);
    expect(stderr).to.match(/^A Helm release was uninstalled\. /);
    expect((JSON.parse(stdout) as DoctorReport).summary.callouts.total).to.equal(1);
    expect(code).to.equal(0);
  });

  it('lists its scenarios', async () => {
    const { code, stdout } = await plugin(['demo', '--list']);
    expect(stdout.split('\n')).to.have.length.at.least(40);
    expect(stdout).to.match(/^crash-loop +The new version/m);
    expect(code).to.equal(0);
  });

  it('refuses a scenario that it does not know, and names those that come near', async () => {
    const { code, stdout, stderr } = await plugin(['demo', 'crash']);
    expect(stderr).to.match(/there is no scenario "crash"\n.*crash-loop, one-of-two-crashes/);
    expect(stdout).to.equal('');
    expect(code).to.equal(2);
  });

  it('stays up with --keep until Ctrl-C, and leaves nothing behind', async () => {
    const child = spawn(program, ['demo', 'service-missing', '--keep', '-o', 'name'], { timeout: 25_000 });
    try {
      let told = '';
      for await (const chunk of child.stderr) {
        told += String(chunk);
        if (told.includes('get validatingwebhookconfigurations')) break;
      }
      const kubeconfig = /--kubeconfig (\S+)/.exec(told)?.[1] ?? '';
      const { code, stdout } = await plugin(['doctor', '--kubeconfig', kubeconfig]);
      expect(unwrapped(stdout)).to.include('service "order-policy-webhook" not found');
      expect(code).to.equal(1);
      const closed = once(child, 'exit');
      child.kill('SIGINT');
      expect(await closed).to.deep.equal([0, null]);
      expect(existsSync(kubeconfig)).to.equal(false);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
