import { expect } from 'chai';
import { fromRe2 } from '../../../src/apiserver/cel/regular-expression.ts';
import { CannotTell } from '../../../src/apiserver/cel/value.ts';

const same: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
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
];

/** What RE2 has alone, what JavaScript has alone, and what could run for ever. */
const untold: readonly string[] = [
  '(?i)abc',
  '(?P<name>a)',
  '(?=a)',
  '(?<!a)b',
  '(a)\\1',
  '[[:alpha:]]',
  '\\pN',
  '\\p{Greek}',
  '\\bword\\b',
  '\\Qa.b\\E',
  '\\x41',
  '[\\S]',
  '*a',
  'a**',
  'a(',
  'a)',
  '[a',
  '[z-a]',
  'a\\',
  '(a+)+$',
  '(a|aa)*$',
  '(a*)*b',
  '((a?){9}){9}b',
];

describe('regular expressions of RE2', () => {
  for (const [pattern, text, matches] of same) {
    it(`${JSON.stringify(pattern)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () => {
      expect(fromRe2(pattern, text.length).test(text)).to.equal(matches);
    });
  }
  for (const pattern of untold) {
    it(`${JSON.stringify(pattern)} is left alone`, () => {
      expect(() => fromRe2(pattern, 50)).to.throw(CannotTell);
    });
  }

  it('are not run where they could take long', () => {
    const slow = '.*.*.*.*.*.*x';
    expect(() => fromRe2(slow, 253)).to.throw(CannotTell);
    expect(fromRe2('^.*x$', 253).test('y'.repeat(253))).to.equal(false);
  });
});
