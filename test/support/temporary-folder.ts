import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Set in a run of mocha, and inherited by its workers: the folder of all temporary files of this run. */
const variable = 'KUBECTL_WEBHOOK_TEST_FOLDER';

const made = process.env[variable] === undefined ? mkdtempSync(join(tmpdir(), 'kw-')) : undefined;
if (made !== undefined) Object.assign(process.env, { [variable]: made, TMPDIR: made });

export function mochaGlobalTeardown(): void {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
}
