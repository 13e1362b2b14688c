import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { doctor } from '../../src/workflows/doctor.ts';

/** What doctor says of a scenario's cluster, read over HTTPS as any other. */
export async function examine(scenario: Scenario): Promise<DoctorReport> {
  const now = new Date();
  const server = await startApiServer(clusterContent(scenario.parts, now));
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-scenario-'));
  const kubeconfig = join(directory, 'config');
  writeFileSync(kubeconfig, server.kubeconfig());
  try {
    const { reader, prober } = await openConnection({ kubeconfig }, {});
    try {
      return await doctor(reader, {
        callouts: [],
        deep: scenario.deep ?? false,
        check: [],
        skip: [],
        severity: 'info',
        now,
        probe: { level: scenario.probe ?? 'review', prober },
      });
    } finally {
      reader.close();
    }
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true });
  }
}
