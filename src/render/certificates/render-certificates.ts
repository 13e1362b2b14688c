import type {
  CalloutCertificates,
  CertificateReport,
  CertificateState,
} from '../../diagnose/certificate-report.ts';
import { calloutId } from '../../facts/callout.ts';
import { spanText } from '../../phrases/durations.ts';
import { andMore, listed } from '../../phrases/lists.ts';
import { agreeing, counted, countedWebhooks, noneChosen, noneFound } from '../../phrases/numbers.ts';
import { harmlessDocument } from '../harmless.ts';
import type { ReportLook } from '../look.ts';
import { cut } from '../terminal/cut.ts';
import { headline } from '../terminal/header.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { otherFindings } from '../terminal/other-findings.ts';
import { type Style, styleOf } from '../terminal/style.ts';
import { wrap, wrapHard } from '../terminal/wrap.ts';
import { certificateDetails } from './certificate-details.ts';
import { certificateRows, certificateTable } from './certificate-table.ts';

const worstFirst: readonly CertificateState[] = ['rejected', 'degraded', 'unknown', 'accepted'];

function header(
  { cluster, callouts, summary }: CertificateReport,
  style: Style,
  tookMs: number | undefined,
): readonly string[] {
  const counts = worstFirst
    .filter((state) => summary.callouts[state] > 0)
    .map((state) => `${summary.callouts[state]} ${state}`);
  const total = countedWebhooks(callouts);
  const tally = counts.length === 0 ? total : `${total}: ${counts.join(', ')}`;
  const version = cluster.version === undefined ? [] : [cluster.version];
  return headline([style.paint.bold(cluster.context ?? cluster.server), ...version, tally], style, tookMs);
}

/** Maximum number of reasons without `--all`. */
const reasonsAtMost = 10;

/**
 * Why certificates are not accepted, with the API server's error, once per group of webhooks with the same
 * reason.
 */
function reasons(callouts: readonly CalloutCertificates[], style: Style, full: boolean): readonly string[] {
  const byWhy = new Map<string, string[]>();
  for (const callout of callouts) {
    if (callout.state === 'accepted' || callout.why === undefined) continue;
    byWhy.set(callout.why, [...(byWhy.get(callout.why) ?? []), calloutId(callout)]);
  }
  const lines = [...byWhy].map(([why, ids]) => {
    const subject = ids.length > 2 && !full ? counted(ids.length, 'webhook') : listed(ids);
    return wrapHard(`${subject}: ${why}`, style.width, '', '  ').join('\n');
  });
  return cut(lines, full ? undefined : reasonsAtMost, (hidden) => andMore(hidden, '--all lists them'));
}

function accepted({ callouts, takenAt }: CertificateReport, style: Style): string[] {
  const fine = callouts.filter(({ state }) => state === 'accepted');
  if (fine.length === 0) return [];
  const [first] = fine
    .flatMap(({ firstExpiry }) => firstExpiry ?? [])
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const ends =
    first === undefined
      ? ''
      : `. The first certificate expires ${first.at.slice(0, 10)}, ${spanText(takenAt, first.at)}: ${first.of}`;
  return wrap(
    `${countedWebhooks(fine, ['is', 'are'])} accepted (--all lists ${agreeing(fine.length, 'it', 'them')})${ends}`,
    style.width,
    `${style.paint.green(style.marks.good)} `,
    '  ',
  );
}

function nothing({ callouts, notLookedAt, withoutWebhooks = [], leftOut }: CertificateReport): string[] {
  const empty = withoutWebhooks.map((id) => `${id} has no webhooks, so the API server calls nothing for it.`);
  if (callouts.length > 0 || empty.length > 0) return empty;
  return [leftOut === undefined ? noneFound(notLookedAt) : noneChosen(leftOut)];
}

/** Whether a webhook has its own row: one that was not examined is only counted, with its reason. */
const hasRow = ({ state, replicas, firstExpiry }: CalloutCertificates): boolean =>
  state !== 'accepted' && (replicas.served > 0 || firstExpiry !== undefined);

/**
 * Renders several clusters: one header, one table with the worst first, and a line per cluster. Ends with a
 * line feed.
 */
export function renderCertificatesOfClusters(given: readonly CertificateReport[], look: ReportLook): string {
  const reports = harmlessDocument(given, look.unicode);
  const style = styleOf(look);
  const { all, wide, named } = look;
  const rows = worstFirst.flatMap((state) =>
    reports.flatMap((report) => {
      const callouts = report.callouts.filter(
        (callout) => callout.state === state && (all || wide || named || hasRow(callout)),
      );
      const cluster = report.cluster.context ?? report.cluster.server;
      return certificateRows(callouts, report, style, wide).map((row) => ({ ...row, before: [cluster] }));
    }),
  );
  const rank = ({ cluster: { error }, summary }: CertificateReport): number =>
    -['accepted', 'unknown', 'degraded', 'rejected'].findLastIndex(
      (state) =>
        summary.callouts[state as CertificateState] > 0 || (error !== undefined && state === 'unknown'),
    );
  const clusters = reports
    .toSorted((a, b) => rank(a) - rank(b))
    .map((report) => {
      const { error, context, server } = report.cluster;
      if (error === undefined) return header(report, style, undefined).join('\n');
      return `${style.paint.bold(context ?? server)} ${style.marks.dot} not read: ${error}`;
    });
  const unread = reports.flatMap(({ cluster: { error, context = '' }, notLookedAt }) =>
    error === undefined
      ? notLookedAtLines(notLookedAt, style, all || wide).map((line, at) =>
          at === 0 ? `${line} (${context})` : line,
        )
      : [],
  );
  const sections = [certificateTable(rows, style, ['CLUSTER']), clusters, unread].filter(
    (lines) => lines.length > 0,
  );
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Renders the report as text. Ends with a line feed. */
export function renderCertificates(report: CertificateReport, look: ReportLook): string {
  const safe = harmlessDocument(report, look.unicode);
  const style = styleOf(look);
  const { all, wide, named } = look;
  const byName = safe.callouts.toSorted((a, b) =>
    calloutId(a).localeCompare(calloutId(b), 'en', { numeric: true }),
  );
  const sorted = worstFirst.flatMap((state) => byName.filter((callout) => callout.state === state));
  const shown = sorted.filter((callout) => all || wide || named || hasRow(callout));
  const findings = all || wide ? safe.findings : safe.findings.filter(({ severity }) => severity !== 'info');
  const sections = [
    header(safe, style, look.tookMs),
    nothing(safe),
    certificateTable(certificateRows(shown, safe, style, wide || named === true), style),
    reasons(sorted, style, all || wide),
    ...otherFindings(findings, style, look),
    ...(wide || named ? certificateDetails(safe, style) : []),
    notLookedAtLines(safe.notLookedAt, style, all || wide),
    all || wide ? [] : accepted(safe, style),
  ].filter((lines) => lines.length > 0);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
