import { type GoJson, parseGoJson } from '../../apiserver/go/json.ts';
import { fromGoJson } from '../../apiserver/go/value.ts';
import { applyPatch, decodePatch } from '../../apiserver/patch/json-patch.ts';
import { PatchError } from '../../apiserver/patch/patch-error.ts';
import { isJsonObject, type JsonObject } from '../../basics/collections.ts';
import { NotSupported } from './status.ts';

const goJson = (text: string): GoJson => parseGoJson(Buffer.from(text).toString('latin1'));

function jsonPatched<T>(value: T, patch: string): T {
  const operations = decodePatch(goJson(patch));
  if ('fault' in operations) throw new PatchError(operations.fault);
  return fromGoJson(applyPatch(goJson(JSON.stringify(value)), operations)) as T;
}

/** Merge keys of lists of objects (`patchMergeKey` in k8s.io/api); other lists are replaced. */
const mergeKeys: readonly (readonly [fields: RegExp, key: string])[] = [
  [/^(containers|initContainers|ephemeralContainers|env|volumes|secrets|imagePullSecrets)$/, 'name'],
  [/^(webhooks|matchConditions|variables|resourceClaims|schedulingGates)$/, 'name'],
  [/^ports$/, 'containerPort'],
  [/^ports$/, 'port'],
  [/^volumeMounts$/, 'mountPath'],
  [/^volumeDevices$/, 'devicePath'],
  [/^hostAliases$/, 'ip'],
  [/^topologySpreadConstraints$/, 'topologyKey'],
  [/^conditions$/, 'type'],
  [/^ownerReferences$/, 'uid'],
];

type Identity = (item: unknown) => unknown;

/** The identity of items in a list that is merged; undefined for a list that is replaced. */
function identityIn(field: string, items: readonly unknown[]): Identity | undefined {
  if (field === 'finalizers') return (item) => item;
  const isThere = (key: string): boolean => items.some((item) => isJsonObject(item) && key in item);
  const key = mergeKeys.find(([fields, name]) => fields.test(field) && isThere(name))?.[1];
  return key === undefined ? undefined : (item) => (isJsonObject(item) ? item[key] : item);
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Restores the order of a list; a new item comes before the first that followed it (mergeSortedSlice). */
function ordered(
  merged: readonly unknown[],
  identity: Identity,
  order: readonly unknown[],
  live: readonly unknown[],
) {
  const place = (item: unknown): number => live.map(identity).indexOf(identity(item));
  const placeIn = order.map(identity);
  const rest = merged.filter((item) => !placeIn.includes(identity(item)));
  const named = merged
    .filter((item) => placeIn.includes(identity(item)))
    .toSorted((a, b) => placeIn.indexOf(identity(a)) - placeIn.indexOf(identity(b)));
  return [
    ...named.flatMap((item) => {
      const behind = rest.findIndex((other) => place(other) >= place(item));
      return [...rest.splice(0, behind < 0 ? rest.length : behind), item];
    }),
    ...rest,
  ];
}

/** Merges a list strategically (mergeSlice in apimachinery's pkg/util/strategicpatch). */
function mergedList(list: readonly unknown[], patch: readonly unknown[], field: string): readonly unknown[] {
  const directive = (item: unknown): unknown => isJsonObject(item) && item.$patch;
  const given = patch.filter((item) => !directive(item));
  const identity = identityIn(field, patch);
  if (identity === undefined || patch.some((item) => directive(item) === 'replace')) return given;
  const items = new Map(list.map((item) => [identity(item), item]));
  for (const item of patch)
    if (directive(item) === 'delete') items.delete(identity(item));
    else items.set(identity(item), merged(items.get(identity(item)), item, true));
  return ordered([...items.values()], identity, given, list);
}

/** Merges as in RFC 7396; `strategic` also merges lists. Supports only the directives that kubectl sends. */
function merged(value: unknown, patch: unknown, strategic: boolean, field = ''): unknown {
  if (strategic && Array.isArray(patch)) return mergedList(listIn(value), patch, field);
  if (!isJsonObject(patch)) return patch;
  const { $patch, $retainKeys, ...changes } = patch;
  const before: JsonObject = isJsonObject(value) && $patch !== 'replace' ? value : {};
  const result: Record<string, unknown> = { ...before };
  for (const [name, given] of Object.entries(changes))
    if (given === null || (isJsonObject(given) && given.$patch === 'delete')) delete result[name];
    else if (!name.startsWith('$')) result[name] = merged(result[name], given, strategic, name);
  for (const [name, given] of Object.entries(changes)) {
    const [directive, target = ''] = name.split('/');
    const items = listIn(result[target]);
    const identity = identityIn(target, listIn(given));
    if (directive === '$deleteFromPrimitiveList')
      result[target] = items.filter((item) => !listIn(given).includes(item));
    else if (directive === '$setElementOrder' && identity !== undefined && target in result)
      result[target] = ordered(items, identity, listIn(given), listIn(before[target]));
  }
  if ($retainKeys === undefined) return result;
  return Object.fromEntries(Object.entries(result).filter(([name]) => listIn($retainKeys).includes(name)));
}

/** Applies a patch of this media type. Throws PatchError, or NotSupported. */
export function patched<T>(value: T, contentType: string, patch: string): T {
  const [kind = ''] = contentType.split(';');
  if (kind === 'application/json-patch+json') return jsonPatched(value, patch);
  if (kind !== 'application/merge-patch+json' && kind !== 'application/strategic-merge-patch+json')
    throw new NotSupported(`patches of type ${kind}`);
  return merged(value, JSON.parse(patch), kind.startsWith('application/strategic')) as T;
}
