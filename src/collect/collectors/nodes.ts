import type { Lookup } from '../../facts/lookup.ts';
import type { Node } from '../../facts/objects/node.ts';
import type { Right } from '../../facts/right.ts';
import type { Attempts } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const nodeRights: readonly Right[] = [
  toRead(resources.nodes, ['get'], 'cluster', 'the node of a replica that is in trouble'),
];

/** Single Nodes, by name. */
export async function collectNodes(read: Attempts, names: readonly string[]): Promise<Lookup<Node>> {
  const readings = new Map(
    await Promise.all(
      names.map(async (name) => [name, await read.get<Node>(resources.nodes, name)] as const),
    ),
  );
  return fromReadings(readings, notRequested('a Node that no suspect replica runs on'));
}
