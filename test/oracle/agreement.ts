import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Prints how far the model agrees with a real API server, and with RECORD=1 notes it for the documentation
 * (test/oracle/agreement/VERSION/GROUP.json).
 *
 * @param group what was asked about: `matching`, `routing`, `certificates`, `responses`, `time` …
 * @param version the API server's, with or without `v`.
 */
export function recordAgreement(group: string, version: string, cases: number, agreed: number): void {
  const bare = version.replace(/^v/, '');
  console.log(`oracle ${group} on v${bare}: ${cases} cases, ${agreed} agree`);
  if (!process.env.RECORD) return;
  const folder = join(import.meta.dirname, 'agreement', bare);
  mkdirSync(folder, { recursive: true });
  const agreement = { group, version: bare, cases, agreed };
  writeFileSync(join(folder, `${group}.json`), `${JSON.stringify(agreement, null, 2)}\n`);
}

/**
 * For a suite whose every case asks the model and the API server the same thing: call it first in `describe`. It counts
 * the suite's cases, and those that passed, when all are through.
 *
 * @param version of the API server, read after the last case; undefined: the suite did not run.
 * @param counts whether a case with this title is one.
 */
export function countAgreement(
  group: string,
  version: () => string | undefined,
  counts: (title: string) => boolean = () => true,
): void {
  after(function () {
    const asked = version();
    if (asked === undefined) return;
    const states: (string | undefined)[] = [];
    this.test?.parent?.eachTest(({ title, state }) => {
      if (counts(title) && state !== undefined) states.push(state);
    });
    const agreed = states.filter((state) => state === 'passed').length;
    recordAgreement(group, asked, states.length, agreed);
  });
}
