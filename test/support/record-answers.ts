import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** With RECORD set: what an API server of this version answered, by number of the case, for the fast suite to hold against. */
export function recordAnswers(name: string, version: string, answers: ReadonlyMap<number, unknown>): void {
  if (!process.env.RECORD) return;
  const bare = version.replace(/^v/, '');
  const file = join(import.meta.dirname, '..', 'apiserver', 'recorded', `${name}-${bare}.json`);
  const lines = [...answers].toSorted(([a], [b]) => a - b).map(([, one]) => JSON.stringify(one));
  writeFileSync(file, `[\n${lines.join(',\n')}\n]\n`);
}
