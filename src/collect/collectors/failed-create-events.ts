import { mayCover } from '../../apiserver/admission/impact.ts';
import {
  type AdmissionCallout,
  type Callout,
  failsOpen,
  guardsEvictions,
  isAdmission,
  isServiceBacked,
} from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Event } from '../../facts/objects/event.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { defineCollector, eachKey, type Wishes } from '../collector.ts';
import { type BackendFacts, backendFacts, backendsInQuestion } from '../suspicion.ts';

const pods = { operation: 'CREATE', group: '', version: 'v1', resource: 'pods' } as const;

const stopsPods = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) && !failsOpen(callout) && mayCover(callout, pods);

/** Webhooks that keep Pods from being created while their backend is in question. */
export function maybeStopping(facts: BackendFacts, wishes: Wishes): readonly AdmissionCallout[] {
  const inQuestion = new Set(backendsInQuestion(facts, wishes).map(({ key }) => key));
  return wishes.chosen.filter(stopsPods).filter(
    (callout) =>
      // Of a URL no object tells whether anybody answers there.
      wishes.closely || !isServiceBacked(callout) || inQuestion.has(keyOf(callout.client.service)),
  );
}

/** Which warnings of the cluster are listed, by what they are about. */
const selectors = {
  FailedCreate: 'type=Warning,reason=FailedCreate',
  Node: 'type=Warning,involvedObject.kind=Node',
} as const;

/** One list each, over all namespaces: workloads that were refused Pods, and Nodes whose drain may wait for a webhook. */
export const failedCreateEvents = defineCollector({
  fact: 'failedCreateEvents',
  topics: ['failures'],
  needs: backendFacts,
  rights: [toRead(resources.Event, ['list'], 'cluster', 'workloads whose Pods were refused')],
  otherwise: 'FailedCreate Events while no failing webhook intercepts Pods',
  wants: (facts, wishes) => [
    ...(maybeStopping(facts, wishes).length > 0 ? (['FailedCreate'] as const) : []),
    ...(wishes.chosen.some(guardsEvictions) ? (['Node'] as const) : []),
  ],
  read: (access, keys) =>
    eachKey(keys, (about) =>
      access.list<Event>(resources.Event, {
        query: { fieldSelector: selectors[about as keyof typeof selectors] },
        selection: `${about} events`,
      }),
    ),
});
