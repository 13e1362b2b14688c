import type { DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { type Callout, isAdmission } from '../../facts/callout.ts';
import type { Snapshot } from '../../facts/snapshot.ts';
import { catalogue } from '../../remedies/catalogue.ts';
import { offersFor } from '../../remedies/plans-for.ts';
import { byId, problemOf } from './problem.ts';

/** How a command of ours names things in this run. */
export interface CommandContext {
  /** The report holds everything that `fix` would find: a check id is unambiguous when one finding has it. */
  readonly whole: boolean;
  /** Flags that lead to the same cluster: `--context prod`. Empty, or with a space in front. */
  readonly flags: string;
}

/** How long it fails open unless told. */
const meanwhile = '--for 30m';

/** The shortest name by which `fix` knows the finding. */
function nameOf(
  finding: FindingReport,
  findings: readonly FindingReport[],
  { whole }: CommandContext,
): string {
  const alone = findings.filter(({ check }) => check === finding.check).length === 1;
  return whole && alone ? finding.check : finding.id;
}

/** Failing open has a command of its own, which takes care of the way back. */
function failopenCommand(
  callout: Callout,
  callouts: ReadonlyMap<string, Callout>,
  { flags }: CommandContext,
): string {
  const siblings = [...callouts.values()].filter(
    (one) => isAdmission(one) && one.configuration === callout.configuration,
  );
  const kinds = new Set(siblings.map(({ kind }) => kind));
  const name = siblings.length === 1 ? callout.configuration : `${callout.configuration}/${callout.webhook}`;
  return `kubectl webhook failopen ${kinds.size > 1 ? `${callout.kind}/` : ''}${name} ${meanwhile}${flags}`;
}

/** The report with the remedies that plan something for each finding, the best first, and the command for each. */
export function attachRemedies(
  report: DoctorReport,
  { facts, takenAt }: Snapshot,
  context: CommandContext,
): DoctorReport {
  const callouts = byId(facts.callouts);
  const remediesOf = (finding: FindingReport): FindingReport['remedies'] => {
    const problem = problemOf(finding, report, callouts);
    return offersFor(problem, facts, takenAt, catalogue).flatMap((offer) => {
      if (!('plan' in offer)) return [];
      const { id, title } = offer.meta;
      const command =
        id === 'flip-failure-policy' && problem.callout !== undefined && offer.plan.edits.length === 1
          ? failopenCommand(problem.callout, callouts, context)
          : `kubectl webhook fix ${nameOf(finding, report.findings, context)} --remedy ${id}${context.flags}`;
      return [{ id, title, command }];
    });
  };
  return {
    ...report,
    findings: report.findings.map((finding) => ({ ...finding, remedies: remediesOf(finding) })),
  };
}
