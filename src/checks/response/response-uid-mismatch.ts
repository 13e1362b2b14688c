import { defineCheck } from '../check.ts';
import { failing, probedCallouts, probeFacts } from '../probed.ts';

export const responseUidMismatch = defineCheck({
  meta: {
    id: 'response-uid-mismatch',
    link: 'response',
    title: 'The webhook answers with another uid than it was asked',
    severity: 'error',
    consequence: 'failing',
    why: '`response.uid` has to be the `request.uid` of the review; a program that leaves it out or makes its own fails every call since v1.',
    advice: 'Copy `request.uid` into `response.uid`.',
    messages: {
      all: '{replicas} ({bad} of {total}) answer with another uid: {said}',
      some: {
        text: '{replicas}: answer with another uid; {bad} of {total} new connections meet that: {said}',
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
    const found = failing(probed, facts, takenAt, ({ meeting }) => meeting.fault === 'uid-mismatch');
    return found && find(found.extent, found.data, found.evidence, 'observed');
  },
});
