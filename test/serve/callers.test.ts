import { expect } from 'chai';
import { type Admission, callerCache } from '../../src/serve/callers.ts';

describe('who is let in', () => {
  let now = 0;
  let asked: string[];
  const cache = (answer: (token: string) => Promise<Admission>) => {
    asked = [];
    return callerCache(
      (token, path) => {
        asked.push(`${token} ${path}`);
        return answer(token);
      },
      () => now,
    );
  };

  it('is asked of the API server once in ten seconds, for each token and path', async () => {
    const admit = cache(async () => 'allowed');
    expect(await admit(undefined, '/')).to.equal('unauthenticated');
    expect(await admit('a', '/')).to.equal('allowed');
    expect(await admit('a', '/')).to.equal('allowed');
    expect(await admit('a', '/metrics')).to.equal('allowed');
    expect(asked).to.deep.equal(['a /', 'a /metrics']);
    now += 11_000;
    await admit('a', '/');
    expect(asked).to.have.length(3);
  });

  it('is nobody while the API server does not say so, which is not remembered', async () => {
    const admit = cache(async () => {
      throw new Error('gone');
    });
    expect(await admit('a', '/')).to.equal('unknown');
    expect(await admit('a', '/')).to.equal('unknown');
    expect(asked).to.have.length(2);
  });

  it('asks no more than twenty times a second, whoever knocks', async () => {
    now = 1_000_000;
    const admit = cache(async () => 'unauthenticated');
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => admit(`t${index}`, '/')));
    expect(asked).to.have.length(20);
    expect(answers.filter((answer) => answer === 'busy')).to.have.length(80);
    now += 1_000;
    expect(await admit('t99', '/')).to.equal('unauthenticated');
  });
});
