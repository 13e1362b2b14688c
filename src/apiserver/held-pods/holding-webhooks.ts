import { type AdmissionCallout, type Callout, isAdmission, isServiceBacked } from '../../facts/callout.ts';
import type { HoldTrial } from '../../facts/hold-trial.ts';
import { keyOf, type ObjectRef, refText, sameObject } from '../../facts/object-ref.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { PodController } from '../../facts/objects/pod-controller.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { workloadOfPod } from '../../facts/workloads.ts';
import { listed } from '../../phrases/lists.ts';
import { agreeing } from '../../phrases/numbers.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { impactOf } from '../admission/impact.ts';
import type { MatchFacts } from '../admission/match.ts';
import { unforeseenLabels } from '../admission/unforeseen-labels.ts';
import {
  defaultScheduler,
  domainOf,
  gatesOf,
  keptScheduler,
  silentScheduler,
} from './placeholder-scheduler.ts';

const resourceOfKind: Readonly<Record<string, readonly [group: string, resource: string]>> = {
  Deployment: ['apps', 'deployments'],
  ReplicaSet: ['apps', 'replicasets'],
  StatefulSet: ['apps', 'statefulsets'],
  DaemonSet: ['apps', 'daemonsets'],
  Job: ['batch', 'jobs'],
};

/** A Pod that no scheduler may, or will, take up. */
export interface HeldPod {
  readonly pod: Pod;
  /** The Deployment, StatefulSet or other that makes it; the Pod itself where nothing does. */
  readonly workload: ObjectRef;
  /** The same as an object; undefined if it has none, or was not read. */
  readonly owner: PodController | undefined;
  /** The placeholder schedulerName, or the scheduling gates. */
  readonly by: { readonly scheduler: string } | { readonly gates: readonly string[] };
}

/** The key of a workload in `podControllers` and `parkingTrials`. */
export const workloadKey = ({ workload: { kind, ...ref } }: Pick<HeldPod, 'workload'>): string =>
  `${kind} ${keyOf(ref)}`;

/** Undefined: neither a gate nor a scheduler that keeps silent holds the Pod. */
export function heldPodOf(pod: Pod, { podControllers }: Pick<Facts, 'podControllers'>): HeldPod | undefined {
  const scheduler = silentScheduler(pod);
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
export const cameWithTemplate = ({ owner, by }: Pick<HeldPod, 'owner' | 'by'>): boolean => {
  const spec = owner?.spec.template.spec;
  if (spec === undefined) return false;
  return 'scheduler' in by
    ? (spec.schedulerName ?? defaultScheduler) === by.scheduler
    : by.gates.every((gate) => spec.schedulingGates?.some(({ name }) => name === gate));
};

/** The domain of the held name, else of the annotation that keeps the former one. */
function domainsOf({ pod, owner, by }: HeldPod): string | undefined {
  const [name = ''] = 'scheduler' in by ? [by.scheduler] : by.gates;
  const kept =
    keptScheduler(pod.metadata.annotations, undefined) ??
    keptScheduler(owner?.metadata.annotations, undefined);
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

/** By its names, or because what answers it also answers for the domain's own API group. */
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

/** Creation and change of what makes the Pod; nothing for kinds that webhooks know nothing of. */
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

/** The requests in which it may have been held: a template that has the name was not held as a Pod. */
export const requestsOf = (held: HeldPod): readonly AdmissionRequest[] =>
  cameWithTemplate(held) ? requestsOfWorkload(held) : [creationOf(held.pod), ...requestsOfWorkload(held)];

const mayBeCalled = (
  callout: AdmissionCallout,
  requests: readonly AdmissionRequest[],
  facts: MatchFacts,
): boolean => {
  const about = requests.map((request) => ({ request: unforeseenLabels(request, callout) }));
  const { matched, undecided } = impactOf(callout, about, facts);
  return matched.length + undecided.length > 0;
};

const owned = ({ managedFields = [] }: Metadata, path: readonly string[]): boolean =>
  managedFields.some(({ fieldsV1 }) => {
    let at: unknown = fieldsV1;
    for (const step of path) at = (at as Readonly<Record<string, unknown>> | undefined)?.[step];
    return at !== undefined;
  });

/**
 * Its gates stood in the request already. The API server notes who owns a field before mutating webhooks are asked
 * (apiserver pkg/endpoints/handlers create.go, update.go, patch.go), so that what these add belongs to nobody.
 * schedulerName does not tell: its default belongs to the requester as well.
 */
function gatedByRequest(held: HeldPod): boolean {
  const { pod, owner, by } = held;
  if ('scheduler' in by) return false;
  const inTemplate = cameWithTemplate(held);
  if (!inTemplate && held.workload.kind !== 'Pod') return false;
  const metadata = inTemplate ? owner?.metadata : pod.metadata;
  const path = inTemplate ? ['f:spec', 'f:template', 'f:spec'] : ['f:spec'];
  return by.gates.every(
    (gate) =>
      metadata && owned(metadata, [...path, 'f:schedulingGates', `k:${JSON.stringify({ name: gate })}`]),
  );
}

type CandidateFacts = MatchFacts & Pick<Facts, 'callouts'>;

/**
 * Mutating webhooks that may have given a Pod its scheduler or its gates, as objects tell: those that are asked about it
 * or about what makes it, and of these the ones that the domain of the held name, or of the annotation that keeps the
 * former one, belongs to, where it belongs to any.
 */
export function webhooksThatMayHold(held: HeldPod, facts: CandidateFacts): readonly AdmissionCallout[] {
  const mutating = facts.callouts
    .filter(isAdmission)
    .filter(({ kind }) => kind === 'mutating')
    .filter((one) => mayBeCalled(one, [creationOf(held.pod), ...requestsOfWorkload(held)], facts));
  const domain = domainsOf(held);
  const named = domain === undefined ? [] : mutating.filter((one) => belongsTo(domain, one, facts.callouts));
  if (named.length > 0) return named;
  if (gatedByRequest(held)) return [];
  return mutating.filter((one) => mayBeCalled(one, requestsOf(held), facts));
}

/** Who held a Pod. */
export interface HoldingWebhooks {
  /** The one, or all that may have. */
  readonly webhooks: readonly AdmissionCallout[];
  /** Why it is unknown which of several; undefined if it is known. */
  readonly undecided?: string;
  /** What came of trying it out, where that was done. */
  readonly trial?: HoldTrial;
}

const refsText = (webhooks: readonly ObjectRef[]): string => listed(webhooks.map(refText));

function whyUndecided(webhooks: readonly ObjectRef[], trial: HoldTrial | undefined): string {
  if (trial === undefined) return `${refsText(webhooks)} may have, and were not called`;
  const { answers, dryRun } = trial;
  const by = (outcome: string) =>
    answers.filter(({ tried }) => tried.outcome === outcome).map(({ webhook }) => webhook);
  const [holds, leaves] = [by('parks'), by('leaves')];
  if (holds.length > 1) return `${refsText(holds)} hold them now`;
  const unasked = answers.flatMap(({ webhook, tried }) =>
    tried.outcome === 'untold' ? [`${refText(webhook)} could not be called (${tried.why})`] : [],
  );
  const not =
    leaves.length === 0
      ? []
      : [`${refsText(leaves)} ${agreeing(leaves.length, 'does', 'do')} not hold them now`];
  const dryRunText =
    dryRun?.outcome === 'parks'
      ? ['a dry run is held as well']
      : dryRun?.outcome === 'leaves'
        ? ['a dry run is not held']
        : [];
  return [...not, ...unasked, ...dryRunText].join('; ');
}

/** Of those that may have held a Pod, the one that shows it: it alone does so to such an object. */
export function holdingWebhooksOf(
  held: HeldPod,
  facts: CandidateFacts & Pick<Facts, 'parkingTrials'>,
): HoldingWebhooks {
  const webhooks = webhooksThatMayHold(held, facts);
  if (webhooks.length < 2) return { webhooks };
  const key = workloadKey(held);
  const trial = facts.parkingTrials.getIfKnown(key);
  const holds = (trial?.answers ?? []).filter(({ tried }) => tried.outcome === 'parks');
  const [one, ...others] = webhooks.filter(({ ref }) =>
    holds.some(({ webhook }) => sameObject(webhook, ref)),
  );
  const tried = trial === undefined ? {} : { trial };
  if (one !== undefined && others.length === 0) return { webhooks: [one], ...tried };
  const undecided = whyUndecided(
    webhooks.map(({ ref }) => ref),
    trial,
  );
  return { webhooks, undecided, ...tried };
}
