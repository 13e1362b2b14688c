import type { DoctorReport } from '../diagnose/report.ts';
import type { ReportLook } from './look.ts';

/** What `-o` can say; without it the report for people. */
export const outputFormats = ['json', 'yaml', 'name', 'wide'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The report in one format. What only other formats need is not loaded: start-up counts. */
export async function renderReport(
  report: DoctorReport,
  format: OutputFormat | undefined,
  look: ReportLook,
): Promise<string> {
  switch (format) {
    case 'json':
      return (await import('./json.ts')).renderJson(report);
    case 'yaml':
      return (await import('./yaml.ts')).renderYaml(report);
    case 'name':
      return (await import('./name.ts')).renderName(report, look.all);
    default: {
      const { renderTerminal } = await import('./terminal/render-terminal.ts');
      return renderTerminal(report, format === 'wide' ? { ...look, wide: true } : look);
    }
  }
}
