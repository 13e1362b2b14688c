import { notAll, unreadEvidence, windowOf } from '../../facts/webhook-counts.ts';
import { defineCheck } from '../check.ts';

export const conversionsFailedCounted = defineCheck({
  meta: {
    id: 'conversions-failed-counted',
    title: 'Conversions of this CRD have failed',
    severity: 'warning',
    confidence: 'observed',
    why: 'Without conversion, every read and write in another version than the stored one fails: kubectl, controllers, garbage collection and namespace deletion. The API server counts it since its start (apiserver_crd_conversion_webhook_duration_seconds).',
    advice: '[look] Find out when and why from a log of the API server: `kubectl webhook scan FILE`.',
    noRemedy: 'is-past',
    messages: { counted: '{failed} of {all} conversions of {resource} failed {since}' },
    references: [
      '/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion',
    ],
  },
  requires: ['callouts', 'metrics'],
  subjects: ({ callouts, metrics }) =>
    metrics.why('server')?.why === 'not-requested'
      ? []
      : callouts.filter(({ kind }) => kind === 'conversion'),
  run({ ref, configuration: resource }, { metrics }, find) {
    const all = metrics.get('server');
    if (all === undefined) return undefined;
    const counts = all.servers.flatMap(({ server, conversions }) =>
      conversions.filter((one) => one.resource === resource).map((one) => ({ server, ...one })),
    );
    const failed = counts.reduce((sum, one) => sum + one.failed, 0);
    if (failed === 0 && all.missing > 0) throw notAll(all);
    if (failed === 0) return undefined;
    const converted = counts.reduce((sum, one) => sum + one.converted, 0);
    const name = `apiserver_crd_conversion_webhook_duration_seconds{crd_name="${resource}",succeeded="false"}`;
    return find('counted', { failed, all: failed + converted, resource, since: windowOf(all) }, [
      ...counts.map((one) => ({
        object: ref,
        field: `${one.server}/metrics ${name}`,
        value: String(one.failed),
      })),
      ...unreadEvidence(ref, all),
    ]);
  },
});
