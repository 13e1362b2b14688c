import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responseEmpty = defineCheck({
  meta: {
    id: 'response-empty',
    link: 'response',
    title: 'The webhook answers with an empty body',
    severity: 'error',
    consequence: 'failing',
    explains: { 'response-invalid': 4 },
    why: 'An answer without a body is no AdmissionReview; the call has failed.',
    advice: 'Answer each review with a review: `response.uid` as asked, `response.allowed`.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas} ({bad} of {total}) answer with an empty body: {said}',
      some: {
        text: '{replicas}: answer with an empty body; {bad} of {total} new connections meet that: {said}',
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
