import type { ChangeReport } from '../change/change-report.ts';
import { renderChanges } from '../render/change/render-change.ts';
import { terminalLook } from './terminal.ts';

/** What `-o` can say of a change. */
export type ChangeFormat = 'json' | 'yaml';

/** Writes the report to stdout; `nothing` is said for people when it holds no change. */
export async function printChanges(
  report: ChangeReport,
  format: ChangeFormat | undefined,
  nothing = 'No change of this cluster is written down.',
): Promise<void> {
  process.stdout.write(await rendered(report, format, nothing));
}

async function rendered(
  report: ChangeReport,
  format: ChangeFormat | undefined,
  nothing: string,
): Promise<string> {
  if (format === 'json') return (await import('../render/json.ts')).renderJson(report);
  if (format === 'yaml') return (await import('../render/yaml.ts')).renderYaml(report);
  return renderChanges(report, terminalLook(process.stdout), nothing);
}
