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

/** Text for a terminal without UTF-8: characters become their ASCII equivalent, or else `\u{…}`. */
const toAscii = (text: string): string =>
  text.replace(
    /[^\x00-\x7f]/gu,
    (character) => spellings[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

/**
 * Characters that a terminal obeys or a reader cannot see: controls (C0, C1), escapes, bidi and other format
 * characters, spaces and line ends other than the plain ones, invisible letters, lone surrogates.
 */
const treacherous = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const shorthands: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const spelled = (character: string): string =>
  shorthands[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Most texts are printable ASCII: for these V8 does not build Unicode tables. */
const plain = /^[ -~]*$/;

/** Makes untrusted text safe for a terminal: one line, with dangerous and invisible characters escaped. */
export const harmless = (text: string): string =>
  plain.test(text) ? text : text.replace(treacherous, spelled);

/**
 * The same, but keeps line ends. The caller must indent every line, so that no line looks like this program's
 * output.
 */
export const harmlessLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => harmless(line.replaceAll('\t', '  ')))
    .join('\n');

/** Lines of logs often have tabs between their columns. */
const harmlessField = (text: string, name: string): string =>
  harmless(name === 'lines' ? text.replaceAll('\t', '  ') : text);

/** Fields that may have several lines: this program's prose and diffs, and quotes such as log lines. */
const manyLines: ReadonlySet<string> = new Set(['advice', 'why', 'value', 'text', 'diff', 'print']);

/**
 * Applies {@link harmless} to every text of a document, including keys. Every report passes through here
 * before it is laid out, so that no layout code can omit it.
 */
export function harmlessDocument<T>(document: T, unicode: boolean): T {
  const spell = unicode ? (text: string) => text : toAscii;
  const clean = (value: unknown, name: string): unknown => {
    if (typeof value === 'string')
      return spell(manyLines.has(name) ? harmlessLines(value) : harmlessField(value, name));
    if (Array.isArray(value)) return value.map((item) => clean(item, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [spell(harmless(key)), clean(member, key)]),
    );
  };
  return clean(document, '') as T;
}
