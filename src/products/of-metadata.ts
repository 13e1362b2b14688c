import type { Metadata, OwnerReference } from '../facts/objects/metadata.ts';
import { products } from './catalogue.ts';

/** What restores an object, and from where. */
export interface DeclarativeOwner {
  /** `Argo CD Application`. */
  readonly by: string;
  /** `namespace/name`, or a name alone. */
  readonly source: string;
  /** The label or annotation that says so, as a path below `metadata`, and its value. */
  readonly field: string;
  readonly value: string;
}

const keepers = products.flatMap((product) => product.keepers ?? []);

/** Whoever restores the object's declared state, as its labels and annotations say. */
export function keptBy(metadata: Metadata): DeclarativeOwner | undefined {
  for (const keeper of keepers) {
    const value = metadata[keeper.in]?.[keeper.key];
    if (value === undefined) continue;
    const [name = value] = value.split(':');
    const namespace = metadata[keeper.in]?.[keeper.namespaceKey ?? ''];
    return {
      by: keeper.name,
      source: namespace === undefined ? name : `${namespace}/${name}`,
      field: `${keeper.in}["${keeper.key}"]`,
      value,
    };
  }
  return undefined;
}

/** A Helm release, by the annotations that Helm puts on what it installs. */
export interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
}

/** helm/pkg/action/validate.go. What a chart's hook or a running process made carries none. */
export function helmRelease({ annotations }: Metadata): HelmRelease | undefined {
  const name = annotations?.['meta.helm.sh/release-name'];
  const namespace = annotations?.['meta.helm.sh/release-namespace'];
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** Groups of Kubernetes itself: the core group has no name, old ones no dot. */
const isBuiltIn = ({ apiVersion }: OwnerReference): boolean => {
  const [group, version] = apiVersion.split('/');
  return version === undefined || !group?.includes('.') || group.endsWith('.k8s.io');
};

/**
 * The owner whose controller may make the object anew. An owner of Kubernetes' own (Kyverno names a ClusterRole, Knative
 * a Namespace) only takes the object with it when it is deleted: its controllers restore no such objects.
 */
export const restoringOwner = ({ ownerReferences }: Metadata): OwnerReference | undefined =>
  ownerReferences?.find((owner) => !isBuiltIn(owner));

/** Whoever restores an object, in few words: `Helm shop/policy`. */
export function managedBy(metadata: Metadata): string | undefined {
  const keeper = keptBy(metadata);
  if (keeper !== undefined) return `${keeper.by} ${keeper.source}`;
  const release = helmRelease(metadata);
  if (release !== undefined) return `Helm ${release.namespace}/${release.name}`;
  const owner = restoringOwner(metadata);
  return owner && `${owner.kind} ${owner.name}`;
}
