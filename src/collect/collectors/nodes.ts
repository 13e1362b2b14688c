import { complete, type Lookup } from '../../facts/lookup.ts';
import type { Node } from '../../facts/objects/node.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const nodeRights: readonly Right[] = [
  toRead(resources.nodes, ['get'], 'cluster', 'the node of a replica that is in trouble'),
  toRead(resources.nodes, ['list'], 'cluster', 'the taints for which no node takes a replica'),
];

/** Single Nodes, by name; `all` of them where a replica finds none, and nobody says why. */
export async function collectNodes(
  read: Attempts,
  names: readonly string[],
  all = false,
): Promise<Lookup<Node>> {
  const list = all ? await read.list<Node>(resources.nodes) : undefined;
  if (list !== undefined && isRead(list))
    return complete(list.value.map((node) => [node.metadata.name, node] as const));
  const readings = new Map(
    await Promise.all(
      names.map(async (name) => [name, await read.get<Node>(resources.nodes, name)] as const),
    ),
  );
  return fromReadings(readings, notRequested('a Node that no suspect replica runs on'));
}
