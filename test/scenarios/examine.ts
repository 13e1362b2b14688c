import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ClusterReader } from '../../src/collect/cluster.ts';
import { nothingRequested } from '../../src/collect/collectors/catalogue.ts';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { snapshotReader } from '../../src/collect/snapshot-reader.ts';
import type { PodLogs } from '../../src/demo/api-server/pod-log.ts';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import type { ProbeLevel } from '../../src/facts/probes.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import { renderJson } from '../../src/render/data-formats/json.ts';
import { snapshotOf, snapshotText } from '../../src/snapshot/snapshot-document.ts';
import { examineCluster, withRemedies } from '../../src/workflows/doctor.ts';

/** The cluster from the text of a snapshot of it. */
const recorded = (snapshot: Snapshot): ClusterReader =>
  snapshotReader(snapshotOf(snapshotText(snapshot, '1.0.0'), nothingRequested()), undefined);

/**
 * Doctor's report about a scenario's cluster, read over HTTPS: now, and the same from a snapshot a year
 * later.
 */
export async function examine(
  scenario: Pick<Scenario, 'parts' | 'deep' | 'probe'> & { readonly logs?: Readonly<Record<string, string>> },
): Promise<DoctorReport> {
  const { parts, deep, probe } = scenario;
  const now = new Date();
  const content = clusterContent(parts, now);
  const withLogs = (made: PodLogs = new Map()): PodLogs =>
    new Map([...made, ...Object.entries(scenario.logs ?? {})]);
  const server = await startApiServer({
    ...content,
    logs: withLogs(content.logs),
    controllers: (objects, at) => {
      const made = content.controllers?.(objects, at) ?? { objects };
      return { ...made, logs: withLogs(made.logs) };
    },
  });
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-scenario-'));
  const kubeconfig = join(directory, 'config');
  writeFileSync(kubeconfig, server.kubeconfig());
  const question = { deep: deep ?? false, now };
  const level: ProbeLevel = probe ?? 'review';
  try {
    const { reader, prober } = await openConnection({ kubeconfig }, {});
    try {
      const { snapshot, report } = await examineCluster(reader, {
        ...question,
        probe: { level, prober },
      });
      const nextYear = new Date(now.getTime() + 365 * 86_400_000);
      const later = { ...question, now: nextYear, probe: { level, prober } };
      const year = recorded(snapshot);
      const again = await examineCluster(year, later);
      expect(renderJson(again.report)).to.equal(renderJson(report));
      return await withRemedies(year, again, later);
    } finally {
      reader.close();
    }
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true });
  }
}
