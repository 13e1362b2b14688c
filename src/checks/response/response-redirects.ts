import { defineCheck } from '../check.ts';
import { failing, probedCallouts, probeFacts } from '../probed.ts';

export const responseRedirects = defineCheck({
  meta: {
    id: 'response-redirects',
    link: 'response',
    title: 'The webhook redirects the call',
    severity: 'error',
    consequence: 'failing',
    why: "After 301, 302 or 303 Go's client asks the new place with GET and without the review, and what comes back makes no sense; 307 and 308 keep the POST. A Go ServeMux redirects a path without the slash that it was registered with.",
    advice: 'Write the path in `clientConfig` that the server answers itself.',
    messages: {
      all: '{replicas} ({bad} of {total}) redirect the call: {said}',
      some: {
        text: '{replicas}: redirect the call; {bad} of {total} new connections meet that: {said}',
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
    const found = failing(probed, facts, takenAt, ({ meeting }) => meeting.fault === 'redirects');
    return found && find(found.extent, found.data, found.evidence, 'observed');
  },
});
