/** Names one object of the cluster, or one webhook inside a webhook configuration. */
export interface ObjectRef {
  /** Kind as in the API: `Service`, `Pod`, `ValidatingWebhookConfiguration`. */
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  /** `webhooks[].name`, if the reference is to one webhook of a configuration. */
  readonly webhook?: string;
}

/** The reference to an object by its kind and metadata. */
export const refOf = (
  kind: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): ObjectRef => ({ kind, ...(namespace === undefined ? {} : { namespace }), name });

/** `namespace/name`, or `name` for cluster-scoped objects: the key of lookups by object. */
export const keyOf = (object: { readonly namespace?: string | undefined; readonly name: string }): string =>
  object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;

/** The namespace and name in a key of a namespaced object. */
export function ofKey(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

/** Text for messages: `Service shop/policy`, `ValidatingWebhookConfiguration policy (policy.example.com)`. */
export const refText = (ref: ObjectRef): string =>
  `${ref.kind} ${keyOf(ref)}${ref.webhook === undefined ? '' : ` (${ref.webhook})`}`;

/** True if both refer to the same object (and the same webhook of it). */
export const sameObject = (a: ObjectRef, b: ObjectRef): boolean =>
  a.kind === b.kind && a.namespace === b.namespace && a.name === b.name && a.webhook === b.webhook;
