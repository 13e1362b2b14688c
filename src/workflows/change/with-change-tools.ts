import type { ChangeTools } from '../../change/apply.ts';
import { openChangeTools } from '../../change/change-tools.ts';
import type { Observe } from '../../collect/kube/http/observation.ts';
import type { KubeFlags } from '../../collect/kube/kubeconfig/kube-flags.ts';
import { asCannotStart } from '../cluster/with-cluster.ts';

/**
 * Opens the cluster of the flags and the environment for a run that changes it. There is no deadline for the
 * whole run, so that a change is always completed; each request has its own timeout.
 *
 * @param sameCluster flags that select the same cluster in printed commands.
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
    throw asCannotStart(error, { flags, sameCluster });
  }
}
