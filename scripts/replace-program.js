import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds. A run that began before a build may still load a part of the program that it began with. */
const longestRun = 60 * 60_000;

function put(folder, { name, content }) {
  const beside = join(folder, `${name}.${process.pid}`);
  writeFileSync(beside, content);
  renameSync(beside, join(folder, name));
}

/**
 * Puts a new program into a folder where somebody may run the old one: at every moment the entry is whole, and so is
 * all that it loads. Names of other files change with their content. `clean`: leaves nothing of former builds.
 */
export function replaceProgram(folder, { entry, others, clean = false }) {
  mkdirSync(folder, { recursive: true });
  for (const file of others) put(folder, file);
  put(folder, entry);
  const current = new Set([entry, ...others].map(({ name }) => name));
  const oldest = clean ? Number.POSITIVE_INFINITY : Date.now() - longestRun;
  for (const name of readdirSync(folder)) {
    const { mtimeMs = oldest } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (!current.has(name) && mtimeMs < oldest) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
