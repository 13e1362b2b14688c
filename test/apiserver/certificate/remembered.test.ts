import { expect } from 'chai';
import { remembered } from '../../../src/apiserver/certificate/remembered.ts';

describe('what was found out about a content', () => {
  const counted = () => {
    const asked: string[] = [];
    const answer = remembered((content) => {
      asked.push(content.slice(0, 1));
      return { length: content.length };
    });
    return { asked, answer };
  };

  it('is found out once, and is the same object then', () => {
    const { asked, answer } = counted();
    expect(answer('a')).to.equal(answer('a'));
    expect(answer('b')).to.not.equal(answer('a'));
    expect(asked).to.deep.equal(['a', 'b']);
  });

  it('is forgotten before it fills the memory', () => {
    const { asked, answer } = counted();
    const nineMegabytes = (letter: string): string => letter.repeat(9 * 1024 * 1024);
    answer(nineMegabytes('a'));
    answer(nineMegabytes('b'));
    answer(nineMegabytes('b'));
    answer(nineMegabytes('a'));
    expect(asked).to.deep.equal(['a', 'b', 'a']);
  });

  it('is not kept of what alone would fill it', () => {
    const { asked, answer } = counted();
    answer('a');
    answer('c'.repeat(17 * 1024 * 1024));
    answer('c'.repeat(17 * 1024 * 1024));
    answer('a');
    expect(asked).to.deep.equal(['a', 'c', 'c']);
  });
});
