import { expect } from 'chai';
import { HopelessError, waitFor } from './wait.ts';

describe('waitFor', () => {
  it('returns what it was waiting for, and takes errors for "not yet"', async () => {
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

  it('takes 0 and the empty string for answers', async () => {
    expect(await waitFor('zero', () => 0)).to.equal(0);
    expect(await waitFor('nothing', () => '')).to.equal('');
  });

  it('says what it waited for, how long, and the last answer', async () => {
    const look = () => Promise.reject(new Error('connection refused'));
    const error = await waitFor('the API server', look, { timeout: 20, interval: 5 }).catch((e: Error) => e);
    expect(error).to.have.property(
      'message',
      'Waited 0.02 s for the API server; last answer: connection refused',
    );
  });

  it('ends at once where there is no hope', async () => {
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
