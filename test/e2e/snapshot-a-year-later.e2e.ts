import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';
import { isAdmission } from '../../src/facts/callout.ts';
import { type ClusterOptions, onCluster } from '../../src/workflows/cluster/with-cluster.ts';
import { factsToSave } from '../../src/workflows/doctor.ts';
import { writeSnapshot } from '../../src/workflows/input/snapshot-file.ts';
import { questions } from '../support/questions.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-bytes-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Removes the duration of a call, its time, and its uid, which always differ. */
const withoutTimes = (text: string): string =>
  text.replaceAll(
    /(latencyMs"?: )[\d.]+|\b\d+(\.\d+)? (?=ms\b)|\b\d+\.\d (?=s\b)|[\d:TZ-]+(?= is (?:after|before) )|(response\.uid=\W*(?:quot;)?)[\da-f\s-]+/g,
    '$1$3',
  );

/** The first differing lines of both texts. */
const differences = (before: readonly string[], later: readonly string[]): readonly (readonly string[])[] =>
  before.flatMap((text, index) => {
    const [was, is] = [text, later[index] ?? ''].map((one) => withoutTimes(one).split('\n')) as [
      string[],
      string[],
    ];
    const at = was.findIndex((line, number) => line !== is[number]);
    return at === -1 && was.length === is.length
      ? []
      : [[...was.slice(at, at + 3), 'later:', ...is.slice(at, at + 3)]];
  });

async function compare({ slug, parts }: Scenario): Promise<void> {
  const now = new Date();
  const server = await startApiServer(clusterContent(parts, now));
  const kubeconfig = join(directory, slug);
  writeFileSync(kubeconfig, server.kubeconfig());
  const live: ClusterOptions = { flags: { kubeconfig }, milliseconds: 60_000 };
  const file = join(directory, `${slug}.json.gz`);
  try {
    const snapshot = await onCluster(live, (reader, prober) =>
      factsToSave(reader, { now, probe: { level: 'review', prober } }),
    );
    await writeSnapshot(snapshot, { file, redact: false, program: '1.0.0' });
    const named = snapshot.facts.callouts.find(isAdmission)?.webhook;
    const kept: ClusterOptions = { flags: {}, milliseconds: 60_000, snapshot: file };
    const nextYear = new Date(now.getTime() + 365 * 86_400_000);
    for (const [question, ask] of Object.entries(questions)) {
      if (named === undefined && /NAME|--set/.test(question)) continue;
      const [before, later] = await Promise.all([
        ask(live, now, named ?? ''),
        ask(kept, nextYear, named ?? ''),
      ]);
      expect(differences(before, later), question).to.deep.equal([]);
    }
  } finally {
    await server.stop();
  }
}

/** `ALL=1`: every scenario. */
const some = ['crash-loop', 'serving-certificate-expired', 'conversion-backend-gone', 'service-missing'];

describe('a snapshot read a year later: every command prints what it printed for the cluster', () => {
  for (const scenario of scenarios.filter(({ slug }) => process.env.ALL === '1' || some.includes(slug)))
    it(scenario.slug, () => compare(scenario));
});
