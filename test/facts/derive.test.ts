import { expect } from 'chai';
import { derive } from '../../src/facts/derive.ts';

interface Given {
  readonly a: object;
  readonly b: object;
}

describe('derive', () => {
  it('answers once while the named facts are the same objects, and anew when one is another', () => {
    let asked = 0;
    const answer = derive(['a'], ({ a }: Given) => {
      asked += 1;
      return { of: a };
    });
    const [a, other] = [{}, {}];
    const first = answer({ a, b: {} });
    expect(answer({ a, b: {} })).to.equal(first);
    expect(asked).to.equal(1);
    expect(answer({ a: other, b: {} })).to.deep.equal({ of: other });
    expect(answer({ a, b: {} }).of).to.equal(a);
    expect(asked).to.equal(3);
  });
});
