import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';

/**
 * Compares with golden/NAME.txt. UPDATE=1 writes the current output; review the difference before the commit.
 */
export function pinned(name: string, output: string): void {
  const file = new URL(`./golden/${name}.txt`, import.meta.url);
  if (process.env.UPDATE === '1') {
    mkdirSync(dirname(file.pathname), { recursive: true });
    writeFileSync(file, output);
  }
  expect(existsSync(file), `no golden file ${name}.txt: run with UPDATE=1`).to.equal(true);
  expect(output).to.equal(readFileSync(file, 'utf8'));
}
