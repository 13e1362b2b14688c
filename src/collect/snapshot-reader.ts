import type { Snapshot } from '../facts/snapshot.ts';
import { type ClusterReader, ReadError } from './cluster-reader.ts';

/** A cluster that was read before: everything that is not in the snapshot is not known. */
export function snapshotReader(recorded: Snapshot, namespace: string | undefined): ClusterReader {
  const nothing = async (path: string): Promise<never> => {
    throw new ReadError('the snapshot does not hold it', { reason: 'unreachable', path });
  };
  return {
    recorded,
    server: recorded.cluster.server,
    context: recorded.cluster.context,
    namespace: namespace ?? 'default',
    get: nothing,
    list: nothing,
    text: nothing,
    lines: nothing,
    close: () => undefined,
  };
}
