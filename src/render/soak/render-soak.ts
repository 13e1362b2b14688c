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

/** Renders a soak as text, compared with an earlier soak if there is one. */
export function renderSoak(given: SoakReport, look: Look, earlier?: SoakReport): string {
  const report = harmlessDocument(given, look.unicode);
  const { paint, marks } = styleOf(look);
  const { callout, object, shows, rate, seconds, totals, latency, failures, timeline, during } = report;
  const bad: ReadonlySet<Outcome> = new Set(['unchecked', 'failed']);

  const head = ['', `${rate} a second for ${seconds} s`].filter(Boolean);
  const where = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  const proof =
    shows.by === 'denial'
      ? 'which the webhook denies'
      : `which the webhook changes: ${listed(shows.fields, { most: 5 })}`;
  const bars = (outcome: Outcome): string =>
    sparkline(
      fewer(
        timeline.map((second) => second[outcome]),
        Math.max(10, look.width - nameWidth - 2 * countWidth - 4),
      ),
      look.unicode,
    );
  const row = ([outcome, name]: readonly [Outcome, string]): string[] => {
    const count = totals[outcome];
    if (count === 0 && (outcome === 'other' || outcome === 'slow')) return [];
    const figure = `${String(count).padStart(countWidth)}${share(count, totals.requests).padStart(countWidth)}`;
    const line = `  ${name.padEnd(nameWidth)}${figure}  `;
    return [`${bad.has(outcome) && count > 0 ? paint.red(line) : line}${bars(outcome)}`];
  };
  const compared = earlier === undefined ? [] : sideBySide(harmlessDocument(earlier, look.unicode), report);
  const command =
    during === undefined
      ? []
      : [
          `  during \`${during.command}\`, from second ${during.from}${during.to === undefined ? '' : ` to ${during.to}, exit code ${during.exitCode ?? 'none'}`}`,
        ];

  return `${[
    `${callout.kind}/${callout.configuration} ${marks.dot} ${callout.webhook} ${marks.dot} ${callout.failurePolicy} ${marks.dot} ${callout.timeoutSeconds} s`,
    ...wrap(
      `${head.join('')}: dry runs of ${object.kind} ${where} (${object.by}), ${proof}`,
      look.width - 2,
      '  ',
    ),
    ...command,
    '',
    `  ${'requests'.padEnd(nameWidth)}${String(totals.requests).padStart(countWidth)}`,
    ...rows.flatMap(row),
    ...(totals.notSent > 0 ? [`  not sent: ${totals.notSent}, because too many were in progress`] : []),
    ...(latency === undefined
      ? []
      : [`  median ${latency.median} ms, 99 % ${latency.p99} ms, longest ${latency.longest} ms`]),
    ...(failures.length === 0 ? [] : ['']),
    ...failures
      .slice(0, 5)
      .flatMap(({ count, message }) => wrap(`${times(count)}: ${message}`, look.width - 2, '  ', '    ')),
    ...compared,
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
