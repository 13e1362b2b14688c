import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { trusting } from './certificates.ts';
import { annotated, type IncidentState, jobWith, mount, pods, serviceAccount, warning } from './parts.ts';

/** An autoscaler of a Deployment, which gets this error for an external metric. */
const autoscaler = (error: string): ClusterPart =>
  ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name: 'keda-hpa-worker' },
    spec: {
      minReplicas: 1,
      maxReplicas: 5,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker' },
      metrics: [
        { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'Value', value: '5' } } },
      ],
    },
    status: {
      currentReplicas: 1,
      desiredReplicas: 1,
      conditions: [
        {
          type: 'ScalingActive',
          status: 'False',
          reason: 'FailedGetExternalMetric',
          message: `the HPA was unable to compute the replica count: unable to get external metric shop/queue/nil: unable to fetch metrics from external metrics API: ${error}`,
          lastTransitionTime: ago('1h'),
        },
      ],
    },
  }) as never;

/** The API of external metrics, served by this adapter, and an autoscaler with an error. */
const externalMetrics = (adapter: string, error: string): readonly ClusterPart[] => [
  namespace('shop'),
  namespace(adapter.split('/')[0] ?? ''),
  service(adapter),
  deployment(adapter, { replicas: 1 }),
  apiService('v1beta1.external.metrics.k8s.io', adapter),
  autoscaler(error),
];

/** A certificate Job of ingress-nginx whose image cannot be pulled. */
const pullingJob = (name: string) =>
  jobWith(
    `ingress-nginx/${name}`,
    {
      name,
      image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.4.1',
      args: [name.replace(/.*-/, ''), '--secret-name=ingress-nginx-admission'],
    },
    {
      state: {
        waiting: {
          reason: 'ImagePullBackOff',
          message: 'Back-off pulling image "registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.4.1"',
        },
      },
    },
  );

/** Autoscalers, and webhooks that intercept, lack or exceed what they need themselves. */
export const autoscalersAndOwnObjects: readonly IncidentState[] = [
  {
    slug: 'external-metrics-of-another-product',
    what: 'The APIService of external metrics belongs to another adapter, which does not know the metric of an autoscaler.',
    parts: externalMetrics(
      'datadog/datadog-cluster-agent-metrics-api',
      'Internal error occurred: DatadogMetric is invalid',
    ),
  },
  {
    slug: 'metric-without-descriptor',
    what: 'The adapter of the provider serves external metrics. An autoscaler of another product requests a metric that it does not have.',
    parts: externalMetrics(
      'custom-metrics/custom-metrics-stackdriver-adapter',
      "the server could not find the descriptor for metric queue: googleapi: Error 404: Could not find descriptor for metric 'queue'., notFound",
    ),
  },
  {
    slug: 'autoscaler-may-not-read-metrics',
    what: 'The ClusterRole for readers of external metrics does not exist.',
    parts: externalMetrics(
      'keda/keda-operator-metrics-apiserver',
      'queue.external.metrics.k8s.io is forbidden: User "system:vpa-recommender" cannot list resource "queue" in API group "external.metrics.k8s.io" in the namespace "shop": RBAC: clusterrole.rbac.authorization.k8s.io "external-metrics-reader" not found',
    ),
  },
  {
    slug: 'own-config-map-through-own-webhook',
    what: 'A webhook does not start without a ConfigMap, and validates all ConfigMaps itself: it cannot be created.',
    parts: installation('knative-eventing/eventing-webhook', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            '2020/06/01 10:00:00 Failed to start configuration manager: configmap "default-ch-webhook" not found',
          ),
        ],
      },
      validating: { name: 'config.webhook.eventing.knative.dev', rules: [rule('v1', 'configmaps')] },
    }),
  },
  {
    slug: 'no-ca-injector',
    what: 'cert-manager is installed without its cainjector. The CA of its webhook was renewed, and the configuration keeps the former one.',
    parts: [
      customResource('certificates.cert-manager.io', 'Certificate'),
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook'),
      deployment('cert-manager/cert-manager-webhook', {
        replicas: 1,
        container: { name: 'cert-manager-webhook', image: 'quay.io/jetstack/cert-manager-webhook:v1.0.2' },
      }),
      ...annotated(
        trusting('of-another-authority', [
          mutating('cert-manager-webhook', [
            webhook('webhook.cert-manager.io', {
              service: 'cert-manager/cert-manager-webhook',
              rules: [rule('cert-manager.io/v1', 'certificates')],
            }),
          ]),
        ]),
        { 'cert-manager.io/inject-ca-from-secret': 'cert-manager/cert-manager-webhook-ca' },
      ),
      {
        ...servingSecretManifest('cert-manager/cert-manager-webhook-ca', 'cert-manager/cert-manager-webhook'),
        metadata: {
          namespace: 'cert-manager',
          name: 'cert-manager-webhook-ca',
          annotations: { 'cert-manager.io/allow-direct-injection': 'true' },
        },
      },
      deployment('cert-manager/cert-manager', {
        replicas: 1,
        container: {
          name: 'cert-manager',
          image: 'quay.io/jetstack/cert-manager-controller:v1.0.2',
          ports: [],
        },
      }),
    ],
  },
  {
    slug: 'certificate-images-not-in-registry',
    what: 'The images of both certificate Jobs are not in the offline registry. The Secret does not exist, and the Pod that mounts it waits.',
    parts: [
      ...installation('ingress-nginx/ingress-nginx-controller-admission', {
        deployment: { replicas: 1, ...mount('ingress-nginx-admission') },
        validating: {
          name: 'validate.nginx.ingress.kubernetes.io',
          caBundle: '',
          rules: [rule('networking.k8s.io/v1', 'ingresses')],
        },
      }),
      ...pullingJob('ingress-nginx-admission-create'),
      ...pullingJob('ingress-nginx-admission-patch'),
    ],
  },
  {
    slug: 'logging-configuration-forbidden',
    what: 'The process exits, because its ServiceAccount may not read a ConfigMap.',
    parts: [
      ...installation('knative-sources/github-webhook', {
        deployment: {
          replicas: 1,
          spec: { serviceAccountName: 'github-webhook' },
          pods: [
            crashing(
              1,
              '2020/02/04 17:27:03 Registering 3 controllers\n2020/02/04 17:27:03 Error reading/parsing logging configuration: configmaps "config-logging" is forbidden: User "system:serviceaccount:knative-sources:github-webhook" cannot get resource "configmaps" in API group "" in the namespace "knative-sources"',
            ),
          ],
        },
      }),
      serviceAccount('knative-sources', 'github-webhook'),
    ],
  },
  {
    slug: 'injector-killed-while-thousands-of-pods-exist',
    what: 'An injector keeps all Pods in memory, exceeds its limit, and new Pods are refused meanwhile.',
    parts: [
      ...installation('linkerd/linkerd-proxy-injector', {
        deployment: { replicas: 1, pods: [{ is: 'out-of-memory' }], container: { name: 'proxy-injector' } },
        mutating: { name: 'linkerd-proxy-injector.linkerd.io', rules: pods },
      }),
      namespace('web'),
      warning(
        {
          kind: 'ReplicaSet',
          namespace: 'web',
          name: 'web-5f7c9d',
          uid: 'uid-of-web',
          apiVersion: 'apps/v1',
        },
        'FailedCreate',
        'Error creating: Internal error occurred: failed calling webhook "linkerd-proxy-injector.linkerd.io": failed to call webhook: Post "https://linkerd-proxy-injector.linkerd.svc:443/?timeout=10s": no endpoints available for service "linkerd-proxy-injector"',
        'replicaset-controller',
      ),
    ],
  },
];
