import { once } from 'node:events';
import type { ChangeReport } from '../change/change-report.ts';
import type { CertificateReport } from '../diagnose/certificate-report.ts';
import type { DoctorReport, RequestTrace, WebhookList } from '../diagnose/report.ts';
import type { Explanation } from '../explain/explanation.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { unreadText } from '../facts/unread.ts';
import type { LintReport } from '../lint/lint-report.ts';
import type { CheckDocument, CheckList } from '../render/checks/check-document.ts';
import { reportDocument } from '../render/document.ts';
import { harmless } from '../render/harmless.ts';
import type { ListLook } from '../render/list/render-list.ts';
import type { Look, ReportLook } from '../render/look.ts';
import type { RbacManifests } from '../render/rbac/rbac-object.ts';
import type { RbacFormat } from '../render/rbac/render-rbac.ts';
import {
  type CertificateFormat,
  calendarLength,
  certificateReports,
  renderCertificateReport,
} from '../render/render-certificate-report.ts';
import { fleetPieces, type OutputFormat, type ReportFormat, reportPieces } from '../render/render-report.ts';
import type { ScanReport } from '../scan/scan-report.ts';
import type { SoakReport } from '../soak/soak-report.ts';
import type { WhatIfReport } from '../what-if/what-if-report.ts';
import type { Alerts } from '../workflows/alerts.ts';
import type { Written } from '../workflows/snapshot-file.ts';
import type { Waited } from '../workflows/wait.ts';
import { fitted, terminalLook } from './terminal.ts';

// Output of commands to stdout. Each renderer is loaded on demand, which keeps the start fast.

/** The values of `-o` of most commands; the default is text. */
export type DocumentFormat = 'json' | 'yaml' | undefined;

const writeText = (text: string): void => void process.stdout.write(text);

/** Prints a text in one format; text for people is wrapped to the terminal. */
const writeFormatted = async (format: string | undefined, text: string): Promise<void> =>
  writeText(format === undefined || format === 'wide' ? await fitted(text) : text);

/** Prints text in pieces: the next one is created after the previous one was written. */
async function writePieces(format: string | undefined, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    await writeFormatted(format, piece);
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  }
}

async function printDocument(
  document: object,
  format: DocumentFormat,
  forPeople: (look: Look) => Promise<string>,
): Promise<void> {
  if (format === 'json') writeText((await import('../render/json.ts')).renderJson(document));
  else if (format === 'yaml') writeText((await import('../render/yaml.ts')).renderYaml(document));
  else await writeFormatted(format, await forPeople(terminalLook()));
}

/** Prints doctor's report about one cluster, or its reports about several. */
export async function printReport(
  report: DoctorReport | readonly DoctorReport[],
  format: ReportFormat | undefined,
  how: Pick<ReportLook, 'all' | 'details' | 'named' | 'tookMs'>,
): Promise<void> {
  const look = { ...terminalLook(), wide: format === 'wide', ...how };
  const pieces = 'kind' in report ? reportPieces(report, format, look) : fleetPieces(report, format, look);
  await writePieces(format, await pieces);
}

/** Prints doctor's reports one by one: a terminal shows the newest, other output a line per change. */
export function watchedReport(
  how: Parameters<typeof printReport>[2],
): (report: DoctorReport) => Promise<void> {
  let before: ReadonlyMap<string, string> | undefined;
  return async (report) => {
    if (process.stdout.isTTY === true) {
      writeText('\u001b[H\u001b[2J');
      return printReport(report, undefined, how);
    }
    const { changedStates, statesOf } = await import('../render/transitions.ts');
    const now = statesOf(report);
    writeText(changedStates(report, before, now));
    before = now;
  };
}

/** Prints the reason of a failed attempt. */
export const printProblem = (text: string): void => void process.stderr.write(`${harmless(text)}\n`);

const day = 24 * 60 * 60 * 1000;

/** Prints the report of cert-check. `within`: milliseconds of a calendar, in which an expiry fails. */
export async function printCertificates(
  report: CertificateReport,
  format: CertificateFormat | undefined,
  {
    calendar,
    within,
    ...how
  }: Pick<ReportLook, 'all' | 'named' | 'tookMs'> & {
    readonly calendar: boolean;
    readonly within: number | undefined;
  },
): Promise<void> {
  const days = within === undefined ? calendarLength : Math.ceil(within / day);
  const shown = calendar || format === 'ics' ? { calendarDays: days } : {};
  const look = { ...terminalLook(), wide: format === 'wide', within, ...how, ...shown };
  await writeFormatted(format, await renderCertificateReport(report, format, look));
}

/** Prints the reports of cert-check about several clusters. */
export async function printCertificatesOfClusters(
  reports: readonly CertificateReport[],
  format: CertificateFormat | undefined,
  how: Pick<ReportLook, 'all' | 'named'>,
): Promise<void> {
  const look = { ...terminalLook(), wide: format === 'wide', ...how };
  await writePieces(format, await certificateReports(reports, format, look));
}

/** Prints changes, planned or made; `nothing` is the text for a report without changes. */
export const printChanges = (
  report: ChangeReport,
  format: DocumentFormat,
  nothing = 'No recorded changes for this cluster.',
): Promise<void> =>
  printDocument(report, format, async (look) => {
    const { renderChanges } = await import('../render/change/render-change.ts');
    return renderChanges(report, look, nothing);
  });

/** Prints the report of a scan. */
export const printScan = (report: ScanReport, format: DocumentFormat, all: boolean): Promise<void> =>
  printDocument(reportDocument(report), format, async (look) => {
    const { renderScan } = await import('../render/scan/render-scan.ts');
    return renderScan(report, { ...look, all });
  });

/** Prints findings in manifests. */
export async function printLint(
  report: LintReport,
  format: DocumentFormat | 'junit' | 'sarif',
): Promise<void> {
  if (format === 'junit')
    return writeText((await import('../render/junit/lint-cases.ts')).renderLintJunit(report));
  if (format === 'sarif') return writeText((await import('../render/sarif.ts')).renderSarif(report));
  return printDocument(reportDocument(report), format, async (look) =>
    (await import('../render/lint/render-lint.ts')).renderLint(report, look),
  );
}

/** Prints the explanation of a pasted text. */
export const printExplanation = (explanation: Explanation, format: DocumentFormat): Promise<void> =>
  printDocument(reportDocument(explanation), format, async (look) => {
    const { renderExplanation } = await import('../render/explain/render-explanation.ts');
    return renderExplanation(explanation, look);
  });

/** Prints the trace of a request. */
export const printTrace = (report: RequestTrace, format: DocumentFormat): Promise<void> =>
  printDocument(reportDocument(report), format, async (look) => {
    const { renderTrace } = await import('../render/trace/render-trace.ts');
    return renderTrace(report, look);
  });

/** Prints the effects of an assumed change in one cluster, or in several. */
export async function printWhatIf(
  report: WhatIfReport | readonly WhatIfReport[],
  format: DocumentFormat | 'html' | 'markdown',
): Promise<void> {
  if (!('kind' in report)) {
    const { renderWhatIfs } = await import('../render/what-if/render-what-if.ts');
    return writePieces(format, await renderWhatIfs(report, format, terminalLook()));
  }
  if (format === 'html')
    return writeText((await import('../render/html/what-if-html.ts')).renderWhatIfHtml(report));
  if (format === 'markdown')
    return writeText((await import('../render/what-if/render-what-if.ts')).renderWhatIfMarkdown(report));
  await printDocument(reportDocument(report), format, async (look) => {
    const { renderWhatIf } = await import('../render/what-if/render-what-if.ts');
    return renderWhatIf(report, look);
  });
}

/** Prints the result of `wait`: one line, and doctor's report if the condition was not met. */
export const printWait = ({ wait, report }: Waited, format: DocumentFormat): Promise<void> =>
  printDocument(wait, format, async (look) => {
    const seconds = `${(wait.waitedMs / 1000).toFixed(1)} s`;
    if (wait.succeeded) return `The next call succeeds (waited ${seconds}).\n`;
    const line = `${harmless(wait.waitsFor ?? '')} (waited ${seconds})\n`;
    if (report === undefined) return line;
    const { renderTerminal } = await import('../render/terminal/render-terminal.ts');
    return `${renderTerminal(report, { ...look, all: false, wide: false, tookMs: wait.waitedMs })}\n${line}`;
  });

/** Prints a soak, compared with an earlier one if there is one. */
export async function printSoak(
  report: SoakReport,
  format: DocumentFormat | 'html',
  earlier: SoakReport | undefined,
): Promise<void> {
  if (format === 'html')
    return writeText((await import('../render/html/soak-html.ts')).renderSoakHtml(report, earlier));
  await printDocument(report, format, async (look) => {
    const { renderSoak } = await import('../render/soak/render-soak.ts');
    return renderSoak(report, look, earlier);
  });
}

type ListHow = Pick<ListLook, 'headers' | 'sortBy'>;

/** Prints webhooks of all clusters as one table: wrapped on a narrow terminal, else a line per row. */
export async function printList(
  list: WebhookList | readonly WebhookList[],
  format: OutputFormat | undefined,
  how: ListHow & Pick<ListLook, 'widths'>,
): Promise<void> {
  const { renderList, renderLists, unlistedLines } = await import('../render/list/render-list.ts');
  const look = { ...terminalLook(), ...how, folds: process.stdout.isTTY === true };
  if ('kind' in list) {
    await writeFormatted(format, await renderList(list, format, look));
    process.stderr.write(unlistedLines(list));
    return;
  }
  await writePieces(format, await renderLists(list, format, look));
  for (const one of list)
    process.stderr.write(unlistedLines(one, `${harmless(one.cluster.context ?? '')}: `));
}

/** Prints the list, or with `--watch-only` only changed rows, under the same headers. */
export function watchedList(format: OutputFormat | undefined, how: ListHow, changesOnly: boolean) {
  let before: WebhookList | undefined;
  let { headers } = how;
  const widths: number[] = [];
  let separator = '';
  return async (list: WebhookList): Promise<void> => {
    const { changedRows } = await import('../render/list/render-list.ts');
    const items = before === undefined ? list.items : changedRows(before, list);
    const isSilent = before === undefined ? changesOnly : items.length === 0;
    before = list;
    if (isSilent) return;
    writeText(separator);
    if (format === 'yaml') separator = '---\n';
    await printList({ ...list, items }, format, { ...how, headers, widths });
    headers &&= items.length === 0;
  };
}

/** Prints the checks, or one of them. */
export async function printChecks(
  document: CheckList | CheckDocument,
  format: OutputFormat | undefined,
): Promise<void> {
  const { renderChecks } = await import('../render/checks/render-checks.ts');
  await writeFormatted(format, await renderChecks(document, format, terminalLook()));
}

/** Prints roles as manifests. */
export async function printRbac(manifests: RbacManifests, format: RbacFormat): Promise<void> {
  writeText((await import('../render/rbac/render-rbac.ts')).renderRbac(manifests, format));
}

/** Prints alerting rules as YAML, and on stderr the webhooks without rules. */
export async function printAlerts(document: object, { notLookedAt }: Pick<Alerts, 'notLookedAt'>) {
  writeText((await import('../render/yaml.ts')).renderYaml(document));
  for (const unread of notLookedAt) {
    const why = unread.detail ?? unread.why;
    process.stderr.write(`No rules for ${harmless(unreadText(unread))}: ${harmless(why)}\n`);
  }
}
/** Reports a written file on stderr, since the document may go to stdout. */
export async function reportSnapshot(file: string, snapshot: Snapshot, written: Written): Promise<void> {
  const { renderWritten } = await import('../render/snapshot.ts');
  process.stderr.write(renderWritten(file, snapshot, written));
}
