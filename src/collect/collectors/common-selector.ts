type Selector = Readonly<Record<string, string>>;

/**
 * The maximum number of Services per list request: each adds a value to the query, and proxies reject URLs of
 * more than 8 kB.
 */
const together = 20;

const keysOf = (selector: Selector): string => Object.keys(selector).sort().join();

/**
 * Combines selectors over the same label keys into one label selector that matches every object which any of
 * them matches: `app in (a,b),tier=web`. It may match more objects; the caller must filter the result.
 */
export function commonSelector(selectors: readonly Selector[]): string {
  return Object.keys(selectors[0] ?? {})
    .map((key) => {
      const values = [...new Set(selectors.map((selector) => selector[key] ?? ''))].sort();
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join()})`;
    })
    .join();
}

/** Groups items that one list request can cover: same namespace, selectors over the same label keys. */
export function readTogether<T>(
  items: readonly T[],
  of: (item: T) => { readonly namespace: string | undefined; readonly selector: Selector },
): readonly (readonly T[])[] {
  const groups = new Map<string, T[][]>();
  for (const item of items) {
    const { namespace, selector } = of(item);
    const key = `${namespace ?? ''} ${keysOf(selector)}`;
    const alike = groups.get(key) ?? [];
    groups.set(key, alike);
    const last = alike.at(-1);
    if (last !== undefined && last.length < together) last.push(item);
    else alike.push([item]);
  }
  return [...groups.values()].flat();
}
