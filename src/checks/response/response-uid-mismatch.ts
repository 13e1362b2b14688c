import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responseUidMismatch = defineCheck({
  meta: {
    id: 'response-uid-mismatch',
    link: 'response',
    title: 'The webhook answers with another uid than it was asked',
    severity: 'error',
    consequence: 'failing',
    explains: { 'response-invalid': 2 },
    why: '`response.uid` has to be the `request.uid` of the review; a program that leaves it out or makes its own fails every call since v1.',
    advice: 'Copy `request.uid` into `response.uid`.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas} ({bad} of {total}) answer with another uid: {said}',
      some: {
        text: '{replicas}: answer with another uid; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: behindAnswers,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'uid-mismatch'),
});
