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
export const toAscii = (text: string): string =>
  text.replace(
    /[^\x00-\x7f]/gu,
    (character) => spellings[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
