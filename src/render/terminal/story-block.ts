import type { CalloutReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { shellWord } from '../../phrases/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { andMore, counted } from '../../phrases/lists.ts';
import { adviceOf, type Story } from '../stories.ts';
import { asResult, certainty, commandLabel, errorLabel, labels } from '../text/labels.ts';
import { logsOf } from '../text/log-text.ts';
import { isComplete, type ReportLook } from '../text/look.ts';
import { adviceLines } from './advice-text.ts';
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

/**
 * Log lines of containers that explain why they do not serve, and the meaning of one. The first screen leaves
 * out lines that the message quotes, unless their meaning follows, and all but its first sentence.
 */
function logLines({ callouts: [callout], message = '' }: Story, style: Style, full: boolean): string[] {
  const printed = (text: string): string[] => wrapHard(text, style.width, `${indent}  `, `${indent}    `);
  return logsOf(callout, full).flatMap(({ of, lines, means = '', meantLine }) => {
    const meaning = full ? means : (/^.*?\.(?= |$)/s.exec(means)?.[0] ?? means);
    const parts = lines.flatMap((line, at) => [
      ...(full || at === meantLine || !isQuoted(message, line) ? printed(line) : []),
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

/** Manual steps if no remedy fixes the cause; not shortened. */
function manualFix(story: Story): Labelled {
  const { cause, causes } = story;
  return cause === undefined || isCured(story)
    ? []
    : [[labels.manualFix, adviceLines(adviceOf(cause, causes))]];
}

function whatToDo(story: Story, full: boolean): Labelled {
  const { cause, causes, next } = story;
  if (cause === undefined) return [];
  // A fix that may not help follows the steps that do.
  const [certain, unsure] = [next.filter((one) => one.unsure !== true), next.filter((one) => one.unsure)];
  return [
    ...nextLines(certain, !full),
    ...(full ? [[labels.manualFix, adviceLines(adviceOf(cause, causes))] as const] : manualFix(story)),
    ...nextLines(unsure, !full),
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
  room: number | undefined,
): readonly string[] {
  const lines = rows.flat();
  if (room === undefined || lines.length <= Math.max(room, 0)) return lines;
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

/**
 * A cause in full: state, webhooks, message, chain, evidence, impact, commands.
 *
 * @param room maximum number of lines: evidence is cut to fit. Undefined: no limit.
 */
export function storyBlock(story: Story, style: Style, look: ReportLook, room?: number): string[] {
  const { state, callouts, cause, also, follows } = story;
  const [first] = callouts;
  const full = room === undefined;
  const withReplicas = look.wide || (full && state === 'degraded');
  const consequences =
    follows.length === 0 || !full
      ? []
      : wrap(`${labels.consequences}: ${follows.join(', ')}`, style.width, '    ', '      ');
  const before = [
    ...subjectLines(headline(story, style), callouts, style, full),
    ...messageLines(
      story.message ?? stateSentence(first),
      cause?.confidence ?? first.verdict.confidence,
      style,
    ),
    ...chainLine({ ...first, replicas: replicasOf(callouts) }, style),
    ...(withReplicas ? replicaLines(first.replicas, style, full) : []),
    // The network does not depend on what the Pods log.
    ...(first.verdict.link === 'network' && !full ? [] : logLines(story, style, full)),
    ...(withReplicas || state === 'unknown' ? notTriedLines(first.notTried, style) : []),
  ];
  const behind = [
    ...also.flatMap(({ message, check }) =>
      wrap(`also: ${message} (${check})`, style.width, '    ', '      '),
    ),
    ...consequences.map((line) => style.paint.dim(line)),
    ...labelled(
      [
        ...effectLines(callouts, style).map((line) => [labels.impact, line] as const),
        ...impactLines(first, style.paint.red).filter(
          ([label]) =>
            full ||
            (label === labels.selfRecovery && first.impact?.comesBack !== 'yes') ||
            (label === labels.soFar && first.impact?.blocked?.length !== 0),
        ),
        ['Why', look.wide ? cause?.why : undefined] as const,
        ...whatToDo(story, full),
      ].filter(([label]) => full || !notFirst.has(label)),
      style,
    ),
  ];
  const evidence = (cause?.evidence ?? []).filter(({ value }) => full || !isTold(story, value));
  const proofs = cause === undefined ? [] : evidenceRows({ ...cause, evidence }, style, isComplete(look));
  const quoted = quotation(story, style, full);
  // While no Pod serves requests, every call ends with the same error.
  const isPlain = ['backend', 'replica'].includes(first.verdict.link ?? '');
  const rows = [...sampleRows(first, style), ...(isPlain ? [...proofs, quoted] : [quoted, ...proofs])];
  return [
    ...before,
    ...fitting(rows, quoted, full ? undefined : room - before.length - behind.length),
    ...behind,
  ];
}
