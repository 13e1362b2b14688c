import { expect } from 'chai';
import { reviewToSend } from '../../../src/apiserver/admission/review.ts';
import { webhook } from '../../support/snapshot.ts';

describe('the AdmissionReview that is sent', () => {
  const versions: readonly [readonly string[], string | undefined][] = [
    [['v1'], 'v1'],
    [['v1', 'v1beta1'], 'v1'],
    [['v1beta1', 'v1'], 'v1beta1'],
    [['v2', 'v1beta1'], 'v1beta1'],
    [['v2'], undefined],
    [[], undefined],
  ];
  for (const [admissionReviewVersions, version] of versions) {
    it(`[${admissionReviewVersions}]: ${version ?? 'a call failure'}`, () => {
      const sent = reviewToSend(webhook({ admissionReviewVersions }), { dryRun: true });
      if (version !== undefined) expect(sent).to.deep.equal({ version });
      else {
        expect(sent).to.deep.equal({
          end: {
            outcome: 'call-failure',
            text: 'failed calling webhook "policy.example.com": could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
            code: 400,
          },
        });
      }
    });
  }

  const dryRuns: readonly [string | undefined, string][] = [
    ['None', 'sent'],
    ['NoneOnDryRun', 'sent'],
    ['Some', 'admission webhook "policy.example.com" does not support dry run'],
    ['Unknown', 'admission webhook "policy.example.com" does not support dry run'],
    [undefined, 'failed calling webhook "policy.example.com": Webhook SideEffects is nil'],
  ];
  for (const [sideEffects, told] of dryRuns) {
    it(`sideEffects ${sideEffects}: in a dry run ${told}`, () => {
      const sent = reviewToSend(webhook({ sideEffects }), { dryRun: true });
      expect('end' in sent && 'text' in sent.end ? sent.end.text : 'sent').to.equal(told);
      expect(reviewToSend(webhook({ sideEffects }), { dryRun: false })).to.deep.equal({ version: 'v1' });
    });
  }
});
