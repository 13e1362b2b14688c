import type { ClusterReader } from '../../src/collect/cluster.ts';
import type { ReadOptions } from '../../src/collect/collector.ts';
import { collectors } from '../../src/collect/collectors/catalogue.ts';
import { readCluster } from '../../src/collect/planner.ts';
import type { Callout } from '../../src/facts/callout.ts';

/** Reads every fact that a run with these options requests. */
export async function collectAll(
  reader: ClusterReader,
  readOptions: Partial<ReadOptions> = {},
  choose: (callouts: readonly Callout[]) => readonly Callout[] = (all) => all,
) {
  const source = readCluster(reader, {
    now: new Date(0),
    readOptions: { topics: ['failures', 'deadlocks'], examineAll: false, ...readOptions },
  });
  const { callouts } = await source.first();
  const asked = choose(callouts);
  source.choose(asked);
  await source.known(collectors.map(({ fact }) => fact));
  return { source, asked, snapshot: await source.snapshot() };
}
