import { expect } from 'chai';
import { renewBudget } from '../../../src/apiserver/cel/cost.ts';
import { findAll, celMatches as matchesIn } from '../../../src/apiserver/cel/kubernetes-functions.ts';
import { NotEvaluable } from '../../../src/apiserver/cel/value.ts';

/** Results of Go's regexp (1.26). */
const answered: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
  ['^[a-z]+$', 'abc', true],
  ['^[a-z]+$', 'abc\n', false],
  ['a.c', 'abc', true],
  ['a.c', 'a\nc', false],
  ['a.c', 'a\u2028c', true],
  ['^(foo|bar)-[0-9]{2}$', 'bar-12', true],
  ['^(?:foo|bar)$', 'bar', true],
  ['^a\\.b$', 'a.b', true],
  ['^a\\.b$', 'axb', false],
  ['\\s', '\u00a0', false],
  ['[\\s]', '\v', false],
  ['^\\w+$', 'aé', false],
  ['^\\d+$', '12', true],
  ['^\\S+$', 'a b', false],
  ['[^/]+/x', 'a/x', true],
  ['[]a]', ']', true],
  ['[a-]', '-', true],
  ['[a\\-z]', 'b', false],
  ['\\Aab\\z', 'ab', true],
  ['^[a-z]([-a-z0-9]*[a-z0-9])?$', 'a-b', true],
  ['^.$', '😀', true],
  ['a{2,}', 'aa', true],
  ['é', 'é', true],
  ['', '', true],
  ['(?i)^abc$', 'aBC', true],
  ['(?i)k', '\u212a', true],
  ['(?i:a)b', 'AB', false],
  ['(?s)^a.b$', 'a\nb', true],
  ['(?m)^b$', 'a\nb', true],
  ['(?P<name>a)+b', 'aab', true],
  ['(?<name>a)+b', 'aab', true],
  ['^[[:alpha:]]+$', 'aZ', true],
  ['^[[:alpha:]]+$', 'é', false],
  ['^[^[:digit:]]$', 'x', true],
  ['^\\pN$', '½', true],
  ['^\\p{Greek}+$', 'αβγ', true],
  ['^\\P{Greek}+$', 'α', false],
  ['\\bword\\b', 'a word.', true],
  ['\\bé', 'é', false],
  ['\\Bb', 'ab', true],
  ['^\\Qa.b\\E$', 'a.b', true],
  ['^\\Qa.b\\E$', 'axb', false],
  ['^\\x41\\x{1F600}$', 'A😀', true],
  ['^[\\S]+$', 'a b', false],
  ['^[\\d\\-x]+$', '1-x', true],
  ['(?U)^a+$', 'aa', true],
  ['(a+)+$', 'aab', false],
  ['(a|aa)*$', 'aab', true],
  ['((a?){9}){9}b', 'aaab', true],
];

const found: readonly (readonly [pattern: string, text: string, all: readonly string[]])[] = [
  ['a*', 'baaac', ['', 'aaa', '']],
  ['[0-9]+', 'a1b22', ['1', '22']],
  ['a|ab', 'abab', ['a', 'a']],
  ['\\b', 'ab cd', ['', '', '', '']],
  ['', '😀a', ['', '', '']],
  ['x', 'abc', []],
];

/** Patterns that Go does not compile. */
const refused: readonly string[] = [
  '(?=a)',
  '(?<!a)b',
  '(a)\\1',
  '*a',
  'a**',
  'a(',
  'a)',
  '[a',
  '[z-a]',
  'a\\',
  '[[:letter:]]',
  '\\p{Nothing}',
  'a{1001}',
  '((a{100}){100}){100}',
];

describe('regular expressions of RE2', () => {
  beforeEach(() => renewBudget());

  for (const [pattern, text, matches] of answered) {
    it(`${JSON.stringify(pattern)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () => {
      expect(matchesIn(text, pattern)).to.equal(matches);
    });
  }
  for (const [pattern, text, all] of found) {
    it(`${JSON.stringify(pattern)} is found in ${JSON.stringify(text)} as ${JSON.stringify(all)}`, () => {
      expect(findAll(text, pattern)).to.deep.equal(all);
      expect(findAll(text, pattern, 1)).to.deep.equal(all.slice(0, 1));
      expect(findAll(text, pattern, 0)).to.deep.equal([]);
    });
  }
  for (const pattern of refused) {
    it(`${JSON.stringify(pattern)} is not evaluated`, () => {
      expect(() => matchesIn('a', pattern)).to.throw(NotEvaluable);
    });
  }

  it('need time that is linear in the text', () => {
    const text = 'a'.repeat(100_000);
    expect(matchesIn(text, '^(([a-z])+.)+[A-Z]([a-z])+$')).to.equal(false);
    renewBudget();
    expect(matchesIn(text, '^(a|aa|aaa)*b$')).to.equal(false);
    renewBudget();
    expect(matchesIn(text, '.*.*.*.*.*.*x')).to.equal(false);
  });

  it('end when an evaluation exceeds its budget', () => {
    expect(() => matchesIn('a'.repeat(1_000_000), '[a-z]{1000}b')).to.throw(NotEvaluable);
    renewBudget();
    const often = () => {
      for (let round = 0; round < 100_000; round += 1) matchesIn('a', `^${round}[a-z]+$`);
    };
    expect(often).to.throw(NotEvaluable);
  });
});
