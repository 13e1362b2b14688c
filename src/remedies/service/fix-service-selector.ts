import { pointerTo } from '../../basics/json-pointer.ts';
import { calloutId, type ServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { type Labels, serviceSelects } from '../../facts/objects/label-selector.ts';
import type { Service, ServicePort } from '../../facts/objects/service.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts } from '../../facts/snapshot.ts';
import {
  declaredTarget,
  isOwnWorkload,
  labelsText,
  workloadOfPod,
  workloadsMaking,
} from '../../facts/workloads/workloads.ts';
import { shareWords } from '../../phrases/alike-names.ts';
import { listed } from '../../phrases/lists.ts';
import { portBehind, serviceBehind, serviceEdit, whoReverts, workloadName } from '../backend.ts';
import { defineRemedy, type PlanDraft } from '../remedy.ts';

/** Whether a label of the selector, or the names, share words: evidence in addition to the port. A similar spelling is none. */
function isRelated({ metadata, spec }: Workload, service: Service): boolean {
  const labels = spec.template.metadata?.labels ?? {};
  const pairs = Object.entries(service.spec.selector ?? {});
  return (
    shareWords(metadata.name, service.metadata.name) ||
    pairs.some(([key, value]) => shareWords(labels[key] ?? '', value))
  );
}

/** The workload's own selector; undefined if it has more than matchLabels. */
const ownLabels = ({ spec: { selector } }: Workload): Labels | undefined =>
  (selector.matchExpressions ?? []).length === 0 && Object.keys(selector.matchLabels ?? {}).length > 0
    ? selector.matchLabels
    : undefined;

const labelsOf = ({ spec }: Workload): Labels => spec.template.metadata?.labels ?? {};

/** The selector with the values of the labels, without keys that the labels lack. */
const corrected = (selector: Labels, labels: Labels): Labels =>
  Object.fromEntries(
    Object.keys(selector).flatMap((name) => {
      const value = labels[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

type SelectedFacts = Pick<Facts, 'pods' | 'probes' | 'workloads'>;

/**
 * Of several workloads that the Service selects, the only one that declares the port, and of whose Pods none failed a
 * probe. Undefined if it selects one, or if several could be meant.
 */
function ownerAmong(
  selected: readonly Workload[],
  callout: ServiceBacked,
  port: ServicePort,
  facts: SelectedFacts,
) {
  const { replicas = [] } = facts.probes.getIfKnown(calloutId(callout)) ?? {};
  const failing = new Set(
    replicas.filter(({ dialogues }) => dialogues.some(({ failure }) => failure)).map(({ pod }) => pod),
  );
  const bad = new Set(
    (facts.pods.getIfKnown(keyOf(callout.client.service)) ?? [])
      .filter(({ metadata }) => failing.has(metadata.name))
      .map((pod) => workloadOfPod(pod).name),
  );
  const [owner, ...others] = selected.filter(
    (one) => declaredTarget(one, port) !== undefined && !bad.has(one.metadata.name),
  );
  return others.length === 0 && selected.length > 1 ? owner : undefined;
}

/** The selector, with the labels that only the Pods of this workload have: its own selector, else one of its labels. */
function narrowed(selector: Labels, owner: Workload, selected: readonly Workload[]): Labels | undefined {
  const alone = Object.entries(labelsOf(owner)).map(([name, value]) => ({ [name]: value }));
  return [ownLabels(owner) ?? {}, ...alone]
    .map((labels) => ({ ...selector, ...labels }))
    .find(
      (labels) =>
        serviceSelects(labels, labelsOf(owner)) &&
        selected.every((one) => one === owner || !serviceSelects(labels, labelsOf(one))),
    );
}

const planOf = (service: Service, after: Labels, owner: Workload): PlanDraft => {
  const before = service.spec.selector ?? {};
  return {
    summary: `Service ${keyOf(service.metadata)} selects ${labelsText(after)}, the Pods of ${workloadName(owner)}, instead of ${labelsText(before)}`,
    edits: [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((name) => before[name] !== after[name])
      .map((name) => serviceEdit(service, pointerTo(['selector', name]).slice(1), before[name], after[name])),
    warnings: whoReverts(service.metadata),
  };
};

/** The plan for the only workload that clearly belongs to the Service, or why there is none. */
function planForRelated(service: Service, port: ServicePort, here: readonly Workload[]): PlanDraft | string {
  const before = service.spec.selector ?? {};
  const free = here.filter(isOwnWorkload);
  const declaring = free.filter((workload) => declaredTarget(workload, port) !== undefined);
  // Declaring a port is optional, and the Service may have a wrong one: names and labels decide then.
  const fitting = declaring.length > 0 ? declaring : free.filter((workload) => isRelated(workload, service));
  const [only, ...others] = fitting;
  if (only === undefined || others.length > 0 || !isRelated(only, service)) {
    return others.length > 0
      ? `${listed(fitting.map(workloadName))} all ${declaring.length > 0 ? 'declare the port' : 'could be its workload'}. It is unknown which of them Service ${keyOf(service.metadata)} must select.`
      : `No workload in the namespace ${declaring.length > 0 ? 'declares the port and ' : ''}clearly belongs to Service ${keyOf(service.metadata)}.`;
  }
  const selectsOnlyIt = (selector: Labels): boolean =>
    free.filter((one) => serviceSelects(selector, labelsOf(one))).length === 1;
  const least = corrected(before, labelsOf(only));
  const own = ownLabels(only);
  const after = selectsOnlyIt(least) ? least : { ...least, ...own };
  if (!selectsOnlyIt(after)) {
    return own === undefined
      ? `${workloadName(only)} selects its Pods by matchExpressions, and a Service cannot.`
      : `The labels ${labelsText(after)} would also select Pods of other workloads.`;
  }
  return planOf(service, after, only);
}

export const fixServiceSelector = defineRemedy({
  meta: {
    id: 'fix-service-selector',
    title: 'Correct the Service selector',
    risk: 'careful',
    does: "Sets the wrong labels in the Service's selector to the values that the workload's Pods have, and removes labels that these Pods lack. If that selector also matches other Pods, or is empty, the workload's own selector labels are added. It requires exactly one workload in the namespace that belongs to the Service. If the Service also selects Pods of other workloads, it adds labels that only the Pods of the webhook have. All clients of the Service then reach these Pods.",
    leaves: 'Pods that are not ready or do not serve the webhook.',
    answers: ['selector-matches-no-pod', 'selector-covers-other-workload'],
    touches: [{ operation: 'patch', kinds: ['Service'] }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads', 'pods', 'probes'],
  plan({ callout, check }, facts) {
    const service = serviceBehind(callout, facts);
    const port = service && portBehind(callout, service);
    if (service === undefined || port === undefined) return undefined;
    const here = facts.workloads.get(callout.client.service.namespace) ?? [];
    const before = service.spec.selector ?? {};
    const selected = workloadsMaking(before, here);
    if (check === 'selector-covers-other-workload') {
      const owner = ownerAmong(selected, callout, port, facts);
      const after = owner && narrowed(before, owner, selected);
      return owner && after && planOf(service, after, owner);
    }
    // A workload that the selector matches has no Pods for another reason.
    return Object.keys(before).length === 0 || selected.length > 0
      ? undefined
      : planForRelated(service, port, here);
  },
});
