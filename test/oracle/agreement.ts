import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';

/** How often the model and the real thing said the same, of one group of cases on one version of Kubernetes. */
export interface Agreement {
  readonly group: string;
  /** `1.35.4`. */
  readonly version: string;
  readonly cases: number;
  readonly agreed: number;
  /** Cases about which the model says that it cannot tell. */
  readonly unknown?: number;
}

const recorded = join(import.meta.dirname, 'agreement');

/**
 * Prints how far the model agrees with the real thing, and with RECORD=1 notes it for docs/apiserver.md
 * (test/oracle/agreement/VERSION/GROUP.json).
 *
 * @param group what was asked about: `matching`, `routing`, `certificates`, `responses`, `time` …
 * @param version of Kubernetes, with or without `v`.
 * @param unknown cases about which the model says that it cannot tell; not among `agreed`.
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
 * For a suite whose every case asks the model and the real thing the same question: call it first in `describe`. It
 * counts the suite's cases, and those that passed, when all are through. A run that left cases out (`--grep`, a server
 * that did not start) is told and not recorded.
 *
 * @param version of Kubernetes, read after the last case; undefined: no server came up.
 * @param counts whether a case with this title is one.
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
 * For the fast suite, which asks the model what an API server has answered: the counts in docs/apiserver.md are those of
 * today's model. With RECORD=1 they are noted anew.
 *
 * @param results of the model and of the API server, by case; the model's is undefined where it cannot tell.
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
