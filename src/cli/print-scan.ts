import type { ScanReport } from '../scan/scan-report.ts';
import { printDocument } from './print-document.ts';

/** Writes what a scan found to stdout, as it was asked for. */
export const printScan = (
  report: ScanReport,
  format: 'json' | 'yaml' | undefined,
  all: boolean,
): Promise<void> =>
  printDocument(report, format, async (look) => {
    const { renderScan } = await import('../render/scan/render-scan.ts');
    return renderScan(report, { ...look, all });
  });
