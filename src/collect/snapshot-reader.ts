import type { Snapshot } from '../facts/snapshot.ts';
import { type ClusterReader, ReadError } from './cluster.ts';

/** A reader for recorded or assumed facts: all that is not in the snapshot is unknown. */
export function snapshotReader(
  snapshot: Snapshot,
  namespace: string | undefined,
  as: 'recorded' | 'given' = 'recorded',
): ClusterReader {
  const nothing = async (path: string): Promise<never> => {
    throw new ReadError('the snapshot does not hold it', { reason: 'unreachable', path });
  };
  return {
    [as]: snapshot,
    server: snapshot.cluster.server,
    context: snapshot.cluster.context,
    namespace: namespace ?? 'default',
    get: nothing,
    list: nothing,
    text: nothing,
    lines: nothing,
    close: () => undefined,
  };
}
