import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { snapshotText } from '../../src/snapshot/snapshot-document.ts';
import { CannotStart } from '../../src/workflows/cluster/cannot-start.ts';
import { onCluster } from '../../src/workflows/cluster/with-cluster.ts';
import { factsToSave } from '../../src/workflows/doctor.ts';
import { openSnapshot } from '../../src/workflows/input/snapshot-file.ts';
import { questions } from '../support/questions.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-damaged-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The number of files, and the first seed; a longer search: FUZZ=10000. */
const { FUZZ = '20', FUZZ_FROM = '1' } = process.env;

/** mulberry32: the same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Holder = Record<string, unknown>;
type Place = readonly [holder: Holder, key: string];

function placesIn(value: unknown, found: Place[] = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push([value as Holder, key]);
    placesIn((value as Holder)[key], found);
  }
  return found;
}

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

const others: readonly ((before: unknown) => unknown)[] = [
  () => null,
  () => undefined,
  () => true,
  () => 0,
  () => -1,
  () => 1e308,
  () => '',
  () => 'x',
  () => '\u001b[31m\u0000\u202e</script>',
  () => '9'.repeat(10_000),
  () => '%00/../..?#@:[',
  () => [],
  () => ({}),
  () => [null],
  () => [{}],
  () => ({ '': null }),
  () => ({ $base64: {} }),
  () => ({ $base64: 'AAAA' }),
  () => ({ toString: 5, valueOf: 5 }),
  () => deep(900),
  (before) => [before],
  (before) => ({ x: before }),
  (before) => String(before),
  (before) => (Array.isArray(before) ? Object.fromEntries(before.entries()) : [before, before]),
  (before) => (typeof before === 'string' ? before.slice(1) : before),
  (before) => (typeof before === 'number' ? -before : before),
];

describe('a damaged snapshot', () => {
  const sources: string[] = [];
  before(async () => {
    for (const slug of ['crash-loop', 'stale-ca-bundle', 'leader-gated-cache', 'conversion-backend-gone']) {
      const now = new Date();
      const parts = scenarios.flatMap((one) => (one.slug === slug ? one.parts : []));
      const server = await startApiServer(clusterContent(parts, now));
      const kubeconfig = join(directory, slug);
      writeFileSync(kubeconfig, server.kubeconfig());
      const way = { flags: { kubeconfig }, milliseconds: 60_000 };
      const taken = await onCluster(way, (reader, prober) =>
        factsToSave(reader, { now, probe: { level: 'review', prober } }),
      );
      await server.stop();
      sources.push(snapshotText(taken, '1.0.0'));
    }
  });

  const sample = {
    object: { kind: 'ConfigMap', name: 'a' },
    ...{ by: 'given', operation: 'CREATE', admitted: false, notAsked: 'x' },
  };
  for (const [what, damage, says] of [
    [
      'a workload of no kind that there is',
      ({ workloads }) => Object.assign(Object.values(workloads?.entries ?? {})[0]?.[0] ?? {}, { kind: 'x' }),
      /: the snapshot is damaged: facts\.workloads\["[^"]+"\]\[0\]\.kind does not have the type that the API has$/,
    ],
    [
      'more samples than a webhook is called with',
      ({ samples }) => Object.assign(samples?.entries ?? {}, { a: Array(24).fill(sample) }),
      /: the snapshot has more than 23 samples of one webhook$/,
    ],
  ] satisfies [string, (facts: Record<string, { entries: Record<string, object[]> }>) => void, RegExp][])
    it(`is refused: ${what}`, async () => {
      const document = JSON.parse(sources[0] ?? '');
      damage(document.facts);
      const file = join(directory, 'damaged.json');
      writeFileSync(file, JSON.stringify(document));
      const refused = await openSnapshot(file, undefined).catch((error: Error) => error);
      expect(refused).to.be.instanceOf(CannotStart).with.property('message').that.matches(says);
    });

  it(`is refused with an error, or diagnosed without a crash: ${FUZZ} of them`, async () => {
    const crashes: string[] = [];
    let refused = 0;
    for (let seed = Number(FUZZ_FROM); seed < Number(FUZZ_FROM) + Number(FUZZ); seed += 1) {
      const next = numbers(seed);
      const document = JSON.parse(sources[next(sources.length)] ?? '') as Holder;
      const done: string[] = [];
      for (let left = 1 + next(3); left > 0; left -= 1) {
        const places = placesIn(document);
        const [holder, key] = places[next(places.length)] ?? [document, 'facts'];
        const which = next(others.length + 2);
        const [, elsewhere] = places[next(places.length)] ?? [];
        if (which === others.length) delete holder[key];
        else if (which === others.length + 1) holder[String(elsewhere)] = structuredClone(holder[key]);
        else holder[key] = structuredClone(others[which]?.(holder[key]));
        done.push(`${key}: ${which}`);
      }
      const file = join(directory, 'damaged.json');
      writeFileSync(file, JSON.stringify(document));
      const way = { flags: {}, milliseconds: 60_000, snapshot: file };
      for (const [question, ask] of Object.entries(questions)) {
        try {
          const [json = ''] = await ask(way, new Date(), 'a');
          if (json.includes('"internal error"')) crashes.push(`${seed}, ${question}, ${done}: ${json}`);
        } catch (error) {
          const { stack } = error as Error;
          if (!(error instanceof CannotStart)) crashes.push(`${seed}, ${question}, ${done}: ${stack}`);
          refused += 1;
        }
      }
    }
    expect(crashes).to.deep.equal([]);
    expect(refused).to.be.within(1, Number(FUZZ) * Object.keys(questions).length - 1);
  }).timeout(3_600_000);
});
