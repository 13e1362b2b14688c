import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responseVersionMismatch = defineCheck({
  meta: {
    id: 'response-version-mismatch',
    link: 'response',
    title: 'The webhook answers in another version than it was asked',
    severity: 'error',
    consequence: 'failing',
    explains: { 'review-versions': 1, 'response-invalid': 3 },
    why: 'A review is answered in its own apiVersion and kind. Programs from before Kubernetes 1.22 answer in v1beta1, whatever they were asked.',
    advice:
      'Answer in the apiVersion of the review, or list only versions in `admissionReviewVersions` that the program speaks.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas} ({bad} of {total}) answer in another version: {said}',
      some: {
        text: '{replicas}: answer in another version; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: behindAnswers,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'version-mismatch'),
});
