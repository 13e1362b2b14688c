import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConnectionProblem } from './connection-problem.ts';
import type { Environment } from './kube-flags.ts';
import { type Kubeconfig, mergeKubeconfigs } from './kubeconfig.ts';
import { parseKubeconfig } from './kubeconfig-file.ts';

/** One kubeconfig, merged from all files. */
export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** The files that were asked for, whether they exist or not. */
  readonly files: readonly string[];
}

/**
 * `--kubeconfig` alone (it must exist), else the files of KUBECONFIG (missing ones are passed over), else ~/.kube/config.
 * A file that exists and cannot be read or understood is an error. Source: client-go/tools/clientcmd/loader.go.
 */
export function loadKubeconfig(flag: string | undefined, env: Environment): LoadedKubeconfig {
  if (flag && !existsSync(flag))
    throw new ConnectionProblem(
      `the kubeconfig ${flag} does not exist`,
      'Check the path after --kubeconfig.',
    );
  const files = flag ? [flag] : filesOf(env);
  const texts = files.flatMap((file) => {
    const text = readIfPresent(file);
    return text === undefined ? [] : [parseKubeconfig(text, file)];
  });
  return { config: mergeKubeconfigs(texts), files };
}

function filesOf(env: Environment): readonly string[] {
  if (env.KUBECONFIG) return [...new Set(env.KUBECONFIG.split(delimiter))].filter((file) => file !== '');
  return [join(env.HOME ?? homedir(), '.kube', 'config')];
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const why = code === 'EISDIR' ? 'it is a directory' : code === 'EACCES' ? 'permission denied' : code;
    throw new ConnectionProblem(
      `the kubeconfig ${file} cannot be read: ${why}`,
      'Make the file readable, or name another one with --kubeconfig or KUBECONFIG.',
    );
  }
}
