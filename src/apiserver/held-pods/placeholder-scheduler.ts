import { type ObjectRef, refText } from '../../facts/object-ref.ts';
import type { Pod, PodSpec } from '../../facts/objects/pod.ts';
import { volumeSources } from '../../facts/workloads/volume-sources.ts';

/** The default of schedulerName; every cluster has this scheduler. */
export const defaultScheduler = 'default-scheduler';

const hasNoSchedulingAttempt = ({ metadata, spec, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (spec.nodeName ?? '') === '' &&
  (status.phase ?? 'Pending') === 'Pending';

/**
 * The schedulerName of a Pod if it is not the default one and that scheduler has not tried to schedule the
 * Pod. Every scheduler sets the condition PodScheduled after an attempt (pkg/scheduler
 * handleSchedulingFailure).
 */
export function inactiveScheduler(pod: Pod): string | undefined {
  const { schedulerName = defaultScheduler } = pod.spec;
  if (!hasNoSchedulingAttempt(pod) || schedulerName === defaultScheduler) return undefined;
  const isScheduled = pod.status.conditions?.some(({ type }) => type === 'PodScheduled');
  return isScheduled === true ? undefined : schedulerName;
}

/** The scheduling gates of a Pod. */
export const gatesOf = (pod: Pod): readonly string[] =>
  hasNoSchedulingAttempt(pod) ? (pod.spec.schedulingGates ?? []).map(({ name }) => name) : [];

/** True for a pending Pod with scheduling gates, or whose scheduler has not tried to schedule it. */
export const isHeld = (pod: Pod): boolean => inactiveScheduler(pod) !== undefined || gatesOf(pod).length > 0;

/** `wave.pusher.com` of `wave.pusher.com/invalid`; undefined for plain names. */
export const domainOf = (name: string): string | undefined =>
  name.includes('/') ? name.slice(0, name.indexOf('/')) : undefined;

/**
 * The annotation that contains the previous schedulerName: one with the domain of the placeholder name. If
 * the name has no domain, one whose key is about scheduling.
 */
export function previousScheduler(
  annotations: Readonly<Record<string, string>> | undefined,
  domain: string | undefined,
): readonly [key: string, scheduler: string] | undefined {
  return Object.entries(annotations ?? {}).find(
    ([key, value]) =>
      (domain === undefined ? /schedul/.test(key) && key.includes('/') : key.startsWith(`${domain}/`)) &&
      /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(value) &&
      value.includes('scheduler'),
  );
}

/** A source of `envFrom` or `valueFrom` as in the manifest. */
interface Reference {
  readonly name?: string;
  readonly optional?: boolean;
}
interface EnvironmentSource {
  readonly configMapRef?: Reference;
  readonly secretRef?: Reference;
  readonly configMapKeyRef?: Reference;
  readonly secretKeyRef?: Reference;
}

const ofEnvironment = ({ containers, initContainers = [] }: PodSpec): readonly EnvironmentSource[] =>
  [...initContainers, ...containers].flatMap(({ env = [], envFrom = [] }) => [
    ...(envFrom as readonly EnvironmentSource[]),
    ...env.flatMap(({ valueFrom }) => (valueFrom === undefined ? [] : [valueFrom as EnvironmentSource])),
  ]);

/** ConfigMaps and Secrets that the Pod's containers need to start, without duplicates. */
export function podReferencesOf({ metadata: { namespace }, spec }: Pod): readonly ObjectRef[] {
  const environment = ofEnvironment(spec);
  const sources = (spec.volumes ?? []).flatMap(volumeSources);
  const refs = (kind: string, found: readonly (Reference | undefined)[]): readonly ObjectRef[] =>
    [...sources.filter((source) => source.kind === kind), ...found].flatMap((one) =>
      one?.name === undefined || one.optional === true
        ? []
        : [{ kind, ...(namespace === undefined ? {} : { namespace }), name: one.name }],
    );
  const all = [
    ...refs(
      'ConfigMap',
      environment.flatMap(({ configMapRef, configMapKeyRef }) => [configMapRef, configMapKeyRef]),
    ),
    ...refs(
      'Secret',
      environment.flatMap(({ secretRef, secretKeyRef }) => [secretRef, secretKeyRef]),
    ),
  ];
  return [...new Map(all.map((ref) => [refText(ref), ref])).values()];
}
