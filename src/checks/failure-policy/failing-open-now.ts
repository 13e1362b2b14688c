import { hasFailed, type ProbeFacts, usableMet } from '../../apiserver/connection/probed.ts';
import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { type AdmissionCallout, calloutId, failsOpen, isAdmission } from '../../facts/callout.ts';
import { NotKnown } from '../../facts/unread.ts';
import { failedOpenEvidence } from '../../facts/webhook-counts.ts';
import { defineCheck } from '../check.ts';

/** Every answer that breaks a request is a patch that cannot be applied: that is an error, and failurePolicy is not asked. */
function isStopped(callout: AdmissionCallout, facts: ProbeFacts): boolean {
  if (!facts.probes.known(calloutId(callout))) return false;
  const failed = usableMet({ ref: callout.ref, callout }, facts).filter(hasFailed);
  return failed.length > 0 && failed.every(({ meeting }) => meeting.answer?.outcome === 'api-server-error');
}

export const failingOpenNow = defineCheck({
  meta: {
    id: 'failing-open-now',
    link: 'failure-policy',
    title: 'Requests pass without this webhook',
    severity: 'error',
    why: 'failurePolicy is Ignore and the call fails: the API server lets the request pass as if the webhook had agreed. Users see nothing; only its log and its metric webhook_fail_open_count tell.',
    advice:
      'Repair what breaks the call; what passed meanwhile stays as it is, so look through the objects made since. Set `failurePolicy: Fail` if passing unchecked is worse than an outage.',
    noRemedy: 'only-follows',
    messages: {
      unchecked: 'Whatever its rules cover passes unchecked',
      unchanged: 'Whatever its rules cover passes unchanged',
      someUnchecked: {
        text: 'Requests that meet a dead replica pass unchecked',
        severity: 'warning',
      },
      someUnchanged: {
        text: 'Requests that meet a dead replica pass unchanged',
        severity: 'warning',
      },
    },
    follows: 'every-break',
  },
  requires: ['version', 'callouts', 'routing', ...callFacts, 'metrics'],
  // A webhook without rules lets nothing pass: nothing is sent to it.
  subjects: ({ callouts }) =>
    callouts.filter(isAdmission).filter((callout) => failsOpen(callout) && callout.rules.length > 0),
  run(callout, facts, find) {
    const { ref, index, kind } = callout;
    const { fate, unread } = nextCall(callout, facts);
    if (unread !== undefined) throw new NotKnown(unread);
    if (fate !== 'fails' && fate !== 'fails-for-some') return;
    if (isStopped(callout, facts)) return;
    const how = kind === 'mutating' ? 'unchanged' : 'unchecked';
    const evidence = [
      { object: ref, field: `webhooks[${index}].failurePolicy`, value: 'Ignore' },
      ...failedOpenEvidence(callout, facts),
    ];
    if (fate === 'fails') return find(how, {}, evidence);
    return find(how === 'unchanged' ? 'someUnchanged' : 'someUnchecked', {}, evidence);
  },
});
