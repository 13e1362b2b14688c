import { advise } from '../../facts/advice.ts';
import {
  count,
  countEvidence,
  countedCallouts,
  countedFacts,
  countedFor,
} from '../../facts/webhook-counts.ts';
import { counted, times } from '../../phrases/numbers.ts';
import { defineCheck } from '../check.ts';

/** Fewer than these are hardly more than the start of a backend. */
const telling = 10;

const requests = (count: number): string => counted(count, 'request', 'requests');

export const failOpenCounted = defineCheck({
  meta: {
    id: 'fail-open-counted',
    link: 'effect',
    title: 'Requests have passed without this webhook',
    severity: 'warning',
    why: 'The API server counts every call that failed and let the request pass (webhook_fail_open_count). Users saw nothing. The count begins when the API server starts; each of several API servers has its own, and those that can be reached from here are added up.',
    advice: advise`Find out when with ${'kubectl webhook scan'} over the audit log (annotations failed-open.…), look through the objects made then, and have an alert for the next time: ${'kubectl webhook alerts'}.`,
    noRemedy: 'is-past',
    messages: {
      counted: 'Protection was off {times} {since}: calls of {webhook} failed and the requests passed',
      few: {
        text: 'Protection was off {times} {since}: calls of {webhook} failed and the requests passed',
        severity: 'info',
      },
      goingOn: 'Protection is off: {requests} passed without {webhook} within {span}, {count} {since}',
      over: {
        text: 'Protection was off {times} {since}, and not once in {span} now: {webhook}',
        severity: 'info',
      },
    },
    follows: ['failing-open-now'],
  },
  requires: countedFacts,
  subjects: countedCallouts,
  run(webhook, facts, find) {
    const failedOpen = count(webhook, facts, (counts) => counts.failedOpen);
    if (failedOpen === undefined || failedOpen.total === 0) return undefined;
    const { total, since, recent, span = '' } = failedOpen;
    const name = 'apiserver_admission_webhook_fail_open_count';
    const evidence = countEvidence(webhook, facts, name, (counts) => counts.failedOpen);
    const data = { since, webhook: countedFor(webhook) };
    if (recent === undefined) {
      return find(
        total < telling ? 'few' : 'counted',
        { ...data, times: times(total) },
        evidence,
        'observed',
      );
    }
    if (recent > 0)
      return find(
        'goingOn',
        { ...data, count: total, requests: requests(recent), span },
        evidence,
        'observed',
      );
    return find('over', { ...data, times: times(total), span }, evidence, 'observed');
  },
});
