import { interpret, notRegistered } from '../response/decode-review.ts';
import type { GoJson } from '../response/go-json.ts';
import {
  any,
  bool,
  bytes,
  firstMisfit,
  type GoShape,
  int64,
  list,
  map,
  string,
  struct,
} from '../response/go-shape.ts';

const ownerReference = struct('v1.OwnerReference', () => ({
  apiVersion: string(),
  kind: string(),
  name: string(),
  uid: string('types.UID'),
  controller: bool,
  blockOwnerDeletion: bool,
}));
const objectMeta = struct('v1.ObjectMeta', () => ({
  name: string(),
  generateName: string(),
  namespace: string(),
  selfLink: string(),
  uid: string('types.UID'),
  resourceVersion: string(),
  generation: int64,
  deletionGracePeriodSeconds: int64,
  labels: map(string()),
  annotations: map(string()),
  ownerReferences: list(ownerReference),
  finalizers: list(string()),
}));

/** Fields of kinds whose every field is known here; of others the metadata. */
const fields: Readonly<Record<string, Readonly<Record<string, GoShape>>>> = {
  'v1/ConfigMap': { immutable: bool, data: map(string()), binaryData: map(bytes) },
  'v1/Secret': {
    immutable: bool,
    data: map(bytes),
    stringData: map(string()),
    type: string('v1.SecretType'),
  },
};

/** What is wrong with a patched object before anybody validates it. `complete` false: the text goes on. */
export interface PatchedFault {
  readonly text: string;
  readonly complete: boolean;
  /** HTTP status where the object itself is refused; else it is an internal error. */
  readonly refused?: 400 | 422;
}

/**
 * Whether a patched object can be read back into its own type (mutating/dispatcher.go, after Apply). Fields of a kind
 * that is not known here are not looked at. A kind other than before is read as that, where it is one of the core.
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

/** apiserver/pkg/registry/rest/meta.go EnsureObjectNamespaceMatchesRequestNamespace; one that is missing is filled in. */
const otherNamespace: PatchedFault = {
  text: 'the namespace of the provided object does not match the namespace sent on the request',
  complete: true,
  refused: 400,
};

/** Groups of requests that are answered, not stored. */
const unnamed = /^(authentication|authorization)\.k8s\.io\//;

/**
 * An object that came with a name and goes without: apimachinery/pkg/api/validation/objectmeta.go, for every kind. What
 * else is wrong with it is told in the same sentence, and an update has other words.
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

/** Or what a name is made of. */
const nameOf = (object: GoJson): string =>
  metadataText(object, 'name') || metadataText(object, 'generateName');
