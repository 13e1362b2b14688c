import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../collect/kube/open-cluster.ts';
import { startApiServer } from '../demo/api-server/server.ts';
import { clusterContent } from '../demo/cluster/cluster-content.ts';
import type { ClusterPart } from '../demo/cluster/workload-manifests.ts';
import { scenarios, shownScenarios } from '../demo/scenarios/catalogue.ts';
import { beginning, type Scenario } from '../demo/scenarios/scenario.ts';
import { tour } from '../demo/scenarios/tour.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import { CannotStart } from './cluster/cannot-start.ts';
import { doctor } from './doctor.ts';

export { beginning, type Scenario, scenarios };

/** The scenario with this name; without a name those of the default demo. Throws {@link CannotStart}. */
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

/** A running demo cluster, and doctor's report about it. */
export interface Demo {
  readonly report: DoctorReport;
  /** A kubeconfig file; {@link Demo.stop} deletes it. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** Starts an embedded cluster with a kubeconfig file that `stop` deletes. */
async function startCluster(parts: readonly ClusterPart[], now: Date) {
  const content = clusterContent(parts, now);
  // The uid of kube-system separates recorded changes from those of other clusters, such as an earlier demo.
  const uid = randomUUID();
  const objects = content.objects.map((object) =>
    object.kind === 'Namespace' && object.metadata.name === 'kube-system'
      ? { ...object, metadata: { ...object.metadata, uid } }
      : object,
  );
  const server = await startApiServer({ ...content, objects });
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-demo-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
  const stop = async (): Promise<void> => {
    rmSync(directory, { recursive: true, force: true });
    await server.stop();
  };
  return { server, kubeconfig, stop };
}

/** A step of the tour: a command and its purpose. */
export interface TourStep {
  readonly says: string;
  /** Arguments of `kubectl webhook`; undefined: the write that breaks the webhook. */
  readonly words?: readonly string[];
}

/**
 * The steps of the tour on a cluster with a healthy webhook: break it, examine it, make it fail open, fix it,
 * make it fail closed.
 */
export async function startTour(now: Date) {
  const { server, kubeconfig, stop } = await startCluster(tour.parts, now);
  const { write, typed, configuration, check, remedy } = tour;
  const steps: readonly TourStep[] = [
    { says: 'Break it: the Service selects a label that no Pod has.' },
    { says: 'Find out what is wrong, what is blocked and what to type.', words: ['doctor'] },
    {
      says: 'Unblock people first: the webhook fails open.',
      words: ['failopen', configuration, '--yes'],
    },
    {
      says: 'Fix the cause: the Service selects the Pods again.',
      words: ['fix', check, '--remedy', remedy, '--yes'],
    },
    { says: 'Undo the fail-open: failurePolicy is Fail again.', words: ['undo', configuration, '--yes'] },
  ];
  return { steps, typed, kubeconfig, stop, breakIt: () => server.patch(write.path, write.body) };
}

/** Five commands to try, in order: on the webhook that a remedy can fix, if there is one. */
export function commandsToTry({ callouts, findings }: DoctorReport): readonly string[] {
  const failing = callouts.filter(
    ({ kind, verdict }) => verdict.state === 'failing' && (kind === 'validating' || kind === 'mutating'),
  );
  const fixes = failing.flatMap((callout) =>
    findings
      .filter(
        ({ subject, check }) => subject.webhook === callout.webhook && callout.verdict.because[0] === check,
      )
      .flatMap(({ next = [] }) => next.filter(({ when }) => when === 'fix'))
      .map(({ command }) => ({ callout, command: command.text })),
  );
  const { callout, command = 'kubectl webhook list' } = fixes[0] ?? { callout: failing[0] };
  if (callout === undefined)
    return ['list', 'doctor', 'cert-check', 'what-if --down each', 'rbac doctor'].map(
      (words) => `kubectl webhook ${words}`,
    );
  const { configuration, kind } = callout;
  const name = `${kind}/${configuration}`;
  return [
    `kubectl webhook doctor ${name}`,
    `kubectl webhook failopen ${name}`,
    `kubectl webhook undo ${name}`,
    command,
    'kubectl webhook changes',
  ];
}

/** Starts the embedded cluster with some scenarios and runs doctor on it. Only connects to 127.0.0.1. */
export async function runDemo(chosen: readonly Scenario[], now: Date): Promise<Demo> {
  const parts = chosen.flatMap((scenario) => scenario.parts);
  const { kubeconfig, stop } = await startCluster(parts, now);
  try {
    const { reader, prober } = await openConnection({ kubeconfig }, {});
    try {
      const question = {
        deep: chosen.some((scenario) => scenario.deep),
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
