import leven, { closestMatch } from 'leven';

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

/**
 * Whether two names differ by one or two letters in a long word, or by hyphens only. Numbers and short words distinguish
 * revisions and regions: `policy-1`, `policy-east`.
 */
export function isTypingError(a: string, b: string): boolean {
  if (a.replaceAll('-', '') === b.replaceAll('-', '')) return true;
  const [given, others] = [wordsOf(a), wordsOf(b)];
  const differing = given.flatMap((word, index) =>
    word === others[index] ? [] : [[word, others[index] ?? '']],
  );
  const [[word = '', other = ''] = [], ...more] = differing;
  const most = Math.min(2, Math.floor(Math.min(word.length, other.length) / 3));
  return (
    given.length === others.length &&
    more.length === 0 &&
    !/\d/.test(word + other) &&
    leven(word, other) <= most
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
