import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith } from '../support/plugin.ts';

/** Fail for a webhook whose failure no object shows: its Pods are Ready, and return no review. */
describe('failurePolicy Fail for a webhook that does not respond', () => {
  let server: DemoApiServer;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    const { parts = [] } = scenarios.find(({ slug }) => slug === 'response-empty') ?? {};
    server = await startApiServer(clusterContent(parts, new Date()));
    const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-fail-closed-'));
    env = { KUBECONFIG: fileWith(server.kubeconfig()), XDG_STATE_HOME: state };
    const { code, stderr } = await inProcess(['failopen', 'void-policy', '--yes'], env);
    expect(code, stderr).to.equal(0);
  });
  after(async () => {
    await server.stop();
    rmSync(env.XDG_STATE_HOME ?? '', { recursive: true });
  });

  it('is refused by failclosed', async () => {
    const { code, stdout } = await inProcess(['failclosed', 'void-policy', '--yes'], env);
    expect(stdout).to.match(/refused, nothing was changed[\s\S]*fail now[\s\S]*--i-accept-refused-requests/);
    expect(code).to.equal(1);
  });

  it('is a warning of undo', async () => {
    const { code, stdout, stderr } = await inProcess(['undo', '--yes'], env);
    expect(stderr + stdout).to.match(/Warning +Calls to void-policy\.example\.com fail now/);
    expect(code).to.equal(0);
  });
});
