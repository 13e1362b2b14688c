import type { SoakReport } from '../soak/soak-report.ts';
import { printDocument } from './print-document.ts';

/** Writes a soak to stdout, as it was asked for. */
export const printSoak = (
  report: SoakReport,
  format: 'json' | 'yaml' | undefined,
  earlier: SoakReport | undefined,
): Promise<void> =>
  printDocument(report, format, async (look) => {
    const { renderSoak } = await import('../render/soak/render-soak.ts');
    return renderSoak(report, look, earlier);
  });
