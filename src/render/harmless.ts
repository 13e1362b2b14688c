const spellings: Readonly<Record<string, string>> = {
  '…': '...',
  '–': '-',
  '—': '-',
  '·': '-',
  '→': '->',
  '↔': '<->',
  '≥': '>=',
  '≤': '<=',
  '×': 'x',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '§': 'section ',
};

/** Text for a terminal without UTF-8: what has a plain spelling gets it, the rest is shown as `\u{…}`. */
const toAscii = (text: string): string =>
  text.replace(
    /[^\x00-\x7f]/gu,
    (character) => spellings[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

/**
 * What a terminal obeys, or a reader cannot see: controls (C0, C1), escapes, bidi and other format characters, spaces
 * and line ends that are not plain ones, invisible letters, halves of surrogate pairs.
 */
const treacherous = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const shorthands: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const spelled = (character: string): string =>
  shorthands[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Most texts: nothing needs to be spelt out, and V8 compiles no tables of Unicode for them. */
const plain = /^[ -~]*$/;

/** Text from anywhere, safe to write to a terminal: one line, and what it would hide or obey is spelt out. */
export const harmless = (text: string): string =>
  plain.test(text) ? text : text.replace(treacherous, spelled);

/** The same, keeping line ends: for whoever indents every line, so that none can pose as ours. */
export const harmlessLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => harmless(line.replaceAll('\t', '  ')))
    .join('\n');

/** Members whose line ends mean something: our own prose and diffs, and quotes such as the last lines of a log. */
const manyLines: ReadonlySet<string> = new Set(['advice', 'why', 'value', 'text', 'diff', 'print']);

/**
 * A whole document with every text in it made harmless, keys included. The only door between a report and a terminal:
 * whatever is laid out afterwards cannot forget it.
 */
export function harmlessDocument<T>(document: T, unicode: boolean): T {
  const spell = unicode ? (text: string) => text : toAscii;
  const clean = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return spell(manyLines.has(name) ? harmlessLines(value) : harmless(value));
    if (Array.isArray(value)) return value.map((item) => clean(item, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [spell(harmless(key)), clean(member, key)]),
    );
  };
  return clean(document, '') as T;
}
