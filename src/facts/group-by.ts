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
