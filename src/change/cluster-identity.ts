import { type ClusterReader, ReadError } from '../collect/cluster-reader.ts';
import { pathOf, resources } from '../collect/resource.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import type { ClusterIdentity } from './journal.ts';

/**
 * Which cluster this is: the uid of kube-system is as old as the cluster and differs between any two. Where it may not
 * be read the server's address has to do. Throws ReadError when nobody answers.
 */
export async function clusterIdentity(reader: ClusterReader): Promise<ClusterIdentity> {
  const { server } = reader;
  try {
    const namespace = await reader.get<{ readonly metadata: Metadata }>(
      pathOf(resources.namespaces, undefined, 'kube-system'),
    );
    const uid = namespace?.metadata.uid;
    return { server, ...(uid === undefined ? {} : { uid }) };
  } catch (error) {
    if (error instanceof ReadError && error.reason === 'forbidden') return { server };
    throw error;
  }
}
