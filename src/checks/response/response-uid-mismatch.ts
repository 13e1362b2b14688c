import { probedCallouts, probeFacts, reportResponse } from '../../apiserver/connection/probed.ts';
import { behind, defineCheck, partial } from '../check.ts';
import { checksBehindResponses } from './checks-behind-responses.ts';

export const responseUidMismatch = defineCheck({
  meta: {
    id: 'response-uid-mismatch',
    link: 'response',
    title: 'Webhook returns a wrong uid',
    severity: 'error',
    consequence: 'failing',
    explains: { 'answer-with-other-uid': 1, 'response-invalid': 2 },
    why: '`response.uid` must equal `request.uid` of the review. In v1, a program that omits it or sets its own fails every call.',
    advice:
      'Copy `request.uid` into `response.uid` in the program, or install a version that does. Check the result: `kubectl webhook doctor {configuration}`.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Response from {replicas} ({bad} of {total} replicas) has a wrong uid: {detail}',
      some: partial('Response from {replicas} ({bad} of {total} new connections) has a wrong uid: {detail}'),
      behind: behind('response from {replicas} has a wrong uid: {detail}'),
    },
    follows: checksBehindResponses,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportResponse('uid-mismatch'),
});
