import { nextCall } from '../apiserver/next-call/next-call.ts';
import type { Check } from '../checks/check.ts';
import type { Callout } from '../facts/callout.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { buildReport, type Judged } from './build-report.ts';
import { replicaReports } from './replica-reports.ts';
import type { DoctorReport } from './report.ts';
import { type CheckResult, runCheck } from './run-check.ts';

/** What checks said before everything was read, by check id. */
export type Beforehand = ReadonlyMap<string, readonly CheckResult[]>;

/**
 * Snapshot → report: runs the checks and joins what they say. Pure; `takenAt` is its only clock.
 *
 * @param beforehand what some checks said of these very facts already.
 */
export function diagnose(
  snapshot: Snapshot,
  asked: readonly Callout[],
  checks: readonly Check[],
  show: Judged['show'],
  beforehand: Beforehand = new Map(),
): DoctorReport {
  return buildReport({
    snapshot,
    asked,
    checks,
    results: checks.flatMap((check) => beforehand.get(check.meta.id) ?? runCheck(check, snapshot)),
    nextCall: (callout) => {
      const { facts, cluster, takenAt } = snapshot;
      return nextCall(callout, facts, facts.routing.mode, cluster.version, takenAt);
    },
    replicas: (callout) => replicaReports(callout, snapshot),
    show,
  });
}
