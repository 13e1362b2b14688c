import type { Lookup } from '../../facts/lookup.ts';
import type { DisruptionBudget } from '../../facts/objects/disruption-budget.ts';
import type { Right } from '../../facts/right.ts';
import type { Attempts } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const disruptionBudgetRights: readonly Right[] = [
  toRead(resources.disruptionBudgets, ['list'], 'backends', 'whether drains spare a replica'),
];

/** PodDisruptionBudgets of the given namespaces. */
export async function collectDisruptionBudgets(
  read: Attempts,
  namespaces: readonly string[],
): Promise<Lookup<readonly DisruptionBudget[]>> {
  const list = (namespace: string) => read.list<DisruptionBudget>(resources.disruptionBudgets, { namespace });
  const readings = new Map(
    await Promise.all(namespaces.map(async (namespace) => [namespace, await list(namespace)] as const)),
  );
  return fromReadings(readings, notRequested('PodDisruptionBudgets of a namespace that nobody asked about'));
}
