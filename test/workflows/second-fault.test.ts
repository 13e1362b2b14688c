import { expect } from 'chai';
import { notReady } from '../../src/demo/cluster/behaviour.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { reportAbout } from '../scenarios/examine.ts';

describe('a Pod that is not Ready, and whose responses are late', () => {
  it('has both failures, the first of a call as the cause', async () => {
    const { callouts, findings } = await reportAbout({
      parts: installation('slow/slow-policy', {
        deployment: {
          replicas: 1,
          pods: [notReady('HTTP probe failed with statuscode: 503', { delay: 3000 })],
        },
        validating: { timeoutSeconds: 1 },
      }),
    });
    expect(callouts[0]?.verdict.because[0]).to.equal('replica-readiness-failing');
    const late = findings.find(({ check }) => check === 'response-slow');
    expect(late?.message).to.match(
      /^Fixing the first failure is not enough: Pod \S+ responded only after the timeout of 1 s$/,
    );
    expect(late?.severity).to.equal('warning');
  });
});
