import type { CalloutReport, FindingReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { shellWord } from '../../phrases/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { andMore, counted } from '../../phrases/lists.ts';
import { adviceOf, type Story } from '../stories.ts';
import { asResult, certainty, commandLabel, errorLabel, labels } from '../text/labels.ts';
import { logsOf } from '../text/log-text.ts';
import { isComplete, type ReportLook } from '../text/look.ts';
import { type AdviceStep, adviceLines, adviceSteps, stepLines } from './advice-text.ts';
import { stateWord } from './broken-table.ts';
import { chainLine } from './chain-line.ts';
import { effectLines } from './effect.ts';
import { evidenceRows, notTriedLines, replicaLines } from './evidence.ts';
import { impactLines } from './impact-lines.ts';
import { type Labelled, labelled } from './labelled.ts';
import { messageLines } from './message-lines.ts';
import { nextLines } from './next-lines.ts';
import { sampleRows } from './sample-lines.ts';
import { type Style, wrap, wrapHard } from './style.ts';
import { subjectLines } from './subject-lines.ts';

const indent = '    ';

/**
 * Whether a message quotes a text completely, without what `brief` removes. The same characters may be a part of
 * another message: `error` of a log, in a message about another error.
 */
function isQuoted(message: string, text: string): boolean {
  const quoted = brief(text);
  if (quoted === '' || quoted.includes('…')) return false;
  const [before = '', ...parts] = message.split(quoted);
  return parts.some(
    (after, at) => /(?:: |\()$/.test(parts[at - 1] ?? before) && /^(?:$|[);,]| \()/.test(after),
  );
}

/** How much of a failure is printed: all, what is read first, or the least of that if it does not fit. */
type Extent = 'full' | 'first' | 'least';

/** A line of a log that takes more lines on the first screen is abbreviated. */
const mostOfLine = 2;

/** Parts of a line of a log: its own words, with its end. Else its beginning. */
function abbreviated(text: string, { width, marks }: Style): string {
  const short = brief(text);
  if (short.split('…').every((part) => text.includes(part))) return short;
  const most = mostOfLine * (width - 2 * indent.length);
  return `${text.slice(0, most - 2)}${marks.more}`;
}

/**
 * Log lines of containers that explain why they do not serve, and the meaning of one. The first screen leaves
 * out lines that the message quotes, unless their meaning follows, and all but its first sentence.
 */
function logLines({ callouts: [callout], message = '' }: Story, style: Style, extent: Extent): string[] {
  const full = extent === 'full';
  const printed = (text: string): string[] => {
    const lines = wrapHard(text, style.width, `${indent}  `, `${indent}    `);
    if (full || lines.length <= mostOfLine) return lines;
    const short = abbreviated(text, style);
    // The message has its beginning.
    if (message.includes(short.replace(/ ?…$/, ''))) return [];
    return wrapHard(short, style.width, `${indent}  `, `${indent}    `);
  };
  return logsOf(callout, full).flatMap(({ of, lines, means = '', meantLine }) => {
    const meaning = full ? means : (/^.*?\.(?= |$)/s.exec(means)?.[0] ?? means);
    const essential = meantLine ?? lines.length - 1;
    const isShown = (line: string, at: number): boolean =>
      full || at === meantLine || ((extent === 'first' || at === essential) && !isQuoted(message, line));
    const parts = lines.flatMap((line, at) => [
      ...(isShown(line, at) ? printed(line) : []),
      ...(at === meantLine
        ? wrap(`${labels.means}: ${meaning}`, style.width, `${indent}  `, `${indent}    `)
        : []),
    ]);
    return parts.length === 0 ? [] : [...wrap(`${of}:`, style.width, indent), ...parts];
  });
}

/** The Pods of all backends: a problem outside of them can have several. */
function replicasOf(callouts: readonly CalloutReport[]): CalloutReport['replicas'] {
  const byBackend = callouts.map(({ backend: { service, url }, replicas }) => {
    const key = service === undefined ? url : keyOf(service);
    return [key, replicas] as const;
  });
  return [...new Map(byBackend).values()].flat();
}

/** A webhook that this program made fail open works as requested, and has its own headline. */
const headline = ({ state, callouts: [{ opened }] }: Story, style: Style): string =>
  style.paint.bold(
    opened === undefined
      ? stateWord(state, style).replace(state, state.toUpperCase())
      : style.paint.yellow(`${style.marks.warning} OPEN`),
  );

/** The text without a finding: the check did not run, or only the model of the API server has a reason. */
export function stateSentence({
  verdict: { state, link: at },
  notTried,
}: Pick<CalloutReport, 'verdict' | 'notTried'>): string {
  const link = at === undefined ? '' : ` the link "${at}"`;
  if (state === 'unknown' && link === '' && notTried !== undefined && notTried.length > 0)
    return 'Unknown whether calls succeed: no probe was conclusive.';
  if (state === 'unknown')
    return `Unknown whether calls succeed: the objects ${link ? `for${link}` : 'that decide it'} could not be read.`;
  return `The next call fails${state === 'degraded' ? ' for some requests' : ''}${link && ` at${link}`}.`;
}

/** The beginning of an error that names the webhook and its address, or the prefix of a denial. */
const errorPrefix =
  /^(?:.*?(?:\b(?:Post|Get) "[^"]*"|" denied the request): |failed calling webhook "[^"]*": (?:failed to call webhook: )?)/s;

/**
 * The API server's error for the call, unless evidence or message contain it already. The first screen omits
 * the name and address, which it shows above, and the prefix of a denial.
 */
function quotation(
  { callouts: [{ verdict }], cause, message = '' }: Story,
  style: Style,
  full: boolean,
): string[] {
  const { error } = verdict;
  if (error === undefined) return [];
  const words = error.replace(full ? '' : errorPrefix, '');
  const isShown = full
    ? cause?.evidence.slice(0, 6).some(({ value }) => value.includes(error))
    : message.includes(words);
  return isShown ? [] : wrapHard(`${errorLabel(verdict)}: ${words}`, style.width, '    ', '      ');
}

/** Whether a remedy fixes the cause itself, certainly, and without deleting something. */
function isCured({ causes, next }: Story): boolean {
  const own = new Set(causes.flatMap(({ remedies }) => remedies.map(({ id }) => id)));
  return next.some(
    ({ when, id, deletes, unsure }) => when === 'fix' && own.has(id) && deletes !== true && unsure !== true,
  );
}

/** Manual steps if no remedy fixes the cause. */
const stepsOf = (story: Story): readonly AdviceStep[] =>
  story.cause === undefined || isCured(story) ? [] : adviceSteps(adviceOf(story.cause, story.causes));

const manualFix = (story: Story): Labelled => [[labels.manualFix, stepLines(stepsOf(story))]];

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

/** Maximum lines of a sentence if there are several causes. */
const briefly = 4;

/** The first lines of a sentence, with an ellipsis if there are more. */
function shortened(lines: readonly string[], { width, marks }: Style): readonly string[] {
  if (lines.length <= briefly) return lines;
  const last = lines[briefly - 1] ?? '';
  const fitting = last.length + 1 + marks.more.length <= width ? last : last.slice(0, last.lastIndexOf(' '));
  return [...lines.slice(0, briefly - 1), `${fitting} ${marks.more}`];
}

/** One of several causes: webhook, message, commands; manual steps on request, if no command fixes it. */
export function storyInBrief(
  story: Story,
  nameOf: (id: string) => string,
  style: Style,
  withSteps: boolean,
): string[] {
  const { callouts, cause, next } = story;
  const [first, ...others] = callouts;
  const message = story.message ?? stateSentence(first);
  const name = style.paint.bold(calloutId(first));
  const more = others.length === 0 ? '' : ` ${andMore(others.length)}`;
  const [fix] = next.filter(({ when }) => when === 'fix');
  // The same fix, for each of its configurations.
  const commands = [
    ...next.filter(({ when }) => when === 'now').slice(0, 1),
    ...next.filter(({ when, id }) => when === 'fix' && id === fix?.id),
  ];
  const [log] = logsOf(first);
  const logged = brief(log?.lines.at(-1) ?? '');
  const ending = logged.replace(/^error: /i, '').replace(/ ?…$/, '');
  const lines: Labelled = [
    [labels.log, message.includes(ending) ? undefined : logged],
    ...commands.map(({ when, command, deletes, title, because }): Labelled[number] => {
      const notes = [deletes === true ? asResult(title) : [], (when === 'fix' && because) || []].flat();
      return [commandLabel[when], [command.text, ...notes.map((note) => `(${note})`)].join('\n')];
    }),
  ];
  const details: Labelled = [
    [
      labels.details,
      `kubectl webhook doctor ${shellWord(nameOf(calloutId(first)))}${cause?.advice.flags ?? ''}`,
    ],
  ];
  const sure = certainty[cause?.confidence ?? first.verdict.confidence];
  const steps = withSteps ? manualFix(story) : [];
  return [
    ...wrap(`${headline(story, style)}  ${name}${more}  ${style.paint.dim(sure)}`, style.width, '', '  '),
    ...shortened(wrap(message, style.width, '  '), style),
    ...labelled([...lines, ...(commands.length + steps.length === 0 ? details : steps)], style).slice(1),
  ];
}

/** A shorter value may be in an error by chance. */
const leastTold = 20;

/** Whether the message has the exit code and the restarts of a container: `Error, exit code 2, restarts 7`. */
function isCounted(message: string, value: string): boolean {
  const {
    reason = '',
    code,
    restarts,
  } = /^(?<reason>\w+), exit code (?<code>\d+), restarts (?<restarts>\d+)$/.exec(value)?.groups ?? {};
  const isNamed = message.includes(reason) || message.includes(`exit code ${code}`);
  return restarts !== undefined && isNamed && message.includes(`restart count ${restarts}`);
}

/** Whether the message quotes a value, apart from a word before it: `Unschedulable: `; or the error contains it. */
const isTold = ({ message = '', callouts: [{ verdict }] }: Story, value: string): boolean =>
  isQuoted(message, value.replace(/^\w+: /, '')) ||
  isCounted(message, value) ||
  (value.length >= leastTold && verdict.error?.includes(value) === true);

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
    ...subjectLines(headline(story, style), callouts, style, full),
    ...messageLines(
      story.message ?? stateSentence(first),
      cause?.confidence ?? first.verdict.confidence,
      style,
    ),
    ...chainLine({ ...first, replicas: replicasOf(callouts) }, style),
    ...(withReplicas ? replicaLines(first.replicas, style, full) : []),
    // The network does not depend on what the Pods log.
    ...(first.verdict.link === 'network' && !full ? [] : logLines(story, style, extent)),
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
  // The title of the cause, or of an error with a command, has it.
  const isTold = [cause, ...errors].some((one) => one?.title.startsWith('Deadlock') === true);
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
