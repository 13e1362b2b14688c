/** Somebody to whom a role is bound, as a binding names them. */
export type Subject =
  | { readonly kind: 'User' | 'Group'; readonly apiGroup: string; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string };

/** A rule of a role, for resources or for paths that belong to none, and what each part of it is for, in words. */
export interface RoleRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
  readonly uses: readonly string[];
}

/** A role or a binding, as it is applied to a cluster, but for `uses`. */
export interface RbacObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly RoleRule[];
  readonly roleRef?: object;
  readonly subjects?: readonly Subject[];
}

/** Manifests to apply, and what somebody has to know who does. */
export interface RbacManifests {
  readonly objects: readonly RbacObject[];
  readonly notes: readonly string[];
}
