import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';

/** How often the model and the real result agree, for one group of cases on one version of Kubernetes. */
export interface Agreement {
  readonly group: string;
  /** `1.35.4`. */
  readonly version: string;
  readonly cases: number;
  readonly agreed: number;
  /** Cases for which the model returns unknown. */
  readonly unknown?: number;
}

const recorded = join(import.meta.dirname, 'agreement');

/**
 * Prints the agreement of the model with the real result, and with RECORD=1 stores it for docs/apiserver.md
 * (test/oracle/agreement/VERSION/GROUP.json). @param group `matching`, `routing`, `certificates`,
 * `responses`, `time` … @param version of Kubernetes, with or without `v`. @param unknown cases for which the
 * model returns unknown; not among `agreed`.
 */
export function recordAgreement(
  group: string,
  version: string,
  cases: number,
  agreed: number,
  unknown = 0,
): void {
  const bare = version.replace(/^v/, '');
  const open = unknown === 0 ? '' : `, ${unknown} unknown`;
  console.log(`oracle ${group} on v${bare}: ${cases} cases, ${agreed} agree${open}`);
  if (!process.env.RECORD) return;
  const folder = join(recorded, bare);
  mkdirSync(folder, { recursive: true });
  const agreement: Agreement = { group, version: bare, cases, agreed, ...(unknown > 0 && { unknown }) };
  writeFileSync(join(folder, `${group}.json`), `${JSON.stringify(agreement, null, 2)}\n`);
}

/**
 * For a suite in which every case compares the model with the real result: call it first in `describe`.
 * Counts the cases and those that passed. An incomplete run (`--grep`, a server that did not start) is
 * reported and not stored. @param version of Kubernetes, read after the last case; undefined: no server
 * started. @param counts true if the title is that of a case.
 */
export function countAgreement(
  group: string,
  version: () => string | undefined,
  counts: (title: string) => boolean = () => true,
): void {
  after(function () {
    const states: (string | undefined)[] = [];
    this.test?.parent?.eachTest(({ title, state }) => {
      if (counts(title)) states.push(state);
    });
    const asked = states.filter((state) => state === 'passed' || state === 'failed').length;
    const agreed = states.filter((state) => state === 'passed').length;
    const server = version();
    if (server !== undefined && asked === states.length) recordAgreement(group, server, asked, agreed);
    else console.log(`oracle ${group}: ${asked} of ${states.length} cases asked, ${agreed} agree`);
  });
}

/**
 * For the fast suite, which compares the model with recorded results: the counts in docs/apiserver.md are
 * those of the current model. With RECORD=1 they are stored. @param results of the model and of the API
 * server, by case; undefined: unknown to the model.
 */
export function holdAgreement(
  group: string,
  version: string,
  results: readonly (readonly [model: unknown, server: unknown])[],
): void {
  const unknown = results.filter(([model]) => model === undefined).length;
  const agreed = results.filter(([model, server]) => isDeepStrictEqual(model, server)).length;
  if (process.env.RECORD) recordAgreement(group, version, results.length, agreed, unknown);
  const {
    cases,
    agreed: said,
    unknown: open = 0,
  } = JSON.parse(readFileSync(join(recorded, version, `${group}.json`), 'utf8')) as Agreement;
  expect({ cases, agreed: said, unknown: open }).to.deep.equal({ cases: results.length, agreed, unknown });
}

/** All that was recorded, by version, then group. */
export function recordedAgreements(): readonly Agreement[] {
  const versions = readdirSync(recorded).toSorted(new Intl.Collator('en', { numeric: true }).compare);
  return versions.flatMap((version) =>
    readdirSync(join(recorded, version))
      .toSorted()
      .map((file) => JSON.parse(readFileSync(join(recorded, version, file), 'utf8')) as Agreement),
  );
}
