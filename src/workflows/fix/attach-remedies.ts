import { withNextCommands } from '../../diagnose/next-commands.ts';
import type { DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { shellWord } from '../../facts/advice.ts';
import { type Callout, isAdmission } from '../../facts/callout.ts';
import type { FactName, Snapshot } from '../../facts/snapshot.ts';
import { remedyCatalogue } from '../../remedies/catalogue.ts';
import { offersFor } from '../../remedies/plans-for.ts';
import { byId, problemOf } from './problem.ts';

/** What remedies go by. */
export const remedyFacts: readonly FactName[] = remedyCatalogue.flatMap(({ requires }) => requires);

/** How a command of ours names things in this run. */
export interface CommandContext {
  /** The report holds everything that `fix` would find: a check id is unambiguous when one finding has it. */
  readonly whole: boolean;
  /** Flags that lead to the same cluster: `--context prod`. Empty, or with a space in front. */
  readonly flags: string;
  /** No more remedies are looked for from then on. */
  readonly isOver?: () => boolean;
}

/** How long it fails open unless told. */
const meanwhile = '--for 30m';

/** Which names are good for more than one thing. Made once: a large cluster has a thousand findings. */
interface Names {
  /** How many findings a check has. */
  readonly ofCheck: ReadonlyMap<string, number>;
  /** The webhooks of a configuration's name, of both kinds of configuration. */
  readonly ofConfiguration: ReadonlyMap<string, readonly Callout[]>;
}

function namesIn(findings: readonly FindingReport[], callouts: Iterable<Callout>): Names {
  const ofCheck = new Map<string, number>();
  for (const { check } of findings) ofCheck.set(check, (ofCheck.get(check) ?? 0) + 1);
  const ofConfiguration = new Map<string, Callout[]>();
  for (const callout of callouts) {
    if (!isAdmission(callout)) continue;
    const siblings = ofConfiguration.get(callout.configuration);
    if (siblings === undefined) ofConfiguration.set(callout.configuration, [callout]);
    else siblings.push(callout);
  }
  return { ofCheck, ofConfiguration };
}

/** The shortest name by which `fix` knows the finding. */
const nameOf = ({ check, id }: FindingReport, { ofCheck }: Names, { whole }: CommandContext): string =>
  whole && ofCheck.get(check) === 1 ? check : id;

/** Failing open has a command of its own, which takes care of the way back. */
function failopenCommand(
  { configuration, webhook, kind }: Callout,
  { ofConfiguration }: Names,
  { flags }: CommandContext,
): string {
  const siblings = ofConfiguration.get(configuration) ?? [];
  const kinds = new Set(siblings.map((sibling) => sibling.kind));
  const name = siblings.length === 1 ? configuration : `${configuration}/${webhook}`;
  return `kubectl webhook failopen ${shellWord(`${kinds.size > 1 ? `${kind}/` : ''}${name}`)} ${meanwhile}${flags}`;
}

/** The report with the remedies that plan something for each finding, the best first, and the command for each. */
export function attachRemedies(
  report: DoctorReport,
  { facts }: Snapshot,
  context: CommandContext,
): DoctorReport {
  const callouts = byId(facts.callouts);
  const names = namesIn(report.findings, callouts.values());
  const remediesOf = (finding: FindingReport): FindingReport['remedies'] => {
    if (context.isOver?.()) return [];
    const problem = problemOf(finding, report, callouts);
    return offersFor(problem, facts, remedyCatalogue).flatMap((offer) => {
      if (!('plan' in offer)) return [];
      const { id, firstAid } = offer.meta;
      const { edits, needsFlag, unsure } = offer.plan;
      const title = unsure === true ? `${offer.meta.title}; may not help` : offer.meta.title;
      const accepting = needsFlag === undefined ? '' : ` ${needsFlag.flag}`;
      const text =
        firstAid === 'all-requests' && problem.callout !== undefined && edits.length === 1
          ? failopenCommand(problem.callout, names, context)
          : `kubectl webhook fix ${shellWord(nameOf(finding, names, context))} --remedy ${id}${context.flags}`;
      const command = { text: `${text}${accepting}`, runnable: true, placeholders: [] };
      return [
        {
          id,
          title,
          command,
          ...(firstAid === undefined ? {} : { firstAid: true }),
          ...(edits.some(({ operation }) => operation === 'delete') ? { deletes: true } : {}),
          ...(unsure === true ? { unsure } : {}),
          ...(needsFlag === undefined ? {} : { because: needsFlag.because }),
        },
      ];
    });
  };
  const findings = report.findings.map((finding) => ({ ...finding, remedies: remediesOf(finding) }));
  return withNextCommands({ ...report, findings }, context.flags);
}
