import { join } from 'node:path';
import { explainTexts } from '../src/explain/explain.ts';
import { knownTextsOf } from '../src/explain/likely-causes.ts';
import type { RecognisedRecord } from '../src/explain/recognised-record.ts';
import type { Incident } from '../test/incidents/incidents.ts';

/** The figures that `explain` prints. */
export const countsFile = join(import.meta.dirname, '..', 'src', 'explain', 'incident-counts.json');

/** Texts of fewer incidents show nothing. */
const fewest = 5;

/** The known text that decides about the causes of an incident's first explanation. */
function textOf({ said }: Incident): string | undefined {
  const found: RecognisedRecord[] = [];
  const [first] = explainTexts(said.join('\n\n'), (one) => {
    found.push(one);
    return [];
  }).texts;
  const record = found.find(({ text }) => first !== undefined && text.startsWith(first.text));
  return record && knownTextsOf(record)[0];
}

/** Per known text: the number of public incidents, and of those that each check explains. */
export function countsText(incidents: readonly Incident[]): string {
  const counts = new Map<string, Map<string, number>>();
  for (const incident of incidents) {
    const text = incident.checks.length === 0 ? undefined : textOf(incident);
    if (text === undefined) continue;
    const ofText = counts.get(text) ?? new Map<string, number>();
    counts.set(text, ofText);
    for (const check of ['', ...incident.checks]) ofText.set(check, (ofText.get(check) ?? 0) + 1);
  }
  const rows = [...counts]
    .filter(([, ofText]) => (ofText.get('') ?? 0) >= fewest)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([text, ofText]) => {
      const checks = [...ofText]
        .filter(([check, count]) => check !== '' && count > 1)
        .sort(([, a], [, b]) => b - a);
      return [text, { incidents: ofText.get(''), checks: Object.fromEntries(checks) }] as const;
    });
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
}
