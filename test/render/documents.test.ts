import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import { renderJson } from '../../src/render/data-formats/json.ts';
import { renderYaml } from '../../src/render/data-formats/yaml.ts';
import { reports } from './reports.ts';

const treacherous =
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'on',
    'no',
    'y',
    '1:30',
    '0o7',
    '0x1f',
    '~',
    'null',
    '- a',
    '# x',
    'a: b',
    '',
    ' ',
    "'",
    '"',
    '\u0085',
  ),
  fc.constantFrom(
    '\u001b[2J',
    '\u009b2J',
    '\u202e',
    'a\nb',
    'a\r\nb\n\n',
    '\u{e0041}',
    '\\u001b',
    '\ud83d\ude42',
    '\u2028',
  ),
);
const document = fc.record({ a: text, list: fc.array(text), deep: fc.record({ b: text, n: fc.integer() }) });

for (const [name, render, read] of [
  ['JSON', renderJson, (text: string): unknown => JSON.parse(text)],
  ['YAML', renderYaml, (text: string): unknown => parse(text)],
] as const) {
  describe(`${name} output`, () => {
    it('keeps every value, and contains no control character', () => {
      fc.assert(
        fc.property(document, (value) => {
          const output = render(value);
          expect(output).to.not.match(treacherous);
          expect(output.endsWith('\n')).to.equal(true);
          expect(read(output)).to.deep.equal(value);
        }),
        { numRuns: 500 },
      );
    });

    for (const [title, report] of Object.entries(reports)) {
      it(`is one document with the content of the report: ${title}`, () => {
        expect(read(render(report))).to.deep.equal(report);
      });
    }
  });
}

describe('YAML output', () => {
  it('has the same meaning for YAML 1.1', () => {
    const value = { a: 'on', b: 'no', c: '1:30', d: 'y', e: '010', f: '1_000', g: 'v1.35.4' };
    expect(parse(renderYaml(value), { version: '1.1' })).to.deep.equal(value);
  });

  it('neither folds long lines nor uses anchors', () => {
    const shared = { x: 'word '.repeat(60).trim() };
    expect(renderYaml({ a: shared, b: shared }).split('\n')).to.have.length(5);
  });
});
