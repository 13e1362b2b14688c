import { type AdmissionCallout, type Callout, isAdmission, isServiceBacked } from '../../facts/callout.ts';
import { keyOf, type ObjectRef, refText } from '../../facts/object-ref.ts';
import { isManaged, keyOfItem } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { PodController } from '../../facts/objects/pod-controller.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { workloadOfPod } from '../../facts/workloads/workloads.ts';
import { listed } from '../../phrases/lists.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { impactOf } from '../admission/impact.ts';
import type { MatchFacts } from '../admission/match.ts';
import { withUnknownLabels } from '../admission/unknown-labels.ts';
import {
  defaultScheduler,
  domainOf,
  gatesOf,
  inactiveScheduler,
  previousScheduler,
} from './placeholder-scheduler.ts';

const resourceOfKind: Readonly<Record<string, readonly [group: string, resource: string]>> = {
  Deployment: ['apps', 'deployments'],
  ReplicaSet: ['apps', 'replicasets'],
  StatefulSet: ['apps', 'statefulsets'],
  DaemonSet: ['apps', 'daemonsets'],
  Job: ['batch', 'jobs'],
};

/** A Pod that no scheduler may schedule, or will. */
export interface HeldPod {
  readonly pod: Pod;
  /** The Deployment, StatefulSet or other controller of the Pod; the Pod itself if it has none. */
  readonly workload: ObjectRef;
  /** The workload as an object; undefined if there is none, or it was not read. */
  readonly owner: PodController | undefined;
  /** The placeholder schedulerName, or the scheduling gates. */
  readonly by: { readonly scheduler: string } | { readonly gates: readonly string[] };
}

/** The key of a workload in `podControllers`. */
const workloadKey = ({ workload: { kind, ...ref } }: Pick<HeldPod, 'workload'>): string =>
  `${kind} ${keyOf(ref)}`;

/**
 * Finds what holds a Pod. Undefined if it has no scheduling gate, and its scheduler is the default one or has
 * tried to schedule it.
 */
export function heldPodOf(pod: Pod, { podControllers }: Pick<Facts, 'podControllers'>): HeldPod | undefined {
  const scheduler = inactiveScheduler(pod);
  const gates = gatesOf(pod);
  if (scheduler === undefined && gates.length === 0) return undefined;
  const workload = { ...workloadOfPod(pod), namespace: pod.metadata.namespace ?? '' };
  const key = workloadKey({ workload });
  const owner = podControllers.getIfKnown(key);
  return {
    pod,
    workload,
    owner,
    by: gates.length > 0 || scheduler === undefined ? { gates } : { scheduler },
  };
}

/** True if the Pod has the value of its template: no webhook changed it. */
export const isSetInTemplate = ({ owner, by }: Pick<HeldPod, 'owner' | 'by'>): boolean => {
  const spec = owner?.spec.template.spec;
  if (spec === undefined) return false;
  return 'scheduler' in by
    ? (spec.schedulerName ?? defaultScheduler) === by.scheduler
    : by.gates.every((gate) => spec.schedulingGates?.some(({ name }) => name === gate));
};

/** The domain of the placeholder name, else of the annotation with the previous schedulerName. */
function domainsOf({ pod, owner, by }: HeldPod): string | undefined {
  const [name = ''] = 'scheduler' in by ? [by.scheduler] : by.gates;
  const kept =
    previousScheduler(pod.metadata.annotations, undefined) ??
    previousScheduler(owner?.metadata.annotations, undefined);
  return domainOf(name) ?? domainOf(kept?.[0] ?? '');
}

function concerns(callout: Callout, group: string): boolean {
  switch (callout.kind) {
    case 'validating':
    case 'mutating':
      return callout.rules.some(({ apiGroups }) => apiGroups.includes(group));
    case 'conversion':
      return callout.resource.group === group;
    case 'aggregated-api':
      return false;
  }
}

/** True if names of the webhook contain the domain, or its Service also serves the domain's API group. */
function belongsTo(domain: string, callout: AdmissionCallout, callouts: readonly Callout[]): boolean {
  const { webhook, configuration } = callout;
  if (webhook === domain || webhook.endsWith(`.${domain}`) || configuration.includes(domain)) return true;
  if (!isServiceBacked(callout)) return false;
  const key = keyOf(callout.client.service);
  return callouts.some(
    (other) => isServiceBacked(other) && keyOf(other.client.service) === key && concerns(other, domain),
  );
}

/** The request that created the Pod, as far as objects show. */
export function creationOf({ metadata: { namespace = '', labels = {} } }: Pod): AdmissionRequest {
  return {
    operation: 'CREATE',
    group: '',
    version: 'v1',
    resource: 'pods',
    kind: 'Pod',
    namespace,
    labels,
  };
}

/** CREATE and UPDATE of the Pod's controller; empty for a kind whose resource is not known. */
function requestsOfWorkload({
  workload: { kind, namespace = '' },
  owner,
}: HeldPod): readonly AdmissionRequest[] {
  const over = resourceOfKind[kind];
  if (over === undefined) return [];
  const [group, resource] = over;
  const labels = owner === undefined ? { moreLabels: true } : { labels: owner.metadata.labels ?? {} };
  const about = { group, version: 'v1', resource, kind, namespace, ...labels };
  return [
    { ...about, operation: 'CREATE' },
    { ...about, operation: 'UPDATE' },
  ];
}

/**
 * The requests in which a webhook may have set the placeholder or the gates: if the template has them, only
 * those for the controller.
 */
const requestsOf = (held: HeldPod): readonly AdmissionRequest[] =>
  isSetInTemplate(held) ? requestsOfWorkload(held) : [creationOf(held.pod), ...requestsOfWorkload(held)];

const mayBeCalled = (
  callout: AdmissionCallout,
  requests: readonly AdmissionRequest[],
  facts: MatchFacts,
): boolean => {
  const about = requests.map((request) => ({ request: withUnknownLabels(request, callout) }));
  const { matched, undecided } = impactOf(callout, about, facts);
  return matched.length + undecided.length > 0;
};

/**
 * True if the gates were already in the request: then they have a manager. This does not work for schedulerName: the
 * requester also owns its default.
 */
function gatedByRequest(held: HeldPod): boolean {
  const { pod, owner, by } = held;
  if ('scheduler' in by) return false;
  const inTemplate = isSetInTemplate(held);
  if (!inTemplate && held.workload.kind !== 'Pod') return false;
  const metadata = inTemplate ? owner?.metadata : pod.metadata;
  const path = inTemplate ? ['f:spec', 'f:template', 'f:spec'] : ['f:spec'];
  return by.gates.every(
    (gate) => metadata && isManaged(metadata, [...path, 'f:schedulingGates', keyOfItem(gate)]),
  );
}

/** True if the template names the scheduler of the Pod: usually its author, and that scheduler does not run. */
const isSchedulerOfTemplate = (held: HeldPod): boolean => 'scheduler' in held.by && isSetInTemplate(held);

type CandidateFacts = MatchFacts & Pick<Facts, 'callouts'>;

/**
 * Mutating webhooks that may have set a Pod's scheduler or gates: those that match the Pod or its controller.
 * If the domain of the placeholder name, or of the annotation with the previous schedulerName, belongs to
 * some of them, only those.
 */
function candidateWebhooks(held: HeldPod, facts: CandidateFacts): readonly AdmissionCallout[] {
  const mutating = facts.callouts
    .filter(isAdmission)
    .filter(({ kind }) => kind === 'mutating')
    .filter((one) => mayBeCalled(one, [creationOf(held.pod), ...requestsOfWorkload(held)], facts));
  const domain = domainsOf(held);
  const named = domain === undefined ? [] : mutating.filter((one) => belongsTo(domain, one, facts.callouts));
  if (named.length > 0) return named;
  if (gatedByRequest(held) || (domain === undefined && isSchedulerOfTemplate(held))) return [];
  return mutating.filter((one) => mayBeCalled(one, requestsOf(held), facts));
}

/** The webhook that holds a Pod, or all that may hold it; `undecided` lists several. */
export function holdingWebhooksOf(held: HeldPod, facts: CandidateFacts): HoldingWebhooks {
  const webhooks = candidateWebhooks(held, facts);
  return webhooks.length < 2
    ? { webhooks }
    : {
        webhooks,
        undecided: listed(
          webhooks.map(({ ref }) => refText(ref)),
          { word: 'or' },
        ),
      };
}

/** The webhooks that may hold a Pod, and their names if objects do not show which of several it is. */
export interface HoldingWebhooks {
  readonly webhooks: readonly AdmissionCallout[];
  readonly undecided?: string;
}
