import { createHash } from 'node:crypto';

/** A step of a path, as `kubectl explain` spells fields: `.spec`, `["example.com/a"]`. */
function step(path: string, key: string): string {
  if (!/^\w+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

const nameOf = (item: unknown): string | undefined => {
  const name = (item as { readonly name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : undefined;
};

function* walk(value: unknown, path: string): Generator<readonly [path: string, json: string]> {
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    // Other webhooks can add items: only a name identifies an item.
    if (names.length > 0 && names.every((name) => name !== undefined))
      for (const [at, item] of value.entries()) yield* walk(item, `${path}[${names[at]}]`);
    else yield [path, JSON.stringify(value)];
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) yield* walk(child, step(path, key));
    return;
  }
  yield [path, JSON.stringify(value) ?? 'null'];
}

/**
 * The single values of an object as JSON, by path: `spec.containers[web].image`. Items of lists are distinguished by
 * their names; a list of items without a name is one value.
 */
export const leavesOf = (object: unknown): ReadonlyMap<string, string> => new Map(walk(object, ''));

/** Fields whose values may be secret: variables, arguments, data, annotations. */
const secretFields = 'env|args|command|data|binaryData|stringData|annotations';
const secretPath = new RegExp(`(?:^|\\.)(?:${secretFields})(?![\\w-])`);
const secretInside = new RegExp(`"(?:${secretFields})":`);

/** False for a leaf that may contain a secret value. */
export const isPublicLeaf = (path: string, json: string): boolean =>
  !secretPath.test(path) && !secretInside.test(json);

/** A digest of a leaf, to compare it without its value. */
export const leafDigest = (path: string, json: string): string =>
  createHash('sha256').update(`${path}\n${json}`).digest('hex').slice(0, 12);
