import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responseNotAReview = defineCheck({
  meta: {
    id: 'response-not-a-review',
    link: 'response',
    title: 'The webhook answers with something that is no review',
    severity: 'error',
    consequence: 'failing',
    explains: { 'undecodable-answer': 1, 'response-invalid': 1 },
    why: 'The API server reads the body as an AdmissionReview (JSON or YAML), whatever its Content-Type says. A page, a plain `ok` or a broken document is a failed call: another program answers, or the answer is put together wrongly.',
    advice:
      'Look at what stands behind the path and port; answer with an AdmissionReview that holds a `response`.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas} ({bad} of {total}) answer with something that is no review: {said}',
      some: {
        text: '{replicas}: answer with something that is no review; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: behindAnswers,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'not-a-review'),
});
