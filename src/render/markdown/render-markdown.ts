import { wholeSeconds } from '../../basics/time.ts';
import { calloutStates, type DoctorReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { unreadText } from '../../facts/unread.ts';
import { type AdvicePart, adviceParts } from '../../phrases/advice.ts';
import { andMore } from '../../phrases/lists.ts';
import { adviceOf, causeText, type Story, storiesOf, storyRows } from '../resolved-stories.ts';
import { blockedBy, openedText } from '../terminal/broken-table.ts';
import { effectText } from '../terminal/effect.ts';
import { coverageText } from '../terminal/header.ts';
import { impactLines } from '../terminal/impact-lines.ts';
import { outageSections } from '../terminal/outage-lines.ts';
import { stateSentence } from '../terminal/story-words.ts';
import { cut } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { asResult, commandLabel, errorLabel, labels } from '../text/labels.ts';
import { logsOf } from '../text/log-text.ts';

/** Escapes text for Markdown: no markup, no mentions, no HTML. */
export const escapedMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_~[\]|]|^\s*#/gm, (mark) => mark.replace(/\S/, '\\$&'))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replace(/^(\s*)([-+]|\d+\.)(?=\s)/gm, '$1\\$2');

const fence = (text: string, least: number): string => {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  return '`'.repeat(Math.max(least, longest + 1));
};

/** Text as inline code. */
export function code(text: string): string {
  const ticks = fence(text, 1);
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${padding}${text.replaceAll('\n', ' ')}${padding}${ticks}`;
}

/** Text as a code block. */
export function block(text: string): string {
  const ticks = fence(text, 3);
  return `${ticks}\n${text}\n${ticks}`;
}

/** The states of webhooks with their marks. */
export const states = {
  failing: '🔴 failing',
  degraded: '🟡 degraded',
  unknown: '🟣 unknown',
  healthy: '🟢 healthy',
};

function headline(report: DoctorReport): string {
  const { summary, cluster, takenAt } = report;
  const counts = calloutStates
    .filter((state) => summary.callouts[state] > 0)
    .map((state) => `${summary.callouts[state]} ${state}`);
  const where = escapedMarkdown(cluster.context ?? cluster.server);
  const version = cluster.version === undefined ? '' : ` · ${escapedMarkdown(cluster.version)}`;
  return `## Webhooks of ${where}: ${counts.join(', ') || 'none'}\n\n${wholeSeconds(takenAt)}${version} · ${escapedMarkdown(coverageText(report))}`;
}

const most = 15;

const list = (lines: readonly string[], shown = most): string =>
  cut(lines, shown, (rest) => andMore(rest))
    .map((line) => `- ${line}`)
    .join('\n');

const section = (title: string, lines: readonly string[], note = ''): string =>
  `${`**${title}** ${note}`.trimEnd()}\n\n${list(lines)}`;

function table(stories: readonly Story[], report: DoctorReport): readonly string[] {
  if (stories.length === 0) return [];
  const blocks = blockedBy(report);
  const rows = storyRows(stories, most).map(({ callout, cause, more }) => {
    const { failurePolicy = '-', verdict, opened } = callout;
    const why =
      opened === undefined
        ? escapedMarkdown(causeText(cause, callout))
        : escapedMarkdown(openedText(opened, report.takenAt));
    const name = code(calloutId(callout)).replaceAll('|', '\\|');
    return `| ${states[verdict.state]} | ${name}${more} | ${failurePolicy} | ${escapedMarkdown(blocks(callout))} | ${why} |`;
  });
  const head = '| Status | Webhook | Policy | Blocks | Cause |\n|---|---|---|---|---|';
  return [[head, ...cut(rows, most, (rest) => `| | ${andMore(rest)} | | | |`)].join('\n')];
}

/** This program's prose; text in backticks stays code. */
const prose = (text: string): string =>
  text
    .split(/(`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? code(part.slice(1, -1)) : escapedMarkdown(part)))
    .join('');

const advicePart = (part: AdvicePart): string =>
  typeof part === 'string' ? prose(part) : code('code' in part ? part.code : part.text);

const subject = ({ callouts: [first, ...others], message = stateSentence(first) }: Story): string => {
  const more = others.length === 0 ? '' : ` ${andMore(others.length)}`;
  return `${code(calloutId(first))}${more}: ${escapedMarkdown(message)}`;
};

/** A line per cause: the finding, and the commands that mitigate or fix. */
const storyLine = (story: Story): string =>
  [
    subject(story),
    ...story.next.map(
      ({ when, command, title }) =>
        `${commandLabel[when]}: ${code(command.text)}${when === 'fix' ? ` (${escapedMarkdown(asResult(title))})` : ''}`,
    ),
  ].join('<br>');

/** A cause in full: the API server's error, effects, and manual steps. */
function isShownInFull(story: Story): string {
  const { callouts, cause, causes, also, next } = story;
  const [{ verdict }] = callouts;
  return [
    subject(story),
    ...also.map(({ message }) => `Also: ${escapedMarkdown(message)}`),
    ...(verdict.error === undefined ? [] : [`${errorLabel(verdict)}:\n\n${block(verdict.error)}`]),
    ...logsOf(callouts[0], true).map(
      ({ of, lines, means }) =>
        `${escapedMarkdown(of)}:\n\n${block(lines.join('\n'))}${means === undefined ? '' : `\n\n${labels.means}: ${prose(means)}`}`,
    ),
    ...(verdict.state === 'unknown'
      ? []
      : [`**${labels.impact}:** ${escapedMarkdown(effectText(callouts[0]))}`]),
    ...impactLines(callouts[0]).map(([label, text]) => `**${label}:** ${escapedMarkdown(text)}`),
    ...next.map(
      ({ when, command, title }) =>
        `**${commandLabel[when]}:** ${escapedMarkdown(title)}\n\n${block(command.text)}`,
    ),
    ...(cause === undefined
      ? []
      : [`**${labels.manualFix}:** ${adviceParts(adviceOf(cause, causes)).map(advicePart).join('')}`]),
  ].join('\n\n');
}

const folded = (title: string, text: string): readonly string[] =>
  text === '' ? [] : [`<details><summary>${title}</summary>\n\n${text}\n\n</details>`];

/** Up to this number of causes each is shown in full; with more, each has one line. */
const few = 3;

/** A report for readers without access to the cluster: blocked requests, a row per cause, folded details. */
export function renderMarkdown(given: DoctorReport): string {
  const report = harmlessDocument(given, true);
  const { stories, others } = storiesOf(report);
  const rest = others
    .filter(({ severity, causedBy }) => severity !== 'info' && causedBy === undefined)
    .map(({ severity, message, check }) => `${severity}: ${escapedMarkdown(message)} (${code(check)})`);
  const unread = report.notLookedAt.map((one) => `${escapedMarkdown(unreadText(one))}: ${one.why}`);
  const { next } = report;
  return `${[
    headline(report),
    ...outageSections(report).flatMap(({ title, note, texts }) =>
      section(title, texts.map(escapedMarkdown), note),
    ),
    ...table(stories, report),
    ...(next === undefined
      ? []
      : [
          `Next: ${code(next.command.text)}${next.because === undefined ? '' : ` (${escapedMarkdown(next.because)})`}`,
        ]),
    ...folded(
      'Causes, and what helps',
      stories.length <= few ? stories.map(isShownInFull).join('\n\n') : list(stories.map(storyLine)),
    ),
    ...folded(labels.otherFindings, list(rest, 5)),
    ...folded('Not examined', list(unread, 5)),
  ].join('\n\n')}\n`;
}
