import { kubeFlags } from './kube-flags.ts';

type Given = Readonly<Partial<Record<string, string | boolean | number | readonly string[] | undefined>>>;

/** Flags that a shell history or a pasted command must not hold. */
const secret: ReadonlySet<string> = new Set(['token']);
/** They say what is asked, not whom. */
const notAboutTheCluster: ReadonlySet<string> = new Set(['namespace', 'request-timeout']);

const quoted = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;

/**
 * The connection flags of this run, for a command that is printed to be run next: it must not meet another cluster.
 * With a space in front of each; empty when the kubeconfig alone decides. A token is not repeated.
 */
export function sameCluster(flags: Given): string {
  return Object.keys(kubeFlags)
    .filter((name) => !secret.has(name) && !notAboutTheCluster.has(name))
    .flatMap((name) => {
      const value = flags[name];
      if (value === undefined || value === false) return [];
      if (value === true) return [` --${name}`];
      return [value].flat().map((one) => ` --${name} ${quoted(String(one))}`);
    })
    .join('');
}
