// `npm run docs` writes the pages of docs/ that repeat what the code says; `npm run docs -- --check` only compares.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listChecks } from '../src/workflows/checks.ts';
import { recordedAgreements } from '../test/oracle/agreement.ts';
import { apiserverPage } from './apiserver-page.ts';
import { ruleSections } from './apiserver-rules.ts';
import { checkPages } from './check-pages.ts';

/** What differs between a folder and the pages that it should hold: `missing`, `stale` or `dead`, and the file. */
export function differences(folder: string, pages: ReadonlyMap<string, string>): readonly string[] {
  const there = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : [];
  const wanted = [...pages].flatMap(([name, text]) => {
    if (!there.includes(name)) return [`missing ${name}`];
    // A checkout on Windows may have other line ends.
    const same = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n') === text;
    return same ? [] : [`stale ${name}`];
  });
  return [...wanted, ...there.filter((name) => !pages.has(name)).map((name) => `dead ${name}`)];
}

/** Makes the folder hold exactly these pages. Returns what was different. */
export function write(folder: string, pages: ReadonlyMap<string, string>): readonly string[] {
  const different = differences(folder, pages);
  mkdirSync(folder, { recursive: true });
  for (const line of different) {
    const [how = '', name = ''] = line.split(' ');
    if (how === 'dead') rmSync(join(folder, name));
    else writeFileSync(join(folder, name), pages.get(name) ?? '');
  }
  return different;
}

/** The folder of generated pages, and what belongs in it. */
export const checksFolder = join(import.meta.dirname, '..', 'docs', 'checks');
export const wantedCheckPages = (): ReadonlyMap<string, string> => checkPages(listChecks().checks);

/** The page about the model of kube-apiserver, and what belongs in it. */
export const apiserverFile = join(import.meta.dirname, '..', 'docs', 'apiserver.md');
export const wantedApiserverPage = (): string => apiserverPage(ruleSections, recordedAgreements());

/** Whether a file holds other text than this; line ends do not count. */
export const isStale = (file: string, text: string): boolean =>
  !existsSync(file) || readFileSync(file, 'utf8').replaceAll('\r\n', '\n') !== text;

if (import.meta.main) {
  const check = process.argv.includes('--check');
  const different = (check ? differences : write)(checksFolder, wantedCheckPages());
  for (const line of different) console.log(`docs/checks: ${line}`);
  const page = wantedApiserverPage();
  const stale = isStale(apiserverFile, page);
  if (stale) console.log('docs: stale apiserver.md');
  if (stale && !check) writeFileSync(apiserverFile, page);
  if (check && (stale || different.length > 0)) {
    console.error('docs is not what the code says: run "npm run docs" and commit the result');
    process.exitCode = 1;
  }
}
