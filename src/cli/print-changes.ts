import type { ChangeReport } from '../change/change-report.ts';
import { renderChanges } from '../render/change/render-change.ts';
import { terminalLook } from './terminal.ts';

/** What `-o` can say of a change. */
export type ChangeFormat = 'json' | 'yaml';

/** Writes the report to stdout. */
export async function printChanges(report: ChangeReport, format: ChangeFormat | undefined): Promise<void> {
  process.stdout.write(await rendered(report, format));
}

async function rendered(report: ChangeReport, format: ChangeFormat | undefined): Promise<string> {
  if (format === 'json') return (await import('../render/json.ts')).renderJson(report);
  if (format === 'yaml') return (await import('../render/yaml.ts')).renderYaml(report);
  return renderChanges(report, terminalLook(process.stdout));
}
