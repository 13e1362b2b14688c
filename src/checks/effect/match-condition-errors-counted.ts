import {
  count,
  countEvidence,
  countedCallouts,
  countedFacts,
  countedFor,
} from '../../facts/webhook-counts.ts';
import { times } from '../../phrases/lists.ts';
import { defineCheck, note } from '../check.ts';

export const matchConditionErrorsCounted = defineCheck({
  meta: {
    id: 'match-condition-errors-counted',
    title: 'Match conditions of this webhook failed',
    severity: 'warning',
    confidence: 'observed',
    why: 'A match condition that fails refuses the request with failurePolicy Fail, and skips the webhook with Ignore, unless another condition is false. The API server counts it since its start (apiserver_admission_match_condition_evaluation_errors_total).',
    advice:
      '[look] Find the condition that fails: `kubectl webhook doctor {configuration}`. [end] Guard fields that may be absent with has() or optional chaining (`?.` and orValue): `kubectl edit {kind} {configuration}`.',
    noRemedy: 'is-past',
    messages: {
      counted: 'Match conditions of {webhook} failed {times} {since}',
      goingOn: 'Match conditions of {webhook} fail: {recent} within {span}, {count} {since}',
      over: note('Match conditions of {webhook} failed {times} {since}, and none within the last {span}'),
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions',
    ],
    follows: ['match-condition-broken'],
  },
  requires: countedFacts,
  subjects: countedCallouts,
  run(counted, facts, find) {
    const errors = count(counted, facts, (counts) => counts.conditionErrors);
    if (errors === undefined || errors.total === 0) return undefined;
    const { total, since, recent, span = '' } = errors;
    const name = 'apiserver_admission_match_condition_evaluation_errors_total';
    const evidence = countEvidence(counted, facts, name, (counts) => counts.conditionErrors);
    const data = { since, webhook: countedFor(counted) };
    if (recent === undefined) return find('counted', { ...data, times: times(total) }, evidence);
    if (recent > 0) return find('goingOn', { ...data, count: total, recent: times(recent), span }, evidence);
    return find('over', { ...data, times: times(total), span }, evidence);
  },
});
