import { probedCallouts, probeFacts, reportResponse } from '../../apiserver/connection/probed.ts';
import { behind, defineCheck, partial } from '../check.ts';
import { checksBehindResponses } from './checks-behind-responses.ts';

export const responseEmpty = defineCheck({
  meta: {
    id: 'response-empty',
    link: 'response',
    title: 'Webhook returns an empty body',
    severity: 'error',
    consequence: 'failing',
    explains: { 'empty-answer': 1, 'response-invalid': 4 },
    why: 'A response without a body is not an AdmissionReview, so the call fails. failurePolicy decides the result of the request.',
    advice:
      'Find out why the program sends no body: `kubectl -n {namespace} logs {pod}`. It must return an AdmissionReview with `response.uid` equal to `request.uid`, and `response.allowed`.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Empty response body from {replicas} ({bad} of {total} replicas): {detail}',
      some: partial('Empty response body from {replicas} ({bad} of {total} new connections): {detail}'),
      behind: behind('empty response body from {replicas}: {detail}'),
    },
    follows: checksBehindResponses,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportResponse('empty'),
});
