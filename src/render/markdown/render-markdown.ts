import { calloutStates, type DoctorReport, type FindingReport } from '../../diagnose/report.ts';
import { type AdvicePart, adviceParts } from '../../facts/advice.ts';
import { calloutId } from '../../facts/callout.ts';
import { unreadText } from '../../facts/unread.ts';
import { harmlessDocument } from '../harmless.ts';
import { commandLabel, errorLabel, labels } from '../labels.ts';
import { adviceOf, type Story, storiesOf } from '../stories.ts';
import { effectWords } from '../terminal/effect.ts';
import { impactLines } from '../terminal/impact-lines.ts';
import { nextCommands } from '../terminal/next-lines.ts';

/** Text as Markdown shows it unchanged: no markup, no mention of people, no HTML. */
export const escaped = (text: string): string =>
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

/** Text in a line, letter by letter. */
export function code(text: string): string {
  const ticks = fence(text, 1);
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${padding}${text.replaceAll('\n', ' ')}${padding}${ticks}`;
}

/** Lines of their own, to be copied. */
export function block(text: string): string {
  const ticks = fence(text, 3);
  return `${ticks}\n${text}\n${ticks}`;
}

const most = 20;

const states = {
  failing: '🔴 Failing',
  degraded: '🟡 Degraded',
  unknown: '🟣 Unknown',
  healthy: '🟢 Healthy',
};

function headline({ summary: { callouts }, cluster, takenAt }: DoctorReport): string {
  const counts = calloutStates
    .filter((state) => callouts[state] > 0)
    .map((state) => `${callouts[state]} ${state}`);
  const where = escaped(cluster.context ?? cluster.server);
  const version = cluster.version === undefined ? '' : ` · ${escaped(cluster.version)}`;
  return `## Webhooks of ${where}: ${counts.join(', ') || 'none'}\n\n${takenAt}${version}`;
}

/** Our prose, with its words in backticks as code. */
const prose = (text: string): string =>
  text
    .split(/(`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? code(part.slice(1, -1)) : escaped(part)))
    .join('');

const advicePart = (part: AdvicePart): string =>
  typeof part === 'string' ? prose(part) : code('code' in part ? part.code : part.text);

function told({ state, callouts, cause, causes, also }: Story): string {
  const [first] = callouts;
  const { error } = first.verdict;
  const names = callouts.slice(0, most).map((callout) => code(calloutId(callout)));
  const more = callouts.length > most ? [`and ${callouts.length - most} more`] : [];
  return [
    `### ${states[state]}: ${[...names, ...more].join(', ')}`,
    escaped(cause?.message ?? `${first.verdict.because.join(', ') || 'Nothing tells why'}.`),
    ...also.map(({ message }) => `Also: ${escaped(message)}`),
    ...(error === undefined ? [] : [`${errorLabel(first.verdict)}:\n\n${block(error)}`]),
    ...(state === 'unknown' ? [] : [`**${labels.impact}:** ${escaped(effectWords(first))}`]),
    ...impactLines(first).map(([label, text]) => `**${label}:** ${escaped(text)}`),
    ...nextCommands(causes).map(
      ({ when, command }) => `**${commandLabel[when]}:**\n\n${block(command.text)}`,
    ),
    ...(cause === undefined
      ? []
      : [`**${labels.manualFix}:** ${adviceParts(adviceOf(cause, causes)).map(advicePart).join('')}`]),
  ].join('\n\n');
}

function others(findings: readonly FindingReport[]): readonly string[] {
  if (findings.length === 0) return [];
  const rows = findings
    .slice(0, most)
    .map(({ severity, message, check }) => `- ${severity}: ${escaped(message)} (${code(check)})`);
  const more = findings.length > most ? [`- and ${findings.length - most} more`] : [];
  return [`### ${labels.otherFindings}\n\n${[...rows, ...more].join('\n')}`];
}

/** The report for an incident channel: what is broken and what to do; healthy callouts are only counted. */
export function renderMarkdown(given: DoctorReport): string {
  const report = harmlessDocument(given, true);
  const { stories, others: beside } = storiesOf(report);
  const rest = beside.filter(({ severity, causedBy }) => severity !== 'info' && causedBy === undefined);
  const unread = report.notLookedAt.map((one) => `- ${escaped(unreadText(one))}: ${one.why}`);
  return `${[
    headline(report),
    ...stories.map(told),
    ...others(rest),
    ...(unread.length === 0 ? [] : [`### Not looked at\n\n${unread.join('\n')}`]),
  ].join('\n\n')}\n`;
}
