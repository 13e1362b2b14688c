import { type ClusterReader, ReadError } from '../collect/cluster-reader.ts';
import type { KubeFlags } from '../collect/kube/kube-flags.ts';
import type { Observe } from '../collect/kube/observation.ts';
import { openConnection } from '../collect/kube/open-cluster.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import { pathOf, resources } from '../facts/resource.ts';
import type { ChangeTools } from './apply.ts';
import { type ClusterIdentity, fileJournal, journalFolder } from './journal.ts';
import { kubeWriter } from './kube-writer.ts';

/**
 * Which cluster this is: the uid of kube-system is as old as the cluster and differs between any two. Where it may not
 * be read the server's address has to do. Throws ReadError when nobody answers.
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

type Environment = Readonly<Record<string, string | undefined>>;

/** Longest wait for one request unless told: longer than the API server itself takes for any. */
const requestTimeout = '60s';

/**
 * The cluster that the flags and the environment name, with what it takes to change it. Throws ConnectionProblem, and
 * ReadError when nobody answers there. `close` ends its connections.
 *
 * @param sameCluster flags that lead there again, with a space in front of each.
 */
export async function openChangeTools(
  flags: KubeFlags,
  env: Environment,
  observe?: Observe,
  sameCluster = '',
): Promise<ChangeTools & { readonly close: () => void }> {
  const patient = { ...flags, 'request-timeout': flags['request-timeout'] ?? requestTimeout };
  const { transport, reader } = await openConnection(patient, env, undefined, { observe });
  try {
    return {
      reader,
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
