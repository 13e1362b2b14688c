import { blame } from '../../../apiserver/sentences/call-error/blamed.ts';
import type { Callout } from '../../../facts/callout.ts';
import { ofKey } from '../../../facts/object-ref.ts';
import { type Event, newestEventsFirst } from '../../../facts/objects/event.ts';
import {
  type PodController,
  type PodControllerKind,
  podControllerKinds,
} from '../../../facts/objects/pod-controller.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { workloadOfPod } from '../../../facts/workloads/workloads.ts';
import { isRead } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';
import { backendFacts } from '../../suspect-backends.ts';
import { maybeStopping } from './failed-create-events.ts';
import { heldCandidates } from './pending-pods.ts';

const kinds: readonly PodControllerKind[] = ['Deployment', ...podControllerKinds];

const isControllerKind = (kind: string | undefined): kind is PodControllerKind =>
  kinds.some((known) => known === kind);

/** Controllers that could not create Pods because of one of the webhooks, by newest Event, newest first. */
function refusedControllers(events: readonly Event[], callouts: readonly Callout[]): readonly string[] {
  const found = new Set<string>();
  for (const { involvedObject, message = '' } of newestEventsFirst(events)) {
    const { kind, namespace = '', name = '' } = involvedObject;
    const key = `${kind} ${namespace}/${name}`;
    if (!podControllerKinds.some((known) => known === kind) || found.has(key)) continue;
    if (blame(message, callouts) !== undefined) found.add(key);
  }
  return [...found].slice(0, 20);
}

/** Collects controllers that lack Pods, and those of held Pods, by `Kind namespace/name`. */
export const podControllers = defineCollector({
  fact: 'podControllers',
  needs: [...backendFacts, 'failedCreateEvents', 'pendingPods'],
  permissions: kinds.map((kind) =>
    toRead(
      resources[kind],
      ['get'],
      'cluster',
      'the number of missing Pods of a workload whose Pods are refused',
    ),
  ),
  otherwise: 'a workload that no Event and no --from names',
  wants(facts, readOptions) {
    const events = facts.failedCreateEvents.getIfKnown('FailedCreate') ?? [];
    const owners = heldCandidates(facts).map((pod) => ({ ...pod.metadata, ...workloadOfPod(pod) }));
    return [
      ...(events.length === 0 ? [] : refusedControllers(events, maybeStopping(facts, readOptions))),
      ...owners
        .filter(({ kind }) => isControllerKind(kind))
        .map(({ kind, namespace = '', name }) => `${kind} ${namespace}/${name}`),
    ];
  },
  async readEach(access, key) {
    const [kind = '', of = ''] = key.split(' ');
    if (!isControllerKind(kind)) return { value: undefined };
    const { namespace, name } = ofKey(of);
    const reading = await access.get<Omit<PodController, 'kind'>>(resources[kind], name, { namespace });
    return isRead(reading) ? { value: reading.value && { ...reading.value, kind } } : reading;
  },
});
