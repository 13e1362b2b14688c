import { groupBy } from '../../basics/collections.ts';
import type {
  CalloutCertificates,
  CertificateEntry,
  CertificateFacts,
  CertificateReport,
  CertificateState,
} from '../../diagnose/certificates/certificate-report.ts';
import type { FindingReport } from '../../diagnose/report.ts';
import { calloutId, shortNames } from '../../facts/callout.ts';
import { shellWord, withClusterFlags } from '../../phrases/advice.ts';
import { spanText } from '../../phrases/durations.ts';
import { agreeing, andMore, counted, countedWebhooks, listed } from '../../phrases/lists.ts';
import { adviceOf } from '../resolved-stories.ts';
import { adviceSteps, leastSteps, stepLines } from '../terminal/advice-text.ts';
import { type FoldingRow, foldingTable } from '../terminal/folding-table.ts';
import { headline } from '../terminal/header.ts';
import { labelled } from '../terminal/labelled.ts';
import { emptyLines, notLookedAtLines } from '../terminal/not-looked-at.ts';
import { otherFindings } from '../terminal/other-findings.ts';
import { cut, joinedSections, type Style, styleOf, wrap, wrapHard } from '../terminal/style.ts';
import { harmless, harmlessDocument } from '../text/harmless.ts';
import { labels } from '../text/labels.ts';
import type { ReportLook } from '../text/look.ts';
import { sortedByName } from '../text/sorted-by-name.ts';

const state = ({ state: word, neverCalled }: CalloutCertificates, { paint, marks }: Style): string =>
  neverCalled === true
    ? paint.dim('never called')
    : {
        accepted: paint.green(`${marks.good} accepted`),
        degraded: paint.yellow(`${marks.warning} degraded`),
        rejected: paint.red(`${marks.bad} rejected`),
        unknown: paint.magenta(`${marks.unknown} unknown`),
      }[word];

/** `2 of 2 accepted`, `2 served, 1 accepted`, `not seen`. */
function servedText({
  replicas: { total, served, accepted },
  backend,
  confidence,
}: CalloutCertificates): string {
  if (served === 0) return confidence === 'derived' && total === 0 ? 'not probed' : `0 of ${total} read`;
  if (backend.url !== undefined) return accepted === served ? 'accepted' : 'rejected';
  if (served === total) return `${accepted} of ${total} accepted`;
  return `${accepted} accepted, ${served} of ${total} read`;
}

/** Time until the first expiry, in days: `in 10 days`. */
const expiry = ({ firstExpiry }: CalloutCertificates, takenAt: string): string =>
  firstExpiry === undefined ? '-' : spanText(takenAt, firstExpiry.at);

/** One row per webhook or APIService. */
function certificateRows(
  callouts: readonly CalloutCertificates[],
  { callouts: all, takenAt }: CertificateReport,
  style: Style,
  withRenewal: boolean,
): readonly FoldingRow[] {
  const nameOf = shortNames(all);
  return callouts.map((callout) => {
    const { inBrief, renewedBy } = callout;
    const cells = [
      inBrief.caBundle || '-',
      servedText(callout),
      inBrief.keptIn || '-',
      expiry(callout, takenAt),
      state(callout, style),
    ];
    const below = renewedBy === '' || !withRenewal ? {} : { below: `renewed by ${renewedBy}` };
    return { before: [], name: nameOf(calloutId(callout)), after: cells, ...below };
  });
}

/** Rows under their headings. Cells that do not fit continue on a second line. */
function certificateTable(
  rows: readonly FoldingRow[],
  style: Style,
  before: readonly string[] = [],
): readonly string[] {
  if (rows.length === 0) return [];
  const headings = { before, name: 'WEBHOOK', after: ['CA', 'SERVED', 'SECRET', 'EXPIRES', 'VERDICT'] };
  return foldingTable(headings, rows, style);
}

const mostNames = 12;

const place = ({ source, pod, endpoint, url, secret, configMap }: CertificateEntry): string => {
  if (source === 'ca-bundle') return 'caBundle';
  if (source === 'secret') return `Secret ${secret}`;
  if (source === 'config-map') return `ConfigMap ${configMap}`;
  return `served by ${[pod, endpoint, url].filter(Boolean).join(' ')}`;
};

function about(
  facts: Partial<CertificateFacts> & Pick<CertificateFacts, 'names'>,
  style: Style,
  indent: string,
): string[] {
  const { subject, issuer, names, notBefore, notAfter, serial, sha256 } = facts;
  if (sha256 === undefined) return [];
  const lines = [
    `${subject || 'no subject'}, signed by ${issuer || 'an unnamed issuer'}`,
    ...(names.length === 0 ? [] : [`names  ${listed(names, { most: mostNames })}`]),
    `valid  ${notBefore} to ${notAfter}`,
    `serial ${serial}`,
  ];
  const deeper = `${indent}       `;
  return [
    ...lines.flatMap((line) => wrapHard(line, style.width, indent, deeper)),
    ...wrap(`sha256 ${sha256}`, style.width, indent, deeper),
  ];
}

/** Key of a certificate with its verdict: a certificate that several places contain is printed once. */
const alike = ({ source, sha256, verdict, error, chain }: CertificateEntry): string =>
  JSON.stringify([source === 'ca-bundle', sha256, verdict, error, chain.map((member) => member.sha256)]);

const entryLines = ([entry, ...others]: readonly [CertificateEntry, ...CertificateEntry[]], style: Style) => [
  ...[entry, ...others].map(
    (one) => `  ${style.paint.bold(place(one))}${one.verdict === undefined ? '' : `: ${one.verdict}`}`,
  ),
  ...about(entry, style, '    '),
  ...(entry.error === undefined ? [] : wrapHard(entry.error, style.width, '    ', '      ')),
  ...entry.chain.flatMap((member) => [`    ${style.paint.dim('then')}`, ...about(member, style, '      ')]),
];

/** Renders every certificate of every webhook, with serials, fingerprints, names and chains: `-o wide`. */
function certificateDetails({ certificates }: CertificateReport, style: Style): string[][] {
  const byCallout = [...groupBy(certificates, ({ callout }) => calloutId(callout))];
  const sorted = sortedByName(byCallout, ([id]) => id);
  return sorted.map(([id, entries]) => [
    style.paint.bold(id),
    ...[...groupBy(entries, alike).values()].flatMap((same) => entryLines(same, style)),
  ]);
}

const worstFirst: readonly CertificateState[] = ['rejected', 'degraded', 'unknown', 'accepted'];

function header(
  { cluster, callouts, summary }: CertificateReport,
  style: Style,
  tookMs: number | undefined,
): readonly string[] {
  const counts = worstFirst
    .filter((state) => summary.callouts[state] > 0)
    .map((state) => `${summary.callouts[state]} ${state}`);
  const uncalled = callouts.filter(({ neverCalled }) => neverCalled === true).length;
  if (uncalled > 0) counts.push(`${uncalled} never called`);
  const total = countedWebhooks(callouts);
  const tally = counts.length === 0 ? total : `${total}: ${counts.join(', ')}`;
  const version = cluster.version === undefined ? [] : [cluster.version];
  return headline([style.paint.bold(cluster.context ?? cluster.server), ...version, tally], style, tookMs);
}

/** Maximum number of reasons without `--all`. */
const reasonsAtMost = 10;

/** The first error about each of these webhooks, by its id. */
function causes(
  { findings }: CertificateReport,
  callouts: readonly CalloutCertificates[],
): ReadonlyMap<string, FindingReport> {
  const ids = new Set(callouts.filter(({ state }) => state !== 'accepted').map(calloutId));
  return new Map(
    findings
      .filter(({ severity, callout = '' }) => severity === 'error' && ids.has(callout))
      .map((finding) => [finding.callout ?? '', finding] as const)
      .reverse(),
  );
}

/** Maximum number of rejected webhooks whose manual fix begins here. */
const stepsAtMost = 3;

/** What `doctor` suggests for a cause of these webhooks, and the command that describes the certificates. */
function toDo(causes: readonly [FindingReport, ...FindingReport[]], name: string, withStep: boolean) {
  const [cause, ...others] = causes;
  const fix = cause.next?.find(({ when, deletes }) => when === 'fix' && deletes !== true);
  if (fix !== undefined) return [[labels.fix, fix.command.text]] as const;
  const steps = withStep ? adviceSteps(adviceOf(cause, others)) : [];
  const command = `kubectl webhook cert-check ${shellWord(name)}`;
  return [
    [labels.manualFix, stepLines(leastSteps(steps))],
    [labels.details, withClusterFlags(command, cause.advice.flags ?? '')],
  ] as const;
}

/**
 * Why certificates are not accepted: the API server's error, and its cause with a command, once per group of one reason.
 *
 * @param known causes that are described here, by the id of their webhook.
 */
function reasons(
  { callouts }: CertificateReport,
  known: ReadonlyMap<string, FindingReport>,
  style: Style,
  full: boolean,
): readonly string[] {
  const nameOf = shortNames(callouts);
  const explained = worstFirst.flatMap((worse) =>
    sortedByName(callouts, calloutId).filter(
      (one) =>
        one.state === worse && worse !== 'accepted' && one.neverCalled !== true && one.why !== undefined,
    ),
  );
  const groups = groupBy(explained, (one) =>
    JSON.stringify([one.state, one.why, known.get(calloutId(one))?.message]),
  );
  const withSteps = explained.filter((one) => one.state === 'rejected').length <= stepsAtMost;
  const lines = [...groups.values()].map(([first, ...others]) => {
    const ids = [first, ...others].map((one) => nameOf(calloutId(one)));
    const subject = ids.length > 2 && !full ? counted(ids.length, 'webhook') : listed(ids);
    const [cause, ...same] = [first, ...others].flatMap((one) => known.get(calloutId(one)) ?? []);
    return [
      ...wrapHard(`${state(first, style)}  ${subject}: ${first.why}`, style.width, '', '  '),
      ...(cause === undefined ? [] : wrap(cause.message, style.width, '  ')),
      ...(cause === undefined
        ? []
        : labelled(toDo([cause, ...same], nameOf(calloutId(first)), withSteps), style).slice(1)),
    ].join('\n');
  });
  return cut(lines, full ? undefined : reasonsAtMost, (hidden) => andMore(hidden, '--all lists them'));
}

function accepted({ callouts, takenAt }: CertificateReport, style: Style): string[] {
  const fine = callouts.filter((one) => one.state === 'accepted' && one.neverCalled !== true);
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

/** How rows are chosen. `within`: milliseconds; a webhook whose certificate expires earlier has a row. */
type TableLook = ReportLook & { readonly within?: number | undefined };

/** For several clusters: the command that names each webhook of the cluster of this context, with its reason. */
type ClustersLook = TableLook & { readonly detailsOf?: ((context: string) => string) | undefined };

/** Whether a webhook has its own row: one that was not examined is only counted, with its reason. */
function hasRow(
  { state, neverCalled, replicas, firstExpiry }: CalloutCertificates,
  { takenAt }: CertificateReport,
  { all, wide, named, within = Number.NEGATIVE_INFINITY }: TableLook,
): boolean {
  if (all || wide || named) return true;
  if (firstExpiry !== undefined && Date.parse(firstExpiry.at) <= Date.parse(takenAt) + within) return true;
  return state !== 'accepted' && neverCalled !== true && (replicas.served > 0 || firstExpiry !== undefined);
}

/** Several clusters: one header, one table, the worst first, a line per cluster. Ends with a line feed. */
export function renderCertificatesOfClusters(
  given: readonly CertificateReport[],
  look: ClustersLook,
): string {
  const reports = harmlessDocument(given, look.unicode);
  const style = styleOf(look);
  const { all, wide } = look;
  const rows = worstFirst.flatMap((state) =>
    reports.flatMap((report) => {
      const callouts = report.callouts.filter(
        (callout) => callout.state === state && hasRow(callout, report, look),
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
    .flatMap((report) => {
      const { error, context, server } = report.cluster;
      if (error !== undefined)
        return [`${style.paint.bold(context ?? server)} ${style.marks.dot} not read: ${error}`];
      const isFine = report.callouts.every((one) => one.state === 'accepted' || one.neverCalled === true);
      const details = isFine || context === undefined ? undefined : look.detailsOf?.(context);
      return [
        ...header(report, style, undefined),
        ...labelled([[labels.details, details && harmless(details)]], style).slice(1),
      ];
    });
  const unread = reports.flatMap(({ cluster: { error, context = '' }, notLookedAt }) =>
    error === undefined
      ? notLookedAtLines(notLookedAt, style, all || wide).map((line, at) =>
          at === 0 ? `${line} (${context})` : line,
        )
      : [],
  );
  return joinedSections([certificateTable(rows, style, ['CLUSTER']), clusters, unread]);
}

/** Renders the report as text. Ends with a line feed. */
export function renderCertificates(report: CertificateReport, look: TableLook): string {
  const safe = harmlessDocument(report, look.unicode);
  const style = styleOf(look);
  const { all, wide, named } = look;
  const callouts = sortedByName(safe.callouts, calloutId);
  const sorted = worstFirst.flatMap((state) => callouts.filter((callout) => callout.state === state));
  const shown = sorted.filter((callout) => hasRow(callout, safe, look));
  const full = all || wide;
  const found = causes(safe, callouts);
  const isDescribed = new Set(full || named ? [] : found.values());
  const findings = safe.findings.filter(
    (finding) => full || (finding.severity !== 'info' && !isDescribed.has(finding)),
  );
  // Errors in full have the reason and the cause.
  const others = { ...safe, callouts: callouts.filter((one) => !found.has(calloutId(one))) };
  return joinedSections([
    header(safe, style, look.tookMs),
    emptyLines(safe),
    certificateTable(certificateRows(shown, safe, style, wide || named === true), style),
    full || named ? reasons(others, new Map(), style, full) : reasons(safe, found, style, false),
    ...otherFindings(findings, style, look),
    ...(wide || named ? certificateDetails(safe, style) : []),
    notLookedAtLines(safe.notLookedAt, style, full),
    full ? [] : accepted(safe, style),
  ]);
}
