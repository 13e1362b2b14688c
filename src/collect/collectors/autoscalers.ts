import type { Lookup } from '../../facts/lookup.ts';
import type { Autoscaler } from '../../facts/objects/autoscaler.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Right } from '../../facts/right.ts';
import { wantedPods } from '../../facts/workloads.ts';
import type { Attempts } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const autoscalerRights: readonly Right[] = [
  toRead(resources.autoscalers, ['list'], 'backends', 'how many replicas an autoscaler wants at least'),
];

/** Whether a workload that could have replicas is to have none. */
export const isAtZero = (workload: Workload): boolean =>
  workload.kind !== 'DaemonSet' && wantedPods(workload) === 0;

/** HorizontalPodAutoscalers of the given namespaces. */
export async function collectAutoscalers(
  read: Attempts,
  namespaces: readonly string[],
): Promise<Lookup<readonly Autoscaler[]>> {
  const list = (namespace: string) => read.list<Autoscaler>(resources.autoscalers, { namespace });
  const readings = new Map(
    await Promise.all(namespaces.map(async (namespace) => [namespace, await list(namespace)] as const)),
  );
  return fromReadings(readings, notRequested('HorizontalPodAutoscalers where nothing is scaled to zero'));
}
