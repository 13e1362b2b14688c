import type { CertificateReport } from '../diagnose/certificates/certificate-report.ts';
import { calloutId } from '../facts/callout.ts';
import { reportDocument } from './data-formats/document.ts';
import { nameLines } from './data-formats/name.ts';
import { documentList, documentText, isDataFormat } from './data-formats/print-document.ts';
import type { ReportLook } from './text/look.ts';

/** Values of `-o` of cert-check; the default is a table. */
export const certificateFormats = ['json', 'yaml', 'name', 'wide', 'ics', 'junit'] as const;
export type CertificateFormat = (typeof certificateFormats)[number];

/** Options for printing a CertificateReport. */
export interface CertificateLook extends ReportLook {
  /** Days of the calendar; undefined: no calendar. */
  readonly calendarDays?: number;
  /** Milliseconds: a certificate that expires earlier has a row in the table, and is a failure in JUnit XML. */
  readonly within?: number | undefined;
  /** For several clusters: the command that describes the certificates of the cluster of a context. */
  readonly detailsOf?: ((context: string) => string) | undefined;
}

const names = ({ callouts }: CertificateReport, all: boolean, context?: string): string =>
  nameLines(callouts.filter(({ state }) => all || state !== 'accepted').map(calloutId), context);

/** Default length of the calendar in days. */
export const calendarLength = 90;

/** Renders the report in one format. */
export async function renderCertificateReport(
  report: CertificateReport,
  format: CertificateFormat | undefined,
  look: CertificateLook,
): Promise<string> {
  const { calendarDays } = look;
  switch (format) {
    case 'json':
    case 'yaml':
      return documentText(reportDocument(report), format);
    case 'ics':
      return (await import('./certificates/render-ics.ts')).renderIcs(report, calendarDays ?? calendarLength);
    case 'junit':
      return (await import('./junit/certificate-cases.ts')).renderCertificateJunit(report, look.within);
    case 'name':
      return names(report, look.all);
    default: {
      if (calendarDays !== undefined) {
        return (await import('./certificates/render-calendar.ts')).renderCalendar(report, calendarDays, look);
      }
      return (await import('./certificates/render-certificates.ts')).renderCertificates(report, look);
    }
  }
}

/** The reports of several clusters as one document. Calendar and JUnit accept only one cluster. */
export async function certificateReports(
  reports: readonly CertificateReport[],
  format: CertificateFormat | undefined,
  look: CertificateLook,
): Promise<Iterable<string>> {
  if (isDataFormat(format)) return documentList(reports.map(reportDocument), format);
  if (format === 'name') return reports.map((report) => names(report, look.all, report.cluster.context));
  const { renderCertificatesOfClusters } = await import('./certificates/render-certificates.ts');
  return [renderCertificatesOfClusters(reports, look)];
}
