import { failsOpen, isAdmission, webhookEvidence } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

/** Seconds: the default of admissionregistration.k8s.io/v1. A request cannot wait for several longer ones. */
export const longestUsualTimeout = 10;

export const timeoutTooLong = defineCheck({
  meta: {
    id: 'timeout-too-long',
    title: 'timeoutSeconds is too long',
    severity: 'warning',
    why: 'While a backend hangs, every matching request waits for timeoutSeconds. Mutating webhooks are called in sequence and a write has 34 seconds in total: two or three hanging ones exceed it, even with failurePolicy Ignore.',
    advice:
      '[end] Set `timeoutSeconds` to the usual response time with a margin, 5 or less for most webhooks: `kubectl edit {kind} {configuration}`. [end] If some objects need longer, make the rules narrower.',
    messages: {
      blocks: 'If the webhook does not respond, requests wait up to {seconds} s before they are refused',
      passes:
        'If the webhook does not respond, requests wait up to {seconds} s before they are admitted without it',
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts',
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#small-timeout',
    ],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission),
  run(callout, _facts, find) {
    const { timeoutSeconds: seconds } = callout;
    if (seconds <= longestUsualTimeout) return;
    return find(failsOpen(callout) ? 'passes' : 'blocks', { seconds }, [
      webhookEvidence(callout, 'timeoutSeconds', seconds),
    ]);
  },
});
