import { ago } from '../cluster/ago.ts';
import { crashing, leaving, ready, starting } from '../cluster/behaviour.ts';
import { installation } from '../cluster/installation.ts';
import { endpointSlice, namespace, selectorlessService, service } from '../cluster/manifests.ts';
import {
  apiService,
  customResource,
  exceptNamespaces,
  mutating,
  rule,
  validating,
  webhook,
} from '../cluster/webhook-manifests.ts';
import { deployment, job, statefulSet } from '../cluster/workload-manifests.ts';
import type { Scenario } from './scenario.ts';

/** Unusual configurations that work, or whose state no object shows. */
export const healthyScenarios: readonly Scenario[] = [
  {
    slug: 'endpoints-by-hand',
    story:
      'A Service without selector has an EndpointSlice written by hand. It contains two machines outside the cluster. Only an API server can connect to them, and that of the demo cannot: the verdict is unknown.',
    parts: [
      namespace('outside'),
      selectorlessService('outside/appliance'),
      endpointSlice('outside/appliance', 'appliance-1', ['192.0.2.201', '192.0.2.202']),
      validating('appliance', [webhook('appliance.example.com', { service: 'outside/appliance' })]),
    ],
  },
  {
    slug: 'headless-with-endpoint-routing',
    story:
      "The Service is headless, which cannot be routed by default. An error in the cluster names an endpoint's address: this API server routes to endpoints. So it works here.",
    parts: [
      namespace('direct'),
      service('direct/direct-policy', { clusterIP: 'None' }),
      statefulSet('direct/direct-policy'),
      validating('direct-policy', [
        webhook('direct-policy.example.com', { service: 'direct/direct-policy' }),
      ]),
      service('direct/flaky'),
      deployment('direct/flaky', { pods: [crashing(1, 'bye')] }),
      mutating('flaky', [webhook('flaky.example.com', { service: 'direct/flaky', failurePolicy: 'Ignore' })]),
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'direct', name: 'direct-policy.refused' },
        involvedObject: {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          namespace: 'direct',
          name: 'something-else',
        },
        type: 'Warning',
        reason: 'FailedCreate',
        message:
          'Error creating: Internal error occurred: failed calling webhook "flaky.example.com": failed to call webhook: Post "https://flaky.direct.svc:443/validate?timeout=5s": no endpoints available for service "flaky"',
        count: 3,
        lastTimestamp: ago('5m'),
      },
    ],
  },
  {
    slug: 'named-target-port',
    story: 'The targetPort is a name. Every Pod declares it. Versions may even use different numbers.',
    parts: installation('named/named-policy', {
      service: {
        ports: [
          { name: 'https', port: 443, targetPort: 'webhook' },
          { name: 'metrics', port: 8080, targetPort: 'metrics' },
        ],
      },
      deployment: {
        container: {
          ports: [
            { name: 'webhook', containerPort: 9443 },
            { name: 'metrics', containerPort: 8080 },
          ],
        },
      },
    }),
  },
  {
    slug: 'two-slices-per-service',
    story:
      'Pods of two versions declare the named port with different numbers. The Service has a slice for each number. The API server may connect to either.',
    parts: [
      namespace('versions'),
      service('versions/versioned', {
        selector: { tier: 'versioned' },
        ports: [{ port: 443, targetPort: 'webhook' }],
      }),
      deployment('versions/versioned-a', {
        labels: { tier: 'versioned' },
        container: { ports: [{ name: 'webhook', containerPort: 8443 }] },
      }),
      deployment('versions/versioned-b', {
        labels: { tier: 'versioned' },
        container: { ports: [{ name: 'webhook', containerPort: 9443 }] },
      }),
      validating('versioned', [webhook('versioned.example.com', { service: 'versions/versioned' })]),
    ],
  },
  {
    slug: 'dual-stack',
    story:
      'The Service has addresses of both families. Each family has its own slice, and that of IPv6 is empty: Pods have IPv4 only. The API server connects to the first family.',
    parts: installation('dual/dual-policy', { service: { ipFamilies: ['IPv4', 'IPv6'] } }),
  },
  {
    slug: 'host-network',
    story:
      "The replicas use the network of their nodes. Their addresses are the nodes'. On managed control planes that is often the only way.",
    parts: installation('host/host-policy', {
      service: { ports: [{ port: 443, targetPort: 10250 }] },
      deployment: {
        spec: { hostNetwork: true },
        container: { ports: [{ containerPort: 10250, hostPort: 10250 }] },
      },
    }),
  },
  {
    slug: 'no-rules',
    story:
      'A controller fills in the rules of its webhook later. It has no rules yet. A webhook without rules is never called.',
    parts: installation('dormant/dormant-policy', { validating: { rules: [] } }),
  },
  {
    slug: 'own-namespace-excluded',
    story:
      'A webhook that fails closed matches all Pods. Its namespaceSelector excludes its own namespace and kube-system. It can start again after any outage.',
    parts: installation('careful/careful-policy', {
      validating: {
        rules: [rule('v1', 'pods', 'CREATE')],
        namespaceSelector: exceptNamespaces('careful', 'kube-system'),
      },
    }),
  },
  {
    slug: 'unready-published-all-ready',
    story:
      'The Service publishes addresses that are not ready. All Pods are ready. So far that makes no difference.',
    parts: installation('published/published-policy', { service: { publishNotReadyAddresses: true } }),
  },
  {
    slug: 'one-replica-fails-open',
    story: 'There is one replica. Its failurePolicy is Ignore. An outage blocks no request.',
    parts: installation('modest/modest-defaults', {
      deployment: { replicas: 1 },
      mutating: { failurePolicy: 'Ignore' },
    }),
  },
  {
    slug: 'external-url',
    story:
      'The webhook is a URL outside the cluster. There is no Service, no endpoint and no Pod. Only a probe can show whether it responds.',
    probe: 'none',
    parts: [
      validating('hosted', [
        webhook('hosted.example.com', { url: 'https://admission.hosted.example.com/v1/validate' }),
      ]),
    ],
  },
  {
    slug: 'conversion-none',
    story:
      'A CRD serves two versions with the same schema. Its conversion strategy is None. The API server calls no webhook.',
    parts: [customResource('gadgets.plain.example.com', 'Gadget')],
  },
  {
    slug: 'available-apiservice',
    story:
      "An aggregated API is served by a Service and available. The API server's own APIServices are local. Only the first is called.",
    parts: installation('aggregated/aggregated-api', {
      serves: apiService('v1.aggregated.example.com', 'aggregated/aggregated-api'),
    }),
  },
  {
    slug: 'stateful-replicas',
    story:
      'A StatefulSet serves the webhook, behind an ordinary Service. Its Pods keep their names. Nothing else differs.',
    parts: installation('stateful/stateful-policy', { statefulSet: {} }),
  },
  {
    slug: 'replica-on-every-node',
    story: 'Every node has a replica. A DaemonSet has no replica count. Its nodes decide.',
    parts: installation('everywhere/node-policy', { daemonSet: {} }),
  },
  {
    slug: 'terminating-beside-ready',
    story: 'A Pod is being deleted normally. Others are ready. Requests are sent to them.',
    parts: installation('shrinking/shrinking-policy', { deployment: { previous: [leaving] } }),
  },
  {
    slug: 'rollout-in-progress',
    story:
      'A new version is rolled out. Its first Pod has just started; those of the old version serve. Nothing is wrong yet.',
    parts: installation('moving/moving-policy', {
      deployment: { replicas: 3, previous: [ready, ready], pods: [starting] },
    }),
  },
  {
    slug: 'completed-job-pods',
    story:
      'The Service selector also matches the Pods of a Job that created the certificate. They have completed. Completed Pods are not endpoints.',
    parts: [
      ...installation('with-job/with-job', {
        service: { selector: { product: 'with-job' } },
        deployment: { labels: { product: 'with-job' } },
      }),
      job('with-job/with-job-certificate', { product: 'with-job' }),
    ],
  },
  {
    slug: 'many-webhooks-one-service',
    story:
      'One backend serves seven webhooks under different paths. They share everything except the path. There is one backend to examine, not seven.',
    parts: [
      namespace('busy'),
      service('busy/busy-operator'),
      deployment('busy/busy-operator', { replicas: 3 }),
      validating(
        'busy-operator',
        ['a', 'b', 'c', 'd'].map((kind) =>
          webhook(`${kind}.busy.example.com`, { service: 'busy/busy-operator', path: `/validate-${kind}` }),
        ),
      ),
      mutating(
        'busy-operator',
        ['a', 'b', 'c'].map((kind) =>
          webhook(`${kind}.defaults.busy.example.com`, {
            service: 'busy/busy-operator',
            path: `/mutate-${kind}`,
          }),
        ),
      ),
    ],
  },
  {
    slug: 'pod-without-workload',
    story:
      'A single Pod without a workload serves a webhook with failurePolicy Ignore. No controller recreates it. It is Ready, which is all that a call needs.',
    parts: installation('handmade/handmade-defaults', { barePod: {}, mutating: { failurePolicy: 'Ignore' } }),
  },
];
