/** Removes optional members that are undefined, as JSON documents and exact optional types require. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Each item once, in the order of their first appearance. */
export const unique = <T>(items: Iterable<T>): readonly T[] => [...new Set(items)];

/** Groups items by key, in the order of the keys' first appearance. (Map.groupBy needs Node 21.) */
export function groupBy<K, V>(
  items: readonly V[],
  keyOf: (item: V) => K,
): ReadonlyMap<K, readonly [V, ...V[]]> {
  const groups = new Map<K, [V, ...V[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The first result other than undefined; undefined if there is none. Evaluates no item after it. */
export function firstResult<T, R>(items: Iterable<T>, resultOf: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = resultOf(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** A JSON or YAML object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object; false for an array and for null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For sorting: negative, zero or positive; texts by UTF-16 units. */
export const compareValues = <T extends string | number | bigint>(a: T, b: T): number =>
  Number(a > b) - Number(a < b);

/** Compares two items by the first number that differs in their ranks. The smallest is first. */
export const byRank =
  <T>(rankOf: (item: T) => readonly number[]) =>
  (a: T, b: T): number => {
    const [left, right] = [rankOf(a), rankOf(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
  };
