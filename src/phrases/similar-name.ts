import { closestMatch } from 'leven';

const lengthOf = (name: string): number => name.length;

/** Whether two adjacent letters are swapped: the most common typing error, of distance two for leven. */
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

const wordsOf = (name: string): readonly string[] => name.split(/[^a-z0-9]+/i);

/** Whether the other name has all words of a name of several words, in singular or plural. */
function hasWordsOf(name: string, other: string): boolean {
  const [given, words] = [wordsOf(name), wordsOf(other)];
  return given.length > 1 && given.every((word) => words.some((one) => one === word || one === `${word}s`));
}

/** Shorter words distinguish teams, zones and environments. */
const longWord = 5;

/** Whether one letter inside a word is missing in the other one. The first and last letters distinguish more than they err. */
const lacksLetter = (word: string, long: string): boolean =>
  word.length === long.length - 1 &&
  [...word].some((_, at) => at > 0 && word === long.slice(0, at) + long.slice(at + 1));

/** Whether two words of a name are one word in the other. */
const lacksHyphen = (words: readonly string[], more: readonly string[]): boolean =>
  words.length === more.length - 1 &&
  words.some((_, at) => {
    const [first = '', second = ''] = more.slice(at);
    const joined = [...more.slice(0, at), first + second, ...more.slice(at + 2)];
    return Math.min(first.length, second.length) >= 3 && joined.join('-') === words.join('-');
  });

/**
 * Whether two names differ by two swapped letters or a missing letter in one long word, or by a missing hyphen. Other
 * differences distinguish installations: `policy-1`, `policy-internal`, `policy-teama`.
 */
export function isTypingError(a: string, b: string): boolean {
  const [given, others] = [wordsOf(a), wordsOf(b)];
  const differing = given.flatMap((word, index) =>
    word === others[index] ? [] : [[word, others[index] ?? '']],
  );
  const [[word = '', other = ''] = [], ...more] = differing;
  if (given.length !== others.length) return lacksHyphen(given, others) || lacksHyphen(others, given);
  return (
    more.length === 0 &&
    Math.min(word.length, other.length) >= longWord &&
    !/\d/.test(word + other) &&
    (isSwap(word, other) || lacksLetter(word, other) || lacksLetter(other, word))
  );
}

/**
 * Suggests the name that was probably meant: one that contains the given name or is contained in it (such as
 * a forgotten prefix of a release), or has all its words; otherwise one with two swapped or few different
 * letters. Undefined if none is similar.
 */
export function similarName(name: string, candidates: readonly string[]): string | undefined {
  const others = candidates.filter((candidate) => candidate !== name);
  const [related] = others
    .filter(
      (candidate) =>
        candidate.length > 2 &&
        (candidate.includes(name) || name.includes(candidate) || hasWordsOf(name, candidate)),
    )
    .sort((a, b) => Math.abs(lengthOf(a) - name.length) - Math.abs(lengthOf(b) - name.length));
  const swapped = others.find((candidate) => isSwap(name, candidate));
  return (
    related ??
    swapped ??
    closestMatch(name, others, { maxDistance: Math.max(1, Math.floor(name.length / 4)) })
  );
}

/** The statement about a similar name of an object of this kind; undefined if none is similar. */
export function similarNameText(
  kind: string,
  name: string,
  candidates: readonly string[],
): string | undefined {
  const similar = similarName(name, candidates);
  return similar && `there is a ${kind} with a similar name: ${similar}`;
}
