import { crashing, notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { creating, inBusyCluster, withStatus } from './busy-cluster.ts';
import { at, type IncidentState, log, pods, policy, to, unschedulable } from './parts.ts';

/** States of a second sample, taken as the first one after the rules had been corrected for it. */
export const sampledAgain: readonly IncidentState[] = [
  {
    slug: 'upgrade-without-certificate-job',
    what: 'After an upgrade, the Secret that the Pods mount does not exist: only the hook of the installation creates it.',
    parts: inBusyCluster('spark-operator', [
      namespace('spark-operator'),
      service('spark-operator/spark-webhook', { selector: { app: 'sparkoperator' }, ...to(8080) }),
      ...withStatus(
        'spark-operator/sparkoperator',
        creating(),
        [
          [
            'FailedMount',
            'MountVolume.SetUp failed for volume "webhook-certs" : secret "spark-webhook-certs" not found',
          ],
        ],
        {
          container: {
            ports: [{ containerPort: 8080 }],
            volumeMounts: [{ name: 'webhook-certs', mountPath: '/etc/webhook-certs' }],
          },
          spec: { volumes: [{ name: 'webhook-certs', secret: { secretName: 'spark-webhook-certs' } }] },
        },
      ),
      mutating('spark-webhook-config', [
        webhook('webhook.sparkoperator.k8s.io', {
          service: 'spark-operator/spark-webhook',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'certificate-created-by-program-that-waits',
    what: 'The program would create its Certificate itself, and exits before because the files of an optional volume are missing.',
    parts: inBusyCluster('opendatahub', [
      namespace('opendatahub'),
      service('opendatahub/observability-webhook', {
        selector: { app: 'observability-operator' },
        ...to(9443),
      }),
      deployment('opendatahub/observability-operator', {
        replicas: 1,
        container: {
          ports: [{ containerPort: 9443 }],
          args: ['--enable-webhook=true'],
          volumeMounts: [{ name: 'cert', mountPath: '/tmp/k8s-webhook-server/serving-certs' }],
        },
        spec: {
          volumes: [{ name: 'cert', secret: { secretName: 'observability-webhook-cert', optional: true } }],
        },
        pods: [
          crashing(
            1,
            '2026-08-28T09:00:01Z\tINFO\tcontroller-runtime.webhook\tStarting webhook server\n2026-08-28T09:00:01Z\tERROR\tsetup\tproblem running manager\t{"error": "open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory"}',
          ),
        ],
      }),
      customResource('servicemonitors.monitoring.coreos.com', 'ServiceMonitor'),
      mutating('observability-monitors', [
        webhook('servicemonitors.opendatahub.io', {
          service: 'opendatahub/observability-webhook',
          rules: [rule('monitoring.coreos.com/v1', 'servicemonitors,podmonitors')],
        }),
      ]),
    ]),
  },
  {
    slug: 'adapter-calls-removed-review',
    what: 'An adapter of metrics calls SubjectAccessReview v1beta1, which the cluster removed, and returns 500 for every request.',
    parts: inBusyCluster('monitoring', [
      namespace('monitoring'),
      service('monitoring/prometheus-adapter', to(6443)),
      deployment('monitoring/prometheus-adapter', {
        replicas: 1,
        ...at(6443),
        pods: [
          running({
            answer: 'raw',
            status: 500,
            body: 'Internal Server Error: "/apis/custom.metrics.k8s.io/v1beta1": the server could not find the requested resource',
          }),
        ],
      }),
      apiService('v1beta1.custom.metrics.k8s.io', 'monitoring/prometheus-adapter', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.0.4.9:6443/apis/custom.metrics.k8s.io/v1beta1: bad status from https://10.0.4.9:6443/apis/custom.metrics.k8s.io/v1beta1: 500',
      }),
    ]),
    logs: log(
      'monitoring/prometheus-adapter',
      'E0209 05:15:17.882999       1 webhook.go:199] Failed to make webhook authorizer request: the server could not find the requested resource\nE0209 05:15:17.883111       1 errors.go:77] the server could not find the requested resource',
    ),
  },
  {
    slug: 'policy-closes-port-of-own-conversion',
    what: 'A NetworkPolicy allows another port. The program reads its own resource, which its webhook converts, and exits.',
    parts: inBusyCluster('karpenter', [
      namespace('karpenter'),
      service('karpenter/karpenter', to(8443)),
      deployment('karpenter/karpenter', {
        replicas: 1,
        pods: [
          crashing(
            1,
            '{"level":"ERROR","time":"2024-09-03T10:00:00.000Z","logger":"controller","message":"panic: getting nodeclaims, conversion webhook for karpenter.sh/v1beta1, Kind=NodeClaim failed: Post \\"https://karpenter.karpenter.svc:8443/?timeout=30s\\": dial tcp 10.100.0.9:8443: i/o timeout"}',
          ),
        ],
      }),
      customResource('nodeclaims.karpenter.sh', 'NodeClaim', {
        service: 'karpenter/karpenter',
        path: '/conversion/karpenter.sh',
      }),
      policy('karpenter/karpenter', {
        podSelector: { matchLabels: { app: 'karpenter' } },
        policyTypes: ['Ingress'],
        ingress: [{ ports: [{ port: 8000 }] }],
      }),
    ]),
  },
  {
    slug: 'injector-matches-its-own-first-pod',
    what: 'A webhook with failurePolicy Fail matches the first Pod of its own Deployment.',
    parts: inBusyCluster('chaosblade', [
      namespace('chaosblade'),
      service('chaosblade/chaosblade-webhook-server', {
        selector: { app: 'chaosblade-operator' },
        ...to(9443),
      }),
      deployment('chaosblade/chaosblade-operator', {
        replicas: 1,
        ...at(9443),
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "chaosblade-operator.chaosblade.svc": failed to call webhook: Post "https://chaosblade-webhook-server.chaosblade.svc:443/mutating-pods?timeout=10s": no endpoints available for service "chaosblade-webhook-server"',
      }),
      mutating('chaosblade-operator', [
        webhook('chaosblade-operator.chaosblade.svc', {
          service: 'chaosblade/chaosblade-webhook-server',
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'guarded-configuration-was-deleted',
    what: 'The program exits without a ConfigMap, and its webhook must admit the creation of it.',
    parts: inBusyCluster('knative-eventing', [
      namespace('knative-eventing', { 'eventing.knative.dev/release': 'v0.20.0' }),
      service('knative-eventing/eventing-webhook', to(8443)),
      deployment('knative-eventing/eventing-webhook', {
        replicas: 1,
        pods: [
          crashing(
            1,
            '2021/01/20 10:00:00 Registering 2 clients\n{"level":"fatal","ts":"2021-01-20T10:00:01Z","logger":"eventing-webhook","msg":"Failed to start configuration manager","error":"configmap \\"config-br-defaults\\" not found"}',
          ),
        ],
      }),
      validating('config.webhook.eventing.knative.dev', [
        webhook('config.webhook.eventing.knative.dev', {
          service: 'knative-eventing/eventing-webhook',
          rules: [rule('v1', 'configmaps')],
          namespaceSelector: {
            matchExpressions: [{ key: 'eventing.knative.dev/release', operator: 'Exists' }],
          },
        }),
      ]),
    ]),
  },
  {
    slug: 'webhook-of-nodes-waits-for-node',
    what: 'A webhook matches updates of Nodes, and its only Pod waits for a Node that is ready.',
    parts: inBusyCluster('capsule-system', [
      namespace('capsule-system'),
      service('capsule-system/capsule-webhook-service', {
        selector: { app: 'capsule-controller-manager' },
        ...to(9443),
      }),
      ...unschedulable(
        'capsule-system/capsule-controller-manager',
        '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.',
      ),
      validating('capsule-validating-webhook-configuration', [
        webhook('nodes.capsule.clastix.io', {
          service: 'capsule-system/capsule-webhook-service',
          rules: [rule('v1', 'nodes', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'extension-server-of-former-release',
    what: 'The backend of an API for reviews calls a removed version of an API. It returns 500 also to its probes.',
    parts: inBusyCluster('anchore', [
      namespace('anchore'),
      service('anchore/admission-controller', to(8443)),
      deployment('anchore/admission-controller', {
        replicas: 1,
        pods: [notReady('HTTP probe failed with statuscode: 500')],
      }),
      apiService('v1beta1.admission.anchore.io', 'anchore/admission-controller', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/admission-controller in "anchore" have no addresses with port name ""',
      }),
    ]),
    logs: log(
      'anchore/admission-controller',
      'E0213 11:36:27.463870       1 webhook.go:196] Failed to make webhook authorizer request: the server could not find the requested resource\nE0213 11:36:27.464009       1 errors.go:77] the server could not find the requested resource',
    ),
  },
];
