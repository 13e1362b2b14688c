import {
  count,
  countEvidence,
  countedCallouts,
  countedFacts,
  countedFor,
  dryNote,
} from '../../facts/webhook-counts.ts';
import { counted, times } from '../../phrases/lists.ts';
import { defineCheck, note } from '../check.ts';

/** The minimum count to report: fewer happen at the start of a backend. */
const minimumCount = 10;

const requests = (count: number): string => counted(count, 'request');

export const failOpenCounted = defineCheck({
  meta: {
    id: 'fail-open-counted',
    title: 'Requests were admitted without this webhook',
    severity: 'warning',
    confidence: 'observed',
    why: 'The API server counts every failed call after which it admitted the request (apiserver_admission_webhook_fail_open_count); users saw no error. The count starts with the API server, and is the sum of all API servers that are reachable from this machine.',
    advice:
      '[look] Find out when (audit annotations `failed-open.…`): `kubectl webhook scan FILE`. [end] Review the objects created then, and create an alert: `kubectl webhook alerts`.',
    noRemedy: 'is-past',
    messages: {
      counted: 'Requests were admitted without {webhook} {times} {since}, because calls failed',
      few: note('Requests were admitted without {webhook} {times} {since}, because calls failed'),
      goingOn: 'Requests are being admitted without {webhook}: {requests} within {span}, {count} {since}',
      over: note('Requests were admitted without {webhook} {times} {since}, and none within the last {span}'),
    },
    follows: ['failing-open-now'],
  },
  requires: countedFacts,
  subjects: countedCallouts,
  run(webhook, facts, find) {
    const failedOpen = count(webhook, facts, (counts) => counts.failedOpen);
    if (failedOpen === undefined || failedOpen.total === 0) return undefined;
    const { total, dry, since, recent, span = '' } = failedOpen;
    const often = `${times(total)}${dryNote(failedOpen)}`;
    const name = 'apiserver_admission_webhook_fail_open_count';
    const evidence = countEvidence(webhook, facts, name, (counts) => counts.failedOpen);
    const data = { since, webhook: countedFor(webhook) };
    if (recent === undefined) {
      return find(total - dry < minimumCount ? 'few' : 'counted', { ...data, times: often }, evidence);
    }
    if (recent > 0)
      return find('goingOn', { ...data, count: total, requests: requests(recent), span }, evidence);
    return find('over', { ...data, times: often, span }, evidence);
  },
});
