import { closestMatch } from 'leven';

const lengthOf = (name: string): number => name.length;

/** Two neighbouring letters changed places: the most common slip of all, and two letters away for leven. */
function isSwap(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  return (
    a.length === b.length &&
    at >= 0 &&
    a[at] === b[at + 1] &&
    a[at + 1] === b[at] &&
    a.slice(at + 2) === b.slice(at + 2)
  );
}

/**
 * The name that was probably meant: one that holds the given name as a whole, or is held by it (a prefix of a release
 * was added or forgotten), else one with two letters swapped or few others. Undefined when nothing is near.
 */
export function similarName(name: string, candidates: readonly string[]): string | undefined {
  const others = candidates.filter((candidate) => candidate !== name);
  const [related] = others
    .filter((candidate) => candidate.length > 2 && (candidate.includes(name) || name.includes(candidate)))
    .sort((a, b) => Math.abs(lengthOf(a) - name.length) - Math.abs(lengthOf(b) - name.length));
  const swapped = others.find((candidate) => isSwap(name, candidate));
  return (
    related ??
    swapped ??
    closestMatch(name, others, { maxDistance: Math.max(1, Math.floor(name.length / 4)) })
  );
}
