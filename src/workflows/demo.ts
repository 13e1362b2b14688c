import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../collect/kube/open-cluster.ts';
import { startApiServer } from '../demo/api-server/server.ts';
import { clusterContent } from '../demo/cluster/cluster-content.ts';
import { scenarios, shownScenarios } from '../demo/scenarios/catalogue.ts';
import type { Scenario } from '../demo/scenarios/scenario.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import { doctor } from './doctor.ts';
import { CannotStart } from './with-cluster.ts';

export type { Scenario };
export const allScenarios: readonly Scenario[] = scenarios;

/** The scenario of that name; without a name those of the default demo. Throws {@link CannotStart}. */
export function scenariosNamed(slug: string | undefined): readonly Scenario[] {
  if (slug === undefined) return shownScenarios;
  const exact = scenarios.filter((scenario) => scenario.slug === slug);
  if (exact.length > 0) return exact;
  const word = slug.toLowerCase();
  const near = scenarios.map((scenario) => scenario.slug).filter((other) => other.includes(word));
  const hint =
    near.length > 0 ? `Similar scenarios: ${near.join(', ')}` : 'All scenarios: kubectl webhook demo --list';
  throw new CannotStart(`there is no scenario "${slug}"`, hint);
}

/** A running demo cluster and what doctor says of it. */
export interface Demo {
  readonly report: DoctorReport;
  /** A kubeconfig file; it is gone after {@link Demo.stop}. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** Starts the embedded cluster with some scenarios and runs doctor on it. Nothing outside 127.0.0.1 is asked. */
export async function runDemo(chosen: readonly Scenario[], now: Date): Promise<Demo> {
  const parts = chosen.flatMap((scenario) => scenario.parts);
  const server = await startApiServer(clusterContent(parts, now));
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-demo-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const stop = async (): Promise<void> => {
    rmSync(directory, { recursive: true, force: true });
    await server.stop();
  };
  try {
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
    const { reader, prober } = await openConnection({ kubeconfig }, {});
    try {
      const question = {
        callouts: [],
        deep: chosen.some((scenario) => scenario.deep),
        check: [],
        skip: [],
        severity: 'info',
        now,
      } as const;
      const level = chosen.some(({ probe }) => probe === 'none') ? 'none' : 'review';
      return { report: await doctor(reader, { ...question, probe: { level, prober } }), kubeconfig, stop };
    } finally {
      reader.close();
    }
  } catch (error) {
    await stop();
    throw error;
  }
}
