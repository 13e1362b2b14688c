import { closestMatch } from 'leven';

/** The candidate that was probably meant: the only one that begins so, or one with few other letters. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const begun = candidates.filter((candidate) => candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  return closestMatch(word, candidates, { maxDistance: Math.max(2, Math.floor(word.length / 3)) });
}
