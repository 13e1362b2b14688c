import { ago } from '../../../src/demo/cluster/ago.ts';
import { notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  exceptNamespaces,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { inBusyCluster } from './busy-cluster.ts';
import { on } from './managed-clusters.ts';
import {
  apiServerPod,
  at,
  type IncidentState,
  log,
  pods,
  serviceAccount,
  to,
  unschedulable,
} from './parts.ts';

interface AppPod {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  readonly serviceAccountName?: string;
  readonly created?: string;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly phase?: string;
  readonly conditions?: readonly object[];
  readonly nodeName?: string;
}

/** A Pod of an application. */
const appPod = (
  key: string,
  {
    labels,
    annotations,
    owner,
    serviceAccountName,
    created = ago('3h'),
    finalizers,
    deletionTimestamp,
    ...over
  }: AppPod,
): ClusterPart => {
  const [home = '', name = ''] = key.split('/');
  const { phase = 'Running', conditions = [{ type: 'Ready', status: 'True' }] } = over;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: home,
      name,
      uid: `uid-of-${name}`,
      creationTimestamp: created,
      labels: { app: name, ...labels },
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(owner && { ownerReferences: [{ ...owner, uid: `uid-of-${owner.name}`, controller: true }] }),
    },
    spec: {
      nodeName: over.nodeName ?? 'worker-1',
      ...(serviceAccountName !== undefined && { serviceAccountName }),
      containers: [{ name: 'app', image: 'registry.example.com/app:v1' }],
    },
    status: { phase, podIP: '198.51.100.91', conditions },
  } as never;
};

/** A custom resource. */
const custom = (
  apiVersion: string,
  kind: string,
  metadata: object,
  spec: object,
  status?: object,
): ClusterPart => ({ apiVersion, kind, metadata, spec, ...(status && { status }) }) as never;

const clusterPolicies = customResource('clusterpolicies.kyverno.io', 'ClusterPolicy');

/** Kyverno and its webhooks for policies. */
const kyverno = (over: object = {}): readonly ClusterPart[] => [
  namespace('kyverno'),
  service('kyverno/kyverno-svc', { selector: { app: 'kyverno-admission-controller' }, ...to(9443) }),
  deployment('kyverno/kyverno-admission-controller', { replicas: 1, ...at(9443), ...over }),
  clusterPolicies,
  validating(
    'kyverno-policy-validating-webhook-cfg',
    [
      webhook('validate-policy.kyverno.svc', {
        service: 'kyverno/kyverno-svc',
        path: '/policyvalidate',
        timeoutSeconds: 10,
        rules: [rule('kyverno.io/v1', 'clusterpolicies,policies', 'CREATE', 'UPDATE')],
      }),
    ],
    { labels: { 'webhook.kyverno.io/managed-by': 'kyverno' } },
  ),
];

/** A Pod that is deleted and kept by the finalizer of Jobs; its Job does not exist any more. */
const finishedPod = (key: string, job: string, annotations: Readonly<Record<string, string>> = {}) =>
  appPod(key, {
    annotations,
    labels: { 'batch.kubernetes.io/job-name': job, 'job-name': job },
    owner: { apiVersion: 'batch/v1', kind: 'Job', name: job },
    finalizers: ['batch.kubernetes.io/job-tracking'],
    created: ago('2d'),
    deletionTimestamp: ago('20h'),
    phase: 'Succeeded',
    conditions: [{ type: 'Ready', status: 'False', reason: 'PodCompleted' }],
  });

/** An autoscaler that gets no metric of its Pods. */
const podAutoscaler = (home: string): ClusterPart =>
  custom(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    { namespace: home, name: 'compute-plane' },
    {
      minReplicas: 1,
      maxReplicas: 20,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'compute-plane' },
      metrics: [
        {
          type: 'Object',
          object: {
            describedObject: { apiVersion: 'v1', kind: 'Service', name: 'metrics-exporter' },
            metric: { name: 'armonik_tasks_queued' },
            target: { type: 'Value', value: '2' },
          },
        },
      ],
    },
    {
      currentReplicas: 1,
      desiredReplicas: 1,
      conditions: [
        {
          type: 'ScalingActive',
          status: 'False',
          reason: 'FailedGetObjectMetric',
          message: `the HPA was unable to compute the replica count: unable to get metric armonik_tasks_queued: Service on ${home} metrics-exporter/unable to fetch metrics from custom metrics API: the server could not find the metric armonik_tasks_queued for services metrics-exporter`,
          lastTransitionTime: ago('1h'),
        },
      ],
    },
  );

/** States of a sample of threads in which the webhook itself is not obviously broken. */
export const sampledSilent: readonly IncidentState[] = [
  {
    slug: 'plugins-listed-without-webhooks',
    what: 'kube-apiserver has a full list of admission plugins, without those for webhooks. The webhook works, and is never called.',
    parts: inBusyCluster('knative-serving', [
      namespace('knative-serving'),
      apiServerPod('cp-1', [
        '--admission-control=NamespaceLifecycle,LimitRanger,ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,NodeRestriction,ResourceQuota',
      ]),
      service('knative-serving/webhook', to(8443)),
      deployment('knative-serving/webhook', { replicas: 1 }),
      deployment('knative-serving/controller', { replicas: 1, container: { ports: [] } }),
      mutating('webhook.serving.knative.dev', [
        webhook('webhook.serving.knative.dev', {
          service: 'knative-serving/webhook',
          rules: [rule('serving.knative.dev/v1alpha1', 'configurations,routes,revisions')],
        }),
      ]),
    ]),
    logs: log(
      'knative-serving/webhook',
      'I0205 19:02:11.000000       1 webhook.go:183] Successfully registered webhook',
    ),
  },
  {
    slug: 'sidecar-added-to-pods-that-are-deleted',
    what: 'The injector matches updates of Pods, and adds an init container to a Pod of a Job that is deleted. Its finalizer cannot be removed.',
    deep: true,
    parts: inBusyCluster('opentelemetry', [
      namespace('opentelemetry'),
      namespace('batch'),
      service('opentelemetry/opentelemetry-operator-webhook', {
        selector: { app: 'opentelemetry-operator' },
        ...to(9443),
      }),
      deployment('opentelemetry/opentelemetry-operator', {
        replicas: 1,
        ...at(9443),
        pods: [
          running({
            answer: 'patch',
            patch: [
              {
                op: 'add',
                path: '/spec/initContainers',
                value: [
                  { name: 'opentelemetry-auto-instrumentation', image: 'autoinstrumentation-java:1.22.0' },
                ],
              },
            ],
          }),
        ],
      }),
      finishedPod('batch/report-28306992-9dcql', 'report-28306992', {
        'instrumentation.opentelemetry.io/inject-java': 'true',
      }),
      mutating('opentelemetry-operator-mutation', [
        webhook('mpod.kb.io', {
          service: 'opentelemetry/opentelemetry-operator-webhook',
          path: '/mutate-v1-pod',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: [rule('v1', 'pods', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'resizes-of-pods-unchecked',
    what: 'A policy limits the CPU of Pods. Its webhook has no rule for pods/resize, so a running Pod can be resized beyond the limit.',
    parts: inBusyCluster('kyverno', [
      ...kyverno(),
      custom(
        'kyverno.io/v1',
        'ClusterPolicy',
        { name: 'cpu-limit-max2' },
        {
          validationFailureAction: 'Enforce',
          background: false,
          rules: [
            {
              name: 'check-cpu-limit',
              match: { any: [{ resources: { kinds: ['Pod'] } }] },
              validate: { message: 'container cpu limit must be <= 2' },
            },
          ],
        },
        { conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Ready' }] },
      ),
      validating(
        'kyverno-resource-validating-webhook-cfg',
        [
          webhook('validate.kyverno.svc-fail', {
            service: 'kyverno/kyverno-svc',
            path: '/validate/fail',
            timeoutSeconds: 10,
            rules: [
              rule('v1', 'pods,pods/ephemeralcontainers,replicationcontrollers', 'CREATE', 'UPDATE'),
              rule('apps/v1', 'daemonsets,deployments,replicasets,statefulsets', 'CREATE', 'UPDATE'),
              rule('batch/v1', 'cronjobs,jobs', 'CREATE', 'UPDATE'),
            ],
            namespaceSelector: exceptNamespaces('kyverno', 'kube-system'),
          }),
        ],
        { labels: { 'webhook.kyverno.io/managed-by': 'kyverno' } },
      ),
    ]),
  },
  {
    slug: 'denials-of-webhook-that-fails-open',
    what: 'A policy webhook with failurePolicy Ignore responds, and denies what the provider of the cluster writes to kube-system.',
    parts: inBusyCluster('gatekeeper', [
      namespace('gatekeeper'),
      service('gatekeeper/gatekeeper-webhook-service', {
        selector: { app: 'gatekeeper-controller-manager' },
        ...to(8443),
      }),
      deployment('gatekeeper/gatekeeper-controller-manager', {
        replicas: 3,
        pods: [
          running({ answer: 'deny', message: '[ns-must-have-owner] you must provide labels: {"owner"}' }),
        ],
      }),
      validating('gatekeeper-validating-webhook-configuration', [
        webhook('validation.gatekeeper.sh', {
          service: 'gatekeeper/gatekeeper-webhook-service',
          path: '/v1/admit',
          failurePolicy: 'Ignore',
          timeoutSeconds: 3,
          rules: [rule('*/*', '*', 'CREATE', 'UPDATE')],
          namespaceSelector: {
            matchExpressions: [{ key: 'admission.gatekeeper.sh/ignore', operator: 'DoesNotExist' }],
          },
        }),
      ]),
    ]),
  },
  {
    slug: 'leases-wait-for-policy-engine',
    what: 'A policy engine has crashed. Its webhook with failurePolicy Ignore delays each write, and the holder of the virtual IP loses its Lease.',
    parts: inBusyCluster('kyverno', [
      namespace('kyverno'),
      clusterPolicies,
      service('kyverno/kyverno-svc', { selector: { app: 'kyverno' }, ...to(9443) }),
      deployment('kyverno/kyverno', {
        replicas: 1,
        ...at(9443),
        pods: [
          notReady('Get "https://10.0.0.9:9443/health/readiness": context deadline exceeded', {
            fault: 'hang-tls',
          }),
        ],
      }),
      ...[1, 2, 3].map((one) => kubeVip(`kube-vip-cp-${one}`)),
      validating('kyverno-resource-validating-webhook-cfg', [
        webhook('nirmata.kyverno.resource.validating-webhook', {
          service: 'kyverno/kyverno-svc',
          path: '/validate',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: [rule('*/*', '*/*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT')],
        }),
      ]),
    ]),
    logs: Object.fromEntries(
      [1, 2, 3].map((one) => [
        `kube-system/kube-vip-cp-${one}/kube-vip`,
        'I1203 15:05:22.885676       1 leaderelection.go:242] attempting to acquire leader lease  kube-system/plunder-lock...\nE1203 15:05:42.103311       1 leaderelection.go:367] Failed to update lock: context deadline exceeded\nI1203 15:05:42.103400       1 leaderelection.go:288] failed to renew lease kube-system/plunder-lock: timed out waiting for the condition\ntime="2020-12-03T15:05:42Z" level=fatal msg="This node is becoming a follower within the cluster"',
      ]),
    ),
  },
  {
    slug: 'metrics-api-of-second-installation',
    what: 'Two installations have an adapter each. The second one has overwritten the APIService: autoscalers of the first one get no metrics.',
    parts: inBusyCluster('armonik-2', [
      ...['armonik-1', 'armonik-2'].flatMap((home) => [
        namespace(home),
        service(`${home}/prometheus-adapter`, to(6443)),
        deployment(`${home}/prometheus-adapter`, {
          replicas: 1,
          ...at(6443),
          pods: [running({ api: 'custom.metrics.k8s.io/v1beta1' })],
        }),
        deployment(`${home}/compute-plane`, { replicas: 1, container: { ports: [] } }),
        service(`${home}/metrics-exporter`, to(9419)),
        deployment(`${home}/metrics-exporter`, { replicas: 1, ...at(9419) }),
      ]),
      podAutoscaler('armonik-1'),
      apiService('v1beta1.custom.metrics.k8s.io', 'armonik-2/prometheus-adapter'),
    ]),
  },
  {
    slug: 'pods-of-every-namespace-on-gke',
    what: 'Webhooks match Pods and autoscalers of all namespaces. GKE warns that they intercept kube-system.',
    parts: on('gke', 'tortoise-system', [
      namespace('tortoise-system'),
      service('tortoise-system/tortoise-webhook-service', {
        selector: { app: 'tortoise-controller-manager' },
        ...to(9443),
      }),
      deployment('tortoise-system/tortoise-controller-manager', { replicas: 1, ...at(9443) }),
      mutating('tortoise-mutating-webhook-configuration', [
        webhook('mhorizontalpodautoscaler.kb.io', {
          service: 'tortoise-system/tortoise-webhook-service',
          path: '/mutate-autoscaling-v2-horizontalpodautoscaler',
          timeoutSeconds: 10,
          rules: [rule('autoscaling/v2', 'horizontalpodautoscalers', 'CREATE', 'UPDATE')],
        }),
        webhook('mpod.kb.io', {
          service: 'tortoise-system/tortoise-webhook-service',
          path: '/mutate--v1-pod',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: [rule('v1', 'pods', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'deployments-of-every-namespace-on-gke',
    what: 'A webhook excludes namespaces by a label that kube-system does not have. GKE warns that it intercepts kube-system.',
    parts: on('gke', 'trendmicro-system', [
      namespace('trendmicro-system'),
      service('trendmicro-system/trendmicro-admission-controller', to(8443)),
      deployment('trendmicro-system/trendmicro-admission-controller', { replicas: 1 }),
      validating('admission-controller-trendmicro', [
        webhook('trendmicro-admission-controller.trendmicro-system.svc', {
          service: 'trendmicro-system/trendmicro-admission-controller',
          failurePolicy: 'Ignore',
          timeoutSeconds: 30,
          rules: [
            rule(
              '*/*',
              'pods,pods/ephemeralcontainers,replicasets,replicationcontrollers,deployments,statefulsets,daemonsets,jobs,cronjobs',
              '*',
            ),
          ],
          namespaceSelector: {
            matchExpressions: [{ key: 'ignoreAdmissionControl', operator: 'DoesNotExist' }],
          },
        }),
      ]),
    ]),
  },
  {
    slug: 'selectors-rewritten-since-platform-adds-label',
    what: 'A webhook of AKS adds an exclusion to each namespaceSelector. The operator writes its own again, thousands of times in minutes.',
    parts: on('aks', 'knative-discovery', [
      namespace('knative-discovery'),
      service('knative-discovery/webhook', to(8443)),
      deployment('knative-discovery/webhook', { replicas: 1 }),
      mutating(
        'defaulting.webhook.knative-discovery.knative.dev',
        [
          webhook('defaulting.webhook.knative-discovery.knative.dev', {
            service: 'knative-discovery/webhook',
            timeoutSeconds: 10,
            rules: [rule('discovery.knative.dev/v1alpha1', 'clusterducktypes')],
            namespaceSelector: {
              matchExpressions: [
                { key: 'webhooks.knative.dev/exclude', operator: 'DoesNotExist' },
                { key: 'control-plane', operator: 'DoesNotExist' },
              ],
            },
          }),
        ],
        {
          generation: 14290,
          creationTimestamp: ago('5m'),
          managedFields: [
            {
              manager: 'webhook',
              operation: 'Update',
              apiVersion: 'admissionregistration.k8s.io/v1',
              time: ago('1s'),
              fieldsType: 'FieldsV1',
              fieldsV1: {
                'f:webhooks': {
                  'k:{"name":"defaulting.webhook.knative-discovery.knative.dev"}': {
                    '.': {},
                    'f:clientConfig': { 'f:caBundle': {} },
                    'f:namespaceSelector': {},
                    'f:rules': {},
                  },
                },
              },
            },
          ] as never,
        },
      ),
    ]),
    logs: log(
      'knative-discovery/webhook',
      '{"level":"info","logger":"webhook.DefaultingWebhook","msg":"Updating webhook"}\n{"level":"error","logger":"webhook.DefaultingWebhook","msg":"Reconcile error","error":"failed to update webhook: Operation cannot be fulfilled on mutatingwebhookconfigurations.admissionregistration.k8s.io \\"defaulting.webhook.knative-discovery.knative.dev\\": the object has been modified; please apply your changes to the latest version and try again"}',
    ),
  },
  {
    slug: 'namespace-of-operator-excluded-from-mesh',
    what: 'The namespace has the label for the mesh, and one that the platform excludes from every webhook. Its Pods have no sidecar.',
    deep: true,
    parts: on('aks', 'istio-system', [
      namespace('istio-system'),
      namespace('awx', { 'istio-injection': 'enabled', 'control-plane': 'controller-manager' }),
      service('istio-system/istiod', { ports: [{ port: 443, targetPort: 15017 }] }),
      deployment('istio-system/istiod', { replicas: 1, ...at(15017) }),
      service('awx/awx-operator-metrics', { selector: { app: 'awx-operator' }, ...to(8443) }),
      deployment('awx/awx-operator', { replicas: 1 }),
      service('awx/awx', to(8052)),
      deployment('awx/awx', { replicas: 1, ...at(8052) }),
      mutating('istio-sidecar-injector', [
        webhook('namespace.sidecar-injector.istio.io', {
          service: 'istio-system/istiod',
          path: '/inject',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              { key: 'istio-injection', operator: 'In', values: ['enabled'] },
              { key: 'control-plane', operator: 'DoesNotExist' },
            ],
          },
          objectSelector: {
            matchExpressions: [{ key: 'sidecar.istio.io/inject', operator: 'NotIn', values: ['false'] }],
          },
        }),
      ]),
    ]),
  },
  {
    slug: 'mutating-configuration-only-in-first-install',
    what: 'The chart creates the mutating webhook only in the first installation, which failed. Its second attempt is an upgrade: the webhook does not exist.',
    parts: inBusyCluster('knative-serving', [
      namespace('knative-serving'),
      customResource('services.serving.knative.dev', 'Service'),
      customResource('configurations.serving.knative.dev', 'Configuration'),
      service('knative-serving/webhook', to(8443)),
      deployment('knative-serving/webhook', {
        replicas: 1,
        metadata: {
          annotations: {
            'meta.helm.sh/release-name': 'knative-serving',
            'meta.helm.sh/release-namespace': 'knative-serving',
          },
        },
      }),
      deployment('knative-serving/controller', { replicas: 1, container: { ports: [] } }),
      validating('config.webhook.serving.knative.dev', [
        webhook('config.webhook.serving.knative.dev', {
          service: 'knative-serving/webhook',
          rules: [rule('v1', 'configmaps')],
          namespaceSelector: {
            matchExpressions: [{ key: 'serving.knative.dev/release', operator: 'Exists' }],
          },
        }),
      ]),
      validating('validation.webhook.serving.knative.dev', [
        webhook('validation.webhook.serving.knative.dev', {
          service: 'knative-serving/webhook',
          rules: [rule('serving.knative.dev/v1', 'services,configurations,routes,revisions')],
        }),
      ]),
    ]),
  },
  {
    slug: 'engine-stopped-before-its-policies',
    what: 'Argo CD deletes a policy engine. Its Pods are stopped, its webhooks remain, and the deletion of its policies is refused.',
    parts: inBusyCluster('kyverno', [
      ...kyverno({
        replicas: 0,
        metadata: {
          annotations: {
            'argocd.argoproj.io/tracking-id': 'kyverno:apps/Deployment:kyverno/kyverno-admission-controller',
          },
        },
      }),
      custom(
        'kyverno.io/v1',
        'ClusterPolicy',
        {
          name: 'require-labels',
          creationTimestamp: ago('9d'),
          deletionTimestamp: ago('1h'),
          finalizers: ['resources-finalizer.argocd.argoproj.io'],
        },
        { validationFailureAction: 'Enforce', rules: [] },
      ),
      validating(
        'kyverno-resource-validating-webhook-cfg',
        [
          webhook('validate.kyverno.svc-fail', {
            service: 'kyverno/kyverno-svc',
            path: '/validate/fail',
            timeoutSeconds: 10,
            rules: [rule('v1', 'pods', 'CREATE', 'UPDATE', 'DELETE')],
            namespaceSelector: exceptNamespaces('kyverno'),
          }),
        ],
        { labels: { 'webhook.kyverno.io/managed-by': 'kyverno' } },
      ),
    ]),
  },
  {
    slug: 'engine-uninstalled-configurations-left',
    what: 'After helm uninstall of a policy engine its configurations remain: its ServiceAccount was deleted before it could delete them.',
    parts: inBusyCluster('kyverno', [
      namespace('kyverno'),
      clusterPolicies,
      ...['mutating', 'validating'].map((kind) =>
        (kind === 'mutating' ? mutating : validating)(
          `kyverno-resource-${kind}-webhook-cfg`,
          [
            webhook(`${kind === 'mutating' ? 'mutate' : 'validate'}.kyverno.svc-fail`, {
              service: 'kyverno/kyverno-svc',
              path: kind === 'mutating' ? '/mutate/fail' : '/validate/fail',
              timeoutSeconds: 10,
              rules: [rule('v1', 'pods', 'CREATE', 'UPDATE')],
              namespaceSelector: exceptNamespaces('kyverno'),
            }),
          ],
          { labels: { 'webhook.kyverno.io/managed-by': 'kyverno' } },
        ),
      ),
    ]),
  },
  {
    slug: 'identity-webhook-missing',
    what: 'The cluster of EKS has no webhook for IAM roles. Pods whose ServiceAccount requests one have no credentials.',
    deep: true,
    parts: on('eks', 'shop', [
      namespace('shop'),
      annotatedAccount('shop', 'my-service-api', ago('20d')),
      appPod('shop/my-service-api-7d4c-abcde', { serviceAccountName: 'my-service-api' }),
    ]),
  },
  {
    slug: 'pod-created-with-its-account',
    what: 'A Pod was created in the same second as its ServiceAccount, which the webhook of EKS had not yet read. The Pod has no credentials.',
    deep: true,
    parts: on('eks', 'kube-system', [
      annotatedAccount('kube-system', 'cluster-autoscaler', ago('3h')),
      appPod('kube-system/cluster-autoscaler-7d4c-abcde', {
        serviceAccountName: 'cluster-autoscaler',
        owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cluster-autoscaler-7d4c' },
      }),
      mutating(
        'pod-identity-webhook',
        [
          webhook('iam-for-pods.amazonaws.com', {
            url: 'https://127.0.0.1:23443/mutate',
            failurePolicy: 'Ignore',
            timeoutSeconds: 10,
            rules: pods,
          }),
        ],
        { creationTimestamp: ago('4h') },
      ),
    ]),
  },
  {
    slug: 'configuration-applied-before-workload',
    what: 'The configuration of a chart was applied before its Deployment. Its webhook matches all Pods, and refuses those of its own Deployment.',
    parts: inBusyCluster('controller-system', [
      namespace('controller-system'),
      service('controller-system/controller-webhook', { selector: { app: 'controller' }, ...to(9443) }),
      deployment('controller-system/controller', {
        replicas: 1,
        ...at(9443),
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "mpod.controller.example.com": failed to call webhook: Post "https://controller-webhook.controller-system.svc:443/mutate-pods?timeout=10s": no endpoints available for service "controller-webhook"',
        metadata: {
          labels: {
            'helm.toolkit.fluxcd.io/name': 'controller',
            'helm.toolkit.fluxcd.io/namespace': 'flux-system',
          },
        },
      }),
      mutating('controller-mutating', [
        webhook('mpod.controller.example.com', {
          service: 'controller-system/controller-webhook',
          path: '/mutate-pods',
          timeoutSeconds: 10,
          rules: pods,
        }),
      ]),
      validating('controller-validating', [
        webhook('widgets.controller.example.com', {
          service: 'controller-system/controller-webhook',
          rules: [rule('controller.example.com/v1', 'widgets')],
        }),
      ]),
    ]),
  },
  {
    slug: 'pods-of-removed-nodes-not-deletable',
    what: 'All nodes were removed. The webhook of a policy engine, which has no Pod left, refuses the deletion of the Pods of these nodes.',
    parts: inBusyCluster('kyverno', [
      ...kyverno().filter((part) => !('manifest' in part)),
      ...unschedulable('kyverno/kyverno-admission-controller', 'no nodes available to schedule pods'),
      namespace('cert-manager'),
      appPod('cert-manager/cert-manager-prod-6f5d-x2x4z', {
        nodeName: 'worker-0',
        owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cert-manager-prod-6f5d' },
        conditions: [
          {
            type: 'DisruptionTarget',
            status: 'True',
            reason: 'DeletionByPodGC',
            message: 'PodGC: node no longer exists',
            lastTransitionTime: ago('30m'),
          },
        ],
      }),
      validating('kyverno-resource-validating-webhook-cfg', [
        webhook('validate.kyverno.svc-fail', {
          service: 'kyverno/kyverno-svc',
          path: '/validate/fail',
          timeoutSeconds: 10,
          rules: [rule('v1', 'pods', 'CREATE', 'UPDATE', 'DELETE')],
          namespaceSelector: exceptNamespaces('kyverno', 'kube-system'),
        }),
      ]),
    ]),
  },
  {
    slug: 'policies-for-webhook-configurations',
    what: 'Policies of an engine match webhook configurations, for which the API server calls no webhook.',
    parts: inBusyCluster('kyverno', [
      ...kyverno(),
      custom(
        'kyverno.io/v1',
        'ClusterPolicy',
        { name: 'insert-webhook-namespaceselector' },
        {
          rules: [
            {
              name: 'insert-webhook-namespaceselector',
              match: {
                resources: { kinds: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] },
              },
              mutate: { patchStrategicMerge: { webhooks: [{ '(name)': '*' }] } },
            },
          ],
        },
      ),
      mutating('kyverno-resource-mutating-webhook-cfg', [
        webhook('mutate.kyverno.svc', {
          service: 'kyverno/kyverno-svc',
          path: '/mutate',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: [rule('*/*', '*/*', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'policies-without-registered-webhooks',
    what: 'A release of a policy engine has emptied its configuration. Mutating policies exist, and no webhook is called for them.',
    parts: inBusyCluster('kyverno', [
      ...kyverno(),
      custom(
        'kyverno.io/v1',
        'ClusterPolicy',
        { name: 'add-privileged-existing-namespaces' },
        {
          mutateExistingOnPolicyUpdate: true,
          rules: [
            {
              name: 'privileged-namespaces',
              match: { any: [{ resources: { kinds: ['Namespace'] } }] },
              mutate: { targets: [{ apiVersion: 'v1', kind: 'Namespace' }], patchStrategicMerge: {} },
            },
          ],
        },
      ),
      mutating('kyverno-resource-mutating-webhook-cfg', [], {
        generation: 7,
        creationTimestamp: ago('14h'),
        labels: { 'webhook.kyverno.io/managed-by': 'kyverno' },
      }),
    ]),
  },
  {
    slug: 'member-of-mesh-not-labelled',
    what: 'The operator of a mesh could not label the namespaces of its members. Pods that request a sidecar have none.',
    deep: true,
    parts: on('openshift', 'istio-system', [
      namespace('istio-system', { 'maistra.io/member-of': 'istio-system' }),
      namespace('bookinfo'),
      service('istio-system/istio-sidecar-injector', {
        selector: { app: 'istio-sidecar-injector' },
        ...to(8443),
      }),
      deployment('istio-system/istio-sidecar-injector', { replicas: 1 }),
      namespace('istio-operator'),
      deployment('istio-operator/istio-operator', { replicas: 1, container: { ports: [] } }),
      appPod('bookinfo/sleep-7d4c-abcde', {
        annotations: { 'sidecar.istio.io/inject': 'true' },
        owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'sleep-7d4c' },
      }),
      mutating('istio-sidecar-injector', [
        webhook('sidecar-injector.istio.io', {
          service: 'istio-system/istio-sidecar-injector',
          path: '/inject',
          timeoutSeconds: 30,
          rules: pods,
          namespaceSelector: { matchLabels: { 'maistra.io/member-of': 'istio-system' } },
        }),
      ]),
    ]),
  },
];

/** A Pod of the virtual IP, on a control plane node, that lost its Lease. */
function kubeVip(name: string): ClusterPart {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'kube-system',
      name,
      creationTimestamp: ago('30d'),
      annotations: { 'kubernetes.io/config.mirror': '5f6e' },
    },
    spec: {
      nodeName: name.replace('kube-vip-', ''),
      hostNetwork: true,
      containers: [{ name: 'kube-vip', image: 'plndr/kube-vip:0.1.7' }],
    },
    status: {
      phase: 'Running',
      podIP: '203.0.113.10',
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
      containerStatuses: [
        {
          name: 'kube-vip',
          image: '',
          ready: false,
          restartCount: 31,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: {
            terminated: { exitCode: 1, reason: 'Error', startedAt: ago('6m'), finishedAt: ago('5m') },
          },
        },
      ],
    },
  } as never;
}

/** A ServiceAccount with an IAM role. */
function annotatedAccount(home: string, name: string, creationTimestamp: string): ClusterPart {
  const account = serviceAccount(home, name) as { metadata: object };
  return {
    ...account,
    metadata: {
      ...account.metadata,
      creationTimestamp,
      annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::111122223333:role/my-role' },
    },
  } as never;
}
