import { closestMatch } from 'leven';

/** A name with hyphens between and around its words. */
const inWords = (name: string): string => `-${name.replaceAll(/[._]/g, '-')}-`;

/** Whether two names are the same, or differ in a letter or two of at least three. */
export function areAlike(a: string, b: string): boolean {
  const maxDistance = Math.min(2, Math.ceil(Math.min(a.length, b.length) / 2) - 1);
  return a === b || (maxDistance > 0 && closestMatch(a, [b], { maxDistance }) !== undefined);
}

/** Whether one of two names has all words of the other: `policy` is in `policy-webhook`, `web` is not in `webhook`. */
export const shareWords = (a: string, b: string): boolean =>
  a !== '' && b !== '' && (inWords(a).includes(inWords(b)) || inWords(b).includes(inWords(a)));

/** Whether two names share words, or are alike. */
export const resembles = (a: string, b: string): boolean =>
  shareWords(a, b) || (a !== '' && b !== '' && areAlike(a, b));
