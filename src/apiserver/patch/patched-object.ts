import type { GoJson } from '../go/json.ts';
import { any, bool, bytes, firstMisfit, type GoShape, map, string, struct } from '../go/shape.ts';
import { interpret, notRegistered } from '../response/decode-review.ts';
import { objectMeta } from '../response/object-meta.ts';

/** The fields of built-in kinds; for other kinds only metadata is checked. */
const fields: Readonly<Record<string, Readonly<Record<string, GoShape>>>> = {
  'v1/ConfigMap': { immutable: bool, data: map(string()), binaryData: map(bytes) },
  'v1/Secret': {
    immutable: bool,
    data: map(bytes),
    stringData: map(string()),
    type: string('v1.SecretType'),
  },
};

/** An error in a patched object before validation. `complete` false: the message has more text. */
export interface PatchedFault {
  readonly text: string;
  readonly complete: boolean;
  /** HTTP status if the object is rejected; absent for an internal error. */
  readonly refused?: 400 | 422;
}

/**
 * Checks if a patched object can be decoded into its type (mutating/dispatcher.go, after Apply). Fields of
 * unknown kinds are not checked. If the patch changes the kind to another core kind, the object is decoded as
 * that.
 *
 * @param before the object as it was sent to the webhook.
 */
export function patchedFault(before: GoJson, after: GoJson): PatchedFault | undefined {
  const was = interpret(before);
  const is = interpret(after);
  if ('fault' in is) return { text: is.fault, complete: true };
  if ('fault' in was) return undefined;
  const kind = is.kind || was.kind;
  const apiVersion = is.apiVersion || was.apiVersion;
  if (kind !== was.kind || apiVersion !== was.apiVersion) {
    return { text: notRegistered(kind, apiVersion), complete: false };
  }
  const known = fields[`${apiVersion}/${kind}`] ?? {};
  const shape = struct(`v1.${kind}`, () => ({
    apiVersion: any,
    kind: any,
    metadata: objectMeta,
    ...known,
  }));
  const misfit = firstMisfit(after, shape);
  if (misfit !== undefined) return { text: misfit, complete: true };
  const [from, to] = [namespaceOf(before), namespaceOf(after)];
  if (from !== '' && to !== '' && from !== to) return otherNamespace;
  return nameOf(before) === '' || nameOf(after) !== '' ? undefined : nameless(apiVersion, kind);
}

/** apiserver registry/rest/meta.go EnsureObjectNamespaceMatchesRequestNamespace; adds a missing one. */
const otherNamespace: PatchedFault = {
  text: 'the namespace of the provided object does not match the namespace sent on the request',
  complete: true,
  refused: 400,
};

/** API groups of virtual resources, which are not stored. */
const unnamed = /^(authentication|authorization)\.k8s\.io\//;

/**
 * The error for an object whose name the patch removed: apimachinery/pkg/api/validation/objectmeta.go, for
 * every kind. The message can contain other errors of the object; an update has another message.
 */
function nameless(apiVersion: string, kind: string): PatchedFault | undefined {
  if (unnamed.test(apiVersion)) return undefined;
  const [group, version] = apiVersion.split('/');
  const qualified = version === undefined ? kind : `${kind}.${group}`;
  return { text: `${qualified} "" is invalid`, complete: false, refused: 422 };
}

const memberOf = (value: GoJson | undefined, wanted: string): GoJson | undefined =>
  value?.kind === 'object' ? value.members.find(([name]) => name === wanted)?.[1] : undefined;

function metadataText(object: GoJson, field: string): string {
  const value = memberOf(memberOf(object, 'metadata'), field);
  return value?.kind === 'string' ? value.value : '';
}

const namespaceOf = (object: GoJson): string => metadataText(object, 'namespace');

const nameOf = (object: GoJson): string =>
  metadataText(object, 'name') || metadataText(object, 'generateName');
