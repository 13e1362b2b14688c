import { mkdtempSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Each worker imports most of src: types are stripped, and modules compiled, once per change of a file. */
enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled'));

/** Set in a run of mocha, and inherited by its workers: the folder of all temporary files of this run. */
const variable = 'KUBECTL_WEBHOOK_TEST_FOLDER';

const made = process.env[variable] === undefined ? mkdtempSync(join(tmpdir(), 'kw-')) : undefined;
if (made !== undefined) Object.assign(process.env, { [variable]: made, TMPDIR: made });

export function mochaGlobalTeardown(): void {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
}
