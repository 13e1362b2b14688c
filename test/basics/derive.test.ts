import { expect } from 'chai';
import { derive, remembered } from '../../src/basics/derive.ts';

interface Given {
  readonly a: object;
  readonly b: object;
}

describe('derived facts', () => {
  it('are computed once for the same facts, and again for others', () => {
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

  it('are cached if undefined, and not if the computation failed', () => {
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
