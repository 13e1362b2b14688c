import { groupBy } from '../../basics/collections.ts';
import type { CalloutReport, FindingReport, RemedyReport } from '../../diagnose/report.ts';
import { byId } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { andMore, counted, firstOf } from '../../phrases/lists.ts';
import { adviceOf, type Story } from '../resolved-stories.ts';
import { asResult, errorLabel, labels } from '../text/labels.ts';
import { isComplete, type ReportLook } from '../text/look.ts';
import {
  adviceLines,
  adviceSteps,
  endingSteps,
  leastSteps,
  shownSteps,
  stepChoices,
  stepLines,
} from './advice-text.ts';
import { isRepeated } from './already-in-message.ts';
import { chainLine } from './chain-line.ts';
import { effectLines } from './effect.ts';
import { evidenceRows, notTriedLines, replicaLines } from './evidence.ts';
import { impactLines } from './impact-lines.ts';
import { type Labelled, labelled } from './labelled.ts';
import { type Extent, loggedLines } from './logged-lines.ts';
import { messageLines } from './message-lines.ts';
import { nextLines } from './next-lines.ts';
import { sampleRows } from './sample-lines.ts';
import { preventingSteps, shortenedLines, stateSentence, stepsOf, storyHeadline } from './story-words.ts';
import { cut, type Style, wrap, wrapHard } from './style.ts';
import { subjectLines } from './subject-lines.ts';

const indent = '    ';

/** The Pods of all backends: a problem outside of them can have several. */
function replicasOf(callouts: readonly CalloutReport[]): CalloutReport['replicas'] {
  const byBackend = callouts.map(({ backend: { service, url }, replicas }) => {
    const key = service === undefined ? url : keyOf(service);
    return [key, replicas] as const;
  });
  return [...new Map(byBackend).values()].flat();
}

/** The beginning of an error that names the webhook and its address, or the prefix of a denial. */
const errorPrefix =
  /^(?:.*?(?:\b(?:Post|Get) "[^"]*"|" denied the request): |failed calling webhook "[^"]*": (?:failed to call webhook: )?)/s;

/**
 * The API server's error for the call, unless evidence or message contain it already. The first screen omits
 * the name and address, which it shows above, and the prefix of a denial.
 */
function quotation(
  { callouts: [{ verdict }], cause, message = '', above = [] }: Story,
  style: Style,
  full: boolean,
): string[] {
  const { error } = verdict;
  if (error === undefined) return [];
  const words = error.replace(full ? '' : errorPrefix, '');
  const isShown = full
    ? cause?.evidence.slice(0, 6).some(({ value }) => value.includes(error))
    : [message, ...above].some((text) => text.includes(words));
  return isShown ? [] : wrapHard(`${errorLabel(verdict)}: ${words}`, style.width, '    ', '      ');
}

/** The command that fixes an error which breaks no call now. */
const fixOf = ({ next = [] }: FindingReport): string | undefined =>
  next.find(({ when }) => when === 'fix')?.command.text;

/** Maximum number of different errors below a failure. */
const mostAlso = 2;

/** Errors that break no call now, each with its command or first step; of several webhooks, with their names. */
function alsoFix({ errors = [], callouts }: Story): Labelled {
  const reports = byId(callouts);
  const nameOf = ({ callout = '' }: FindingReport): string => reports.get(callout)?.webhook ?? callout;
  const stepOf = (error: FindingReport): string => {
    const command = fixOf(error);
    const steps = adviceSteps(error.advice);
    return command === undefined ? ` ${shownSteps(leastSteps(steps), steps)}` : `\n  ${command}`;
  };
  const groups = groupBy(errors, (one) => JSON.stringify([one.title, stepOf(one)]));
  const texts = [...groups.values()].map((alike) => {
    const of = callouts.length === 1 ? '' : ` (${firstOf(alike.map(nameOf))})`;
    return `${alike[0].title}${of}:${stepOf(alike[0])}`;
  });
  const shown = cut(texts, mostAlso, (hidden) => andMore(hidden, '--details shows them'));
  return shown.map((text) => [labels.alsoFix, text] as const);
}

/** True for a remedy that restores no service, but may be applied without a decision. */
export const isLasting = ({ firstAid, deletes, unsure }: RemedyReport): boolean =>
  firstAid !== true && deletes !== true && unsure !== true;

/** The first remedy that narrows the webhooks, unless it is printed as fix. */
function narrowing({ tooWide = [], next }: Story): Labelled {
  const shown = new Set(next.map(({ id }) => id));
  const [first] = tooWide.flatMap(({ remedies }) => remedies.filter(isLasting));
  return first === undefined || shown.has(first.id)
    ? []
    : [[labels.prevent, `${first.command.text}\n(${asResult(first.title)})`]];
}

/** How much is printed below the evidence. */
interface Behind {
  readonly extent: Extent;
  /** The manual steps that are shown. Undefined: all, with the documentation. */
  readonly steps?: string;
}

/** The commands and the manual steps. A screen without room has the mitigation only at its end. */
function whatToDo(story: Story, { extent, steps }: Behind): Labelled {
  const { cause, causes, below } = story;
  if (cause === undefined) return [];
  const full = steps === undefined;
  const next = story.next.filter(
    ({ when, command: { text } }) => extent !== 'least' || when === 'fix' || text !== below,
  );
  // A fix that may not help follows the steps that do.
  const [certain, unsure] = [next.filter((one) => one.unsure !== true), next.filter((one) => one.unsure)];
  return [
    ...nextLines(certain, !full),
    [labels.manualFix, full ? adviceLines(adviceOf(cause, causes)) : steps],
    [labels.prevent, full || extent === 'least' ? undefined : stepLines(preventingSteps(story))],
    ...nextLines(unsure, !full),
    ...alsoFix(story),
    ...(extent === 'first' ? narrowing(story) : []),
    [labels.docs, `kubectl webhook checks ${cause.check}`],
  ];
}

/** If even the shortest choice is too long, steps are hidden only to save this many lines. */
const leastSaved = 2;

/** Labels that the first screen omits: it summarizes them, or only `-o wide` or `--details` print them. */
const notFirst: ReadonlySet<string> = new Set([
  labels.impact,
  labels.blocks,
  labels.soFar,
  labels.selfRecovery,
  labels.docs,
]);

/** As many complete rows as fit, `first` in any case, and a line with the number of omitted lines. */
function fitting(
  rows: readonly (readonly string[])[],
  first: readonly string[],
  room: number,
): readonly string[] {
  const lines = rows.flat();
  if (lines.length <= Math.max(room, 0)) return lines;
  let free = room - first.length - 1;
  const isKept = (row: readonly string[]): boolean => {
    if (row !== first && row.length > free) return false;
    if (row !== first) free -= row.length;
    return true;
  };
  const kept = rows.filter(isKept).flat();
  const hidden = lines.length - kept.length;
  // The note would take the place of the line.
  const text =
    kept.length === 0 ? `${counted(hidden, 'line')} of evidence` : `and ${counted(hidden, 'more line')}`;
  if (hidden <= 1) return lines;
  return kept.length > 0 && kept.length >= room ? kept : [...kept, `    ${text} (--details shows them)`];
}

/** The Pods that were refused: for a cause whose repair needs them, they are part of it. */
const soFarLines = ({ callouts: [callout], takenAt }: Story, { paint, width }: Style): string[] =>
  callout.impact?.blocked?.length === 0
    ? []
    : impactLines(callout, paint.red, takenAt).flatMap(([label, text]) =>
        label === labels.soFar ? wrap(text, width, `  ${paint.bold(label)}  `, '  ') : [],
      );

/** What is broken: state, webhooks, message, chain, and what the Pods log. */
function broken(story: Story, style: Style, look: ReportLook, extent: Extent): string[] {
  const full = extent === 'full';
  const { state, callouts, cause } = story;
  const [first] = callouts;
  const withReplicas = look.wide || (full && state === 'degraded');
  return [
    ...subjectLines(storyHeadline(story, style), callouts, style, full),
    ...messageLines(
      story.message ?? stateSentence(first),
      cause?.confidence ?? first.verdict.confidence,
      style,
    ),
    ...(full ? [] : soFarLines(story, style)),
    ...chainLine({ ...first, replicas: replicasOf(callouts) }, style),
    ...(withReplicas ? replicaLines(first.replicas, style, full) : []),
    // The network does not depend on what the Pods log.
    ...(first.verdict.link === 'network' && !full ? [] : loggedLines(story, style, extent)),
    ...(withReplicas || state === 'unknown' ? notTriedLines(first.notTried, style) : []),
  ];
}

function effectAndFix(story: Story, style: Style, look: ReportLook, length: Behind): string[] {
  const { callouts, cause, also, follows, errors = [] } = story;
  const [first] = callouts;
  const { extent } = length;
  const full = extent === 'full';
  const consequences =
    follows.length === 0 || !full
      ? []
      : wrap(`${labels.consequences}: ${follows.join(', ')}`, style.width, '    ', '      ');
  const impact = impactLines(first, style.paint.red);
  // The cause, or an error with a command, is that they cannot be recreated.
  const namesNoWayBack =
    cause?.noWayBack === true || errors.some((one) => one.noWayBack === true && fixOf(one) !== undefined);
  const recovery = impact.flatMap(([label, text]) =>
    label === labels.selfRecovery && !full && !namesNoWayBack && first.impact?.comesBack !== 'yes'
      ? wrap(text, style.width, indent, `${indent}  `)
      : [],
  );
  return [
    ...also.flatMap(({ message, check }) => {
      const lines = wrap(`also: ${message} (${check})`, style.width, '    ', '      ');
      return full ? lines : shortenedLines(lines, style);
    }),
    ...recovery,
    ...consequences.map((line) => style.paint.dim(line)),
    ...labelled(
      [
        ...effectLines(callouts, style).map((line) => [labels.impact, line] as const),
        ...impact,
        ['Why', look.wide ? cause?.why : undefined] as const,
        ...whatToDo(story, length),
      ].filter(([label]) => full || !notFirst.has(label)),
      style,
    ),
  ];
}

/** A failure with some of its logs and manual steps. */
interface BlockChoice {
  readonly before: readonly string[];
  readonly behind: readonly string[];
  readonly hasNote: boolean;
  /** All manual steps are shown. */
  readonly isAll: boolean;
  /** The number of steps that may end the failure. */
  readonly ending: number;
}

/** The choices in the order in which they are tried: logs are hidden before steps, and last a step that may end the failure. */
function choicesOf(story: Story, style: Style, look: ReportLook): readonly BlockChoice[] {
  const steps = stepsOf(story);
  return (['first', 'least'] as const)
    .flatMap((extent) => {
      const before = broken(story, style, look, extent);
      const choices = stepChoices(steps).map((shown): BlockChoice => {
        const isAll = shown === steps;
        return {
          before,
          behind: effectAndFix(story, style, look, { extent, steps: shownSteps(shown, steps) }),
          hasNote: extent === 'first' && isAll,
          isAll,
          ending: endingSteps(shown),
        };
      });
      // The note about hidden steps is a line itself.
      const most = choices[0]?.behind.length ?? 0;
      return choices.filter(({ isAll, behind }) => isAll || behind.length < most);
    })
    .toSorted((a, b) => b.ending - a.ending || Number(b.isAll) - Number(a.isAll));
}

/** The evidence for the cause; for one that several backends share, that about each. */
function evidenceOf({ cause, causes, message }: Story): readonly Evidence[] {
  const all =
    message === cause?.message ? (cause?.evidence ?? []) : causes.flatMap(({ evidence }) => evidence);
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/**
 * A cause in full: state, webhooks, message, chain, evidence, impact, commands.
 *
 * @param room maximum number of lines: evidence, then manual steps, then logs and what is blocked are cut to fit. It is
 *   exceeded if the fix would have no command, or a change no condition. Undefined: no limit.
 */
export function storyBlock(story: Story, style: Style, look: ReportLook, room?: number): string[] {
  const { callouts, cause } = story;
  const [callout] = callouts;
  const full = room === undefined;
  const evidence = evidenceOf(story).filter((one) => full || !isRepeated(story, one));
  const proofs = cause === undefined ? [] : evidenceRows({ ...cause, evidence }, style, isComplete(look));
  const quoted = quotation(story, style, full);
  // While no Pod serves requests, every call ends with the same error.
  const isPlain = ['backend', 'replica'].includes(callout.verdict.link ?? '');
  const rows = [...sampleRows(callout, style), ...(isPlain ? [...proofs, quoted] : [quoted, ...proofs])];
  if (full)
    return [
      ...broken(story, style, look, 'full'),
      ...rows.flat(),
      ...effectAndFix(story, style, look, { extent: 'full' }),
    ];
  // Hidden steps have a note already.
  const note = rows.flat().length > quoted.length ? 1 : 0;
  const choices = choicesOf(story, style, look);
  const leftBy = ({ before, behind }: BlockChoice): number => room - before.length - behind.length;
  const fits = choices.find((choice) => leftBy(choice) >= quoted.length + (choice.hasNote ? note : 0));
  const shortest = [...choices].sort((a, b) => leftBy(b) - leftBy(a));
  const candidates = [
    shortest.find(({ isAll }) => isAll),
    shortest.find(({ ending }) => ending > 0),
    shortest[0],
  ];
  const chosen = (fits === undefined ? candidates : [fits]).reduce((best, next) =>
    best && next && leftBy(next) < leftBy(best) + leastSaved ? best : next,
  );
  if (chosen === undefined) return [];
  const shown = chosen.hasNote || rows.flat().length <= leftBy(chosen) ? rows : [quoted];
  return [...chosen.before, ...fitting(shown, quoted, leftBy(chosen)), ...chosen.behind];
}
