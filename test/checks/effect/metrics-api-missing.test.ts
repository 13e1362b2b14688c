import { metricsApiMissing } from '../../../src/checks/effect/metrics-api-missing.ts';
import { nothingRequested } from '../../../src/collect/collectors/catalogue.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Autoscaler } from '../../../src/facts/objects/scaling.ts';
import type { Service } from '../../../src/facts/objects/service.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, lists, objects, service } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const message =
  'the HPA was unable to compute the replica count: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)';
const autoscaler = (types: readonly string[], over: Partial<Autoscaler> = {}): Autoscaler => ({
  metadata: { namespace: 'shop', name: 'web' },
  spec: {
    scaleTargetRef: { kind: 'Deployment', name: 'web' },
    maxReplicas: 3,
    metrics: types.map((type) => ({ type })),
  },
  ...over,
});
const failing = autoscaler(['Resource'], {
  status: { conditions: [{ type: 'ScalingActive', status: 'False', message }] },
});
const nodes = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource: 'nodes',
  kind: 'NodeMetrics',
  singular: 'node',
  namespaced: false,
  verbs: ['get', 'list'],
};
const given = (autoscalers: readonly Autoscaler[], resources: readonly (typeof nodes)[] = []) => ({
  autoscalers: lists({ '*': autoscalers }),
  services: objects<Service>(),
  served: complete([['served', { resources, stale: [] }]]),
});
const data = { autoscalersNeed: '1 HorizontalPodAutoscaler needs', names: 'shop/web' };

const named = { name: 'metrics-server' };
const labelled = { ...named, labels: { 'k8s-app': 'metrics-server' } };
const ofServer = objects(service({}, labelled));

describeCheck(metricsApiMissing, {
  reports: [
    {
      name: 'an autoscaler that says so',
      facts: given([failing]),
      expect: { messageId: 'missing', confidence: 'observed', data, evidence: message },
    },
    {
      name: 'one that has not reported it yet',
      facts: given([autoscaler(['ContainerResource'])]),
      expect: { messageId: 'missing', confidence: 'derived', data },
    },
    {
      name: 'metrics-server without its APIService, and an autoscaler',
      facts: { ...given([failing]), services: ofServer },
      expect: { messageId: 'unregistered', data: { service: 'shop/metrics-server' } },
    },
    {
      name: 'metrics-server of the cluster without its APIService, by its selector',
      facts: {
        ...given([]),
        services: objects(
          service(
            { selector: { 'app.kubernetes.io/name': 'metrics-server' } },
            { ...named, namespace: 'kube-system' },
          ),
        ),
      },
      expect: { messageId: 'unregistered', data: { service: 'kube-system/metrics-server' } },
    },
    {
      name: 'an autoscaler, beside a Service of that name of another program',
      facts: { ...given([failing]), services: objects(service({}, named)) },
      expect: { messageId: 'missing', data },
    },
    { name: 'one without metrics', facts: given([autoscaler([])]), expect: { messageId: 'missing', data } },
  ],
  reportsNothing: [
    { name: 'the API is served', facts: given([failing], [nodes]), outcome: 'pass' },
    {
      name: 'an APIService serves the API, and is not available',
      facts: { ...given([failing]), callouts: [aggregatedApi({ group: 'metrics.k8s.io' })] },
      outcome: 'pass',
    },
    {
      name: 'APIServices may not be read, and discovery marks the API Stale',
      facts: {
        ...given([failing]),
        served: complete([['served', { resources: [], stale: ['metrics.k8s.io/v1beta1'] }]]),
      },
      outcome: 'pass',
    },
    {
      name: 'a Service of that name, which an APIService of another group calls',
      facts: {
        ...given([]),
        services: objects(service({}, { ...labelled, namespace: 'kube-system' })),
        callouts: [
          aggregatedApi({
            group: 'custom.metrics.k8s.io',
            client: { service: { namespace: 'kube-system', name: 'metrics-server', port: 443 } },
          }),
        ],
      },
      outcome: 'pass',
    },
    {
      name: 'metrics-server in another namespace, which no autoscaler of this cluster needs',
      facts: { ...given([]), services: ofServer },
      outcome: 'pass',
    },
    {
      name: 'a Service of that name of another program',
      facts: { ...given([]), services: objects(service({}, { ...named, namespace: 'kube-system' })) },
      outcome: 'pass',
    },
    {
      name: 'metrics-server runs, and its API is served',
      facts: { ...given([], [nodes]), services: ofServer },
      outcome: 'pass',
    },
    { name: 'there is no autoscaler', facts: given([]), outcome: 'pass' },
    { name: 'it reads external metrics', facts: given([autoscaler(['External'])]), outcome: 'pass' },
    {
      name: 'nothing was read',
      facts: { ...given([]), autoscalers: nothingRequested().autoscalers },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    { name: 'they could not be read', facts: { ...given([]), autoscalers: forbidden('autoscalers') } },
  ],
});
