import { expect } from 'chai';
import fc from 'fast-check';
import { harmless, harmlessDocument, harmlessLines } from '../../../src/render/text/harmless.ts';

/** Strings with many special characters. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...[
        '\u001b[2J',
        '\u001b]0;x\u0007',
        '\u009b',
        '\r',
        '\n',
        '\t',
        '\0',
        '\u202e',
        '\u2066',
        '\u200b',
        '\ufeff',
      ],
      ...['\u2028', '\u00a0', '\u3164', '\u{e0041}', '\ud800', '\u00ad', '\u2800', 'é', '漢', '🙂', ' ', 'a'],
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
});
/** One visible letter, mark, digit, sign, or a plain space. */
const visible = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Co}\p{Cn} ]*$/u;
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('escaping of control characters', () => {
  for (const [name, text, shown] of [
    ['an escape sequence', 'a\u001b[31mb', 'a\\u{1b}[31mb'],
    ['a one-byte escape', '\u009b31m', '\\u{9b}31m'],
    ['a line end', 'a\r\nb', 'a\\r\\nb'],
    ['a tab', 'a\tb', 'a\\tb'],
    ['bidi overrides', 'a\u202eb\u2069', 'a\\u{202e}b\\u{2069}'],
    ['zero-width letters', 'ad\u200bmin\ufeff', 'ad\\u{200b}min\\u{feff}'],
    ['a space that is none', 'a\u00a0b', 'a\\u{a0}b'],
    ['half a surrogate pair', 'a\ud800', 'a\\u{d800}'],
  ] as const) {
    it(`escapes ${name}`, () => {
      expect(harmless(text)).to.equal(shown);
    });
  }

  for (const text of [
    '',
    'x509: certificate signed by unknown authority',
    'Größe 漢字 🙂 — “so” …',
    'C:\\u{1b}',
  ]) {
    it(`does not change ${JSON.stringify(text)}`, () => {
      expect(harmless(text)).to.equal(text);
    });
  }

  it('escapes every character that a terminal interprets or a reader cannot see', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = harmless(text);
        expect(clean).to.match(visible);
        expect(clean).to.not.match(unseen);
        expect(harmless(clean)).to.equal(clean);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps line ends if allowed', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = harmlessLines(text);
        expect(clean.split('\n')).to.have.length(text.split(/\r?\n/).length);
        for (const line of clean.split('\n')) expect(line).to.match(visible);
      }),
    );
  });
});

describe('harmlessDocument', () => {
  const every = (value: unknown): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => [key, ...every(member)])
      : [String(value)];

  it('escapes every text and every key, and keeps the shape', () => {
    fc.assert(
      fc.property(fc.object({ key: hostile, values: [hostile, fc.integer()], maxDepth: 3 }), (document) => {
        for (const text of every(harmlessDocument(document, true))) {
          expect(text.replaceAll('\n', '')).to.match(visible);
        }
        for (const text of every(harmlessDocument(document, false)))
          expect(text).to.match(/^[\n\x20-\x7e]*$/);
      }),
    );
  });

  it('keeps line ends in prose and quotes only', () => {
    const clean = harmlessDocument({ advice: 'a\nb', message: 'a\nb', evidence: [{ value: 'a\nb' }] }, true);
    expect(clean).to.deep.equal({ advice: 'a\nb', message: 'a\\nb', evidence: [{ value: 'a\nb' }] });
  });

  it('uses ASCII typography without UTF-8', () => {
    expect(harmlessDocument({ x: 'a → “b” … ü' }, false)).to.deep.equal({ x: 'a -> "b" ... \\u{fc}' });
  });
});
