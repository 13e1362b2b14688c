import { defineCheck } from '../check.ts';
import { failing, probedCallouts, probeFacts } from '../probed.ts';

export const responseServerError = defineCheck({
  meta: {
    id: 'response-server-error',
    link: 'response',
    title: 'The webhook answers with an HTTP error',
    severity: 'error',
    consequence: 'failing',
    why: 'Any HTTP status but 200 to 206 is a failed call, whatever the body says; failurePolicy decides what becomes of the request.',
    advice: 'The log of the program says what went wrong at that moment: `kubectl -n NAMESPACE logs POD`.',
    messages: {
      all: '{replicas} ({bad} of {total}) answer with an HTTP error: {said}',
      some: {
        text: '{replicas}: answer with an HTTP error; {bad} of {total} new connections meet that: {said}',
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
    const found = failing(probed, facts, takenAt, ({ meeting }) => meeting.fault === 'server-error');
    return found && find(found.extent, found.data, found.evidence, 'observed');
  },
});
