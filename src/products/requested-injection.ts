import { groupBy } from '../basics/collections.ts';
import { derive } from '../basics/derive.ts';
import { type AdmissionCallout, type Callout, isAdmission } from '../facts/callout.ts';
import { isManaged, keyOfItem } from '../facts/objects/metadata.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';

/** True for a webhook that is called for Pods alone, at their creation: what it does is injection. */
export const injectsByShape = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) &&
  callout.kind === 'mutating' &&
  callout.rules.length > 0 &&
  callout.rules.every(
    ({ resources, operations }) =>
      resources.every((resource) => resource === 'pods') &&
      operations.some((operation) => operation === 'CREATE' || operation === '*'),
  );

/** The volume and its mounts that the admission plugin ServiceAccount adds. */
const tokenVolume = 'kube-api-access-';

/**
 * True if the Pod has a container, a volume, a variable or an annotation that was not in the request that created it: a
 * webhook added it. Undefined if no managers are recorded.
 */
export function isChangedByWebhook({ metadata, spec }: Pod): boolean | undefined {
  const { managedFields = [], annotations = {} } = metadata;
  if (!managedFields.some(({ fieldsV1 }) => fieldsV1?.['f:spec'] !== undefined)) return undefined;
  const isAdded = (...path: readonly string[]) => !isManaged(metadata, path);
  const containers = [
    ...spec.containers.map((one) => ['f:containers', one] as const),
    ...(spec.initContainers ?? []).map((one) => ['f:initContainers', one] as const),
  ];
  return (
    containers.some(
      ([list, { name, env = [] }]) =>
        isAdded('f:spec', list, keyOfItem(name)) ||
        env.some((one) => isAdded('f:spec', list, keyOfItem(name), 'f:env', keyOfItem(one.name))),
    ) ||
    (spec.volumes ?? []).some(
      ({ name }) => !name.startsWith(tokenVolume) && isAdded('f:spec', 'f:volumes', keyOfItem(name)),
    ) ||
    // Admission plugins of Kubernetes add their own.
    Object.keys(annotations).some(
      (key) => !/(?:^|\.)kubernetes\.io\//.test(key) && isAdded('f:metadata', 'f:annotations', `f:${key}`),
    )
  );
}

/** A Pod with an annotation of an owner: `opentelemetry` for `instrumentation.opentelemetry.io/inject-java`. */
export interface AnnotatedPod {
  readonly pod: Pod;
  readonly key: string;
  readonly value: string;
  readonly changed: boolean;
}

/** The label of a domain that names its owner: the one before the last. */
const ownerOf = (key: string): string | undefined => {
  const slash = key.indexOf('/');
  return slash < 0 ? undefined : key.slice(0, slash).split('.').at(-2);
};

/** Labels of domains that several projects share. */
const shared = ['kubernetes', 'k8s', 'x-k8s', 'github', 'example'];

/** Pods with annotations, by the owner of the annotation. Those of which no manager is recorded are left out. */
export const podsByOwner = derive(
  ['namespacePods'],
  ({ namespacePods }: Pick<Facts, 'namespacePods'>): ReadonlyMap<string, readonly AnnotatedPod[]> => {
    const annotated = [...namespacePods.all()].flat().flatMap((pod) => {
      const changed = isChangedByWebhook(pod);
      return changed === undefined
        ? []
        : Object.entries(pod.metadata.annotations ?? {}).map(([key, value]) => ({
            pod,
            key,
            value,
            changed,
          }));
    });
    const owned = annotated.flatMap((one) => {
      const owner = ownerOf(one.key);
      return owner === undefined || shared.includes(owner) ? [] : [{ ...one, owner }];
    });
    return groupBy(owned, ({ owner }) => owner);
  },
);

/** Pods with annotations whose domain names the owner of a webhook: in its own name, its configuration's or Service's. */
export const podsAnnotatedFor = (
  { webhook, configuration, client: { service } }: AdmissionCallout,
  facts: Pick<Facts, 'namespacePods'>,
): readonly AnnotatedPod[] => {
  const byOwner = podsByOwner(facts);
  if (byOwner.size === 0) return [];
  const words = new Set(`${webhook}.${configuration}.${service?.name ?? ''}`.toLowerCase().split(/[.-]/));
  return [...words].flatMap((word) => byOwner.get(word) ?? []);
};

const refused = ['', 'false', 'no', 'off', '0', 'n', 'disabled'];

/** True for an annotation with a value that refuses injection. */
export const refusesInjection = ({ value }: AnnotatedPod): boolean => refused.includes(value.toLowerCase());

/** True for an annotation that requests injection by its name: `instrumentation.opentelemetry.io/inject-java=true`. */
export const requestsByName = (annotated: AnnotatedPod): boolean =>
  /\/(?:.*-)?inject(?:$|-)/.test(annotated.key) && !refusesInjection(annotated);
