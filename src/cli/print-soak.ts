import type { SoakReport } from '../soak/soak-report.ts';
import { printDocument } from './print-document.ts';

/** Writes a soak to stdout, as it was asked for. */
export async function printSoak(
  report: SoakReport,
  format: 'json' | 'yaml' | 'html' | undefined,
  earlier: SoakReport | undefined,
): Promise<void> {
  if (format === 'html') {
    const { renderSoakHtml } = await import('../render/html/soak-html.ts');
    process.stdout.write(renderSoakHtml(report, earlier));
    return;
  }
  await printDocument(report, format, async (look) => {
    const { renderSoak } = await import('../render/soak/render-soak.ts');
    return renderSoak(report, look, earlier);
  });
}
