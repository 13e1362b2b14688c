import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Environment } from '../../basics/environment.ts';

/** The file name that kubectl looks up for completion of the plugin `webhook`. */
const programName = 'kubectl_complete-webhook';
const mark = 'Written by "kubectl webhook completion install".';

/** Looks the plugin up on PATH at each call, so that it still works after an upgrade by krew or npm. */
const script = `#!/bin/sh
# ${mark}
# kubectl runs this when Tab is pressed after "kubectl webhook".
command -v kubectl-webhook >/dev/null || exit 0
exec kubectl-webhook __complete -- "$@"
`;
const batch = `@echo off\r\nrem ${mark}\r\nkubectl-webhook __complete -- %*\r\n`;

const pathFolders = (env: Environment): readonly string[] => [
  ...new Set((env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '')),
];

/** The first file with this name on PATH, also with the extensions that Windows runs. */
function onPath(name: string, env: Environment): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  return pathFolders(env)
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find((file) => existsSync(file));
}

/** The completion program that kubectl would run. */
export const installedCompletion = (env: Environment): string | undefined => onPath(programName, env);

/** Error if the program cannot be installed; `advice` is what to do. */
class CannotInstall extends Error {
  readonly exitCode = 2;
  constructor(sentence: string, advice: string) {
    super(`${sentence}\n${advice}`);
    this.name = 'CannotInstall';
  }
}

const advice = 'Name a writable folder on PATH: kubectl webhook completion install FOLDER';

const writable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
};

/** The folder of kubectl-webhook itself: krew and npm use one that the user can write. */
function chosenFolder(given: string | undefined, env: Environment): string {
  if (given !== undefined) return resolve(given);
  const plugin = onPath('kubectl-webhook', env);
  if (plugin === undefined) throw new CannotInstall('kubectl-webhook itself is not on PATH', advice);
  return resolve(plugin, '..');
}

/** Installs the completion program in a folder of PATH. Returns its path. Throws {@link CannotInstall}. */
export function installCompletion(given: string | undefined, env: Environment): string {
  const folder = chosenFolder(given, env);
  if (!pathFolders(env).some((one) => resolve(one) === folder))
    throw new CannotInstall(`${folder} is not on PATH: kubectl would not find the program there`, advice);
  if (!writable(folder)) throw new CannotInstall(`${folder} is not writable`, advice);
  const windows = process.platform === 'win32';
  const file = join(folder, windows ? `${programName}.cmd` : programName);
  if (existsSync(file) && !readFileSync(file, 'utf8').includes(mark))
    throw new CannotInstall(
      `${file} already exists, and is not from this program`,
      'Completion may work already. If not, delete that file and install again.',
    );
  writeFileSync(file, windows ? batch : script, { mode: 0o755 });
  return file;
}
