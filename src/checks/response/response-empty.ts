import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responseEmpty = defineCheck({
  meta: {
    id: 'response-empty',
    link: 'response',
    title: 'Webhook returns an empty body',
    severity: 'error',
    consequence: 'failing',
    explains: { 'response-invalid': 4 },
    why: 'A response without a body is not an AdmissionReview. The call fails.',
    advice:
      'Return a review for each review, with `response.uid` equal to `request.uid`, and `response.allowed`.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Empty response body from {replicas} ({bad} of {total}): {said}',
      some: {
        text: 'Empty response body from {replicas} ({bad} of {total} new connections): {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: behindAnswers,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'empty'),
});
