import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ClusterReader } from '../../src/collect/cluster.ts';
import { nothingRequested } from '../../src/collect/collectors/catalogue.ts';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { malformedFact } from '../../src/collect/shape.ts';
import { snapshotReader } from '../../src/collect/snapshot-reader.ts';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { running } from '../../src/demo/cluster/behaviour.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { rule } from '../../src/demo/cluster/webhook-manifests.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';
import type { ProbeLevel } from '../../src/facts/probes.ts';
import { redactionOf } from '../../src/snapshot/redact.ts';
import { SnapshotProblem, snapshotOf, snapshotText } from '../../src/snapshot/snapshot-document.ts';
import { certCheck } from '../../src/workflows/cert-check.ts';
import { type Diagnosis, doctor, examineCluster } from '../../src/workflows/doctor.ts';
import { examine } from '../scenarios/examine.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { snapshotSchemaErrors } from '../support/schema.ts';
import { lists, pod, snapshotOf as snapshotOfFacts } from '../support/snapshot.ts';

const now = new Date();
const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-snapshot-'));
const question = { now };

/** A run over a scenario's cluster. */
async function taken({ slug, parts }: Scenario, level: ProbeLevel = 'none'): Promise<Diagnosis> {
  const server = await startApiServer(clusterContent(parts, now));
  const kubeconfig = join(directory, slug);
  writeFileSync(kubeconfig, server.kubeconfig());
  const { reader, prober } = await openConnection({ kubeconfig }, {});
  try {
    return await examineCluster(reader, { ...question, probe: { level, prober } });
  } finally {
    reader.close();
    await server.stop();
  }
}

const nextYear = new Date(now.getTime() + 365 * 86_400_000);
const text = ({ snapshot }: Pick<Diagnosis, 'snapshot'>, redact = false): string =>
  snapshotText(snapshot, '1.0.0', redact ? redactionOf(snapshot) : undefined);
const read = (snapshot: string): ClusterReader =>
  snapshotReader(snapshotOf(snapshot, nothingRequested()), undefined);
const prober = () => Promise.reject(new Error('a snapshot has no backends'));
const evaluated = (snapshot: string): Promise<Diagnosis> =>
  examineCluster(read(snapshot), { ...question, now: nextYear, probe: { level: 'review', prober } });

const scenarioOf = (slug: string): Scenario => {
  const found = scenarios.find((scenario) => scenario.slug === slug);
  if (found === undefined) throw new Error(`there is no scenario ${slug}`);
  return found;
};

const verdicts = ({ report }: Diagnosis) =>
  report.callouts.map(({ verdict: { error: _, ...verdict } }) => verdict);

after(() => rmSync(directory, { recursive: true, force: true }));

describe('a snapshot', () => {
  for (const slug of ['crash-loop', 'certificate-not-issued', 'url-names-a-service', 'stale-ca-bundle']) {
    it(`of ${slug} without its names has the same report as its cluster`, async () => {
      const live = await taken(scenarioOf(slug));
      const snapshot = text(live, true);
      expect(verdicts(await evaluated(snapshot))).to.deep.equal(verdicts(live));
      expect(snapshot).not.to.contain('PRIVATE KEY');
      expect(malformedFact(snapshotOf(snapshot, nothingRequested()).facts)).to.equal(undefined);
    });
  }

  it('with a value of a wrong type is refused, at any depth', async () => {
    const whole = JSON.parse(text(await taken(scenarioOf('crash-loop'), 'review')));
    const wrong = (path: string, value: unknown): string | undefined => {
      const document = structuredClone(whole);
      const keys = path.split('|');
      const last = keys.pop() ?? '';
      keys.reduce((node, key) => node[key], document.facts)[last] = value;
      return malformedFact(snapshotOf(JSON.stringify(document), nothingRequested()).facts);
    };
    const callout = 'probes|entries|validating/payments-policy/payments-policy.example.com';
    for (const [path, value, detail] of [
      ['callouts|0', 5, 'callouts[0].kind'],
      ['callouts|0|kind', 'odd', 'callouts[0].kind'],
      ['callouts|0|rules', null, 'callouts[0].rules'],
      ['callouts|0|rules|0|resources', 'x', 'callouts[0].rules[0].resources'],
      ['configurations|entries|validating', {}, 'configurations["validating"]'],
      ['services|entries|payments/payments-policy|spec', [], 'services["payments/payments-policy"].spec'],
      ['namespaces|entries|payments', {}, 'namespaces["payments"].metadata'],
      ['served|entries|served|resources|3', null, 'served["served"].resources[3]'],
      [`${callout}|replicas`, {}, `probes["${callout.split('|')[2]}"].replicas`],
      [
        `${callout}|replicas|0|dialogues|0`,
        {},
        `probes["${callout.split('|')[2]}"].replicas[0].dialogues[0].way`,
      ],
      [
        `${callout}|replicas|0|dialogues|0|way`,
        'odd',
        `probes["${callout.split('|')[2]}"].replicas[0].dialogues[0].way`,
      ],
    ] as const)
      expect(wrong(path, value), path).to.equal(detail);
  });

  it('has the same remedies as its cluster, and certificates', async () => {
    const snapshot = text(await taken(scenarioOf('crash-loop')));
    const { findings } = await doctor(read(snapshot), question);
    expect(findings.flatMap(({ next = [] }) => next).length + findings.length).to.be.above(0);
    const { certificates } = await certCheck(read(snapshot), { callouts: [], now: nextYear });
    expect(certificates.map(({ source }) => source)).to.include('ca-bundle');
  });

  it('omits values that may be secret, in any place', () => {
    const spec = {
      containers: [
        {
          name: 'webhook',
          command: ['/webhook', '--db', 'postgres://admin:hunter2@db/x', '--api-token', 'hunter2'],
          args: [
            '--password=hunter2',
            '--tls-private-key-file=/certs/tls.key',
            '--leader-elect=true',
            '--secret-name=policy-tls',
          ],
          env: [
            { name: 'PASSWORD', value: 'hunter2' },
            { name: 'HTTPS_PROXY', value: 'http://me:hunter2@proxy:3128' },
            { name: 'CERT_DIR', value: '/certs' },
          ],
        },
      ],
    };
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': 'hunter2', note: 'kept' };
    const one = { ...pod(), spec, metadata: { ...pod().metadata, annotations } };
    const snapshot = text({ snapshot: snapshotOfFacts({ pods: lists({ 'shop/policy': [one] }) }) });
    expect(snapshot).not.to.contain('hunter2');
    for (const kept of [
      'http://proxy:3128',
      '/certs/tls.key',
      '--leader-elect=true',
      '"/certs"',
      'note',
      '--secret-name=policy-tls',
    ])
      expect(snapshot).to.contain(kept);
  });

  it('keeps the responses for stored objects, and not their content', async () => {
    const diagnosis = await taken(scenarioOf('leader-gated-cache'), 'review');
    const written = text(diagnosis);
    expect(written).to.include('cart-settings').and.not.include('welcome to the cart');
    expect(verdicts(diagnosis)[0]?.because).to.include('leader-gated-answer');
    expect(verdicts(await evaluated(written))).to.deep.equal(verdicts(diagnosis));
  });

  it('keeps the denials of stored objects by a mutating webhook', async () => {
    const denying = running({ answer: 'deny', message: 'no tenant' });
    const { findings } = await examine({
      parts: [
        ...installation('tenancy/defaults', {
          deployment: { pods: [denying, denying] },
          mutating: { rules: [rule('v1', 'configmaps', 'CREATE')] },
        }),
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'settings', namespace: 'tenancy' },
          data: { greeting: 'hello' },
        },
      ],
    });
    expect(findings.map(({ check }) => check)).to.include('denies-sample');
  });

  it('replaces names if requested, and keeps their relations', async () => {
    const live = await taken(scenarioOf('crash-loop'));
    const snapshot = text(live, true);
    for (const name of ['payments', live.snapshot.cluster.context ?? '']) {
      expect(JSON.stringify(JSON.parse(snapshot).facts.pods)).not.to.contain(name);
    }
    const [before, after] = [live, await evaluated(snapshot)].map(({ report }) => report.findings.length);
    expect(after).to.equal(before);
  });

  it('contains what was not read, and never that it is absent', async () => {
    const live = await taken(scenarioOf('crash-loop'));
    const { facts } = snapshotOf(text(live), nothingRequested());
    expect(facts.pods.why('shop/unheard-of')?.why).to.equal('not-requested');
    expect(facts.services.isAbsent('shop/unheard-of')).to.equal(true);
  });

  describe('invalid files', () => {
    const good = async () => JSON.parse(text(await taken(scenarioOf('crash-loop'))));
    const damages: Readonly<Record<string, (document: Record<string, unknown>) => unknown>> = {
      'this is not a snapshot': () => [],
      'this is a snapshot of "kubectl-webhook/v9"; this program reads kubectl-webhook/v1': (document) => ({
        ...document,
        apiVersion: 'kubectl-webhook/v9',
      }),
      'the snapshot is damaged: it has no facts': ({ facts: _, ...document }) => document,
      'the snapshot is damaged: facts.pods is not a lookup': (document) => ({
        ...document,
        facts: { pods: { entries: {}, others: 'nobody looked' } },
      }),
      'the snapshot is damaged: facts.callouts is not a list': (document) => ({
        ...document,
        facts: { callouts: {} },
      }),
      'the snapshot is damaged: takenAt is not a time': (document) => ({ ...document, takenAt: 'yesterday' }),
    };
    for (const [sentence, damage] of Object.entries(damages)) {
      it(`is refused: ${sentence}`, async () => {
        const document = damage(await good());
        expect(() => snapshotOf(JSON.stringify(document), nothingRequested())).to.throw(
          SnapshotProblem,
          sentence,
        );
      });
    }
  });
});

describe('kubectl webhook snapshot', () => {
  const file = join(directory, 'taken.json.gz');

  it('writes a file that other commands read instead of a cluster', async () => {
    const server = await startApiServer(clusterContent(scenarioOf('crash-loop').parts, now));
    const kubeconfig = fileWith(server.kubeconfig());
    try {
      const { code, stderr } = await plugin(['snapshot', file, '--kubeconfig', kubeconfig]);
      expect([code, stderr]).to.deep.equal([0, stderr]);
      expect(stderr).to.contain(`${file}: 1 webhook, `);
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      const again = await inProcess(['snapshot', file, '--kubeconfig', kubeconfig]);
      expect([again.code, again.stderr]).to.deep.equal([
        2,
        `error: ${file} exists; choose another name, or delete it\n`,
      ]);
    } finally {
      await server.stop();
    }
    const from = ['--from-snapshot', file];
    const [json, people, certificates, explained] = await Promise.all([
      inProcess(['doctor', ...from, '-o', 'json']),
      inProcess(['doctor', ...from]),
      plugin(['cert-check', ...from, '-o', 'json']),
      inProcess(['explain', 'dial tcp 10.0.3.7:443: connect: connection refused', ...from, '-o', 'json']),
    ]);
    expect(JSON.parse(json.stdout).callouts[0].verdict.because[0]).to.equal('replica-crash-looping');
    expect(people.stdout).to.contain('payments-policy');
    expect(JSON.parse(certificates.stdout).kind).to.equal('CertificateReport');
    expect(JSON.parse(explained.stdout).cluster.because[0]).to.equal('replica-crash-looping');
    expect([json.code, people.code]).to.deep.equal([1, 1]);
  });

  it('refuses a damaged, foreign or missing file with one sentence', async () => {
    const broken = fileWith('');
    writeFileSync(broken, readFileSync(file).subarray(0, 300));
    const bomb = fileWith('');
    writeFileSync(bomb, gzipSync(Buffer.alloc(129 * 1024 * 1024), { level: 1 }));
    const sentences: readonly (readonly [string, string])[] = [
      [broken, `${broken}: the compressed data is damaged`],
      [bomb, `${bomb}: the snapshot is larger than 128 MiB`],
      ['package.json', 'package.json: this is not a snapshot'],
      ['nowhere.json', 'nowhere.json cannot be read: no such file'],
    ];
    for (const [name, sentence] of sentences) {
      const { code, stdout, stderr } = await inProcess(['doctor', '--from-snapshot', name]);
      expect([code, stdout, stderr]).to.deep.equal([2, '', `error: ${sentence}\n`]);
    }
  });

  it('is valid by its schema', () => {
    expect(snapshotSchemaErrors(JSON.parse(gunzipSync(readFileSync(file)).toString()))).to.deep.equal([]);
  });
});
