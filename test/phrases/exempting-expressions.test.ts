import { expect } from 'chai';
import type { AdmissionRequest } from '../../src/apiserver/admission/admission-request.ts';
import { conditionsOf } from '../../src/apiserver/admission/match-conditions.ts';
import { notInDeletion, notMirrorPod } from '../../src/phrases/exempting-expressions.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespace: 'shop', name: 'cart' };
const outcome = (expression: string, request: Partial<AdmissionRequest>): string =>
  conditionsOf(
    { matchConditions: [{ name: 'exempt', expression }], failurePolicy: 'Fail' },
    { ...pods, operation: 'CREATE', ...request } as AdmissionRequest,
    'v1.35.4',
  ).outcome;
const pod = (metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'cart', ...metadata },
});
const mirror = pod({ annotations: { 'kubernetes.io/config.mirror': 'x' } });
const ending = pod({ deletionTimestamp: '2026-01-01T00:00:00Z' });

describe('expressions that advice suggests', () => {
  it('exempt what they name', () => {
    expect(outcome(notMirrorPod, { object: mirror })).to.equal('skipped');
    expect(outcome(notInDeletion, { operation: 'UPDATE', object: ending, oldObject: ending })).to.equal(
      'skipped',
    );
  });

  it('exempt nothing else, and fail for no operation', () => {
    for (const expression of [notMirrorPod, notInDeletion]) {
      expect(outcome(expression, { object: pod() })).to.equal('hold');
      expect(outcome(expression, { object: pod({ annotations: { a: 'b' } }) })).to.equal('hold');
      expect(outcome(expression, { operation: 'UPDATE', object: pod(), oldObject: pod() })).to.equal('hold');
      expect(outcome(expression, { operation: 'DELETE', oldObject: mirror })).to.equal('hold');
      expect(
        outcome(expression, {
          operation: 'CONNECT',
          subresource: 'exec',
          object: { kind: 'PodExecOptions', apiVersion: 'v1' },
        }),
      ).to.equal('hold');
    }
  });
});
