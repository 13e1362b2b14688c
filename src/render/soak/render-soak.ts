import { listed, times } from '../../phrases/lists.ts';
import type { SoakReport, SoakSecond } from '../../soak/soak-report.ts';
import { styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';
import { fewer, sparkline } from '../text/sparkline.ts';

type Outcome = keyof SoakSecond;

const rows: readonly (readonly [Outcome, string])[] = [
  ['checked', 'checked'],
  ['unchecked', 'admitted unchecked'],
  ['failed', 'failed'],
  ['other', 'refused by others'],
  ['slow', 'slow'],
];
const nameWidth = 20;
const countWidth = 9;

const share = (count: number, all: number): string =>
  all === 0 ? '' : `${((100 * count) / all).toFixed(count === 0 || count === all ? 0 : 2)} %`;

const bad: ReadonlySet<Outcome> = new Set(['unchecked', 'failed']);

/** A row for each outcome, with its number of requests by second. */
function outcomeLines({ totals, timeline }: SoakReport, look: Look): string[] {
  const most = Math.max(10, look.width - nameWidth - 2 * countWidth - 4);
  return rows.flatMap(([outcome, name]) => {
    const count = totals[outcome];
    if (count === 0 && (outcome === 'other' || outcome === 'slow')) return [];
    const figure = `${String(count).padStart(countWidth)}${share(count, totals.requests).padStart(countWidth)}`;
    const line = `  ${name.padEnd(nameWidth)}${figure}  `;
    const counts = timeline.map((second) => second[outcome]);
    const bars = sparkline(fewer(counts, most), look.unicode);
    return [`${bad.has(outcome) && count > 0 ? styleOf(look).paint.red(line) : line}${bars}`];
  });
}

/** The requests, how a response shows that the webhook was called, and the command that ran meanwhile. */
function requestLines({ object, shows, rate, seconds, during }: SoakReport, { width }: Look): string[] {
  const where = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  const proof =
    shows.by === 'denial'
      ? 'which the webhook denies'
      : `which the webhook changes: ${listed(shows.fields, { most: 5 })}`;
  const requests = `${rate} a second for ${seconds} s: dry runs of ${object.kind} ${where} (${object.by}), ${proof}`;
  const lines = wrap(requests, width - 2, '  ');
  if (during === undefined) return lines;
  const { command, from, to, exitCode } = during;
  const end = to === undefined ? '' : ` to ${to}, exit code ${exitCode ?? 'none'}`;
  return [...lines, `  during \`${command}\`, from second ${from}${end}`];
}

/** Renders a soak as text, compared with an earlier soak if there is one. */
export function renderSoak(given: SoakReport, look: Look, earlier?: SoakReport): string {
  const report = harmlessDocument(given, look.unicode);
  const { dot } = styleOf(look).marks;
  const { callout, totals, latency, failures } = report;
  return `${[
    `${callout.kind}/${callout.configuration} ${dot} ${callout.webhook} ${dot} ${callout.failurePolicy} ${dot} ${callout.timeoutSeconds} s`,
    ...requestLines(report, look),
    '',
    `  ${'requests'.padEnd(nameWidth)}${String(totals.requests).padStart(countWidth)}`,
    ...outcomeLines(report, look),
    ...(totals.notSent > 0 ? [`  not sent: ${totals.notSent}, because too many were in progress`] : []),
    ...(latency === undefined
      ? []
      : [`  median ${latency.median} ms, 99 % ${latency.p99} ms, longest ${latency.longest} ms`]),
    ...(failures.length === 0 ? [] : ['']),
    ...failures
      .slice(0, 5)
      .flatMap(({ count, message }) => wrap(`${times(count)}: ${message}`, look.width - 2, '  ', '    ')),
    ...(earlier === undefined ? [] : sideBySide(harmlessDocument(earlier, look.unicode), report)),
    ...(report.interrupted ? ['', '  Interrupted: the numbers so far.'] : []),
  ].join('\n')}\n`;
}

function sideBySide(before: SoakReport, now: SoakReport): string[] {
  const column = 18;
  const cell = ({ totals }: SoakReport, outcome: Outcome): string =>
    `${totals[outcome]} (${share(totals[outcome], totals.requests) || '-'})`.padStart(column);
  return [
    '',
    `  ${''.padEnd(nameWidth)}${before.takenAt.slice(0, 16).padStart(column)}${'now'.padStart(column)}`,
    `  ${'requests'.padEnd(nameWidth)}${String(before.totals.requests).padStart(column)}${String(now.totals.requests).padStart(column)}`,
    ...rows.map(
      ([outcome, name]) => `  ${name.padEnd(nameWidth)}${cell(before, outcome)}${cell(now, outcome)}`,
    ),
  ];
}
