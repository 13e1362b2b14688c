import { blame } from '../../apiserver/sentences/blamed.ts';
import type { Callout } from '../../facts/callout.ts';
import type { Lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Event } from '../../facts/objects/event.ts';
import { lastSeen } from '../../facts/objects/event.ts';
import {
  type PodController,
  type PodControllerKind,
  podControllerKinds,
} from '../../facts/objects/pod-controller.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { type Resource, resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const failedCreateRights: readonly Right[] = [
  toRead(resources.events, ['list'], 'cluster', 'workloads that were refused Pods already'),
  ...[
    resources.deployments,
    resources.replicaSets,
    resources.statefulSets,
    resources.daemonSets,
    resources.jobs,
  ].map((resource) => toRead(resource, ['get'], 'cluster', 'how many Pods a refused workload lacks')),
];

const refused = { fieldSelector: 'type=Warning,reason=FailedCreate' };

/** One list of the FailedCreate events of all namespaces; nothing where nobody wants it. */
export async function collectFailedCreateEvents(
  read: Attempts,
  wanted: boolean,
): Promise<Lookup<readonly Event[]>> {
  const rest = notRequested('FailedCreate events while no callout that stops Pods fails');
  if (!wanted) return fromReadings(new Map(), rest);
  const where = { query: refused, selection: 'FailedCreate events' };
  return fromReadings(new Map([['FailedCreate', await read.list<Event>(resources.events, where)]]), rest);
}

const resourceOf: Readonly<Record<PodControllerKind, Resource>> = {
  Deployment: resources.deployments,
  ReplicaSet: resources.replicaSets,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
  Job: resources.jobs,
};

/** What makes Pods, as events and Pods name it. */
export interface PodControllerName {
  readonly kind: PodControllerKind;
  readonly namespace: string;
  readonly name: string;
}

const isMakerKind = (kind: string | undefined): kind is PodControllerKind =>
  podControllerKinds.some((known) => known === kind);

/** What could not create Pods because of one of the callouts, as the newest event about it says, newest first. */
export function podControllersOf(
  events: readonly Event[],
  callouts: readonly Callout[],
): readonly PodControllerName[] {
  const found = new Map<string, PodControllerName>();
  const newest = [...events].sort((a, b) => (lastSeen(b) ?? '').localeCompare(lastSeen(a) ?? ''));
  for (const { involvedObject, message = '' } of newest) {
    const { kind, namespace = '', name = '' } = involvedObject;
    const key = `${kind} ${namespace}/${name}`;
    if (!isMakerKind(kind) || found.has(key) || blame(message, callouts) === undefined) continue;
    found.set(key, { kind, namespace, name });
  }
  return [...found.values()];
}

/** The named ones, by `Kind namespace/name`. */
export async function collectPodControllers(
  read: Attempts,
  names: readonly PodControllerName[],
): Promise<Lookup<PodController>> {
  const keys = new Map(names.map((one) => [`${one.kind} ${keyOf(one)}`, one]));
  const readings = await Promise.all(
    [...keys].map(
      async ([key, { kind, namespace, name }]): Promise<
        readonly [string, Reading<PodController | undefined>]
      > => {
        const reading = await read.get<Omit<PodController, 'kind'>>(resourceOf[kind], name, { namespace });
        if (!isRead(reading)) return [key, reading];
        return [key, { value: reading.value && { ...reading.value, kind } }];
      },
    ),
  );
  return fromReadings(new Map(readings), notRequested('what makes Pods and was not named'));
}
