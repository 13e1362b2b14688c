import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, ready, running } from '../../../src/demo/cluster/behaviour.ts';
import { lease, namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import {
  type ClusterPart,
  daemonSet,
  deployment,
  statefulSet,
} from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster, restarted, withStatus } from './busy-cluster.ts';
import { at, type IncidentState, log, mount, pods, policy, to } from './parts.ts';

/** An autoscaler of a Deployment that reads an external metric, and gets this error. */
const autoscaler = (name: string, metric: string): ClusterPart =>
  ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name },
    spec: {
      minReplicas: 1,
      maxReplicas: 5,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker' },
      metrics: [
        { type: 'External', external: { metric: { name: metric }, target: { type: 'Value', value: '5' } } },
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
          message: `the HPA was unable to compute the replica count: unable to get external metric shop/${metric}/&LabelSelector{MatchLabels:map[string]string{scaledobject.keda.sh/name: worker,},MatchExpressions:[]LabelSelectorRequirement{},}: unable to fetch metrics from external metrics API: the server is currently unable to handle the request (get ${metric}.external.metrics.k8s.io)`,
          lastTransitionTime: ago('1h'),
        },
      ],
    },
  }) as never;

/** Backends that do not start, are refused, or cannot be reached, in clusters with other products. */
export const busyStarts: readonly IncidentState[] = [
  {
    slug: 'any-namespace-is-not-the-control-plane',
    what: 'The policy of an extension API server allows all namespaces. The API server on the host network is in none.',
    parts: inBusyCluster('test-np-1', [
      namespace('test-np-1', { name: 'test-np' }),
      service('test-np-1/test-nginx', to(8443)),
      deployment('test-np-1/test-nginx', {
        replicas: 1,
        pods: [running({ network: 'drops', api: 'test.np.api.rke/v1alpha1' })],
      }),
      apiService('v1alpha1.test.np.api.rke', 'test-np-1/test-nginx', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://203.0.113.61:443/apis/test.np.api.rke/v1alpha1: Get "https://203.0.113.61:443/apis/test.np.api.rke/v1alpha1": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
      }),
      policy('test-np-1/test-nginx', {
        podSelector: { matchLabels: { app: 'test-nginx' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ namespaceSelector: {} }] }],
      }),
    ]),
  },
  {
    slug: 'metrics-server-without-operator-ca',
    what: 'Since an upgrade the operator has a CA in a Secret of its own, which the metrics server does not mount. The API is available, and has no metrics.',
    parts: inBusyCluster('keda', [
      namespace('keda'),
      namespace('shop'),
      service('keda/keda-operator', { ports: [{ name: 'metricsservice', port: 9666, targetPort: 9666 }] }),
      deployment('keda/keda-operator', { replicas: 1, ...at(9666) }),
      lease('keda/operator.keda.sh', 'keda-operator'),
      service('keda/keda-operator-metrics-apiserver', to(6443)),
      deployment('keda/keda-operator-metrics-apiserver', {
        replicas: 1,
        ...mount('kedaorg-certs', { ports: [{ containerPort: 6443 }] }),
        pods: [running({ api: 'external.metrics.k8s.io/v1beta1' })],
      }),
      servingSecretManifest('keda/kedaorg-certs', 'keda/keda-operator-metrics-apiserver'),
      apiService('v1beta1.external.metrics.k8s.io', 'keda/keda-operator-metrics-apiserver'),
      autoscaler('keda-hpa-worker', 's0-prometheus'),
      autoscaler('keda-hpa-mailer', 's0-rabbitmq-mails'),
    ]),
    logs: log(
      'keda/keda-operator-metrics-apiserver',
      'I0719 14:49:23.914875       1 client.go:88] keda_metrics_adapter/provider "msg"="Waiting for establishing a gRPC connection to KEDA Metrics Server"\nW0719 14:49:43.745679       1 logging.go:59] [core] [Channel #1 SubChannel #649] grpc: addrConn.createTransport failed to connect to {Addr: "keda-operator.keda.svc.cluster.local:9666", ServerName: "keda-operator.keda.svc.cluster.local:9666", }. Err: connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of \\"crypto/rsa: verification error\\" while trying to verify candidate authority certificate \\"KEDA\\")"',
    ),
  },
  {
    slug: 'no-tunnel-agent',
    what: 'One of several control planes has no agent of the tunnel: all agents are connected to the others.',
    parts: inBusyCluster('kube-system', [
      service('kube-system/metrics-server', to(10250)),
      deployment('kube-system/metrics-server', {
        replicas: 1,
        ...at(10250),
        pods: [running({ api: 'metrics.k8s.io/v1beta1' })],
      }),
      daemonSet('kube-system/konnectivity-agent', {
        labels: { 'k8s-app': 'konnectivity-agent' },
        container: { name: 'konnectivity-agent', readinessProbe: {} },
      }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://198.51.100.20:10250/apis/metrics.k8s.io/v1beta1: Get "https://198.51.100.20:10250/apis/metrics.k8s.io/v1beta1": No agent available',
      }),
    ]),
  },
  {
    slug: 'second-replica-waits-for-rotator',
    what: 'The program renews its certificate as the leader only. The other replica waits for that forever, and never becomes Ready.',
    parts: inBusyCluster('secret-rules', [
      namespace('secret-rules'),
      service('secret-rules/secret-rules-webhook', {
        selector: { app: 'secret-rules-controller' },
        ...to(9443),
      }),
      deployment('secret-rules/secret-rules-controller', {
        ...mount('secret-rules-webhook-cert', { ports: [{ containerPort: 9443 }] }),
        pods: [ready, notReady('HTTP probe failed with statuscode: 500', { listens: 'nowhere' })],
      }),
      servingSecretManifest('secret-rules/secret-rules-webhook-cert', 'secret-rules/secret-rules-webhook'),
      lease('secret-rules/secret-rules-controller', 'secret-rules-controller'),
      validating('secret-rules', [
        webhook('rules.secret-rules.example.com', {
          service: 'secret-rules/secret-rules-webhook',
          rules: [rule('secret-rules.example.com/v1', 'rules')],
        }),
      ]),
    ]),
    logs: Object.fromEntries(
      Object.entries(log('secret-rules/secret-rules-controller', '', 'webhook', 2)).map(([key], ordinal) => [
        key,
        ordinal === 0
          ? '{"level":"info","ts":"2023-01-15T10:00:00.100Z","logger":"setup","msg":"Waiting for certificate generation to complete"}\n{"level":"info","ts":"2023-01-15T10:00:02.100Z","logger":"cert-rotation","msg":"starting cert rotator controller"}\n{"level":"info","ts":"2023-01-15T10:00:04.100Z","logger":"setup","msg":"Certs ready"}'
          : '{"level":"info","ts":"2023-01-15T10:00:00.100Z","logger":"setup","msg":"Waiting for certificate generation to complete"}\nI0115 10:00:00.300000       1 leaderelection.go:248] attempting to acquire leader lease secret-rules/secret-rules-controller...',
      ]),
    ),
  },
  {
    slug: 'rotator-of-follower-crashes',
    what: 'The certificate rotator also runs in the replica that is not the leader, where its cache never syncs. That replica exits.',
    parts: inBusyCluster('kueue-system', [
      namespace('kueue-system'),
      service('kueue-system/kueue-webhook-service', {
        selector: { app: 'kueue-controller-manager' },
        ...to(9443),
      }),
      deployment('kueue-system/kueue-controller-manager', {
        ...mount('kueue-webhook-server-cert', { ports: [{ containerPort: 9443 }] }),
        pods: [
          ready,
          crashing(
            1,
            '{"level":"info","ts":"2023-12-12T18:02:44.683244475Z","logger":"setup","caller":"kueue/main.go:217","msg":"Waiting for certificate generation to complete"}\n{"level":"error","ts":"2023-12-12T18:04:44.726776367Z","caller":"controller/controller.go:203","msg":"Could not wait for Cache to sync","controller":"cert-rotator","error":"failed to wait for cert-rotator caches to sync: timed out waiting for cache to be synced for Kind *v1.Secret"}',
          ),
        ],
      }),
      servingSecretManifest('kueue-system/kueue-webhook-server-cert', 'kueue-system/kueue-webhook-service'),
      lease('kueue-system/c1f6bfd2.kueue.x-k8s.io', 'kueue-controller-manager'),
      mutating('kueue-mutating-webhook-configuration', [
        webhook('mjob.kb.io', {
          service: 'kueue-system/kueue-webhook-service',
          rules: [rule('batch/v1', 'jobs', 'CREATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'refuses-its-own-pod-without-certificate',
    what: 'The program fills its Secret and its configurations itself. Its webhook for Pods fails closed, so that its first Pod cannot be created.',
    parts: inBusyCluster('jobset-system', [
      namespace('jobset-system'),
      service('jobset-system/jobset-webhook-service', {
        selector: { app: 'jobset-controller-manager' },
        ...to(9443),
      }),
      deployment('jobset-system/jobset-controller-manager', {
        replicas: 1,
        ...mount('jobset-webhook-server-cert', { ports: [{ containerPort: 9443 }] }),
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: Post "https://jobset-webhook-service.jobset-system.svc:443/mutate--v1-pod?timeout=10s": dial tcp 203.0.113.173:443: connect: connection refused',
      }),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'jobset-system', name: 'jobset-webhook-server-cert' },
        type: 'Opaque',
      } as never,
      mutating('jobset-mutating-webhook-configuration', [
        webhook('mjobset.kb.io', {
          service: 'jobset-system/jobset-webhook-service',
          caBundle: '',
          timeoutSeconds: 10,
          rules: [rule('jobset.x-k8s.io/v1alpha2', 'jobsets')],
        }),
        webhook('mpod.kb.io', {
          service: 'jobset-system/jobset-webhook-service',
          path: '/mutate--v1-pod',
          caBundle: '',
          timeoutSeconds: 10,
          rules: pods,
        }),
      ]),
      validating('jobset-validating-webhook-configuration', [
        webhook('vjobset.kb.io', {
          service: 'jobset-system/jobset-webhook-service',
          caBundle: '',
          timeoutSeconds: 10,
          rules: [rule('jobset.x-k8s.io/v1alpha2', 'jobsets')],
        }),
      ]),
    ]),
  },
  {
    slug: 'security-context-constraints',
    what: 'The manifest sets a user id that the platform does not allow. No Pod of the webhook is created.',
    parts: inBusyCluster('tekton-pipelines', [
      namespace('tekton-pipelines'),
      service('tekton-pipelines/tekton-pipelines-webhook'),
      deployment('tekton-pipelines/tekton-pipelines-webhook', {
        replicas: 1,
        spec: { securityContext: { runAsUser: 1001 } } as never,
        pods: [],
        refused:
          'pods "tekton-pipelines-webhook-55b98d698-" is forbidden: unable to validate against any security context constraint: [spec.containers[0].securityContext.securityContext.runAsUser: Invalid value: 1001: must be in the ranges: [1000620000, 1000629999]]',
      }),
      ...besides('tekton-pipelines', 'tekton-pipelines-controller'),
      validating('validation.webhook.pipeline.tekton.dev', [
        webhook('validation.webhook.pipeline.tekton.dev', {
          service: 'tekton-pipelines/tekton-pipelines-webhook',
          rules: [rule('tekton.dev/v1', 'pipelines,tasks,pipelineruns,taskruns')],
        }),
      ]),
      mutating('webhook.pipeline.tekton.dev', [
        webhook('webhook.pipeline.tekton.dev', {
          service: 'tekton-pipelines/tekton-pipelines-webhook',
          rules: [rule('tekton.dev/v1', 'pipelines,tasks,pipelineruns,taskruns')],
        }),
      ]),
    ]),
  },
  {
    slug: 'critical-priority-without-quota',
    what: 'The platform allows critical priorities only in namespaces with a ResourceQuota for them. The policy engine fails open, and no Pod of it exists.',
    parts: inBusyCluster('gatekeeper-system', [
      namespace('gatekeeper-system'),
      service('gatekeeper-system/gatekeeper-webhook-service', {
        selector: { app: 'gatekeeper-controller-manager' },
      }),
      ...['gatekeeper-controller-manager', 'gatekeeper-audit'].map((name) =>
        deployment(`gatekeeper-system/${name}`, {
          replicas: name === 'gatekeeper-audit' ? 1 : 3,
          spec: { priorityClassName: 'system-cluster-critical' } as never,
          pods: [],
          refused:
            'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]',
        }),
      ),
      validating('gatekeeper-validating-webhook-configuration', [
        webhook('validation.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          path: '/v1/admit',
          failurePolicy: 'Ignore',
          timeoutSeconds: 3,
          rules: [rule('*/*', '*')],
        }),
        webhook('check-ignore-label.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          path: '/v1/admitlabel',
          timeoutSeconds: 3,
          rules: [rule('v1', 'namespaces')],
        }),
      ]),
    ]),
  },
  {
    slug: 'request-above-limit',
    what: 'The manifest requests more CPU than the default limit of its namespace. No Pod of the webhook is created.',
    parts: inBusyCluster('security-profiles-operator', [
      namespace('security-profiles-operator'),
      {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { namespace: 'security-profiles-operator', name: 'defaults' },
        spec: { limits: [{ type: 'Container', default: { cpu: '100m' } }] },
      } as never,
      service('security-profiles-operator/webhook-service', {
        selector: { app: 'security-profiles-operator-webhook' },
        ...to(9443),
      }),
      deployment('security-profiles-operator/security-profiles-operator-webhook', {
        replicas: 3,
        container: {
          ports: [{ containerPort: 9443 }],
          resources: { requests: { cpu: '250m', memory: '32Mi' } } as never,
        },
        pods: [],
        refused:
          'Pod "security-profiles-operator-webhook-5d555d9d79-tdh5j" is invalid: spec.containers[0].resources.requests: Invalid value: "250m": must be less than or equal to cpu limit',
      }),
      ...besides('security-profiles-operator', 'security-profiles-operator'),
      mutating('spo-mutating-webhook-configuration', [
        webhook('binding.spo.io', {
          service: 'security-profiles-operator/webhook-service',
          path: '/mutate-v1-pod-binding',
          rules: pods,
          objectSelector: { matchLabels: { 'spo.x-k8s.io/enable-binding': 'true' } },
        }),
      ]),
    ]),
  },
  {
    slug: 'health-port-in-arguments-only',
    what: 'The value of the chart changes the health port of the program, and not that of its probes. The kubelet restarts a program that works.',
    parts: inBusyCluster('nrr-system', [
      namespace('nrr-system'),
      service('nrr-system/nrr-webhook-service', { selector: { app: 'nrr-controller-manager' }, ...to(9443) }),
      ...withStatus(
        'nrr-system/nrr-controller-manager',
        restarted(0, 'Completed'),
        [
          [
            'Unhealthy',
            'Liveness probe failed: Get "http://198.51.100.77:8081/healthz": dial tcp 198.51.100.77:8081: connect: connection refused',
          ],
          [
            'Unhealthy',
            'Readiness probe failed: Get "http://198.51.100.77:8081/readyz": dial tcp 198.51.100.77:8081: connect: connection refused',
          ],
          ['Killing', 'Container webhook failed liveness probe, will be restarted'],
        ],
        {
          container: {
            args: ['--health-probe-bind-address=:9090', '--enable-webhook=true'],
            ports: [{ containerPort: 9443 }, { containerPort: 8081, name: 'health' }],
            livenessProbe: { httpGet: { path: '/healthz', port: 8081 }, initialDelaySeconds: 15 },
            readinessProbe: { httpGet: { path: '/readyz', port: 8081 }, initialDelaySeconds: 5 },
          },
        },
      ),
      validating('nrr-validating-webhook-configuration', [
        webhook('vnodereadinessrule.kb.io', {
          service: 'nrr-system/nrr-webhook-service',
          rules: [rule('readiness.node.x-k8s.io/v1alpha1', 'nodereadinessrules')],
        }),
      ]),
    ]),
    logs: {
      'nrr-system/nrr-controller-manager-6f9d-x2x4z/webhook':
        '2026-09-16T10:00:00Z\tINFO\tsetup\tstarting manager\n2026-09-16T10:00:00Z\tINFO\tstarting server\t{"name": "health probe", "addr": "[::]:9090"}',
      'nrr-system/nrr-controller-manager-6f9d-x2x4z/webhook/previous':
        '2026-09-16T09:58:00Z\tINFO\tsetup\tstarting manager\n2026-09-16T09:58:00Z\tINFO\tstarting server\t{"name": "health probe", "addr": "[::]:9090"}\n2026-09-16T09:59:00Z\tINFO\tStopping and waiting for non leader election runnables',
    },
  },
  {
    slug: 'preempted-injector',
    what: 'All preemptible nodes were replaced at once. The injector fails open and started last: Pods run with the references that it would have resolved.',
    deep: true,
    parts: inBusyCluster('vault-infra', [
      namespace('vault-infra'),
      namespace('shop'),
      service('vault-infra/vault-secrets-webhook'),
      deployment('vault-infra/vault-secrets-webhook', { replicas: 1 }),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'shop',
          name: 'orders-7d4c-abcde',
          uid: 'uid-of-orders',
          creationTimestamp: ago('2h'),
          labels: { app: 'orders' },
          annotations: { 'vault.security.banzaicloud.io/vault-addr': 'https://vault.vault:8200' },
        },
        spec: {
          nodeName: 'worker-1',
          containers: [
            {
              name: 'orders',
              image: 'orders:v1',
              env: [{ name: 'DB_PASSWORD', value: 'vault:secret/data/orders#DB_PASSWORD' }],
            },
          ],
        },
        status: {
          phase: 'Running',
          podIP: '198.51.100.90',
          containerStatuses: [
            {
              name: 'orders',
              image: 'orders:v1',
              ready: false,
              restartCount: 20,
              state: {
                waiting: {
                  reason: 'CrashLoopBackOff',
                  message: 'back-off 5m0s restarting failed container=orders',
                },
              },
              lastState: {
                terminated: { exitCode: 1, reason: 'Error', startedAt: ago('6m'), finishedAt: ago('5m') },
              },
            },
          ],
        },
      } as never,
      mutating(
        'vault-secrets-webhook',
        [
          webhook('pods.vault-secrets-webhook.admission.banzaicloud.com', {
            service: 'vault-infra/vault-secrets-webhook',
            path: '/pods',
            failurePolicy: 'Ignore',
            timeoutSeconds: 10,
            rules: pods,
            namespaceSelector: {
              matchExpressions: [{ key: 'name', operator: 'NotIn', values: ['kube-system', 'vault-infra'] }],
            },
          }),
        ],
        { creationTimestamp: ago('30d') },
      ),
    ]),
  },
  {
    slug: 'injector-needs-itself',
    what: 'The namespace of the injector has the label that requests injection. After its Pod was deleted, no other can be created.',
    parts: inBusyCluster('open-appsec', [
      namespace('open-appsec', { 'inject-waf-attachment': 'true' }),
      service('open-appsec/open-appsec-injector', { selector: { app: 'open-appsec-injector-webhook' } }),
      deployment('open-appsec/open-appsec-injector-webhook', {
        replicas: 1,
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "injector.open-appsec.io": failed to call webhook: Post "https://open-appsec-injector.open-appsec.svc:443/mutate?timeout=10s": no endpoints available for service "open-appsec-injector"',
      }),
      mutating('open-appsec-injector', [
        webhook('injector.open-appsec.io', {
          service: 'open-appsec/open-appsec-injector',
          path: '/mutate',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: { matchLabels: { 'inject-waf-attachment': 'true' } },
        }),
      ]),
    ]),
  },
  {
    slug: 'overlay-on-managed-control-plane',
    what: 'The Pods have addresses of an overlay network, which the managed control plane does not allow.',
    parts: inBusyCluster('scylla-operator', [
      namespace('scylla-operator'),
      service('scylla-operator/scylla-operator-webhook', {
        selector: { app: 'webhook-server' },
        ...to(5000),
      }),
      deployment('scylla-operator/webhook-server', {
        ...at(5000),
        pods: [running({ network: 'not-allowed' })],
      }),
      ...besides('scylla-operator', 'scylla-operator'),
      validating('scylla-operator', [
        webhook('webhook.scylla.scylladb.com', {
          service: 'scylla-operator/scylla-operator-webhook',
          path: '/validate',
          timeoutSeconds: 10,
          rules: [rule('scylla.scylladb.com/v1', 'scyllaclusters')],
        }),
      ]),
    ]),
  },
  {
    slug: 'deny-all-before-fail-open',
    what: 'The namespace denies all traffic. The webhook fails open, but each request first waits for its timeout.',
    parts: inBusyCluster('elastic-system', [
      namespace('elastic-system'),
      service('elastic-system/elastic-webhook-server', {
        selector: { app: 'elastic-operator' },
        ...to(9443),
      }),
      statefulSet('elastic-system/elastic-operator', {
        replicas: 1,
        ...at(9443),
        pods: [running({ network: 'drops' })],
      }),
      policy('elastic-system/deny-all', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
      validating('elastic-webhook.k8s.elastic.co', [
        webhook('elastic-es-validation-v1.k8s.elastic.co', {
          service: 'elastic-system/elastic-webhook-server',
          failurePolicy: 'Ignore',
          timeoutSeconds: 3,
          rules: [rule('elasticsearch.k8s.elastic.co/v1', 'elasticsearches')],
        }),
      ]),
    ]),
  },
  {
    slug: 'manager-cannot-reach-api-server',
    what: 'The Pod network drops large packets. The managers do not get the lock that they need before they serve conversions.',
    parts: inBusyCluster('longhorn-system', [
      namespace('longhorn-system'),
      service('longhorn-system/longhorn-conversion-webhook', {
        selector: { app: 'longhorn-manager' },
        ports: [{ name: 'conversion-webhook', port: 9501, targetPort: 9501 }],
      }),
      service('longhorn-system/longhorn-admission-webhook', {
        selector: { app: 'longhorn-manager' },
        ports: [{ name: 'admission-webhook', port: 9502, targetPort: 9502 }],
      }),
      daemonSet('longhorn-system/longhorn-manager', {
        container: {
          name: 'longhorn-manager',
          ports: [
            { containerPort: 9501, name: 'conversion-wh' },
            { containerPort: 9502, name: 'admission-wh' },
          ],
          readinessProbe: { httpGet: { path: '/v1/healthz', port: 9501, scheme: 'HTTPS' } },
        },
        pods: [
          notReady(
            'Get "https://172.28.6.40:9501/v1/healthz": dial tcp 172.28.6.40:9501: connect: connection refused',
            { listens: 'nowhere' },
          ),
        ],
      }),
      ...besides('longhorn-system', 'longhorn-ui'),
      customResource('nodes.longhorn.io', 'Node', {
        service: 'longhorn-system/longhorn-conversion-webhook',
        port: 9501,
      }),
      validating('longhorn-webhook-validator', [
        webhook('validator.longhorn.io', {
          service: 'longhorn-system/longhorn-admission-webhook',
          port: 9502,
          rules: [rule('longhorn.io/v1beta2', '*', 'CREATE', 'UPDATE', 'DELETE')],
        }),
      ]),
    ]),
    logs: Object.fromEntries(
      ['2wfk5', 'bc7hs'].map((suffix) => [
        `longhorn-system/longhorn-manager-${suffix}/longhorn-manager`,
        ['08:31:44.240298', '08:31:54.740298']
          .map(
            (time) =>
              `E0425 ${time}       1 leaderelection.go:436] error retrieving resource lock longhorn-system/longhorn-manager-webhook-lock: Get "https://203.0.113.1:443/apis/coordination.k8s.io/v1/namespaces/longhorn-system/leases/longhorn-manager-webhook-lock": net/http: TLS handshake timeout`,
          )
          .join('\n'),
      ]),
    ),
  },
  {
    slug: 'readiness-of-metrics-port',
    what: 'The probe of the webhook Pod reads the port for metrics. The Pod is Ready before its certificate exists, and refuses calls.',
    parts: inBusyCluster('frr-k8s-system', [
      namespace('frr-k8s-system'),
      service('frr-k8s-system/frr-k8s-webhook-service', {
        selector: { app: 'frr-k8s-webhook-server' },
        ...to(9443),
      }),
      deployment('frr-k8s-system/frr-k8s-webhook-server', {
        replicas: 1,
        container: {
          ports: [{ containerPort: 7572, name: 'monitoring' }, { containerPort: 9443 }],
          readinessProbe: { httpGet: { path: '/metrics', port: 7572 } },
        },
        pods: [running({ listens: 'nowhere' })],
      }),
      daemonSet('frr-k8s-system/frr-k8s-daemon'),
      validating('frr-k8s-validating-webhook-configuration', [
        webhook('frrconfigurationsvalidationwebhook.metallb.io', {
          service: 'frr-k8s-system/frr-k8s-webhook-service',
          timeoutSeconds: 10,
          rules: [rule('frrk8s.metallb.io/v1beta1', 'frrconfigurations')],
        }),
      ]),
    ]),
    logs: log(
      'frr-k8s-system/frr-k8s-webhook-server',
      '{"level":"info","ts":"2025-03-28T10:00:00Z","logger":"setup","msg":"webhook cert rotation enabled"}\n{"level":"info","ts":"2025-03-28T10:00:01Z","logger":"cert-rotation","msg":"starting cert rotator controller"}',
    ),
  },
  {
    slug: 'configuration-with-unknown-field',
    what: 'Somebody wrote a field with a typing error into the configuration of the webhook. It takes effect with the next restart.',
    parts: inBusyCluster('cert-manager', [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook', to(10250)),
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'cert-manager', name: 'cert-manager-webhook' },
        data: {
          'config.yaml':
            'apiVersion: webhook.config.cert-manager.io/v1alpha1\nkind: WebhookConfiguration\nsecurePrt: 10250\n',
        },
      } as never,
      deployment('cert-manager/cert-manager-webhook', {
        replicas: 1,
        container: {
          name: 'cert-manager-webhook',
          image: 'quay.io/jetstack/cert-manager-webhook:v1.14.4',
          args: ['--v=2', '--config=/var/cert-manager/config/config.yaml'],
          ports: [{ containerPort: 10250, name: 'https' }],
          volumeMounts: [{ name: 'config', mountPath: '/var/cert-manager/config' }],
        },
        spec: { volumes: [{ name: 'config', configMap: { name: 'cert-manager-webhook' } }] },
        pods: [
          crashing(
            1,
            'E0403 10:00:00.000000       1 main.go:37] "error executing command" err="strict decoding error: unknown field \\"securePrt\\"" logger="cert-manager"',
          ),
        ],
      }),
      deployment('cert-manager/cert-manager', { replicas: 1 }),
      deployment('cert-manager/cert-manager-cainjector', { replicas: 1 }),
      customResource('certificates.cert-manager.io', 'Certificate'),
      validating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'cert-manager/cert-manager-webhook',
          rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
        }),
      ]),
    ]),
  },
];
