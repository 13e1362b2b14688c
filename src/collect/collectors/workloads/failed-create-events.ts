import { mayCover } from '../../../apiserver/admission/impact.ts';
import {
  type AdmissionCallout,
  type Callout,
  calloutId,
  failsOpen,
  guardsEvictions,
  isAdmission,
  isServiceBacked,
} from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { Event } from '../../../facts/objects/event.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { defineCollector, type ReadOptions } from '../../collector.ts';
import { deniesAll } from '../../probes/looks-healthy.ts';
import { type BackendFacts, backendFacts, backendsInQuestion } from '../../suspicion.ts';

const pods = { operation: 'CREATE', group: '', version: 'v1', resource: 'pods' } as const;

const mayCoverPods = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) && mayCover(callout, pods);

/** True if the webhook may match the creation of a Pod, and fails closed. */
export const stopsPods = (callout: Callout): callout is AdmissionCallout =>
  mayCoverPods(callout) && !failsOpen(callout);

/** True if every Pod of the webhook denies the test object: its failurePolicy has no effect on that. */
function deniesTestObject(callout: Callout, { probes }: BackendFacts): boolean {
  const probed = probes.getIfKnown(calloutId(callout));
  return probed !== undefined && deniesAll(probed);
}

/** Webhooks that may block the creation of Pods because their backend may be unhealthy. */
export function maybeStopping(facts: BackendFacts, readOptions: ReadOptions): readonly AdmissionCallout[] {
  const inQuestion = new Set(
    backendsInQuestion(facts, readOptions).flatMap(({ key, changedOnly }) => (changedOnly ? [] : [key])),
  );
  return readOptions.chosen.filter(mayCoverPods).filter(
    (callout) =>
      deniesTestObject(callout, facts) ||
      (stopsPods(callout) &&
        // For a URL, no object shows whether the server responds.
        (readOptions.examineAll ||
          !isServiceBacked(callout) ||
          inQuestion.has(keyOf(callout.client.service)))),
  );
}

/** The field selectors of the Events that are listed, by their purpose. */
const selectors = {
  FailedCreate: 'type=Warning,reason=FailedCreate',
  Node: 'type=Warning,involvedObject.kind=Node',
} as const;

/**
 * Collects Events with one list each over all namespaces: of workloads whose Pods were rejected, and of Nodes
 * whose drain may be blocked by a webhook.
 */
export const failedCreateEvents = defineCollector({
  fact: 'failedCreateEvents',
  needs: backendFacts,
  permissions: [toRead(resources.Event, ['list'], 'cluster', 'workloads whose Pods were refused')],
  otherwise: 'FailedCreate Events while no failing webhook intercepts Pods',
  wants: (facts, readOptions) => [
    ...(maybeStopping(facts, readOptions).length > 0 ? (['FailedCreate'] as const) : []),
    ...(readOptions.chosen.some(guardsEvictions) ? (['Node'] as const) : []),
  ],
  readEach: (access, about) =>
    access.list<Event>(resources.Event, {
      query: { fieldSelector: selectors[about as keyof typeof selectors] },
      selection: `${about} events`,
    }),
});
