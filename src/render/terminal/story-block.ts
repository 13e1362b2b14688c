import type { CalloutReport, FindingReport } from '../../diagnose/report.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { counted } from '../../phrases/lists.ts';
import { adviceOf, type Story } from '../stories.ts';
import { errorLabel, labels } from '../text/labels.ts';
import { isComplete, type ReportLook } from '../text/look.ts';
import { type AdviceStep, adviceLines, adviceSteps, stepLines } from './advice-text.ts';
import { chainLine } from './chain-line.ts';
import { effectLines } from './effect.ts';
import { evidenceRows, notTriedLines, replicaLines } from './evidence.ts';
import { impactLines } from './impact-lines.ts';
import { type Labelled, labelled } from './labelled.ts';
import { type Extent, loggedLines } from './logged-lines.ts';
import { messageLines } from './message-lines.ts';
import { nextLines } from './next-lines.ts';
import { sampleRows } from './sample-lines.ts';
import { shortened, stateSentence, stepsOf, storyHeadline } from './story-words.ts';
import { type Style, wrap, wrapHard } from './style.ts';
import { subjectLines } from './subject-lines.ts';
import { isTold } from './told.ts';

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

/** The first steps, and where the others are. */
function firstSteps(steps: readonly AdviceStep[], most: number): string {
  const text = stepLines(steps.slice(0, most));
  return steps.length <= most ? text : `${text}\n(--details shows more steps)`;
}

/** An error that breaks no call now, and the command for it. */
const alsoFix = ({ title, next = [], advice }: FindingReport): string => {
  const command = next.find(({ when }) => when === 'fix')?.command.text;
  return command === undefined
    ? `${title}: ${firstSteps(adviceSteps(advice), 1)}`
    : `${title}:\n  ${command}`;
};

/** @param most maximum number of manual steps. Undefined: everything, with the documentation. */
function whatToDo(story: Story, most: number | undefined): Labelled {
  const { cause, causes, next, errors = [] } = story;
  if (cause === undefined) return [];
  const full = most === undefined;
  // A fix that may not help follows the steps that do.
  const [certain, unsure] = [next.filter((one) => one.unsure !== true), next.filter((one) => one.unsure)];
  return [
    ...nextLines(certain, !full),
    [labels.manualFix, full ? adviceLines(adviceOf(cause, causes)) : firstSteps(stepsOf(story), most)],
    ...nextLines(unsure, !full),
    ...errors.map((error) => [labels.alsoFix, alsoFix(error)] as const),
    [labels.docs, `kubectl webhook checks ${cause.check}`],
  ];
}

/** Labels that the first screen omits: it summarizes them, or only `-o wide` or `--details` print them. */
const notFirst: ReadonlySet<string> = new Set([labels.impact, labels.blocks, labels.docs]);

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
    ...chainLine({ ...first, replicas: replicasOf(callouts) }, style),
    ...(withReplicas ? replicaLines(first.replicas, style, full) : []),
    // The network does not depend on what the Pods log.
    ...(first.verdict.link === 'network' && !full ? [] : loggedLines(story, style, extent)),
    ...(withReplicas || state === 'unknown' ? notTriedLines(first.notTried, style) : []),
  ];
}

/** @param most maximum number of manual steps. Undefined: everything. */
function effectAndFix(story: Story, style: Style, look: ReportLook, most: number | undefined): string[] {
  const { callouts, cause, also, follows, errors = [] } = story;
  const [first] = callouts;
  const full = most === undefined;
  const consequences =
    follows.length === 0 || !full
      ? []
      : wrap(`${labels.consequences}: ${follows.join(', ')}`, style.width, '    ', '      ');
  const impact = impactLines(first, style.paint.red);
  // The cause, or an error with a command, is that they cannot be recreated.
  const isTold = [cause, ...errors].some((one) => one?.noWayBack === true);
  const recovery = impact.flatMap(([label, text]) =>
    label === labels.selfRecovery && !full && !isTold && first.impact?.comesBack !== 'yes'
      ? wrap(text, style.width, indent, `${indent}  `)
      : [],
  );
  return [
    ...also.flatMap(({ message, check }) => {
      const lines = wrap(`also: ${message} (${check})`, style.width, '    ', '      ');
      return full ? lines : shortened(lines, style);
    }),
    ...recovery,
    ...consequences.map((line) => style.paint.dim(line)),
    ...labelled(
      [
        ...effectLines(callouts, style).map((line) => [labels.impact, line] as const),
        ...impact.filter(
          ([label]) => full || (label === labels.soFar && first.impact?.blocked?.length !== 0),
        ),
        ['Why', look.wide ? cause?.why : undefined] as const,
        ...whatToDo(story, most),
      ].filter(([label]) => full || !notFirst.has(label)),
      style,
    ),
  ];
}

/**
 * A cause in full: state, webhooks, message, chain, evidence, impact, commands.
 *
 * @param room maximum number of lines: evidence, and then manual steps but the first, are cut to fit. Undefined: no limit.
 */
export function storyBlock(story: Story, style: Style, look: ReportLook, room?: number): string[] {
  const { callouts, cause } = story;
  const [callout] = callouts;
  const full = room === undefined;
  const evidence = (cause?.evidence ?? []).filter(({ value }) => full || !isTold(story, value));
  const proofs = cause === undefined ? [] : evidenceRows({ ...cause, evidence }, style, isComplete(look));
  const quoted = quotation(story, style, full);
  // While no Pod serves requests, every call ends with the same error.
  const isPlain = ['backend', 'replica'].includes(callout.verdict.link ?? '');
  const rows = [...sampleRows(callout, style), ...(isPlain ? [...proofs, quoted] : [quoted, ...proofs])];
  if (full)
    return [
      ...broken(story, style, look, 'full'),
      ...rows.flat(),
      ...effectAndFix(story, style, look, undefined),
    ];
  const first = broken(story, style, look, 'first');
  const count = Math.max(stepsOf(story).length, 1);
  // Hidden steps have a note already.
  const note = rows.flat().length > quoted.length ? 1 : 0;
  const choices = Array.from({ length: count }, (_, at) => ({
    lines: effectAndFix(story, style, look, count - at),
    least: quoted.length + (at === 0 ? note : 0),
  }));
  const height = ({ lines, least }: (typeof choices)[number]): number => first.length + least + lines.length;
  const chosen = choices.find((choice) => height(choice) <= room) ?? choices.at(-1);
  const behind = chosen?.lines ?? [];
  const isTooLong = chosen !== undefined && height(chosen) > room;
  const before = isTooLong ? broken(story, style, look, 'least') : first;
  const left = room - before.length - behind.length;
  const shown = chosen === choices[0] || rows.flat().length <= left ? rows : [quoted];
  return [...before, ...fitting(shown, quoted, left), ...behind];
}
