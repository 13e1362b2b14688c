// `npm run docs` writes the generated pages of docs/ and other generated files; `npm run docs -- --check` only
// compares.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { catalogue as checks } from '../src/checks/catalogue.ts';
import { remedyCatalogue as remedies } from '../src/remedies/catalogue.ts';
import { listChecks } from '../src/workflows/checks.ts';
import { incidents } from '../test/incidents/incidents.ts';
import { recordedAgreements } from '../test/oracle/agreement.ts';
import { apiserverPage } from './apiserver-page.ts';
import { ruleSections } from './apiserver-rules.ts';
import { chartRoles, withRoles } from './chart-roles.ts';
import { checkPages } from './check-pages.ts';
import { errorPage } from './error-page.ts';
import { countsFile, countsText } from './incident-counts.ts';
import { incidentPages, incidentsPage } from './incidents-page.ts';
import { withLimitRows } from './limit-table.ts';
import { shapesFile, shapesText } from './object-shapes.ts';
import { remedyPages } from './remedy-pages.ts';
import { triangulationPage } from './triangulation-page.ts';

/** Differences between a folder and its expected pages: `missing`, `stale` or `dead`, and the file. */
export function differences(folder: string, pages: ReadonlyMap<string, string>): readonly string[] {
  const there = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : [];
  const wanted = [...pages].flatMap(([name, text]) => {
    if (!there.includes(name)) return [`missing ${name}`];
    // A checkout on Windows may have other line endings.
    const same = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n') === text;
    return same ? [] : [`stale ${name}`];
  });
  return [...wanted, ...there.filter((name) => !pages.has(name)).map((name) => `dead ${name}`)];
}

/** Writes exactly these pages into the folder. Returns the differences. */
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

/** The folder of generated pages, and its expected content. */
export const checksFolder = join(import.meta.dirname, '..', 'docs', 'checks');
export const wantedCheckPages = (): ReadonlyMap<string, string> => checkPages(listChecks().checks);

export const remediesFolder = join(import.meta.dirname, '..', 'docs', 'remedies');
export const wantedRemedyPages = (): ReadonlyMap<string, string> =>
  remedyPages(
    remedies.map(({ meta }) => meta),
    new Set(checks.map(({ meta }) => meta.id)),
  );

/** The page about the model of kube-apiserver, and its expected content. */
export const apiserverFile = join(import.meta.dirname, '..', 'docs', 'apiserver.md');
export const wantedApiserverPage = (): string => apiserverPage(ruleSections, recordedAgreements());

/** The page about what a combination of probes means. */
export const triangulationFile = join(import.meta.dirname, '..', 'docs', 'triangulation.md');

/** The index of error texts. */
export const errorFile = join(import.meta.dirname, '..', 'docs', 'when-the-api-server-says.md');
export const wantedErrorPage = (): string => errorPage(remedies.map(({ meta }) => meta));

/** The page about security, with the generated table of limits. */
export const securityFile = join(import.meta.dirname, '..', 'docs', 'security.md');
export const wantedSecurityPage = (): string =>
  withLimitRows(readFileSync(securityFile, 'utf8').replaceAll('\r\n', '\n'));

/** The index of public incidents, and a page for each link of the chain. */
export const incidentsFile = join(import.meta.dirname, '..', 'docs', 'incidents.md');
export const incidentsFolder = join(import.meta.dirname, '..', 'docs', 'incidents');
export const wantedIncidentsPage = (): string => incidentsPage(incidents);
export const wantedIncidentPages = (): ReadonlyMap<string, string> => incidentPages(incidents);

/** Files of the Helm chart: the rules of its roles. */
export const wantedChartFiles = (): readonly (readonly [file: string, text: string])[] =>
  [...chartRoles()].map(([name, text]) => [
    join(import.meta.dirname, '..', 'charts/kubectl-webhook/files', name),
    text,
  ]);

/** The plain manifests of the chart, with the same rules. */
export const plainManifestsFile = join(import.meta.dirname, '..', 'docs/examples/serve.yaml');
export const wantedPlainManifests = (): string =>
  withRoles(readFileSync(plainManifestsFile, 'utf8').replaceAll('\r\n', '\n'));

/** Whether the content of a file differs from the text, except for line endings. */
export const isStale = (file: string, text: string): boolean =>
  !existsSync(file) || readFileSync(file, 'utf8').replaceAll('\r\n', '\n') !== text;

if (import.meta.main) {
  const check = process.argv.includes('--check');
  const compare = check ? differences : write;
  const different = [
    ...compare(checksFolder, wantedCheckPages()).map((line) => `docs/checks: ${line}`),
    ...compare(remediesFolder, wantedRemedyPages()).map((line) => `docs/remedies: ${line}`),
    ...compare(incidentsFolder, wantedIncidentPages()).map((line) => `docs/incidents: ${line}`),
  ];
  for (const line of different) console.log(line);
  const pages = [
    [apiserverFile, wantedApiserverPage()],
    [triangulationFile, triangulationPage()],
    [errorFile, wantedErrorPage()],
    [securityFile, wantedSecurityPage()],
    [incidentsFile, wantedIncidentsPage()],
    [countsFile, countsText(incidents)],
    [shapesFile, shapesText()],
    ...wantedChartFiles(),
    [plainManifestsFile, wantedPlainManifests()],
  ] as const;
  const stale = pages.filter(([file, text]) => isStale(file, text));
  for (const [file, text] of stale) {
    console.log(`docs: stale ${basename(file)}`);
    if (!check) writeFileSync(file, text);
  }
  if (check && (stale.length > 0 || different.length > 0)) {
    console.error('docs is not what the code says: run "npm run docs" and commit the result');
    process.exitCode = 1;
  }
}
