import type { Lookup } from '../../facts/lookup.ts';
import type { Workload, WorkloadKind } from '../../facts/objects/workload.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { type Resource, resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const workloadRights: readonly Right[] = [
  toRead(resources.deployments, ['list'], 'backends', 'what makes the replicas'),
  toRead(resources.replicaSets, ['list'], 'backends', 'what makes the replicas'),
  toRead(resources.statefulSets, ['list'], 'backends', 'what makes the replicas'),
  toRead(resources.daemonSets, ['list'], 'backends', 'what makes the replicas'),
];

type Kind = readonly [WorkloadKind, Resource];
const deployments: readonly Kind[] = [['Deployment', resources.deployments]];
const others: readonly Kind[] = [
  ['ReplicaSet', resources.replicaSets],
  ['StatefulSet', resources.statefulSets],
  ['DaemonSet', resources.daemonSets],
];

/** Items of a list carry no kind of their own; it is added. One kind that cannot be read leaves them all unknown. */
async function listKinds(
  read: Attempts,
  namespace: string,
  kinds: readonly Kind[],
): Promise<Reading<readonly Workload[]>> {
  const readings = await Promise.all(
    kinds.map(async ([kind, resource]): Promise<Reading<readonly Workload[]>> => {
      const reading = await read.list<Omit<Workload, 'kind'>>(resource, { namespace });
      return isRead(reading) ? { value: reading.value.map((item) => ({ ...item, kind })) } : reading;
    }),
  );
  const failure = readings.find((reading) => !isRead(reading));
  return failure ?? { value: readings.flatMap((reading) => (isRead(reading) ? reading.value : [])) };
}

/** A namespace to read, and whether its Deployments alone explain the backends in it. */
export interface WorkloadQuestion {
  readonly namespace: string;
  /** No others are wanted, whatever the Deployments explain. */
  readonly kinds?: readonly WorkloadKind[];
  readonly enough: (deployments: readonly Workload[]) => boolean;
}

/** Most backends are Deployments: one list answers. The other kinds are listed only where it does not. */
async function ask(
  read: Attempts,
  { namespace, enough, kinds }: WorkloadQuestion,
): Promise<Reading<readonly Workload[]>> {
  if (kinds !== undefined) {
    const wanted = [...deployments, ...others].filter(([kind]) => kinds.includes(kind));
    return listKinds(read, namespace, wanted);
  }
  const first = await listKinds(read, namespace, deployments);
  if (!isRead(first) || enough(first.value)) return first;
  const second = await listKinds(read, namespace, others);
  return isRead(second) ? { value: [...first.value, ...second.value] } : second;
}

/** What makes Pods in the given namespaces. */
export async function collectWorkloads(
  read: Attempts,
  questions: readonly WorkloadQuestion[],
): Promise<Lookup<readonly Workload[]>> {
  const readings = new Map(
    await Promise.all(
      questions.map(async (question) => [question.namespace, await ask(read, question)] as const),
    ),
  );
  return fromReadings(readings, notRequested('workloads of a namespace whose backends look whole'));
}
