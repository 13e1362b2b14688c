import { defineCheck } from '../check.ts';

export const conversionsFailedCounted = defineCheck({
  meta: {
    id: 'conversions-failed-counted',
    link: 'effect',
    title: 'Conversions of this CRD have failed',
    severity: 'warning',
    why: 'Without conversion, every read and write of another version than the stored one fails: kubectl, controllers, garbage collection and deletion of namespaces. The API server counts it (crd_conversion_webhook_duration_seconds). The count begins when the API server starts.',
    advice: 'Find out when and why with `kubectl webhook scan` over the log of the API server.',
    messages: { counted: '{failed} of {all} conversions of {resource} failed since {since}' },
  },
  requires: ['callouts', 'metrics'],
  subjects: ({ callouts, metrics }) =>
    metrics.why('server')?.why === 'not-requested'
      ? []
      : callouts.filter(({ kind }) => kind === 'conversion'),
  run({ ref, configuration: resource }, { metrics }, find) {
    const server = metrics.get('server');
    const counts = server?.conversions.find((one) => one.resource === resource);
    if (counts === undefined || counts.failed === 0) return undefined;
    const { failed, converted } = counts;
    const since = server?.since ?? 'it started';
    const field = `${server?.server}/metrics apiserver_crd_conversion_webhook_duration_seconds{crd_name="${resource}",succeeded="false"}`;
    return find(
      'counted',
      { failed, all: failed + converted, resource, since },
      [{ object: ref, field, value: String(failed) }],
      'observed',
    );
  },
});
