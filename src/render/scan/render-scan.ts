import { wholeSeconds } from '../../basics/time.ts';
import type { ClusterFinding } from '../../explain/explanation.ts';
import { shortDuration } from '../../phrases/durations.ts';
import { andMore, counted, times } from '../../phrases/lists.ts';
import type { ScannedCallout, ScannedCause, ScanReport } from '../../scan/scan-report.ts';
import { labelledLines, matchLines } from '../explain/render-explanation.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { type Style, styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';
import { fewer, sparkline } from '../text/sparkline.ts';

/** Maximum number of webhooks without `--all`. */
const shownUnlessAll = 10;
const widestBars = 60;

const size = (bytes: number): string =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
const calls = (count: number): string => counted(count, 'call');

const when = ({ first, last }: ScannedCallout['failures']): string => {
  if (first === undefined || last === undefined) return 'at unknown times';
  return first === last ? wholeSeconds(first) : `${wholeSeconds(first)} to ${wholeSeconds(last)}`;
};

/** Renders the report as text. */
export function renderScan(report: ScanReport, look: Look & { readonly all: boolean }): string {
  const harmless = harmlessDocument(report, look.unicode);
  const { callouts, notKept, notLive, live = [], notLookedAt = [] } = harmless;
  const style = styleOf(look);
  const shown = look.all ? callouts : callouts.slice(0, shownUnlessAll);
  const hidden = callouts.length - shown.length;
  return [
    titleLine(harmless, style),
    '',
    ...shown.flatMap((callout) => calloutLines(callout, live, look)),
    ...(hidden + notKept > 0 ? [andMore(hidden + notKept, hidden > 0 ? '--all' : undefined)] : []),
    ...nothingFoundLines(harmless, look),
    ...inputLines(harmless),
    ...notLookedAtLines(notLookedAt, style, look.all),
    ...(notLive === undefined ? [] : [`The cluster was not examined: ${notLive}`]),
  ]
    .join('\n')
    .replace(/\n*$/, '\n');
}

/** `audit.log • 12 MB • 3 calls failed, 0 admitted unchecked, 2 denied`. */
function titleLine({ source, summary }: ScanReport, { marks: { dot } }: Style): string {
  const { failures, failedOpen, denials, dryRuns, ownDryRuns } = summary;
  const name = source.name === '-' ? 'standard input' : source.name;
  const dry = dryRuns === 0 ? '' : `, ${counted(dryRuns, 'dry run')} (${ownDryRuns} by this program)`;
  return `${name} ${dot} ${size(source.bytes)} ${dot} ${calls(failures)} failed, ${failedOpen} admitted unchecked, ${denials} denied${dry}`;
}

const indented = (text: string, { width }: Look): string[] =>
  wrap(text, width - 4).map((line) => `    ${line}`);

/** A webhook: counts, a histogram, causes with their fixes, and its present state in the cluster. */
function calloutLines(
  callout: ScannedCallout,
  live: readonly ClusterFinding[],
  look: Look,
): readonly string[] {
  const { name, failures, failedOpen, denials, dryRuns } = callout;
  const counts = [
    ...(failures.count > 0 ? [`${calls(failures.count)} failed, ${when(failures)}`] : []),
    ...(failedOpen.count > 0
      ? [`${failedOpen.count} of them failed open: the request was admitted unchecked`]
      : []),
    ...(denials.count > 0 ? [`denied ${times(denials.count)}`] : []),
    ...(dryRuns.count > 0
      ? [`${counted(dryRuns.count, 'dry run')} failed or denied, not counted above`]
      : []),
  ];
  return [
    failures.count > 0 ? styleOf(look).paint.red(name) : name,
    ...counts.flatMap((text) => indented(text, look)),
    ...histogramLines(callout, look),
    ...callout.causes.flatMap((cause) => causeLines(cause, look)),
    ...live.filter((one) => one.name === name).flatMap((finding) => indented(stateText(finding), look)),
    '',
  ];
}

function histogramLines({ histogram }: ScannedCallout, { width, unicode }: Look): readonly string[] {
  if (histogram === undefined || histogram.counts.length < 2) return [];
  const bars = fewer(histogram.counts, Math.min(widestBars, width - 30));
  const each = histogram.seconds * Math.ceil(histogram.counts.length / bars.length);
  return [
    `    ${sparkline(bars, unicode)}  ${shortDuration(each)} each, from ${wholeSeconds(histogram.start)}`,
  ];
}

const causeLines = (
  { cause, count, example, means, checks, commands }: ScannedCause,
  look: Look,
): readonly string[] => [
  ...indented(
    `${count}${look.unicode ? '×' : 'x'} ${cause === 'unknown' ? 'reason not logged' : cause}: ${example}`,
    look,
  ),
  ...labelledLines('  Means', [means], look),
  ...labelledLines('  Checks', checks.length === 0 ? [] : [checks.join(', ')], look),
  ...labelledLines('  Run', commands, look),
];

const stateText = ({ callout, state, error, because }: ClusterFinding): string =>
  `now: ${callout} is ${state}${because.length === 0 ? '' : ` (${because.join(', ')})`}${error === undefined ? '' : `: ${error}`}`;

/** For an input without failed calls: what else its text matches. */
function nothingFoundLines(report: ScanReport, look: Look): readonly string[] {
  if (report.callouts.length > 0 || report.source.bytes === 0) return [];
  return report.source.kind === 'text'
    ? matchLines(report, look)
    : [
        'No failed webhook call and no denied request in this input.',
        'For the log of a webhook or an operator: kubectl webhook explain -f FILE',
      ];
}

const inputLines = ({ source: { bytes, brokenOff, damaged } }: ScanReport): readonly string[] => [
  ...(bytes === 0 && brokenOff === undefined ? ['The input is empty.'] : []),
  ...(damaged > 0
    ? [
        `${counted(damaged, 'record is', 'records are')} truncated or damaged; only the readable part was counted.`,
      ]
    : []),
  ...(brokenOff === undefined ? [] : [`The input is truncated (${brokenOff}); the part before was read.`]),
];
