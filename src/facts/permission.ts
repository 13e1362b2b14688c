/** RBAC verbs that this program uses. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** An RBAC permission that a part of this program needs, declared beside its requests. */
export interface Permission {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Plural, with its subresource: `pods/log`; or a non-resource URL: `/metrics`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /**
   * `backends`: needed in several namespaces, especially those of backends; if it is granted only there,
   * other namespaces are not read, and the report says so. `namespace`: needed in this one only.
   */
  readonly scope: 'cluster' | 'backends' | { readonly namespace: string };
  /** The purpose: the end of "it is needed for …". */
  readonly use: string;
}
