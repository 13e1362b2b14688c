import { expect } from 'chai';
import { startBackend } from '../../src/demo/backend/backend.ts';
import type { DemoBackend } from '../../src/demo/backend/options.ts';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { address, configurationOf, endsIn, rule, sendDry, within } from './dry-writes.ts';
import { deadPort, service, slice } from './oracle-cases.ts';

const ca = await authority({ cn: 'webhook-ca' });

/** A closed port. */
const otherDeadPort = 2;

describe('doctor on a real API server: manual endpoints', function () {
  needs('api-server');
  this.timeout(120_000);
  let scene: Scene;
  let kubeconfig: string;
  const backends: DemoBackend[] = [];
  const reports = { review: new Map<string, CalloutReport>(), connect: new Map<string, CalloutReport>() };

  const places = ['live-and-dead', 'all-dead', 'all-live', 'one-live'] as const;
  /** A URL whose certificate no public CA signed. */
  const trustless = 'url-without-ca-bundle';

  const write = (name: string) => ({
    does: `a creation for ${name}`,
    method: 'POST' as const,
    path: `/api/v1/namespaces/${scene.namespace}/configmaps`,
    body: { metadata: { name, labels: { case: name } } },
  });
  const refused = (name: string, port: number): string =>
    `failed calling webhook "${name}.example.com": failed to call webhook: Post "https://${name}.${scene.namespace}.svc:443/check?timeout=10s": dial tcp ${address}:${port}: connect: connection refused`;

  before(async () => {
    const cluster = await apiServer({ aggregatorRouting: true });
    ({ kubeconfig } = cluster);
    scene = await openScene(cluster.client);
    const names = places.map((name) => `${name}.${scene.namespace}.svc`);
    const certificate = await issue(ca, { dns: names });
    for (let at = 0; at < 2; at += 1) backends.push(await startBackend({ certificate, bind: address }));
    const [one, other] = backends.map(({ port }) => port) as [number, number];
    const ports: Readonly<Record<(typeof places)[number], readonly number[]>> = {
      'live-and-dead': [one, deadPort],
      'all-dead': [deadPort, otherDeadPort],
      'all-live': [one, other],
      'one-live': [one],
    };
    for (const name of places) {
      await scene.create(service(name));
      for (const port of ports[name])
        await scene.create(slice(name, [{ addresses: [address] }], { ports: [{ port }] }));
      await scene.create(
        configurationOf(`${name}-${scene.namespace}`, {
          name: `${name}.example.com`,
          clientConfig: {
            service: { namespace: scene.namespace, name, path: '/check' },
            caBundle: Buffer.from(ca.cert).toString('base64'),
          },
          namespaceSelector: within(scene.namespace),
          objectSelector: { matchLabels: { case: name } },
          rules: [rule('core', 'CREATE', 'configmaps')],
          timeoutSeconds: 10,
        }),
      );
    }
    await scene.create(
      configurationOf(`${trustless}-${scene.namespace}`, {
        name: `${trustless}.example.com`,
        clientConfig: { url: `https://${address}:${one}/check` },
        namespaceSelector: within(scene.namespace),
        objectSelector: { matchLabels: { case: trustless } },
        rules: [rule('core', 'CREATE', 'configmaps')],
      }),
    );
    await endsIn(scene.client, write('one-live'), 'passes');
    const asked = [...places, trustless].map((name) => `${name}-${scene.namespace}`);
    for (const level of ['review', 'connect'] as const) {
      const flags = ['--probe', level, '--kubeconfig', kubeconfig, '-o', 'json'];
      const { stdout, stderr } = await plugin(['doctor', ...asked, ...flags]);
      if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
      for (const callout of (JSON.parse(stdout) as DoctorReport).callouts)
        reports[level].set(callout.configuration.replace(`-${scene.namespace}`, ''), callout);
    }
  });
  after(async () => {
    await scene?.leave();
    for (const backend of backends) await backend.close();
  });

  const verdictOn = (name: string, level: keyof typeof reports = 'review') =>
    (reports[level].get(name) ?? expect.fail(`nothing about ${name}`)).verdict;

  it('one of two does not respond: some calls fail, if a dry run reached it, and another one the other', () => {
    const { state, link, because, confidence, error } = verdictOn('live-and-dead');
    if (state !== 'unknown' && state !== 'failing')
      expect({ state, link, because, confidence, error }).to.deep.equal({
        state: 'degraded',
        link: 'backend',
        because: ['endpoint-of-no-pod'],
        confidence: 'observed',
        error: refused('live-and-dead', deadPort),
      });
  });

  it('none responds: failing, with the error of one of them', async () => {
    const verdict = verdictOn('all-dead');
    expect(verdict).to.include({ state: 'failing', confidence: 'observed' });
    const words = [deadPort, otherDeadPort].map((port) => refused('all-dead', port));
    expect(words).to.include(verdict.error);
    expect(words.map((text) => `Internal error occurred: ${text}`)).to.include(
      await sendDry(scene.client, write('all-dead')),
    );
  });

  it('all respond: unknown, because a dry run reaches one of them', () => {
    expect(verdictOn('all-live').state).to.equal('unknown');
  });

  it('the only one responds', () => {
    expect(verdictOn('one-live').state).to.equal('healthy');
  });

  for (const name of places)
    it(`--probe connect cannot connect to ${name}: unknown`, () => {
      expect(verdictOn(name, 'connect').state).to.equal('unknown');
    });

  it('a URL without caBundle has the state of the API server’s error, and is unknown at connect', async () => {
    const said = await sendDry(scene.client, write(trustless));
    expect(said).to.include('x509: ');
    expect(`Internal error occurred: ${verdictOn(trustless).error}`).to.equal(said);
    expect(verdictOn(trustless, 'connect').state).to.not.equal('healthy');
  });
});
