import { type Metadata, restoringOwner } from '../facts/objects/metadata.ts';
import { products } from './catalogue.ts';

/** The controller that restores an object, and the source of the declared state. */
export interface DeclarativeOwner {
  /** `Argo CD Application`. */
  readonly by: string;
  /** `namespace/name`, or `name` only. */
  readonly source: string;
  /** The label or annotation that shows it, as a path below `metadata`, and its value. */
  readonly field: string;
  readonly value: string;
}

const declarationTools = products.flatMap((product) => product.declarationTools ?? []);

/** The controller that restores the object's declared state, by its labels and annotations. */
export function declarativeOwnerOf(metadata: Metadata): DeclarativeOwner | undefined {
  for (const tool of declarationTools) {
    const value = metadata[tool.in]?.[tool.key];
    if (value === undefined) continue;
    const [name = value] = value.split(':');
    const namespace = metadata[tool.in]?.[tool.namespaceKey ?? ''];
    return {
      by: tool.name,
      source: namespace === undefined ? name : `${namespace}/${name}`,
      field: `${tool.in}["${tool.key}"]`,
      value,
    };
  }
  return undefined;
}

/** The Helm release of an object, by the annotations that Helm sets at installation. */
export interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
}

/** helm/pkg/action/validate.go. Objects of a hook or a running process do not have the annotations. */
export function helmRelease({ annotations }: Metadata): HelmRelease | undefined {
  const name = annotations?.['meta.helm.sh/release-name'];
  const namespace = annotations?.['meta.helm.sh/release-namespace'];
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** A short text for the tool that restores an object: `Helm shop/policy`. */
export function managedBy(metadata: Metadata): string | undefined {
  const tool = declarativeOwnerOf(metadata);
  if (tool !== undefined) return `${tool.by} ${tool.source}`;
  const release = helmRelease(metadata);
  if (release !== undefined) return `Helm ${release.namespace}/${release.name}`;
  const owner = restoringOwner(metadata);
  return owner && `${owner.kind} ${owner.name}`;
}

/** Whether the object is soon restored automatically: by GitOps or an operator, not by a Helm release. */
export const isRestored = (metadata: Metadata): boolean =>
  declarativeOwnerOf(metadata) !== undefined || restoringOwner(metadata) !== undefined;
