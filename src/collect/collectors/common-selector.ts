type Selector = Readonly<Record<string, string>>;

/** Services in one list, at most: each adds a value to the query, and proxies refuse URLs of more than 8 kB. */
const together = 20;

const keysOf = (selector: Selector): string => Object.keys(selector).sort().join();

/**
 * The least label selector that selects whatever any of `selectors` selects, which all ask about the same labels:
 * `app in (a,b),tier=web`. It may select more: whoever asks sorts out.
 */
export function commonSelector(selectors: readonly Selector[]): string {
  return Object.keys(selectors[0] ?? {})
    .map((key) => {
      const values = [...new Set(selectors.map((selector) => selector[key] ?? ''))].sort();
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join()})`;
    })
    .join();
}

/** Items that can be asked for together: same namespace, selectors over the same labels. */
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
