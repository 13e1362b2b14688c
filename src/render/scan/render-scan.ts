import type { ClusterFinding } from '../../explain/explanation.ts';
import { shortDuration } from '../../phrases/durations.ts';
import { andMore } from '../../phrases/lists.ts';
import { counted, times } from '../../phrases/numbers.ts';
import type { ScannedCallout, ScanReport } from '../../scan/scan-report.ts';
import { labelledLines, matchLines } from '../explain/render-explanation.ts';
import { harmlessDocument } from '../harmless.ts';
import type { Look } from '../look.ts';
import { fewer, sparkline } from '../sparkline.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { styleOf } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';

/** How many callouts are told without `--all`. */
const shownUnlessAll = 10;
const widestBars = 60;

const size = (bytes: number): string =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
const calls = (count: number): string => counted(count, 'call');
const short = (instant: string): string => `${instant.slice(0, 19)}Z`;

const when = ({ first, last }: ScannedCallout['failures']): string => {
  if (first === undefined || last === undefined) return 'at unknown times';
  return first === last ? short(first) : `${short(first)} to ${short(last)}`;
};

/** Renders the report for people. */
export function renderScan(report: ScanReport, look: Look & { readonly all: boolean }): string {
  const harmless = harmlessDocument(report, look.unicode);
  const { source, summary, callouts, notKept, notLive, live = [], notLookedAt = [] } = harmless;
  const style = styleOf(look);
  const { paint, marks } = style;
  const indented = (text: string): string[] => wrap(text, look.width - 4).map((line) => `    ${line}`);

  const bars = ({ histogram }: ScannedCallout): string[] => {
    if (histogram === undefined || histogram.counts.length < 2) return [];
    const shown = fewer(histogram.counts, Math.min(widestBars, look.width - 30));
    const each = histogram.seconds * Math.ceil(histogram.counts.length / shown.length);
    return [
      `    ${sparkline(shown, look.unicode)}  ${shortDuration(each)} each, from ${short(histogram.start)}`,
    ];
  };
  const now = ({ callout, state, error, because }: ClusterFinding): string[] =>
    indented(
      `now: ${callout} is ${state}${because.length === 0 ? '' : ` (${because.join(', ')})`}${error === undefined ? '' : `: ${error}`}`,
    );
  const calloutLines = (callout: ScannedCallout): string[] => {
    const { name, failures, failedOpen, denials, dryRuns, causes } = callout;
    const facts = [
      ...(failures.count > 0 ? [`${calls(failures.count)} failed, ${when(failures)}`] : []),
      ...(failedOpen.count > 0
        ? [`${failedOpen.count} of them failed open: the request was admitted unchecked`]
        : []),
      ...(denials.count > 0 ? [`denied ${times(denials.count)}`] : []),
      ...(dryRuns.count > 0
        ? [`${counted(dryRuns.count, 'dry run')} failed or denied, not counted above`]
        : []),
    ];
    const why = causes.flatMap(({ cause, count, example, means, checks, commands }) => [
      ...indented(
        `${count}${look.unicode ? '×' : 'x'} ${cause === 'unknown' ? 'reason not logged' : cause}: ${example}`,
      ),
      ...labelledLines('  Means', [means], look),
      ...labelledLines('  Checks', checks.length === 0 ? [] : [checks.join(', ')], look),
      ...labelledLines('  Run', commands, look),
    ]);
    return [
      failures.count > 0 ? paint.red(name) : name,
      ...facts.flatMap(indented),
      ...bars(callout),
      ...why,
      ...live.filter((one) => one.name === name).flatMap(now),
      '',
    ];
  };

  const shown = look.all ? callouts : callouts.slice(0, shownUnlessAll);
  const hidden = callouts.length - shown.length;
  return [
    `${source.name === '-' ? 'standard input' : source.name} ${marks.dot} ${size(source.bytes)} ${marks.dot} ${calls(summary.failures)} failed, ${summary.failedOpen} admitted unchecked, ${summary.denials} denied${summary.dryRuns === 0 ? '' : `, ${counted(summary.dryRuns, 'dry run')} (${summary.ownDryRuns} by this program)`}`,
    '',
    ...shown.flatMap(calloutLines),
    ...(hidden + notKept > 0 ? [andMore(hidden + notKept, hidden > 0 ? '--all' : undefined)] : []),
    ...(callouts.length > 0 || source.bytes === 0
      ? []
      : source.kind === 'text'
        ? matchLines(harmless, look)
        : [
            'No failed webhook call and no denied request in this input.',
            'For the log of a webhook or an operator: kubectl webhook explain -f FILE',
          ]),
    ...(source.bytes === 0 && source.brokenOff === undefined ? ['The input is empty.'] : []),
    ...(source.damaged > 0
      ? [
          `${counted(source.damaged, 'record is', 'records are')} truncated or damaged; only the readable part was counted.`,
        ]
      : []),
    ...(source.brokenOff === undefined
      ? []
      : [`The input is truncated (${source.brokenOff}); the part before was read.`]),
    ...notLookedAtLines(notLookedAt, style, look.all),
    ...(notLive === undefined ? [] : [`The cluster was not examined: ${notLive}`]),
  ]
    .join('\n')
    .replace(/\n*$/, '\n');
}
