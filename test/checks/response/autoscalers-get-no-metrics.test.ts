import { autoscalersGetNoMetrics } from '../../../src/checks/response/autoscalers-get-no-metrics.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Autoscaler } from '../../../src/facts/objects/scaling.ts';
import type { Service } from '../../../src/facts/objects/service.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, lists, pod, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { ago } from '../replica/replicas.ts';

const api = (group = 'external.metrics.k8s.io', over: Parameters<typeof aggregatedApi>[0] = {}) =>
  aggregatedApi({ configuration: `v1beta1.${group}`, group, version: 'v1beta1', ...over });
const timeout = 'the server was unable to return a response in the time allotted';
const unavailable =
  'the server is currently unable to handle the request (get queue.external.metrics.k8s.io)';
const autoscaler = (error: string, name = 'web', type = 'External', from = 'external'): Autoscaler => ({
  metadata: { namespace: 'shop', name },
  spec: { scaleTargetRef: { kind: 'Deployment', name }, maxReplicas: 3, metrics: [{ type }] },
  status: {
    conditions: [
      error === ''
        ? { type: 'ScalingActive', status: 'True', message: 'the HPA was able to compute the replica count' }
        : {
            type: 'ScalingActive',
            status: 'False',
            message: `the HPA was unable to compute the replica count: unable to get metric: unable to fetch metrics from ${from} metrics API: ${error}`,
          },
    ],
  },
});
const availableSince = (seconds: number) =>
  api('external.metrics.k8s.io', {
    conditions: [{ type: 'Available', status: 'True', lastTransitionTime: ago(seconds) }],
  });
const given = (autoscalers: readonly Autoscaler[], callout = api()) => ({
  callouts: [callout],
  autoscalers: lists({ '*': autoscalers }),
  pods: lists({ 'shop/policy': [pod()] }),
  logs: complete<string>([]),
  services: complete<Service>([]),
});
const unknownMetric = 'the server could not find the metric tasks_queued for services exporter';
/** The backend is in namespace shop; a Service with its name is also in `place`. */
const twice = (place: string, autoscalers: readonly Autoscaler[]) => ({
  ...given(autoscalers, api('custom.metrics.k8s.io')),
  services: complete([[`${place}/policy`, { ...service(), metadata: { namespace: place, name: 'policy' } }]]),
});
const inPlace = (place: string, error: string): Autoscaler => {
  const { metadata, ...rest } = autoscaler(error, 'web', 'Object', 'custom');
  return { ...rest, metadata: { ...metadata, namespace: place } };
};
const refused =
  'W1127 13:01:30.730480 1 logging.go:55] [core] [Channel #1 SubChannel #2] grpc: addrConn.createTransport failed to connect to {Addr: "203.0.113.66:9666", ServerName: "scaler.scaling.svc.cluster.local:9666", }. Err: connection error: desc = "transport: Error while dialing: dial tcp 203.0.113.66:9666: connect: connection refused"';

describeCheck(autoscalersGetNoMetrics, {
  reports: [
    {
      name: 'a backend that does not respond in time',
      facts: given([autoscaler(timeout)]),
      expect: {
        messageId: 'all',
        confidence: 'observed',
        data: { autoscalersGet: 'HorizontalPodAutoscaler shop/web gets', detail: timeout },
        evidence: timeout,
      },
    },
    {
      name: 'an error of the backend, which is Available',
      facts: given([autoscaler(unavailable)], availableSince(900)),
      expect: {
        messageId: 'all',
        data: { autoscalersGet: 'HorizontalPodAutoscaler shop/web gets', detail: unavailable },
      },
    },
    {
      name: 'the server that the log of the backend names',
      facts: {
        ...given([autoscaler(timeout), autoscaler(timeout, 'cart')]),
        logs: complete([['shop/policy-1/webhook', `starting\n${refused}`]]),
      },
      expect: {
        messageId: 'upstream',
        data: {
          autoscalersGet: 'HorizontalPodAutoscalers shop/web and shop/cart get',
          pod: 'policy-1',
          host: 'scaler.scaling.svc.cluster.local:9666',
          detail: 'dial tcp 203.0.113.66:9666: connect: connection refused',
        },
        names: { pod: 'policy-1', place: 'scaling' },
      },
    },
    ...(
      [
        ['https://prometheus:9090/api', 'upstream', 'shop'],
        ['https://metrics.example.com/query', 'outside', undefined],
        ['https://203.0.113.9:9090/query', 'outside', undefined],
      ] as const
    ).map(([url, messageId, place]) => ({
      name: `the namespace of ${url}, if it has one`,
      facts: {
        ...given([autoscaler(timeout)]),
        logs: complete([['shop/policy-1/webhook', `E1127 error: Get "${url}": connection refused`]]),
      },
      expect: { messageId, names: { pod: 'policy-1', ...(place === undefined ? {} : { place }) } },
    })),
    {
      name: 'the HPA controller without permission',
      facts: given([
        autoscaler(
          's0-cron.external.metrics.k8s.io is forbidden: User "system:serviceaccount:kube-system:horizontal-pod-autoscaler" cannot list resource "s0-cron" in API group "external.metrics.k8s.io" in the namespace "shop"',
        ),
      ]),
      expect: {
        messageId: 'forbidden',
        data: {
          autoscalersGet: 'HorizontalPodAutoscaler shop/web gets',
          account: 'kube-system/horizontal-pod-autoscaler',
          verb: 'list',
          denied: 's0-cron',
        },
        names: { user: 'system:serviceaccount:kube-system:horizontal-pod-autoscaler' },
      },
    },
    {
      name: 'a backend that may not authorize its callers',
      facts: given([
        autoscaler(
          String.raw`an error on the server ("Internal Server Error: \"/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/s0-cron\": subjectaccessreviews.authorization.k8s.io is forbidden: User \"system:serviceaccount:scaling:scaler\" cannot create resource \"subjectaccessreviews\" in API group \"authorization.k8s.io\" at the cluster scope") has prevented the request from succeeding (get s0-cron.external.metrics.k8s.io)`,
        ),
      ]),
      expect: {
        messageId: 'forbidden',
        data: {
          autoscalersGet: 'HorizontalPodAutoscaler shop/web gets',
          account: 'scaling/scaler',
          verb: 'create',
          denied: 'subjectaccessreviews',
        },
      },
    },
    {
      name: 'a second installation, whose APIService this one was',
      facts: twice('staging', [inPlace('staging', unknownMetric), inPlace('shop', '')]),
      expect: {
        messageId: 'elsewhere',
        data: {
          autoscalersGet: 'HorizontalPodAutoscaler staging/web gets',
          service: 'shop/policy',
          twin: 'staging/policy',
        },
      },
    },
    {
      name: 'custom metrics',
      facts: given([autoscaler(timeout, 'web', 'Pods', 'custom')], api('custom.metrics.k8s.io')),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing: [
    {
      name: 'another autoscaler gets metrics: the fault is in one metric',
      facts: given([autoscaler(timeout), autoscaler('', 'cart')]),
      outcome: 'pass',
    },
    {
      name: 'one of two autoscalers beside a second adapter gets metrics',
      facts: twice('staging', [inPlace('staging', unknownMetric), inPlace('staging', '')]),
      outcome: 'pass',
    },
    {
      name: 'the metric does not exist, in a namespace without an adapter',
      facts: twice('staging', [inPlace('batch', unknownMetric)]),
      outcome: 'pass',
    },
    {
      name: 'the metric does not exist',
      facts: given([autoscaler('the server could not find the metric queue_length for pods')]),
      outcome: 'pass',
    },
    {
      name: 'the source of one metric does not respond',
      facts: given([
        autoscaler('rpc error: code = Unknown desc = error when getting metric values metric:s1-queue'),
      ]),
      outcome: 'pass',
    },
    {
      name: 'the API server returned 503 until a moment ago',
      facts: given([autoscaler(unavailable)], availableSince(20)),
      outcome: 'pass',
    },
    {
      name: 'it reads from another API',
      facts: given([autoscaler(timeout, 'web', 'Pods', 'custom')]),
      outcome: 'pass',
    },
    { name: 'no autoscaler reads from this API', facts: given([]), outcome: 'pass' },
    {
      name: 'the APIService is not Available',
      facts: given(
        [autoscaler(timeout)],
        api('external.metrics.k8s.io', { conditions: [{ type: 'Available', status: 'False' }] }),
      ),
      outcome: 'pass',
    },
    {
      name: 'the APIService serves no metrics',
      facts: given([autoscaler(timeout)], api('wardle.example.com')),
      outcome: 'not-applicable',
    },
    {
      name: 'there are only webhooks',
      facts: { ...given([autoscaler(timeout)]), callouts: [webhook()] },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'autoscalers could not be read',
      facts: { ...given([]), autoscalers: forbidden('autoscalers') },
    },
  ],
});
