import { anyPodCreation, mayCover, quotaUpdate } from '../../../apiserver/admission/impact.ts';
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
import { isReadyEndpoint } from '../../../facts/objects/endpoint-slice.ts';
import type { Event } from '../../../facts/objects/event.ts';
import { selectsPod } from '../../../facts/objects/label-selector.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { defineCollector, type ReadOptions } from '../../collector.ts';
import { deniesAll } from '../../probes/looks-healthy.ts';
import {
  type BackendFacts,
  backendFacts,
  backendsInQuestion,
  type SuspectBackend,
} from '../../suspect-backends.ts';

const mayCoverPods = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) && mayCover(callout, anyPodCreation);

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
  return readOptions.chosen.filter(isAdmission).filter(
    (callout) =>
      ((mayCoverPods(callout) || mayCover(callout, quotaUpdate)) && deniesTestObject(callout, facts)) ||
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
  Preempted: 'reason=Preempted',
} as const;

/** True for a backend without a Ready Pod, and with a Pending one if these were listed: one may have been preempted. */
const mayBePreempted = (
  { service, slices, namespace }: SuspectBackend,
  { startingPods }: Pick<BackendFacts, 'startingPods'>,
): boolean =>
  service !== undefined &&
  !slices.some(({ endpoints }) => endpoints?.some(isReadyEndpoint)) &&
  startingPods.getIfKnown(namespace)?.some(({ metadata }) => selectsPod(service, metadata)) !== false;

/**
 * Collects Events with one list each over all namespaces: of workloads whose Pods were rejected, of Nodes whose drain
 * may be blocked by a webhook, and of preempted Pods (these are no warnings).
 */
export const failedCreateEvents = defineCollector({
  fact: 'failedCreateEvents',
  needs: backendFacts,
  permissions: [toRead(resources.Event, ['list'], 'cluster', 'workloads whose Pods were refused')],
  otherwise: 'FailedCreate Events while no failing webhook intercepts Pods',
  wants: (facts, readOptions) => [
    ...(maybeStopping(facts, readOptions).length > 0 ? (['FailedCreate'] as const) : []),
    ...(readOptions.chosen.some(guardsEvictions) ? (['Node'] as const) : []),
    ...(backendsInQuestion(facts, readOptions).some((one) => mayBePreempted(one, facts))
      ? (['Preempted'] as const)
      : []),
  ],
  readEach: (access, about) =>
    access.list<Event>(resources.Event, {
      query: { fieldSelector: selectors[about as keyof typeof selectors] },
      selection: `${about} events`,
    }),
});
