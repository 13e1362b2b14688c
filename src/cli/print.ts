import { once } from 'node:events';
import type { ChangeReport } from '../change/change-report.ts';
import type { CertificateReport } from '../diagnose/certificates/certificate-report.ts';
import type { DoctorReport, WebhookList } from '../diagnose/report.ts';
import { unreadText } from '../facts/unread.ts';
import { type DataFormat, documentText, isDataFormat } from '../render/data-formats/print-document.ts';
import type { ListLook } from '../render/list/render-list.ts';
import {
  type CertificateFormat,
  type CertificateLook,
  calendarLength,
  certificateReports,
  renderCertificateReport,
} from '../render/render-certificate-report.ts';
import { fleetPieces, type OutputFormat, type ReportFormat, reportPieces } from '../render/render-report.ts';
import { harmless } from '../render/text/harmless.ts';
import type { Look, ReportLook } from '../render/text/look.ts';
import type { Alerts } from '../workflows/alerts.ts';
import { fitted, terminalLook } from './terminal.ts';

// Output of commands to stdout. Each renderer is loaded on demand, which keeps the start fast.

/** The values of `-o` of most commands; the default is text. */
export type DocumentFormat = DataFormat | undefined;

const writeText = (text: string): void => void process.stdout.write(text);

/** Prints a text in one format; text for people is wrapped to the terminal. */
export const writeFormatted = async (format: string | undefined, text: string): Promise<void> =>
  writeText(format === undefined || format === 'wide' ? await fitted(text) : text);

/** Prints text in pieces: the next one is created after the previous one was written. */
export async function writePieces(format: string | undefined, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    await writeFormatted(format, piece);
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  }
}

/** How a command renders its report: as text for people, and in the formats that only it has. */
type Renderers<Format extends string> = { readonly text: (look: Look) => Promise<string> } & {
  readonly [F in Exclude<Format, DataFormat>]: () => Promise<string>;
};

/** Prints a document in one format; the default is text. */
export async function printDocument<Format extends string>(
  document: object,
  format: Format | undefined,
  renderers: Renderers<Format>,
): Promise<void> {
  if (isDataFormat(format)) writeText(await documentText(document, format));
  else if (format === undefined) await writeFormatted(format, await renderers.text(terminalLook()));
  else writeText(await renderers[format as Exclude<Format, DataFormat>]());
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
  how: Pick<CertificateLook, 'all' | 'named' | 'within' | 'detailsOf'>,
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
  printDocument(report, format, {
    text: async (look) =>
      (await import('../render/change/render-change.ts')).renderChanges(report, look, nothing),
  });

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

/** Prints alerting rules as YAML, and on stderr the webhooks without rules. */
export async function printAlerts(document: object, { notLookedAt }: Pick<Alerts, 'notLookedAt'>) {
  writeText(await documentText(document, 'yaml'));
  for (const unread of notLookedAt) {
    const why = unread.detail ?? unread.why;
    process.stderr.write(`No rules for ${harmless(unreadText(unread))}: ${harmless(why)}\n`);
  }
}
