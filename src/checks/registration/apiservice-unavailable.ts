import type { AggregatedApiCallout } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { defineCheck } from '../check.ts';
import { breaksCalls } from '../failure-policy/breaks-calls.ts';

const aggregated = ({ callouts }: Pick<Facts, 'callouts'>): readonly AggregatedApiCallout[] =>
  callouts.filter((callout) => callout.kind === 'aggregated-api');

export const apiserviceUnavailable = defineCheck({
  meta: {
    id: 'apiservice-unavailable',
    link: 'registration',
    title: 'The API server holds the APIService for unavailable',
    severity: 'warning',
    why: 'While the condition Available is not True, every request for this API is answered with 503 `service unavailable`, and nobody is called. The API server looks again every 30 seconds, and whenever the APIService, its Service or its endpoints change. Deletion of namespaces, quotas and discovery suffer with it.',
    advice:
      'Read the condition: `kubectl get apiservice NAME -o yaml`. Repair what it names; where calls work again, the condition follows within a minute. An APIService that nobody needs any more can be deleted.',
    messages: {
      unavailable: '{api}: Available is {status} since {since} ({reason})',
    },
    follows: breaksCalls,
    references: ['kube-aggregator/pkg/apiserver/handler_proxy.go'],
  },
  requires: ['callouts'],
  subjects: aggregated,
  run({ ref, configuration, conditions }, _facts, find) {
    const available = conditions.find(({ type }) => type === 'Available');
    if (available === undefined || available.status === 'True') return undefined;
    const { status, reason = '', message = '', lastTransitionTime: since = 'its creation' } = available;
    return find(
      'unavailable',
      { api: configuration, status, since, reason },
      [{ object: ref, field: 'status.conditions[type=Available].message', value: message }],
      'observed',
    );
  },
});
