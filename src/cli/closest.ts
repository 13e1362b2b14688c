import { closestMatch } from 'leven';

/** The candidate that was probably meant: at most a third of the letters (but always two) differ. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  return closestMatch(word, candidates, { maxDistance: Math.max(2, Math.floor(word.length / 3)) });
}
