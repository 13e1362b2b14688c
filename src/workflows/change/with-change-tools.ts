import type { ChangeTools } from '../../change/apply.ts';
import { openChangeTools } from '../../change/change-tools.ts';
import type { KubeFlags } from '../../collect/kube/kube-flags.ts';
import type { Observe } from '../../collect/kube/observation.ts';
import { asCannotStart } from '../with-cluster.ts';

/**
 * Opens the cluster that the flags and the environment name, for a run that changes it. There is no deadline for
 * everything together: a change that was begun is brought to an end; each request has one of its own.
 *
 * @param sameCluster flags that lead there again, for commands that are printed.
 */
export async function withChangeTools<T>(
  flags: KubeFlags,
  sameCluster: string,
  observe: Observe | undefined,
  run: (tools: ChangeTools) => Promise<T>,
): Promise<T> {
  try {
    const tools = await openChangeTools(flags, process.env, observe, sameCluster);
    try {
      return await run(tools);
    } finally {
      tools.close();
    }
  } catch (error) {
    throw asCannotStart(error);
  }
}
