import type { ProbeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { hasFailed, usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import {
  type AdmissionCallout,
  calloutId,
  failsOpen,
  isAdmission,
  webhookEvidence,
} from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { NotKnown } from '../../facts/unread.ts';
import { type CountedFacts, countEvidence, countedCallouts, countsFor } from '../../facts/webhook-counts.ts';
import { defineCheck, latent } from '../check.ts';

/** True if all failures are patches that cannot be applied: always an error, whatever the failurePolicy. */
function isStopped(callout: AdmissionCallout, facts: ProbeFacts): boolean {
  if (!facts.probes.known(calloutId(callout))) return false;
  const failed = usableEndpoints(callout, facts).filter(hasFailed);
  return (
    failed.length > 0 && failed.every(({ callResult }) => callResult.answer?.outcome === 'api-server-error')
  );
}

/** How often a webhook failed open; nothing if the metrics could not be read. */
function failedOpenEvidence(callout: AdmissionCallout, facts: CountedFacts): readonly Evidence[] {
  if (!facts.metrics.known('server')) return [];
  const counted = countedCallouts(facts).find(({ together }) => together.includes(callout));
  if (counted === undefined || !countsFor(counted, facts)?.failedOpen) return [];
  return countEvidence(
    counted,
    facts,
    'apiserver_admission_webhook_fail_open_count',
    ({ failedOpen }) => failedOpen,
  );
}

export const failingOpenNow = defineCheck({
  meta: {
    id: 'failing-open-now',
    title: 'Requests are admitted without this webhook',
    severity: 'error',
    why: 'failurePolicy is Ignore and the call fails: the API server silently skips this webhook and admits matching requests. Only its log, its audit annotations and its metric apiserver_admission_webhook_fail_open_count show it.',
    advice:
      '[end] Fix the cause of the failed call. [end] Then review the objects that were created while it failed, which are not checked later: `kubectl webhook scan FILE` lists them from an audit log. [end] Set `failurePolicy: Fail` if unchecked admission is worse than an outage: `kubectl webhook failclosed {configuration}`.',
    noRemedy: 'only-follows',
    messages: {
      unchecked: 'All matching requests are admitted unchecked',
      unchanged: 'All matching requests are admitted without the changes of this webhook',
      someUnchecked: latent('Requests that reach a failed replica are admitted unchecked'),
      someUnchanged: latent(
        'Requests that reach a failed replica are admitted without the changes of this webhook',
      ),
    },
    follows: 'every-break',
  },
  requires: ['version', 'callouts', 'routing', ...callFacts, 'metrics'],
  // A webhook without rules is never called, so it cannot fail open.
  subjects: ({ callouts }) =>
    callouts.filter(isAdmission).filter((callout) => failsOpen(callout) && callout.rules.length > 0),
  run(callout, facts, find) {
    const { outcome, unread } = nextCall(callout, facts);
    if (unread !== undefined) throw new NotKnown(unread);
    if (outcome !== 'fails' && outcome !== 'fails-for-some') return;
    if (isStopped(callout, facts)) return;
    const how = callout.kind === 'mutating' ? 'unchanged' : 'unchecked';
    const evidence = [
      webhookEvidence(callout, 'failurePolicy', 'Ignore'),
      ...failedOpenEvidence(callout, facts),
    ];
    if (outcome === 'fails') return find(how, {}, evidence);
    return find(how === 'unchanged' ? 'someUnchanged' : 'someUnchecked', {}, evidence);
  },
});
