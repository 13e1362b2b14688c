import { closestMatch } from 'leven';

const lengthOf = (name: string): number => name.length;

/**
 * The name that was probably meant: one that holds the given name as a whole, or is held by it (a prefix of a release
 * was added or forgotten), else one with few other letters. Undefined when nothing is near.
 */
export function similarName(name: string, candidates: readonly string[]): string | undefined {
  const others = candidates.filter((candidate) => candidate !== name);
  const [related] = others
    .filter((candidate) => candidate.length > 2 && (candidate.includes(name) || name.includes(candidate)))
    .sort((a, b) => Math.abs(lengthOf(a) - name.length) - Math.abs(lengthOf(b) - name.length));
  return related ?? closestMatch(name, others, { maxDistance: Math.max(1, Math.floor(name.length / 4)) });
}
