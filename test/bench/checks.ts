// Measures the processor time of `what-if` and `lint` for the 500 configurations of docs/performance.md in
// this
// process, without its start, YAML and reads: node test/bench/checks.ts
import { stringify } from 'yaml';
import { manifestReader } from '../../src/collect/manifest-reader.ts';
import { snapshotReader } from '../../src/collect/snapshot-reader.ts';
import { lintReport } from '../../src/lint/lint.ts';
import { manifestsOf } from '../../src/lint/manifest.ts';
import type { Assumption } from '../../src/what-if/assumption.ts';
import { whatIf } from '../../src/what-if/what-if.ts';
import { examineCluster } from '../../src/workflows/doctor.ts';
import { factsOf } from '../../src/workflows/input/manifests.ts';
import { assumptionsOf } from '../../src/workflows/what-if/assumptions.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { loadCluster } from './load.ts';

const rounds = 7;
const everything = { deep: true } as const;
const now = new Date();

const objects: KubeObject[] = [];
await loadCluster({
  create: async (object: KubeObject) => {
    objects.push(object);
    return object;
  },
  delete: async () => undefined,
  request: async () => ({ status: 200, body: '', headers: {} }),
} as unknown as Client);

async function measured(what: string, run: () => unknown): Promise<void> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    taken.push((user + system) / 1000);
  }
  const [first = 0] = taken;
  const sorted = taken.toSorted((a, b) => a - b);
  console.log(`${what}: first ${first.toFixed(0)} ms, median ${sorted[rounds >> 1]?.toFixed(0)} ms`);
}

const there = manifestReader(objects as Parameters<typeof manifestReader>[0], 'default');
const { snapshot, report } = await examineCluster(
  {
    ...there,
    get: async <T>(path: string) =>
      path === '/version' ? ({ gitVersion: 'v1.35.4' } as T) : there.get<T>(path),
  },
  { ...everything, now },
);
console.log(`${snapshot.facts.callouts.length} webhooks, ${objects.length} objects`);
const ask = async (flags: object) =>
  assumptionsOf(
    { down: [], set: [], delete: [], upgrade: undefined, namespace: 'default', ...flags } as never,
    snapshot,
  );
const configuration = snapshot.facts.callouts[0]?.configuration ?? '';
for (const [name, flags, wanted] of [
  ['what-if --set', { set: [`${configuration}.failurePolicy=Fail`] }, { coldStart: false, rank: false }],
  ['what-if --down WEBHOOK', { down: [configuration] }, { coldStart: false, rank: false }],
  ['what-if --down each', {}, { coldStart: false, rank: true }],
  ['what-if --upgrade', { upgrade: '1.37' }, { coldStart: false, rank: false }],
  ['what-if --cold-start', {}, { coldStart: true, rank: false }],
] as const) {
  const each: readonly Assumption[] = await ask(flags);
  await measured(name, () => whatIf(snapshot, report, { each, ...wanted }, ''));
}

const kinds = [
  'Namespace',
  'Service',
  'Deployment',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
];
const text = objects
  .filter(({ kind }) => kinds.includes(kind))
  .map((one) => stringify(one))
  .join('---\n');
const manifests = manifestsOf(text, 'bench.yaml');
console.log(`lint of ${manifests.length} objects, ${(text.length / 1e6).toFixed(1)} MB`);
await measured('YAML', () => manifestsOf(text, 'bench.yaml'));
const end = { until: undefined } as never;
await measured('facts', () => factsOf(manifests, 'default', now, end));
const written = await factsOf(manifests, 'default', now, end);
await measured('evaluating', async () => {
  const found = await examineCluster(snapshotReader(written, 'default', 'given'), { ...everything, now });
  lintReport(
    {
      files: 1,
      templates: [],
      manifests,
      namespace: 'default',
      version: undefined,
      misshapen: new Map(),
      show: () => true,
    },
    found.report,
    written.facts,
  );
});
