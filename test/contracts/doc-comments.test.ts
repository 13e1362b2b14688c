import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const src = join(import.meta.dirname, '..', '..', 'src');

const exported =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:type|interface|class|const|let|function\*?|enum) (\w+)/;

/** Their `meta` contains all texts. */
const withMeta =
  /^export const \w+ =\s+(?:define(?:Check|Remedy|Collector)|badPodsCheck|certificate(?:Fault|Writer)Check|(?:alert|responseFault)Check)\(/;

/** An item of a list of values: the list has the comment. */
const ofList = /^export type \w+ = .*\(typeof \w+\)\[number\]/;

/** Lines and names of exported declarations without a doc comment. An overload shares that of the first one. */
function undocumented(text: string): readonly string[] {
  const lines = text.split('\n');
  const seen = new Set<string>();
  return lines.flatMap((line, at) => {
    const [, name] = exported.exec(line) ?? [];
    if (name === undefined || seen.has(name)) return [];
    seen.add(name);
    const isDocumented = lines[at - 1]?.endsWith('*/') === true;
    const needsNone = withMeta.test(`${line}\n${lines[at + 1]}`) || ofList.test(line);
    return isDocumented || needsNone ? [] : [`${at + 1}: ${name}`];
  });
}

/** Lines of doc comments that are followed by another one: their declaration was moved or deleted. */
const misplaced = (text: string): readonly number[] =>
  text.split('\n').flatMap((line, at, lines) => {
    const isNext = /^\s*\/\*\*/.test(line) && /^\s*(?:\/\*\*|\*).*\*\/$/.test(lines[at - 1] ?? '');
    return isNext ? [at] : [];
  });

describe('doc comments', () => {
  it('stand before what they are about', () => {
    const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => misplaced(readFileSync(join(src, path), 'utf8')).map((line) => `${path}:${line}`));
    expect(found).to.deep.equal([]);
    expect(misplaced('/** One. */\n/**\n * Two.\n */\nexport const two = 2;')).to.deep.equal([1]);
  });

  it('exist on every exported declaration', () => {
    const missing = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => undocumented(readFileSync(join(src, path), 'utf8')).map((one) => `${path}:${one}`));
    expect(missing).to.deep.equal([]);
  });

  it('are found at the right places', () => {
    const text = [
      '/** One. */',
      'export const one = 1;',
      'export async function two(): Promise<void> {}',
      '// Three.',
      'export type Three = 3;',
      '/** Not about four. */',
      '',
      'export interface Four {}',
      '/** Five. */',
      'export function five(a: string): string;',
      'export function five(a: number): number;',
      'export const six = defineCheck({',
      'export const seven =',
      '  defineRemedy({',
      'export const eight = definedElsewhere({',
      'export type Nine = (typeof nines)[number];',
    ].join('\n');
    expect(undocumented(text)).to.deep.equal(['3: two', '5: Three', '8: Four', '15: eight']);
  });
});
