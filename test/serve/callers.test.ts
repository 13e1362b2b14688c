import { expect } from 'chai';
import { type Admission, callerCache } from '../../src/serve/callers.ts';

describe('authorization of callers', () => {
  let now = 0;
  let asked: string[];
  const cache = (answer: (token: string) => Promise<Admission>) => {
    asked = [];
    const admit = callerCache(
      (token, path) => {
        asked.push(`${token} ${path}`);
        return answer(token);
      },
      () => now,
    );
    return (token: string | undefined, path: string, address = '192.0.2.1') => admit(token, path, address);
  };

  it('sends one request to the API server in ten seconds, for each token and path', async () => {
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

  it('fails while the API server does not respond, which is not cached', async () => {
    const admit = cache(async () => {
      throw new Error('gone');
    });
    expect(await admit('a', '/')).to.equal('unknown');
    expect(await admit('a', '/')).to.equal('unknown');
    expect(asked).to.have.length(2);
  });

  it('sends at most twenty requests per second, ten of them for one address', async () => {
    now = 1_000_000;
    const admit = cache(async () => 'unauthenticated');
    const knock = (address: string) =>
      Promise.all(Array.from({ length: 100 }, (_, index) => admit(`t${index} of ${address}`, '/', address)));
    expect((await knock('192.0.2.1')).filter((answer) => answer === 'busy')).to.have.length(90);
    for (const last of [2, 3]) await knock(`192.0.2.${last}`);
    expect(asked).to.have.length(20);
    now += 1_000;
    expect(await admit('t99 of 192.0.2.1', '/')).to.equal('unauthenticated');
  });

  it('always checks callers that were authorized before, until they are refused', async () => {
    let allowed = true;
    const admit = cache(async (token) => (token === 'prometheus' && allowed ? 'allowed' : 'unauthenticated'));
    const flood = () =>
      Promise.all(Array.from({ length: 400 }, (_, index) => admit(`${now} ${index}`, '/', `${index}`)));
    expect(await admit('prometheus', '/metrics')).to.equal('allowed');
    for (let minute = 0; minute < 5; minute += 1) {
      now += 60_000;
      await flood();
      expect(await admit('prometheus', '/metrics')).to.equal('allowed');
      expect(await admit('another', '/metrics')).to.equal('busy');
    }
    allowed = false;
    now += 60_000;
    await flood();
    expect(await admit('prometheus', '/metrics')).to.equal('unauthenticated');
    now += 60_000;
    await flood();
    expect(await admit('prometheus', '/metrics')).to.equal('busy');
  });
});
