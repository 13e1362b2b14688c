import { groupBy } from '../basics/collections.ts';
import {
  failopenWords,
  pluginCommand,
  type SuggestingRun,
  withNextCommands,
} from '../diagnose/next-commands.ts';
import type { DoctorReport, FindingReport } from '../diagnose/report.ts';
import { byId, type Callout, calloutId, isAdmission } from '../facts/callout.ts';
import type { FactName, Snapshot } from '../facts/snapshot.ts';
import { shellWord } from '../phrases/advice.ts';
import { remedyCatalogue } from '../remedies/catalogue.ts';
import { offersOf } from './offers.ts';

/** The facts and the time limit for remedies. */
export const remedyFacts: readonly FactName[] = remedyCatalogue.flatMap(({ requires }) => requires);

/** Options for the suggested commands of a run. */
export interface CommandContext extends SuggestingRun {
  /** Once it returns true, no more remedies are planned. */
  readonly isOver?: () => boolean;
}

/** The default duration of fail-open. */
const minutes = 30;

/** Index of ambiguous names. Built once: a large cluster has a thousand findings. */
interface Names {
  /** Number of findings per check. */
  readonly ofCheck: ReadonlyMap<string, number>;
  readonly ids: ReadonlySet<string>;
  /** A check and a webhook that it reports, separated by a space. */
  readonly reported: ReadonlySet<string>;
  /** Webhooks by the name of their configuration, of both kinds. */
  readonly ofConfiguration: ReadonlyMap<string, readonly Callout[]>;
}

function namesIn(findings: readonly FindingReport[], callouts: Iterable<Callout>): Names {
  const ofCheck = new Map<string, number>();
  for (const { check } of findings) ofCheck.set(check, (ofCheck.get(check) ?? 0) + 1);
  return {
    ofCheck,
    ids: new Set(findings.map(({ id }) => id)),
    reported: new Set(findings.map(({ check, callout }) => `${check} ${callout}`)),
    ofConfiguration: groupBy([...callouts].filter(isAdmission), ({ configuration }) => configuration),
  };
}

/** The shortest unambiguous name of a webhook: that of its configuration if it has no other webhook. */
function webhookName({ configuration, webhook, kind }: Callout, { ofConfiguration }: Names): string {
  const siblings = ofConfiguration.get(configuration) ?? [];
  const kinds = new Set(siblings.map((sibling) => sibling.kind));
  const name = siblings.length === 1 ? configuration : `${configuration}/${webhook}`;
  return `${kinds.size > 1 ? `${kind}/` : ''}${name}`;
}

/** The shortest unambiguous name of a finding for `fix`: `CHECK`, `CHECK:WEBHOOK` or its id. */
function nameOf(
  { check, id }: FindingReport,
  callout: Callout | undefined,
  names: Names,
  { isUnfiltered }: CommandContext,
): string {
  // The report has all findings of `fix`: a check id is unambiguous if one finding has it.
  if (isUnfiltered && names.ofCheck.get(check) === 1) return check;
  // A check can have several findings about one webhook, with a number in their ids.
  const isNumbered = id.includes('#') || names.ids.has(`${id}#2`);
  return callout === undefined || isNumbered || !isAdmission(callout)
    ? id
    : `${check}:${reportedName(check, callout, names)}`;
}

/** The configuration, if the same check reports all its webhooks; otherwise the webhook. */
function reportedName(check: string, callout: Callout, names: Names): string {
  const sameName = names.ofConfiguration.get(callout.configuration) ?? [];
  const siblings = sameName.filter(({ kind }) => kind === callout.kind);
  if (!siblings.every((one) => names.reported.has(`${check} ${calloutId(one)}`)))
    return webhookName(callout, names);
  const kind = siblings.length < sameName.length ? `${callout.kind}/` : '';
  return `${kind}${callout.configuration}`;
}

/** Operations that change only the Pods that run now. */
const passing: ReadonlySet<string> = new Set(['restart', 'scale']);

/** Adds to each finding its remedies that have a plan, the best first, with their commands. */
export function attachRemedies(
  report: DoctorReport,
  { facts }: Snapshot,
  context: CommandContext,
): DoctorReport {
  const callouts = byId(facts.callouts);
  const names = namesIn(report.findings, callouts.values());
  // The first name for each change: webhooks with the same backend have the same remedy.
  const namedBy = new Map<string, string>();
  const remediesOf = (finding: FindingReport): FindingReport['remedies'] => {
    if (context.isOver?.()) return [];
    const callout = callouts.get(finding.callout ?? '');
    return offersOf(finding, report, facts).flatMap((offer) => {
      if (!('plan' in offer)) return [];
      const { id, firstAid, leavesCauseOf = [] } = offer.meta;
      const { edits, print, needsFlag, unsure, summary } = offer.plan;
      const effect = firstAid === undefined ? summary : offer.meta.title;
      const change = JSON.stringify([id, edits, print]);
      // `failopen` also plans the undo.
      const opened = firstAid === 'all-requests' && edits.length === 1 ? callout : undefined;
      const name =
        namedBy.get(change) ??
        (opened === undefined
          ? nameOf(finding, callout, names, context)
          : reportedName(finding.check, opened, names));
      namedBy.set(change, name);
      const title = unsure === undefined ? effect : `${effect}; this may not help: ${unsure}`;
      const rest = {
        ...(opened === undefined ? {} : { opens: [name], minutes }),
        ...(firstAid === undefined ? {} : { firstAid: true as const }),
        ...(edits.some(({ operation }) => operation === 'delete') ? { deletes: true as const } : {}),
        ...(unsure === undefined ? {} : { unsure: true as const }),
        ...(edits.length > 0 && edits.every(({ operation }) => passing.has(operation))
          ? { canRecur: true as const }
          : {}),
        ...(leavesCauseOf.includes(finding.check) ? { leavesCause: true as const } : {}),
        ...needsFlag,
      };
      const words = opened === undefined ? `fix ${shellWord(name)} --remedy ${id}` : failopenWords(rest);
      return [{ id, title, command: pluginCommand(words, context.sameCluster, needsFlag?.flag), ...rest }];
    });
  };
  const findings = report.findings.map((finding) => ({ ...finding, remedies: remediesOf(finding) }));
  return withNextCommands({ ...report, findings }, context);
}
