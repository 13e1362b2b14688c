import { expect } from 'chai';
import type { CertificateReport } from '../../src/diagnose/certificates/certificate-report.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { deployBackend, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { certificateCases, host, type Listening } from './certificate-cases.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A dry run of a ConfigMap that one webhook alone selects: `created`, or the API server's refusal. */
async function tryCase(scene: Scene, name: string): Promise<string> {
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'try-', labels: { case: name } },
  };
  return scene.create(object, { dryRun: true }).then(
    () => 'created',
    (error: Error) => error.message,
  );
}

async function certCheck(kubeconfig: string, ...args: readonly string[]): Promise<CertificateReport> {
  const { stdout, stderr } = await plugin(['cert-check', ...args, '--kubeconfig', kubeconfig, '-o', 'json']);
  if (stdout === '') throw new Error(`cert-check printed nothing: ${stderr}`);
  return JSON.parse(stdout) as CertificateReport;
}

describe('cert-check on a real node', function () {
  this.timeout(150_000);
  needs('node');
  const scene = useScene(nodeCluster);

  it('has the API server’s verdict and error for every fault of a certificate and a handshake', async () => {
    const cases = Object.entries(certificateCases());
    const listeners = new Map<string, Listening>();
    try {
      for (const [name, { listen }] of cases) listeners.set(name, await listen());
      const name = `faults-${scene.namespace}`;
      const [template] = validatingWebhook(scene.namespace, { service: 'faults', caBundle: 'x' })
        .webhooks as object[];
      await scene.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name },
        webhooks: cases.map(([id, { caBundle }]) => ({
          ...template,
          name: `${id}.example.com`,
          objectSelector: { matchLabels: { case: id } },
          clientConfig: {
            url: `https://${host}:${listeners.get(id)?.port}/validate`,
            caBundle: base64(caBundle),
          },
        })),
      });
      const report = await certCheck(scene.kubeconfig, name);
      const doctor = JSON.parse(
        (await plugin(['doctor', name, '--probe', 'connect', '--kubeconfig', scene.kubeconfig, '-o', 'json']))
          .stdout,
      ) as DoctorReport;
      const wrong: string[] = [];
      for (const [id, { check, also = [], undecided }] of cases) {
        const webhook = `${id}.example.com`;
        const sentence = await waitFor(`the API server to call ${webhook}`, async () => {
          const said = await tryCase(scene, id);
          return said === 'created' ? false : said;
        });
        const words =
          /: (?:(?:tls: failed to verify certificate: )?(x509: .*)|((?:remote error: )?tls: .*))$/s.exec(
            sentence,
          );
        const served = report.certificates.find(
          (one) => one.callout.webhook === webhook && one.source === 'served',
        );
        const found = report.findings.filter(({ callout }) => callout === `validating/${name}/${webhook}`);
        const verdict = doctor.callouts.find((callout) => callout.webhook === webhook)?.verdict;
        const differences = {
          first: [undecided ? undefined : check, found.find(({ severity }) => severity === 'error')?.check],
          all: [
            [check, ...also],
            [check, ...also].filter((one) => found.some((finding) => finding.check === one)),
          ],
          ...(undecided
            ? { state: ['unknown', verdict?.state] }
            : {
                doctor: [check, verdict?.because[0]],
                sentence: [sentence, `Internal error occurred: ${verdict?.error}`],
              }),
          ...(served === undefined ? {} : { words: [words?.[1] ?? words?.[2], served.error] }),
        };
        for (const [what, [wanted, got]] of Object.entries(differences)) {
          const same =
            JSON.stringify(wanted)?.replace(/current time \S+/, '') ===
            JSON.stringify(got)?.replace(/current time \S+/, '');
          if (!same)
            wrong.push(`${id} ${what}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
        }
      }
      expect(wrong.join('\n')).to.equal('');
    } finally {
      for (const listener of listeners.values()) listener.close();
    }
  });

  it('is correct before, during and after a rotation, with a process that reloads and one that does not', async () => {
    const [before, after] = [
      await authority({ cn: 'old-ca', days: 365 }),
      await authority({ cn: 'new-ca', days: 365 }),
    ];
    const give = (caBundle: string, name: string) =>
      scene.apply(
        validatingWebhook(scene.namespace, {
          service: name,
          caBundle,
          webhook: { objectSelector: { matchLabels: { case: name } } },
        }),
      );
    await Promise.all([
      deployBackend(scene, { name: 'swift', ca: before, replicas: 1 }),
      deployBackend(scene, { name: 'slow', ca: before, replicas: 2, args: ['--no-reload'] }),
    ]);
    await Promise.all([give(before.cert, 'swift'), give(before.cert, 'slow')]);
    const look = async (name: string) => {
      const report = await certCheck(scene.kubeconfig, `${name}-${scene.namespace}`);
      const [callout] = report.callouts;
      return {
        report,
        state: callout?.state,
        checks: report.findings.filter(({ severity }) => severity !== 'info').map(({ check }) => check),
      };
    };
    for (const name of ['swift', 'slow']) {
      const { state, report, checks } = await look(name);
      expect({ state, checks }).to.deep.equal({ state: 'accepted', checks: [] });
      expect(report.certificates.map(({ source }) => source)).to.include.members([
        'ca-bundle',
        'secret',
        'served',
      ]);
      expect(report.findings.map(({ check }) => check)).to.include('certificate-rotated-by-nobody');
      await waitFor('the webhook', async () => (await tryCase(scene, name)) === 'created');
    }

    await Promise.all(['swift', 'slow'].map((name) => renew(scene, name, after)));
    const stale = await waitFor(
      'the process that reloads to serve the new certificate',
      async () => {
        const said = await look('swift');
        return said.state === 'rejected' && said;
      },
      { timeout: 100_000, interval: 1000 },
    );
    expect(stale.checks).to.include('stale-ca-bundle');
    // A keep-alive connection hides it while it is used; another text of the caBundle creates a new client.
    await give(`another text\n${before.cert}`, 'swift');
    const error = stale.report.certificates.find(({ source }) => source === 'served')?.error ?? 'nothing';
    await waitFor(
      `the API server to say ${error}`,
      async () => (await tryCase(scene, 'swift')).endsWith(error),
      {
        timeout: 30_000,
        interval: 1000,
      },
    );
    const kept = await look('slow');
    expect(kept.state).to.equal('accepted');
    expect(kept.checks).to.deep.equal([
      'served-certificate-differs-from-secret',
      'secret-ca-differs-from-ca-bundle',
    ]);
    expect(await tryCase(scene, 'slow')).to.equal('created');

    await Promise.all([give(before.cert + after.cert, 'swift'), give(before.cert + after.cert, 'slow')]);
    expect(await look('swift').then(({ state, checks }) => ({ state, checks }))).to.deep.equal({
      state: 'accepted',
      checks: [],
    });
    expect((await look('slow')).checks).to.deep.equal(['served-certificate-differs-from-secret']);

    const [oldest] = await scene.client.list('v1', 'Pod', scene.namespace, 'app=slow');
    await scene.client.delete(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: oldest?.metadata.name as string, namespace: scene.namespace },
      },
      0,
    );
    const half = await waitFor(
      'one replica of two with the new certificate',
      async () => {
        const said = await look('slow');
        return said.checks.includes('replicas-serve-different-certificates') && said;
      },
      { timeout: 60_000, interval: 500 },
    );
    expect({ state: half.state, checks: half.checks }).to.deep.equal({
      state: 'accepted',
      checks: ['replicas-serve-different-certificates'],
    });
    await give(after.cert, 'slow');
    const degraded = await look('slow');
    expect({ state: degraded.state, first: degraded.checks[0] }).to.deep.equal({
      state: 'degraded',
      first: 'served-certificate-differs-from-secret',
    });
    expect(degraded.checks).to.include('replicas-serve-different-certificates');
  });
});

/**
 * Writes a new certificate of another CA to the Secret; a change of its Pods makes the kubelet update the
 * volume at once.
 */
async function renew(scene: Scene, name: string, ca: Authority): Promise<void> {
  const pair = await issue(ca, { dns: [`${name}.${scene.namespace}.svc`], days: 100 });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: scene.namespace } };
  await scene.client.patch(secret, {
    data: { 'tls.crt': base64(pair.cert), 'tls.key': base64(pair.key), 'ca.crt': base64(ca.cert) },
  });
  for (const pod of await scene.client.list('v1', 'Pod', scene.namespace, `app=${name}`)) {
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: pod.metadata.name as string, namespace: scene.namespace },
    };
    await scene.client.patch(object, {
      metadata: { annotations: { 'example.com/look': String(Date.now()) } },
    });
  }
}
