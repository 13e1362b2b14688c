import { probedCallouts, probeFacts, reportResponse } from '../../apiserver/connection/probed.ts';
import { behind, defineCheck, partial } from '../check.ts';
import { checksBehindResponses } from './checks-behind-responses.ts';

export const responseServerError = defineCheck({
  meta: {
    id: 'response-server-error',
    link: 'response',
    title: 'Webhook returns an HTTP error',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'no-upstream': 3,
      'handler-panic': 2,
      'backend-not-authorized': 2,
      unavailable: 1,
      'gateway-timeout': 2,
      'http-error': 1,
      panic: 1,
    },
    why: 'Any HTTP status other than 200 to 206 is a failed call, whatever the body contains. failurePolicy decides the result of the request.',
    advice:
      'Read the log of the program at that time, and fix the error that it reports: `kubectl -n {namespace} logs {pod}`.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'HTTP error from {replicas} ({bad} of {total} replicas): {detail}',
      some: partial('HTTP error from {replicas} ({bad} of {total} new connections): {detail}'),
      behind: behind('HTTP error from {replicas}: {detail}'),
    },
    follows: ['handler-waits-for-service', ...checksBehindResponses],
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportResponse('server-error'),
});
