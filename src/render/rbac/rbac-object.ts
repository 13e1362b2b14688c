/** A subject of a binding. */
export type Subject =
  | { readonly kind: 'User' | 'Group'; readonly apiGroup: string; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string };

/** A rule of a role for resources or non-resource URLs; `uses` says what each part is needed for. */
export interface RoleRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
  readonly uses: readonly string[];
}

/** A role or a binding. `uses` is not part of the applied object. */
export interface RbacObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly RoleRule[];
  readonly roleRef?: object;
  readonly subjects?: readonly Subject[];
}

/** Manifests to apply, with notes for the person who applies them. */
export interface RbacManifests {
  readonly objects: readonly RbacObject[];
  readonly notes: readonly string[];
}
