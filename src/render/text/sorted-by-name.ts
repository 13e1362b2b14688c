/**
 * Sorts items by name, numbers in names by value. One collator for all names: localeCompare with options
 * creates one for each comparison.
 */
export function sortedByName<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return items.toSorted((a, b) => compare(nameOf(a), nameOf(b)));
}
