import { probedCallouts, probeFacts, reportResponse } from '../../apiserver/connection/probed.ts';
import { behind, defineCheck, partial } from '../check.ts';
import { checksBehindResponses } from './checks-behind-responses.ts';

export const responseNotAReview = defineCheck({
  meta: {
    id: 'response-not-a-review',
    link: 'response',
    title: 'Webhook returns something other than a review',
    severity: 'error',
    consequence: 'failing',
    explains: { 'undecodable-answer': 1, 'response-invalid': 1, 'empty-answer': 2 },
    why: 'The API server decodes the body as an AdmissionReview (JSON or YAML), whatever its Content-Type. An HTML page, a plain `ok` or an invalid document fails the call: another program responds, or the response is built incorrectly.',
    advice:
      'Find out which program serves that port and path: `kubectl -n {namespace} describe pod {pod}`. Read its log: `kubectl -n {namespace} logs {pod}`. It must return an AdmissionReview with a `response`.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Response from {replicas} ({bad} of {total} replicas) is not a review: {detail}',
      some: partial('Response from {replicas} ({bad} of {total} new connections) is not a review: {detail}'),
      behind: behind('response from {replicas} is not a review: {detail}'),
    },
    follows: checksBehindResponses,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportResponse('not-a-review'),
});
