import { defineCheck } from '../check.ts';
import { failing, probedCallouts, probeFacts } from '../probed.ts';

export const responseVersionMismatch = defineCheck({
  meta: {
    id: 'response-version-mismatch',
    link: 'response',
    title: 'The webhook answers in another version than it was asked',
    severity: 'error',
    consequence: 'failing',
    why: 'A review is answered in its own apiVersion and kind. Programs from before Kubernetes 1.22 answer in v1beta1, whatever they were asked.',
    advice:
      'Answer in the apiVersion of the review, or list only versions in `admissionReviewVersions` that the program speaks.',
    messages: {
      all: '{replicas} ({bad} of {total}) answer in another version: {said}',
      some: {
        text: '{replicas}: answer in another version; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: [
      'replicas-disagree',
      'leader-gated-answer',
      'leader-lease-stale',
      'selector-covers-other-workload',
      'path-trailing-slash',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find, takenAt) {
    const found = failing(probed, facts, takenAt, ({ meeting }) => meeting.fault === 'version-mismatch');
    return found && find(found.extent, found.data, found.evidence, 'observed');
  },
});
