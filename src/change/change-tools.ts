import type { Environment } from '../basics/environment.ts';
import { type ClusterReader, ReadError } from '../collect/cluster.ts';
import type { Observe } from '../collect/kube/http/observation.ts';
import type { KubeFlags } from '../collect/kube/kubeconfig/kube-flags.ts';
import { openConnection } from '../collect/kube/open-cluster.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import { pathOf, resources } from '../facts/resource.ts';
import type { ChangeTools } from './apply.ts';
import { type ClusterIdentity, fileJournal, journalFolder } from './journal.ts';
import { kubeWriter } from './kube-writer.ts';

/**
 * Identifies the cluster by the uid of kube-system, which differs between clusters; by the server's address
 * if that cannot be read. Throws ReadError if the API server does not respond.
 */
async function clusterIdentity(reader: ClusterReader): Promise<ClusterIdentity> {
  const { server } = reader;
  try {
    const namespace = await reader.get<{ readonly metadata: Metadata }>(
      pathOf(resources.Namespace, undefined, 'kube-system'),
    );
    const uid = namespace?.metadata.uid;
    return { server, ...(uid === undefined ? {} : { uid }) };
  } catch (error) {
    if (error instanceof ReadError && error.reason === 'forbidden') return { server };
    throw error;
  }
}

/** The default timeout of one request: longer than any timeout of the API server. */
const requestTimeout = '60s';

/**
 * Opens the cluster of the flags and the environment for changes. Throws ConnectionProblem, and ReadError if
 * the API server does not respond. `close` ends its connections.
 *
 * @param sameCluster flags that select the same cluster, each with a leading space.
 */
export async function openChangeTools(
  flags: KubeFlags,
  env: Environment,
  observe?: Observe,
  sameCluster = '',
): Promise<ChangeTools & { readonly close: () => void }> {
  const patient = { ...flags, 'request-timeout': flags['request-timeout'] ?? requestTimeout };
  const { transport, reader, prober } = await openConnection(patient, env, undefined, { observe });
  try {
    return {
      reader,
      prober,
      writer: kubeWriter(transport),
      journal: fileJournal(journalFolder(env)),
      cluster: await clusterIdentity(reader),
      now: () => new Date(),
      undoCommand: (id) => `kubectl webhook undo ${id}${sameCluster}`,
      close: reader.close,
    };
  } catch (error) {
    reader.close();
    throw error;
  }
}
