import { harmless } from '../render/harmless.ts';
import type { Alerts } from '../workflows/alerts.ts';

/** Writes the rules as YAML to stdout, and to stderr whose rules are missing. Sets exit code 3 then. */
export async function printAlerts(
  document: object,
  { notLookedAt }: Pick<Alerts, 'notLookedAt'>,
): Promise<void> {
  const { renderYaml } = await import('../render/yaml.ts');
  process.stdout.write(renderYaml(document));
  for (const { what, why, detail } of notLookedAt)
    process.stderr.write(`No rules for ${harmless(what)}: ${harmless(detail ?? why)}\n`);
  process.exitCode = notLookedAt.length > 0 ? 3 : 0;
}
