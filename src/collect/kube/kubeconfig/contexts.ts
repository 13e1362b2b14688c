import type { Environment } from '../../../basics/environment.ts';
import { ConnectionProblem } from './connection.ts';
import type { KubeFlags } from './kube-flags.ts';
import { loadKubeconfig } from './kubeconfig-file.ts';
import { parseServer, showUrl } from './server-url.ts';

/** A context of the kubeconfig, and its cluster's address without credentials; `none` if it has none. */
export interface KubeContext {
  readonly name: string;
  readonly server: string;
}

const everything = (part: string): string => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Converts a glob to a pattern: `*` matches any text. */
const pattern = (glob: string): RegExp =>
  new RegExp(`^${glob.split(/\*+/).map(everything).join('.*')}$`, 's');

/**
 * Selects contexts by names and globs, each once, in the order of the globs and, within a glob, by name.
 * Throws ConnectionProblem if a glob matches no context.
 */
export function contextsNamed(
  globs: readonly string[],
  flags: Pick<KubeFlags, 'kubeconfig'>,
  env: Environment,
): readonly KubeContext[] {
  const { config } = loadKubeconfig(flags.kubeconfig || undefined, env);
  const names = [...config.contexts.keys()].sort();
  const chosen = globs.flatMap((glob) => {
    const matching = names.filter((name) => name === glob || pattern(glob).test(name));
    if (matching.length > 0) return matching;
    throw new ConnectionProblem(
      `no context of the kubeconfig matches "${glob}"`,
      `It has: ${names.join(', ') || '(none)'}`,
    );
  });
  return [...new Set(chosen)].map((name) => {
    const address = config.clusters.get(config.contexts.get(name)?.cluster ?? '')?.server ?? '';
    const known = /^https?:/i.test(address) && URL.canParse(address);
    return { name, server: known ? showUrl(parseServer(address).url) : 'none' };
  });
}
