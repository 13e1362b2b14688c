import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { everywhere, metricsGroup } from '../../facts/metrics-api.ts';
import { keyOf, refOf } from '../../facts/object-ref.ts';
import type { Autoscaler } from '../../facts/objects/scaling.ts';
import type { Service } from '../../facts/objects/service.ts';
import { counted, listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

const shown = 3;

/** True if it uses metrics of Pods: without any metrics, an autoscaler uses CPU. */
const readsPods = ({ spec: { metrics } }: Autoscaler): boolean =>
  (metrics ?? []).length === 0 ||
  (metrics ?? []).some(({ type }) => type === 'Resource' || type === 'ContainerResource');

/** True if an APIService of another group calls it: it serves that API. */
const isCalled = (key: string, callouts: readonly Callout[]): boolean =>
  callouts.some(
    (one) => one.kind === 'aggregated-api' && isServiceBacked(one) && keyOf(one.client.service) === key,
  );

/** True for a Service with the name and the label of metrics-server, or whose Pods have it (its chart and manifests). */
const isOfMetricsServer = ({ metadata: { name, labels }, spec: { selector } }: Service): boolean =>
  name === 'metrics-server' &&
  ['k8s-app', 'app.kubernetes.io/name'].some((key) => [labels?.[key], selector?.[key]].includes(name));

const inactive = ({ status }: Autoscaler) =>
  status?.conditions?.find((one) => one.type === 'ScalingActive' && one.status === 'False');

export const metricsApiMissing = defineCheck({
  meta: {
    id: 'metrics-api-missing',
    title: 'Autoscalers need an API that is not served',
    severity: 'warning',
    why: 'A HorizontalPodAutoscaler reads CPU and memory from the aggregated API metrics.k8s.io. Without its APIService the API server returns 404, no autoscaler scales on them, and `kubectl top` fails.',
    advice:
      '[end] Install metrics-server: its manifests contain the APIService. [end] If the autoscalers are no longer needed, list and delete them: `kubectl get hpa -A`.',
    noRemedy: { because: 'the manifests of metrics-server contain the APIService' },
    messages: {
      missing: '{autoscalersNeed} the API metrics.k8s.io, and no APIService serves it: {names}',
      unregistered: {
        text: 'Service {service} of metrics-server exists, but no APIService registers its API metrics.k8s.io: autoscalers and `kubectl top` get no metrics',
        advice:
          '[end] Create the APIService with the chart or manifests of metrics-server: the chart of Bitnami needs `apiService.create=true`. [see] The APIService must name this Service: `kubectl -n {place} get service metrics-server`.',
      },
    },
    references: ['/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/#metrics-api'],
  },
  requires: ['autoscalers', 'callouts', 'served', 'services'],
  subjects: ({ autoscalers }) =>
    autoscalers.why(everywhere)?.why === 'not-requested'
      ? []
      : [{ ref: { kind: 'APIService', name: `v1beta1.${metricsGroup}` } }],
  run(_subject, { autoscalers, callouts, served, services }, find) {
    // Discovery does not list the resources of an APIService that is not available.
    if (callouts.some((one) => one.kind === 'aggregated-api' && one.group === metricsGroup)) return undefined;
    const { resources = [], stale = [] } = served.get('served') ?? {};
    // APIServices may not be readable; discovery still names those that are registered.
    if (stale.some((one) => one.startsWith(`${metricsGroup}/`))) return undefined;
    if (resources.some(({ group }) => group === metricsGroup)) return undefined;
    const needing = (autoscalers.get(everywhere) ?? []).filter(readsPods);
    const server = services.all().find(
      (one) =>
        isOfMetricsServer(one) &&
        // Elsewhere it may be that of a virtual cluster.
        (needing.length > 0 || one.metadata.namespace === 'kube-system') &&
        !isCalled(keyOf(one.metadata), callouts),
    );
    if (needing.length === 0 && server === undefined) return undefined;
    const evidence = needing.slice(0, shown).map((one) => ({
      object: refOf('HorizontalPodAutoscaler', one.metadata),
      field: 'status.conditions[type=ScalingActive].message',
      value: inactive(one)?.message ?? 'not reported yet',
    }));
    const confidence = needing.some(inactive) ? 'observed' : 'derived';
    if (server !== undefined) {
      const names = { place: server.metadata.namespace };
      const found = { object: refOf('Service', server.metadata), value: 'exists' };
      return find(
        'unregistered',
        { service: keyOf(server.metadata) },
        [found, ...evidence],
        names,
        confidence,
      );
    }
    const data = {
      autoscalersNeed: counted(
        needing.length,
        'HorizontalPodAutoscaler needs',
        'HorizontalPodAutoscalers need',
      ),
      names: listed(
        needing.map(({ metadata }) => keyOf(metadata)),
        { most: shown },
      ),
    };
    return find('missing', data, evidence, confidence);
  },
});
