import type { DoctorReport } from '../diagnose/report.ts';
import { jsonDocument, reportDocument } from './data-formats/document.ts';
import { documentList, documentText } from './data-formats/print-document.ts';
import type { ReportLook } from './text/look.ts';

/** Values of `-o`; the default is text. */
export const outputFormats = ['json', 'yaml', 'name', 'wide'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Values of `--sort-by` of a list of webhooks: its columns. Only `-o wide` shows the last four. */
export const listColumns = [
  'name',
  'kind',
  'policy',
  'timeout',
  'service',
  'ready',
  'cert-expires',
  'status',
  'intercepts',
  'managed-by',
  'rules',
  'order',
] as const;
export type ListColumn = (typeof listColumns)[number];

/** Values of `-o` with the additional formats for CI systems, chat channels and documents. */
export const reportFormats = [
  ...outputFormats,
  'markdown',
  'html',
  'brief',
  'slack',
  'junit',
  'sarif',
] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Renders the report in one format, in pieces to be written in order. */
export async function reportPieces(
  report: DoctorReport,
  format: ReportFormat | undefined,
  look: ReportLook,
): Promise<Iterable<string>> {
  if (format !== 'json') return [await renderReport(report, format, look)];
  return (await import('./data-formats/json.ts')).jsonPieces(jsonDocument(report));
}

/** Renders the report in one format. Modules of other formats are not loaded, which keeps the start fast. */
export async function renderReport(
  report: DoctorReport,
  format: ReportFormat | undefined,
  look: ReportLook,
): Promise<string> {
  switch (format) {
    case 'json':
    case 'yaml':
      return documentText(reportDocument(report), format);
    case 'name':
      return (await import('./data-formats/name.ts')).renderName(report, look.all);
    case 'markdown':
      return (await import('./markdown/render-markdown.ts')).renderMarkdown(report);
    case 'brief':
    case 'slack':
      return (await import('./markdown/render-brief.ts')).renderBrief(report);
    case 'html':
      return (await import('./html/render-html.ts')).renderHtml(report);
    case 'junit':
      return (await import('./junit/report-cases.ts')).renderReportJunit(report);
    case 'sarif':
      return (await import('./data-formats/sarif.ts')).renderSarif(report);
    default: {
      const { renderTerminal } = await import('./terminal/render-terminal.ts');
      return renderTerminal(report, format === 'wide' ? { ...look, wide: true } : look);
    }
  }
}

/** Renders the reports of several clusters as one document, in pieces. JSON and YAML: a `List`. */
export async function fleetPieces(
  reports: readonly DoctorReport[],
  format: ReportFormat | undefined,
  look: ReportLook,
): Promise<Iterable<string>> {
  switch (format) {
    case 'json':
    case 'yaml':
      return documentList(reports.map(reportDocument), format);
    case 'name': {
      const { renderName } = await import('./data-formats/name.ts');
      return reports.map((report) => renderName(report, look.all, report.cluster.context));
    }
    case 'markdown':
      return [(await import('./fleet/fleet-markdown.ts')).renderFleetMarkdown(reports)];
    case 'brief':
    case 'slack':
      return [(await import('./fleet/fleet-markdown.ts')).renderFleetBrief(reports)];
    case 'html':
      return [(await import('./html/render-html.ts')).renderFleetHtml(reports)];
    default: {
      const { renderFleet } = await import('./fleet/fleet-terminal.ts');
      return [renderFleet(reports, format === 'wide' ? { ...look, wide: true } : look)];
    }
  }
}
