import { agreeing } from './numbers.ts';

interface ListOptions {
  /** Maximum number of names; the others are counted. */
  readonly most?: number | undefined;
  readonly word?: 'and' | 'or';
}

/** `a`, `a and b`, `a, b and c`; `a, b and 3 more` if there are more than `most`. */
export function listed(names: Iterable<string>, { most, word = 'and' }: ListOptions = {}): string {
  const all = [...names];
  const cut = most ?? all.length;
  const shown = all.length > cut ? [...all.slice(0, cut), `${all.length - cut} more`] : all;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} ${word} ${last}`;
}

/** `a fails, and b hangs`: joins sentences, with a comma before the last one as well. */
export const clauses = (sentences: readonly string[]): string =>
  [sentences.slice(0, -1).join(', '), sentences.at(-1) ?? ''].filter(Boolean).join(', and ');

/** `Pod a`, `Pods a, b and 3 more`: the kind of the names, and the names. */
export const named = (noun: string, names: readonly string[], most?: number): string =>
  `${agreeing(names.length, noun)} ${listed(names, { most })}`;

/** The first name and the number of others: `a`, `a and 3 more`. */
export const firstOf = (names: readonly string[]): string => listed(names, { most: 1 });

/** The last line of a shortened list: `and 3 more (--all lists them)`. */
export const andMore = (hidden: number, hint?: string): string =>
  `and ${hidden} more${hint === undefined ? '' : ` (${hint})`}`;
