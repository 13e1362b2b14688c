import { defineCheck } from '../check.ts';
import { failing, probedCallouts, probeFacts } from '../probed.ts';

export const responsePatchInvalid = defineCheck({
  meta: {
    id: 'response-patch-invalid',
    link: 'response',
    title: 'The patch of the webhook cannot be applied',
    severity: 'error',
    consequence: 'failing',
    why: 'A patch that does not decode is a failed call (from 1.34; before, an internal error). One that decodes and does not apply refuses the request, whatever failurePolicy says, and the message does not name the webhook.',
    advice:
      'Answer with a JSON patch (RFC 6902) in base64 and `patchType: JSONPatch`; test it against an object without labels, annotations and other optional fields.',
    messages: {
      all: '{replicas} ({bad} of {total}) send a patch that does not work: {said}',
      some: {
        text: '{replicas}: send a patch that does not work; {bad} of {total} new connections meet that: {said}',
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
    const found = failing(probed, facts, takenAt, ({ meeting }) => meeting.fault === 'patch-invalid');
    return found && find(found.extent, found.data, found.evidence, 'observed');
  },
});
