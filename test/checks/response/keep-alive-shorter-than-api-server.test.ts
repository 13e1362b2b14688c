import { keepAliveShorterThanApiServer } from '../../../src/checks/response/keep-alive-shorter-than-api-server.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { blind, json, quiet, responding, tried } from '../probed.ts';

const answer = json({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: 'uid', allowed: true },
});
const keeps = (header: string) =>
  responding({ ...answer, headers: { ...answer.headers, 'keep-alive': header } });

describeCheck(keepAliveShorterThanApiServer, {
  reports: [
    {
      name: 'what Node.js does by default',
      facts: tried([keeps('timeout=5'), keeps('timeout=120')]),
      expect: {
        messageId: 'shorter',
        confidence: 'observed',
        data: { replicas: 'Pod policy-1', seconds: 5 },
      },
    },
  ],
  reportsNothing: [
    ...quiet,
    {
      name: 'it keeps them as long as the API server',
      facts: tried([keeps('timeout=90, max=100')]),
      outcome: 'pass',
    },
    { name: 'it does not say for how long', facts: tried([keeps('max=100')]), outcome: 'pass' },
  ],
  isUnknown: blind,
});
