/** Verbs of RBAC that the product asks for. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** A right that a part of the product needs, declared beside the requests that need it. */
export interface Right {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Plural, with its subresource: `pods/log`; or a path that belongs to no resource: `/metrics`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /**
   * `backends`: asked for in single namespaces, those of backends above all: who grants it there alone loses the others,
   * and is told so. `namespace`: in that one alone.
   */
  readonly scope: 'cluster' | 'backends' | { readonly namespace: string };
  /** The purpose: the end of "it is needed for …". */
  readonly use: string;
}
