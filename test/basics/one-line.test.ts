import { expect } from 'chai';
import { onOneLine } from '../../src/basics/one-line.ts';

describe('onOneLine', () => {
  for (const [text, line] of [
    ['a  \n \n  b', 'a b'],
    ['  a\nb  ', '  a b  '],
    ['a b', 'a b'],
    ['a\n', 'a '],
    ['', ''],
  ] as const)
    it(`joins ${JSON.stringify(text)}`, () => expect(onOneLine(text)).to.equal(line));

  // More than linear time would exceed mocha's timeout.
  it('needs a time that is linear in spaces', () => {
    expect(onOneLine(`a${' '.repeat(1_000_000)}b`)).to.have.length(1_000_002);
  });
});
