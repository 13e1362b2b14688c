import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../collect/kube/open-cluster.ts';
import { startApiServer } from '../demo/api-server/server.ts';
import { clusterContent } from '../demo/cluster/cluster-content.ts';
import type { ClusterPart } from '../demo/cluster/workload-manifests.ts';
import { scenarios, shownScenarios } from '../demo/scenarios/catalogue.ts';
import type { Scenario } from '../demo/scenarios/scenario.ts';
import { tour } from '../demo/scenarios/tour.ts';
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

/** Starts an embedded cluster; its kubeconfig is a file that is gone after `stop`. */
async function startCluster(parts: readonly ClusterPart[], now: Date) {
  const content = clusterContent(parts, now);
  // By the uid of kube-system changes are told from those of other clusters: of a demo before this one.
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

/** One step of the tour: what is typed, and what it is for. */
export interface TourStep {
  readonly says: string;
  /** Words after `kubectl webhook`; undefined: the write that breaks the webhook. */
  readonly words?: readonly string[];
}

/** A cluster with a sound webhook, and how one breaks it, looks at it, opens it, fixes it and closes it again. */
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

/** Five commands to try on a cluster, in order: on the webhook that one of the remedies fixes, if there is one. */
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

/** Starts the embedded cluster with some scenarios and runs doctor on it. Nothing outside 127.0.0.1 is asked. */
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
