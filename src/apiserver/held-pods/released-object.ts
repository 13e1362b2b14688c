import type { PodSpec } from '../../facts/objects/pod.ts';
import { controllerOf } from '../../facts/workloads/workloads.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import type { HeldPod } from './holding-webhooks.ts';
import { defaultScheduler, domainOf, previousScheduler } from './placeholder-scheduler.ts';

type Annotations = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

/** Labels and a selector that the Job controller generates for each Job and rejects in a manifest. */
const ofOneJob = /^(batch\.kubernetes\.io\/)?(controller-uid|job-name)$/;

const keptOf = (annotations: Annotations | undefined, { by }: HeldPod) =>
  previousScheduler(annotations, 'scheduler' in by ? domainOf(by.scheduler) : undefined);

const without = <T>(record: Readonly<Record<string, T>> = {}, drop: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !drop(key)));

/** The spec before it was changed: the previous scheduler, no gates, no node. */
function released(spec: PodSpec, former: string, { by }: HeldPod): Json {
  const { nodeName: _, schedulingGates = [], ...rest } = spec;
  const gates = schedulingGates.filter(({ name }) => 'scheduler' in by || !by.gates.includes(name));
  return {
    ...rest,
    ...('scheduler' in by ? { schedulerName: former } : {}),
    ...(gates.length === 0 ? {} : { schedulingGates: gates }),
  };
}

function podBefore(held: HeldPod): Json {
  const { pod, owner } = held;
  const { name, namespace, labels = {}, ownerReferences = [], annotations } = pod.metadata;
  const template = owner?.spec.template;
  const kept = keptOf(annotations, held);
  const marks = template === undefined ? annotations : template.metadata?.annotations;
  const former = template?.spec.schedulerName ?? kept?.[1] ?? defaultScheduler;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${controllerOf(pod.metadata)?.name ?? name}-`,
      namespace,
      labels,
      annotations: without(marks, (key) => key === kept?.[0]),
      ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
    },
    spec: released(template?.spec ?? pod.spec, former, held),
  };
}

function workloadBefore(held: HeldPod, owner: NonNullable<HeldPod['owner']>, group: string): Json {
  const { metadata, spec, kind } = owner;
  const kept = keptOf(metadata.annotations, held);
  const { selector, ...ofSpec } = spec as typeof spec & { readonly selector?: unknown };
  const { template } = spec;
  const isJob = kind === 'Job';
  const labels = without(template.metadata?.labels, (key) => isJob && ofOneJob.test(key));
  return {
    apiVersion: `${group}/v1`,
    kind,
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      labels: without(metadata.labels, (key) => isJob && ofOneJob.test(key)),
      annotations: without(metadata.annotations, (key) => key === kept?.[0]),
    },
    spec: {
      ...ofSpec,
      ...(isJob ? {} : { selector }),
      template: {
        ...template,
        metadata: { ...template.metadata, labels },
        spec: released(template.spec, kept?.[1] ?? defaultScheduler, held),
      },
    },
  };
}

const user = { username: 'kubectl-webhook', groups: ['system:authenticated'] };

/**
 * The request in which a webhook may have changed a Pod, with the object before the change: the creation of
 * the Pod, or a request for its controller. Undefined if that object is not known.
 */
export function requestBefore(held: HeldPod, about: AdmissionRequest): AdmissionRequest | undefined {
  const { owner } = held;
  const isPod = about.resource === 'pods';
  if (!isPod && owner === undefined) return undefined;
  const object = isPod || owner === undefined ? podBefore(held) : workloadBefore(held, owner, about.group);
  const { labels = {}, name } = object.metadata as {
    readonly labels?: Annotations;
    readonly name?: string;
  };
  const { moreLabels: _, ...rest } = about;
  return {
    ...rest,
    labels,
    user,
    dryRun: true,
    object,
    ...(name === undefined ? {} : { name }),
    ...(about.operation === 'UPDATE' ? { oldLabels: labels, oldObject: object } : {}),
  };
}

/** True if an object has the same placeholder or gates as the Pod. */
export function hasSamePlaceholder(object: unknown, { by }: HeldPod): boolean {
  const { spec } = object as {
    readonly spec?: PodSpec & { readonly template?: { readonly spec?: PodSpec } };
  };
  const ofPod = spec?.template?.spec ?? spec;
  return 'scheduler' in by
    ? ofPod?.schedulerName === by.scheduler
    : by.gates.every((gate) => ofPod?.schedulingGates?.some(({ name }) => name === gate) === true);
}
