import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { advise } from '../../facts/advice.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responseServerError = defineCheck({
  meta: {
    id: 'response-server-error',
    link: 'response',
    title: 'The webhook answers with an HTTP error',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'handler-panic': 2,
      'backend-not-authorized': 2,
      unavailable: 1,
      'gateway-timeout': 2,
      'http-error': 1,
      panic: 1,
    },
    why: 'Any HTTP status but 200 to 206 is a failed call, whatever the body says; failurePolicy decides what becomes of the request.',
    advice: advise`The log of the program says what went wrong at that moment: ${'kubectl -n {namespace} logs {pod}'}.`,
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas} ({bad} of {total}) answer with an HTTP error: {said}',
      some: {
        text: '{replicas}: answer with an HTTP error; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: behindAnswers,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'server-error'),
});
