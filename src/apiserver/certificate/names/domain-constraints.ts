/** Labels of a domain, the last first; undefined if it is invalid (crypto/x509 domainToReverseLabels). */
export function reversedLabels(domain: string): readonly string[] | undefined {
  if (domain === '') return [];
  const labels = domain.split('.').reverse();
  return labels.every((label) => /^[!-~]+$/.test(label)) ? labels : undefined;
}

/** @param constraint true for a constraint, which may start with a dot (crypto/x509 domainNameValid). */
export const isDomain = (text: string, constraint = false): boolean =>
  text === '' || reversedLabels(constraint && text.startsWith('.') ? text.slice(1) : text) !== undefined;

/** Searches domain constraints as Go does from 1.26 on; returns the constraint that matches, or undefined. */
export type DomainSearch = (domain: string) => string | undefined;

/** The sort key of a character in Go: case-insensitive, with the dot before all others. */
function weight(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === 0x2e) return 0;
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
}

/** Compares from the last character to the first (crypto/x509 dnsCompare). */
function compareDomains(a: string, b: string): number {
  for (let back = 1; back <= a.length && back <= b.length; back += 1) {
    const difference = weight(a, a.length - back) - weight(b, b.length - back);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** True if `suffix` equals the last labels of `domain`; `.a` requires one more label (dnsHasSuffix). */
function hasSuffix(suffix: string, domain: string): boolean {
  if (suffix.length > domain.length) return false;
  const rest = domain.slice(domain.length - suffix.length);
  if (rest.toLowerCase() !== suffix.toLowerCase()) return false;
  return suffix.startsWith('.') || domain.length === suffix.length || domain.at(-suffix.length - 1) === '.';
}

/** Sorts the items, and removes those that the one before contains. */
export function sortAndPrune<T>(
  list: readonly T[],
  compare: (a: T, b: T) => number,
  contains: (outer: T, inner: T) => boolean,
): readonly T[] {
  const kept: T[] = [];
  for (const item of list.toSorted(compare)) {
    const last = kept.at(-1);
    if (last === undefined || !contains(last, item)) kept.push(item);
  }
  return kept;
}

/** Finds the item that equals the target, or the one before its sort position if that contains the target. */
export function search<T, V>(
  list: readonly T[],
  target: V,
  compare: (item: T, target: V) => number,
  contains: (item: T, target: V) => boolean,
): T | undefined {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(list[middle] as T, target) < 0) low = middle + 1;
    else high = middle;
  }
  const exact = list[low];
  if (exact !== undefined && compare(exact, target) === 0) return exact;
  const near = list[Math.max(0, low - 1)];
  return near !== undefined && contains(near, target) ? near : undefined;
}

const withoutFirstLabel = (domain: string): string => {
  const dot = domain.indexOf('.');
  return dot < 0 ? '' : domain.slice(dot);
};

/** Builds the search for domain constraints; undefined if there are none (newDNSConstraints). */
export function domainSearch(constraints: readonly string[], permitted: boolean): DomainSearch | undefined {
  if (constraints.length === 0) return undefined;
  if (constraints.includes('')) return () => '';
  const kept = sortAndPrune(constraints, compareDomains, hasSuffix);
  const lowered = permitted ? [] : kept.map((constraint) => constraint.toLowerCase());
  const parents = new Map(
    lowered
      .map((constraint) => [withoutFirstLabel(constraint), constraint] as const)
      .filter(([parent]) => parent !== ''),
  );
  return (domain) => {
    const found = search(kept, domain, compareDomains, hasSuffix);
    if (found !== undefined || permitted || !domain.startsWith('*')) return found;
    return parents.get(withoutFirstLabel(domain.toLowerCase()));
  };
}
