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

/** The version of Kubernetes that the oracle suites run on, where E2E_KUBERNETES names one. */
export const askedVersion = (): { readonly version?: string } =>
  process.env.E2E_KUBERNETES ? { version: process.env.E2E_KUBERNETES } : {};
