import { join } from 'node:path';
import { expect } from 'chai';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import { backendObjects, validatingWebhook, waitForEndpoints } from '../cluster/backend-pods.ts';
import { knowing, knowNoName, nameServerAddress } from '../cluster/resolver.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { type RemoteApiServer, remoteApiServer } from '../cluster/second-api-server.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { startPlugin } from '../support/plugin.ts';

const ca = await authority({ cn: 'webhook-ca' });
/** Host names, by the side that resolves them. */
const names = {
  nobody: 'nobody.shop.test',
  here: 'here.shop.test',
  there: 'there.shop.test',
} as const;
type Name = 'guard' | keyof typeof names;

describe('doctor and a remote control plane', () => {
  needs('node', 'own-node');
  let scene: Scene;
  let remote: RemoteApiServer;
  /** Runs a command that resolves the names of this side. */
  let here: readonly string[];
  let stopNames: () => void = () => undefined;

  async function doctor(name: Name): Promise<{ report: DoctorReport; callout: CalloutReport }> {
    const command = ['doctor', `${name}-${scene.namespace}`, '-o', 'json', '--kubeconfig', remote.kubeconfig];
    const { stdout, stderr } = await startPlugin(command, {}, undefined, here).ended;
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    const report = JSON.parse(stdout) as DoctorReport;
    const [callout] = report.callouts;
    if (callout === undefined) throw new Error(`doctor knows no ${name}`);
    return { report, callout };
  }

  /** The remote API server's response to a dry run that matches one webhook. */
  const says = (name: Name): Promise<string> => {
    const metadata = { generateName: 'probe-', namespace: scene.namespace, labels: { case: name } };
    return remote.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, { dryRun: true }).then(
      () => 'created',
      (error: Error) => error.message,
    );
  };

  async function expectBroken(name: Name, link: string, because: string, words: RegExp): Promise<void> {
    const { report, callout } = await doctor(name);
    const { verdict } = callout;
    const found = report.findings.map(({ id, message }) => `${id}: ${message}`);
    const whole = JSON.stringify({
      verdict,
      found,
      notLookedAt: report.notLookedAt,
      notTried: callout.notTried,
    });
    expect(verdict, whole).to.include({ state: 'failing', link, confidence: 'observed' });
    expect(verdict.because[0], whole).to.equal(because);
    expect(verdict.error).to.match(words);
    expect(await says(name)).to.equal(`Internal error occurred: ${verdict.error}`);
  }

  before(async function () {
    this.timeout(300_000);
    const { client, folder } = await nodeCluster();
    if (folder === undefined) throw new Error('the node is not ours');
    scene = await openScene(client);
    const { namespace } = scene;
    const dns = [`guard.${namespace}.svc`, ...Object.values(names)];
    const pair = await issue(ca, { dns });
    for (const object of await backendObjects(namespace, { name: 'guard', ca, replicas: 1 })) {
      if (object.kind === 'Secret') object.stringData = { 'tls.crt': pair.cert, 'tls.key': pair.key };
      await scene.create(object);
    }
    const caBundle = Buffer.from(ca.cert).toString('base64');
    const webhook = (name: Name) => ({
      name: `${name}.remote.example.com`,
      objectSelector: { matchLabels: { case: name } },
      ...(name === 'guard'
        ? {}
        : { clientConfig: { url: `https://${names[name]}:8443/validate`, caBundle } }),
    });
    for (const name of ['guard', 'nobody', 'here', 'there'] as const) {
      const configuration = validatingWebhook(namespace, {
        service: 'guard',
        caBundle: ca.cert,
        webhook: webhook(name),
      });
      await scene.create({ ...configuration, metadata: { name: `${name}-${namespace}` } });
    }
    await waitForEndpoints(scene, 'guard', 1);
    const [pod] = await client.list('v1', 'Pod', namespace, 'app=guard');
    const address = pod?.status.podIP as string;
    stopNames = await knowNoName();
    here = knowing({ [names.here]: address }, join(folder, 'names-here'));
    remote = await remoteApiServer({ [names.there]: address });
  });
  after(async () => {
    await remote?.stop();
    stopNames();
    await scene?.leave();
  });

  describe('through a tunnel', () => {
    it('no agent is connected: every call into the cluster fails there', async () => {
      await expectBroken('guard', 'network', 'tunnel-down', /: No agent available$/);
    });

    it('an agent is connected: nothing is wrong', async () => {
      remote.tunnel.startAgent();
      await waitFor('calls through the tunnel', async () => (await says('guard')) === 'created');
      const { report, callout } = await doctor('guard');
      expect(callout.verdict).to.include({ state: 'healthy', confidence: 'observed' });
      expect(report.notLookedAt).to.deep.equal([]);
    });

    it('the agent stops: the tunnel is named again', async () => {
      await remote.tunnel.stopAgent();
      await waitFor('calls to fail', async () => /No agent available$/.test(await says('guard')));
      await expectBroken('guard', 'network', 'tunnel-down', /: No agent available$/);
    });
  });

  describe('with a resolver of its own', () => {
    const noSuchHost = (name: string): RegExp =>
      new RegExp(`: dial tcp: lookup ${name} on ${nameServerAddress}:53: no such host$`);

    it('a name that does not resolve', async () => {
      await expectBroken('nobody', 'routing', 'url-not-resolvable', noSuchHost(names.nobody));
    });

    it('a name that resolves only here, and the backend responds', async () => {
      await expectBroken('here', 'routing', 'url-not-resolvable', noSuchHost(names.here));
    });

    it('a name that resolves only for the API server: nothing is wrong', async () => {
      const { callout, report } = await doctor('there');
      expect(callout.verdict, JSON.stringify(report.findings)).to.include({ state: 'healthy' });
      expect(report.findings.filter(({ link }) => link === 'routing')).to.deep.equal([]);
      expect(await says('there')).to.equal('created');
    });
  });
});
