import { expect } from 'chai';
import { HopelessError, waitFor } from './wait.ts';

describe('waitFor', () => {
  it('returns the awaited value, and treats errors as "not yet"', async () => {
    const looks = [undefined, false, null, new Error('refused'), 'there'];
    const seen = await waitFor(
      'it',
      () => {
        const look = looks.shift();
        if (look instanceof Error) throw look;
        return look;
      },
      { interval: 1 },
    );
    expect(seen).to.equal('there');
  });

  it('accepts 0 and the empty string', async () => {
    expect(await waitFor('zero', () => 0)).to.equal(0);
    expect(await waitFor('nothing', () => '')).to.equal('');
  });

  it('reports what it waited for, how long, and the last result', async () => {
    const look = () => Promise.reject(new Error('connection refused'));
    const error = await waitFor('the API server', look, { timeout: 20, interval: 5 }).catch((e: Error) => e);
    expect(error).to.have.property(
      'message',
      'Waited 0.02 s for the API server; last answer: connection refused',
    );
  });

  it('ends at once for a HopelessError', async () => {
    let looks = 0;
    const look = () => {
      looks++;
      throw new HopelessError('etcd has ended');
    };
    const error = await waitFor('the API server', look).catch((e: Error) => e);
    expect(error).to.have.property('message', 'etcd has ended');
    expect(looks).to.equal(1);
  });
});
