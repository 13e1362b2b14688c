import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Case } from './case.ts';

const folder = new URL('../../../docs/cases/', import.meta.url);
const fileOf = (name: string): URL => new URL(`${name}.md`, folder);

/** The page without its figures and the bars of its histograms. */
const withoutFigures = (text: string): string => text.replace(/[\d▁▂▃▄▅▆▇█▏▎▍▌▋▊▉·\s]+/g, ' ');

/** Writes the page of a case, unless only its figures differ. */
export function writePage(name: string, page: string): void {
  const file = fileOf(name);
  const former = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (withoutFigures(former) !== withoutFigures(page)) writeFileSync(file, page);
}

export function writeIndex(cases: readonly Case[]): void {
  mkdirSync(folder, { recursive: true });
  const lines = cases.map(({ name, title }) => `- [${title}](${name}.md)`);
  const text = `# Cases

Find an outage like yours: its symptoms, the commands, their output, and the fix. \`test/e2e/cases.e2e.ts\` reproduces each
case on a real cluster. It masks names, addresses and times that differ between runs.
\`UPDATE=1 RUNS=3 npm run test:e2e -- test/e2e/cases.e2e.ts\` records the pages again. \`RUNS\` sets how often it repeats the
rollouts of one case.

${lines.join('\n')}
`;
  writeFileSync(fileOf('README'), text);
}
