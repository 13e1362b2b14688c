import { expect } from 'chai';
import stringWidth from 'string-width';
import { narrow } from '../../scripts/bundle.js';

const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((one) =>
  narrow.test(one),
);

describe('the text whose width the bundle does not look up', () => {
  it('is ASCII and a few marks', () => expect(characters.length).to.be.within(95, 110));

  it('has one column for each character, whatever follows', () => {
    const wrong = characters.flatMap((one) =>
      characters.flatMap((other) => (stringWidth(one + other) === 2 ? [] : [one + other])),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('has as many columns when escape codes count', () => {
    const all = characters.join('');
    expect(stringWidth(all, { countAnsiEscapeCodes: true })).to.equal(all.length);
    expect(stringWidth(`\u001b[31m${all}\u001b[39m`)).to.equal(all.length);
  });
});
