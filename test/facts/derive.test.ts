import { expect } from 'chai';
import { derive, remembered } from '../../src/facts/derive.ts';

interface Given {
  readonly a: object;
  readonly b: object;
}

describe('what is derived from facts', () => {
  it('is made once for the same facts, whatever else there is, and anew for others', () => {
    let made = 0;
    const answer = derive(['a'], ({ a }: Given, about: string) => {
      made += 1;
      return { of: a, about };
    });
    const [a, other] = [{}, {}];
    const first = answer({ a, b: {} }, 'x');
    expect(answer({ a, b: {} }, 'x')).to.equal(first);
    expect(made).to.equal(1);
    expect(answer({ a, b: {} }, 'y')).to.deep.equal({ of: a, about: 'y' });
    expect(answer({ a: other, b: {} }, 'x').of).to.equal(other);
    expect(answer({ a, b: {} }, 'x')).to.equal(first);
    expect(made).to.equal(3);
  });

  it('is remembered where it is undefined, and not where it could not be made', () => {
    let asked = 0;
    const answer = remembered((text: string | undefined) => {
      asked += 1;
      if (text === 'bad') throw new Error('bad');
      return undefined;
    });
    for (const text of ['good', 'good', undefined, undefined]) answer(text);
    expect(asked).to.equal(2);
    for (const _ of [1, 2]) expect(() => answer('bad')).to.throw('bad');
    expect(asked).to.equal(4);
  });
});
