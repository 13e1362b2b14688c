import { servingCertificate } from '../../../src/demo/certificate/demo-certificates.ts';
import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, outOfMemory, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, node, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import {
  annotated,
  certManager,
  type IncidentState,
  jobWith,
  log,
  mount,
  pods,
  serviceAccount,
  unschedulable,
  warning,
  withBundle,
  withoutNamespace,
} from './parts.ts';

/** An entry of managedFields of a webhook configuration. */
const managed = (manager: string, fieldsV1: object, time: string) => ({
  manager,
  operation: 'Update',
  time,
  apiVersion: 'admissionregistration.k8s.io/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
});

/** A process that serves an expired certificate while its Secret holds a new one. */
function notReloaded(key: string, name: string): readonly ClusterPart[] {
  const [home = ''] = key.split('/');
  const { authority } = servingCertificate('trusted', [], new Date());
  return withBundle(
    [
      ...installation(key, {
        deployment: { replicas: 1, ...mount('webhook-tls'), pods: [running({ certificate: 'expired' })] },
        mutating: { name, rules: pods },
      }),
      servingSecretManifest(`${home}/webhook-tls`, key),
    ],
    Buffer.from(authority).toString('base64'),
  );
}

/** Networks, nodes, API versions and policies of a cluster. */
export const clusterEnvironment: readonly IncidentState[] = [
  {
    slug: 'selector-shared-with-another-operator',
    what: 'Service selects the Pods of another operator',
    parts: [
      namespace('emqx'),
      service('emqx/emqx-operator-webhook-service', {
        selector: { 'control-plane': 'controller-manager' },
        ports: [{ port: 443, targetPort: 9443 }],
      }),
      deployment('emqx/emqx-operator-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: { ports: [{ containerPort: 9443 }] },
      }),
      deployment('emqx/grafana-operator-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: { ports: [{ containerPort: 8080 }] },
      }),
      mutating('emqx-operator-mutating', [
        webhook('mutating.apps.emqx.io', {
          service: 'emqx/emqx-operator-webhook-service',
          rules: [rule('apps.emqx.io/v1beta3', 'emqxenterprises')],
        }),
      ]),
    ],
  },
  {
    slug: 'selector-reaches-another-webhook-server',
    what: 'Service selects another webhook server on the same port',
    parts: [
      namespace('llmaz-system'),
      service('llmaz-system/lws-webhook-service', {
        selector: { 'control-plane': 'controller-manager' },
        ports: [{ port: 443, targetPort: 9443 }],
      }),
      deployment('llmaz-system/lws-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: { ports: [{ containerPort: 9443 }] },
      }),
      deployment('llmaz-system/llmaz-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager', llmaz: 'yes' },
        container: { ports: [{ containerPort: 9443 }] },
        pods: [running({ certificate: 'for-another-name' })],
      }),
      service('llmaz-system/llmaz-webhook-service', {
        selector: { llmaz: 'yes' },
        ports: [{ port: 443, targetPort: 9443 }],
      }),
      validating('lws-validating', [
        webhook('vleaderworkerset.kb.io', {
          service: 'llmaz-system/lws-webhook-service',
          rules: [rule('leaderworkerset.x-k8s.io/v1', 'leaderworkersets')],
        }),
      ]),
    ],
  },
  {
    slug: 'certificate-job-without-service-account',
    what: 'Pods of the certificate Job are refused: no ServiceAccount',
    parts: [
      ...installation('ingress-nginx/ingress-nginx-controller', {
        deployment: { replicas: 1, ...mount('ingress-nginx-admission') },
        validating: {
          caBundle: '',
          name: 'validate.nginx.ingress.kubernetes.io',
          rules: [rule('networking.k8s.io/v1', 'ingresses')],
        },
      }),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          namespace: 'ingress-nginx',
          name: 'ingress-nginx-admission-create',
          uid: 'job-1',
          creationTimestamp: ago('1h'),
        },
        spec: {
          template: {
            spec: {
              serviceAccountName: 'ingress-nginx-admission',
              restartPolicy: 'OnFailure',
              containers: [
                {
                  name: 'create',
                  image: 'jettech/kube-webhook-certgen:v1.2.2',
                  args: [
                    'create',
                    '--host=ingress-nginx-controller-admission',
                    '--secret-name=ingress-nginx-admission',
                  ],
                },
              ],
            },
          },
        },
        status: {},
      } as never,
      warning(
        {
          kind: 'Job',
          namespace: 'ingress-nginx',
          name: 'ingress-nginx-admission-create',
          uid: 'job-1',
          apiVersion: 'batch/v1',
        },
        'FailedCreate',
        'Error creating: pods "ingress-nginx-admission-create-" is forbidden: error looking up service account ingress-nginx/ingress-nginx-admission: serviceaccount "ingress-nginx-admission" not found',
        'job-controller',
      ),
    ],
  },
  {
    slug: 'only-port-8443',
    what: 'the Service lacks port 443',
    parts: [
      service('kube-system/webhook-service', { ports: [{ port: 8443, targetPort: 8443 }] }),
      deployment('kube-system/webhook-service', { replicas: 1 }),
      validating('webhook-config', [webhook('webhook.local', { service: 'kube-system/webhook-service' })]),
    ],
  },
  {
    slug: 'annotation-names-the-secret',
    what: 'inject-ca-from names the Secret, not the Certificate',
    parts: [
      ...certManager,
      ...annotated(
        installation('vertical-pod-autoscaler/vpa-webhook', {
          deployment: { replicas: 1, ...mount('vertical-pod-autoscaler-admission-controller-cert') },
          mutating: { name: 'vpa.k8s.io', caBundle: '', failurePolicy: 'Ignore', rules: pods },
        }),
        {
          'cert-manager.io/inject-ca-from':
            'vertical-pod-autoscaler/vertical-pod-autoscaler-admission-controller-cert',
        },
      ),
      servingSecretManifest(
        'vertical-pod-autoscaler/vertical-pod-autoscaler-admission-controller-cert',
        'vertical-pod-autoscaler/vpa-webhook',
      ),
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: {
          namespace: 'vertical-pod-autoscaler',
          name: 'vertical-pod-autoscaler-admission-controller',
        },
        spec: {
          secretName: 'vertical-pod-autoscaler-admission-controller-cert',
          dnsNames: ['vpa-webhook.vertical-pod-autoscaler.svc'],
          issuerRef: { kind: 'Issuer', name: 'self' },
        },
        status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'up to date' }] },
      } as never,
    ],
  },
  {
    slug: 'injector-may-not-use-its-lock',
    what: 'cainjector may not read its Lease',
    parts: [
      ...certManager.slice(0, -2),
      deployment('cert-manager/cert-manager-cainjector', {
        replicas: 1,
        spec: { serviceAccountName: 'cert-manager-cainjector' },
        container: {
          name: 'cert-manager-cainjector',
          image: 'quay.io/jetstack/cert-manager-cainjector:v1.17.0',
          ports: [],
        },
      }),
      serviceAccount('cert-manager', 'cert-manager-cainjector'),
      ...withoutNamespace(
        annotated(
          installation('cert-manager/cert-manager-webhook', {
            deployment: { replicas: 1, ...mount('cert-manager-webhook-ca') },
            mutating: {
              name: 'webhook.cert-manager.io',
              caBundle: '',
              rules: [rule('cert-manager.io/v1', 'certificates')],
            },
          }),
          { 'cert-manager.io/inject-ca-from-secret': 'cert-manager/cert-manager-webhook-ca' },
        ),
      ),
      {
        ...servingSecretManifest('cert-manager/cert-manager-webhook-ca', 'cert-manager/cert-manager-webhook'),
        metadata: {
          namespace: 'cert-manager',
          name: 'cert-manager-webhook-ca',
          annotations: { 'cert-manager.io/allow-direct-injection': 'true' },
        },
      },
    ],
    logs: log(
      'cert-manager/cert-manager-cainjector',
      'E0806 22:29:57.529580       1 leaderelection.go:320] error retrieving resource lock kube-system/cert-manager-cainjector-leader-election: leases.coordination.k8s.io "cert-manager-cainjector-leader-election" is forbidden: User "system:serviceaccount:cert-manager:cert-manager-cainjector" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "kube-system"',
      'cert-manager-cainjector',
    ),
  },
  {
    slug: 'webhook-server-caches-all-pods',
    what: 'OOMKilled',
    parts: installation('devworkspace-controller/devworkspace-webhookserver', {
      deployment: {
        replicas: 2,
        container: { resources: { limits: { memory: '300Mi' } } } as never,
        pods: [outOfMemory],
      },
      validating: {
        name: 'validate-exec.devworkspace-controller.svc',
        rules: [rule('v1', 'pods/exec', 'CONNECT')],
      },
    }),
  },
  {
    slug: 'crd-of-webhook-not-installed',
    what: 'the program exits: no matches for kind',
    parts: installation('openshift-serverless/knative-openshift', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            '{"level":"error","ts":"2020-10-12T08:38:04.051Z","logger":"webhook","msg":"Unable to setup webhook","error":"no matches for kind \\"KnativeKafka\\" in version \\"operator.serverless.openshift.io/v1alpha1\\""}',
          ),
        ],
      },
      validating: {
        name: 'vknativekafka.kb.io',
        rules: [rule('operator.serverless.openshift.io/v1alpha1', 'knativekafkas')],
      },
    }),
  },
  {
    slug: 'kubelet-certificates-not-trusted',
    what: 'metrics-server does not trust the kubelets',
    parts: [
      service('kube-system/metrics-server'),
      deployment('kube-system/metrics-server', {
        replicas: 1,
        pods: [notReady('HTTP probe failed with statuscode: 500')],
      }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/metrics-server in "kube-system" have no addresses with port name "https"',
      }),
    ],
    logs: log(
      'kube-system/metrics-server',
      'E0121 04:51:44.9 1 scraper.go:140] "Failed to scrape node" err="Get \\"https://192.168.72.50:10250/metrics/resource\\": x509: cannot validate certificate for 192.168.72.50 because it doesn\'t contain any IP SANs" node="ubuntu"\nI0121 04:51:48.798515 1 server.go:187] "Failed probe" probe="metric-storage-ready" err="no metrics to serve"',
    ),
  },
  {
    slug: 'replaced-at-each-sync',
    what: 'Argo CD replaces the configuration',
    parts: [
      ...certManager,
      ...(installation('ingress-nginx/ingress-nginx-controller', {
        deployment: { replicas: 1, ...mount('ingress-nginx-admission') },
        validating: {
          caBundle: '',
          name: 'validate.nginx.ingress.kubernetes.io',
          rules: [rule('networking.k8s.io/v1', 'ingresses')],
        },
      }).map((part) =>
        'webhooks' in part
          ? {
              ...part,
              metadata: {
                ...part.metadata,
                annotations: {
                  'cert-manager.io/inject-ca-from': 'ingress-nginx/admission',
                  'argocd.argoproj.io/sync-options': 'Replace=true',
                  'argocd.argoproj.io/tracking-id':
                    'ingress:admissionregistration.k8s.io/ValidatingWebhookConfiguration:ingress-nginx/x',
                },
                managedFields: [managed('argocd-controller', { 'f:webhooks': {} }, ago('2m'))],
              },
            }
          : part,
      ) as never),
      {
        ...servingSecretManifest(
          'ingress-nginx/ingress-nginx-admission',
          'ingress-nginx/ingress-nginx-controller',
        ),
        metadata: {
          namespace: 'ingress-nginx',
          name: 'ingress-nginx-admission',
          annotations: { 'cert-manager.io/certificate-name': 'admission' },
        },
      },
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { namespace: 'ingress-nginx', name: 'admission' },
        spec: {
          secretName: 'ingress-nginx-admission',
          dnsNames: ['ingress-nginx-controller.ingress-nginx.svc'],
          issuerRef: { kind: 'Issuer', name: 'self' },
        },
        status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'up to date' }] },
      } as never,
    ],
  },
  {
    slug: 'answers-in-v1-only',
    what: 'admissionReviewVersions lists only v1beta1',
    parts: installation('opa/opa', {
      deployment: {
        pods: [
          running({
            answer: 'raw',
            status: 200,
            body: JSON.stringify({
              apiVersion: 'admission.k8s.io/v1',
              kind: 'AdmissionReview',
              response: { uid: 'x', allowed: true },
            }),
          } as never),
        ],
      },
      validating: { name: 'webhook.openpolicyagent.org', failurePolicy: 'Ignore' },
    }).map((part) =>
      'webhooks' in part
        ? {
            ...part,
            webhooks: (part.webhooks as object[]).map((one) => ({
              ...one,
              admissionReviewVersions: ['v1beta1'],
            })),
          }
        : part,
    ) as never,
  },
  {
    slug: 'cert-manager-not-installed',
    what: 'nothing creates the Secret',
    parts: installation('cloudflare-operator-system/cloudflare-operator-webhook-service', {
      deployment: { replicas: 1, ...mount('webhook-server-cert') },
      mutating: {
        caBundle: '',
        name: 'mtunnel.kb.io',
        rules: [rule('networking.cfargotunnel.com/v1alpha2', 'tunnels')],
      },
    }).map((p) =>
      'webhooks' in p
        ? {
            ...p,
            metadata: {
              ...p.metadata,
              annotations: {
                'cert-manager.io/inject-ca-from':
                  'cloudflare-operator-system/cloudflare-operator-serving-cert',
              },
            },
          }
        : p,
    ),
  },
  {
    slug: 'fails-open-after-30-seconds',
    what: 'timeoutSeconds is as long as the timeout of clients',
    parts: installation('datadog/datadog-cluster-agent-admission-controller', {
      deployment: { replicas: 1, pods: [running({})] },
      mutating: {
        name: 'datadog.webhook.agent.config',
        failurePolicy: 'Ignore',
        timeoutSeconds: 30,
        rules: pods,
      },
    }),
  },
  {
    slug: 'taint-removal-through-own-webhook',
    what: 'updates of Nodes must pass it, and its Pod waits for a taint to be removed',
    parts: [
      namespace('capsule-system'),
      service('capsule-system/capsule-webhook-service'),
      ...unschedulable(
        'capsule-system/capsule-webhook-service',
        '0/3 nodes are available: 3 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
      ),
      validating('capsule-validating', [
        webhook('nodes.capsule.clastix.io', {
          service: 'capsule-system/capsule-webhook-service',
          rules: [rule('v1', 'nodes', 'UPDATE')],
        }),
      ]),
    ],
  },
  {
    slug: 'all-nodes-tainted',
    what: 'the Pod does not tolerate the taint of all nodes',
    parts: [
      namespace('flyte'),
      service('flyte/flyte-pod-webhook'),
      ...unschedulable(
        'flyte/flyte-pod-webhook',
        '0/3 nodes are available: 3 node(s) had untolerated taint {dedicated: webhook}. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
      ),
      mutating('flyte-pod-webhook', [
        webhook('flyte-pod-webhook.flyte.org', {
          service: 'flyte/flyte-pod-webhook',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['flyte', 'kube-system'] },
            ],
          },
        }),
      ]),
    ],
  },
  {
    slug: 'certificate-job-unschedulable',
    what: 'the Pod of the certificate Job cannot be scheduled',
    parts: [
      ...installation('monitoring/prometheus-operator', {
        deployment: { replicas: 1, ...mount('kps-admission') },
        validating: {
          caBundle: '',
          name: 'prometheusrulemutate.monitoring.coreos.com',
          rules: [rule('monitoring.coreos.com/v1', 'prometheusrules')],
        },
      }),
      ...jobWith(
        'monitoring/kps-admission-create',
        {
          name: 'create',
          image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.0',
          args: ['create', '--host=prometheus-operator', '--secret-name=kps-admission'],
        },
        {},
      ).map((p) =>
        (p as { kind: string }).kind === 'Pod'
          ? ({
              ...p,
              spec: { ...(p as never as { spec: object }).spec, nodeName: undefined },
              status: {
                phase: 'Pending',
                conditions: [
                  {
                    type: 'PodScheduled',
                    status: 'False',
                    reason: 'Unschedulable',
                    message:
                      "0/2 nodes are available: 2 node(s) had taint {dedicated: monitoring}, that the pod didn't tolerate.",
                  },
                ],
              },
            } as never)
          : p,
      ),
    ],
  },
  {
    slug: 'host-network-forbidden',
    what: 'PodSecurityPolicy forbids hostNetwork',
    parts: installation('gatekeeper-system/gatekeeper-webhook-service', {
      deployment: {
        replicas: 1,
        spec: { hostNetwork: true },
        refused:
          'pods "gatekeeper-controller-manager-6756666dd5-" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used spec.containers[0].hostPort: Invalid value: 8888: Host port 8888 is not allowed to be used. Allowed ports: []]',
      },
      validating: { name: 'check-ignore-label.gatekeeper.sh', rules: [rule('v1', 'namespaces')] },
    }),
  },
  {
    slug: 'overlay-of-managed-cluster',
    what: 'the control plane refuses Pod addresses',
    parts: withoutNamespace(
      installation('kube-system/aws-load-balancer-webhook-service', {
        deployment: { replicas: 1, pods: [running({ network: 'not-allowed' })] },
        validating: { name: 'vingress.elbv2.k8s.aws', rules: [rule('networking.k8s.io/v1', 'ingresses')] },
      }),
    ),
  },
  {
    slug: 'image-of-another-architecture',
    what: 'exec format error',
    parts: [
      node('arm-1', { labels: { 'kubernetes.io/arch': 'arm64' } }),
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook-yandex'),
      deployment('cert-manager/cert-manager-webhook-yandex', {
        replicas: 1,
        pods: [crashing(1, 'exec /usr/local/bin/webhook: exec format error')],
      }),
      apiService('v1alpha1.acme.cloud.yandex.com', 'cert-manager/cert-manager-webhook-yandex', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/cert-manager-webhook-yandex in "cert-manager" have no addresses with port name "https"',
      }),
    ],
  },
  {
    slug: 'network-pods-through-webhook',
    what: 'network Pods must pass it, and its Pod waits for a ready node',
    parts: [
      namespace('topolvm-system'),
      service('topolvm-system/controller'),
      ...unschedulable(
        'topolvm-system/controller',
        '0/3 nodes are available: 3 node(s) had untolerated taint {node.kubernetes.io/not-ready: }. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
      ),
      mutating('topolvm-hook', [
        webhook('hook.topolvm.cybozu.com', {
          service: 'topolvm-system/controller',
          rules: pods,
          timeoutSeconds: 30,
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['topolvm-system'] },
            ],
          },
        }),
      ]),
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: {
          namespace: 'kube-system',
          name: 'calico-node',
          uid: 'ds-9',
          creationTimestamp: ago('9d'),
        },
        spec: {
          selector: { matchLabels: { 'k8s-app': 'calico-node' } },
          template: {
            metadata: { labels: { 'k8s-app': 'calico-node' } },
            spec: { hostNetwork: true, containers: [{ name: 'calico-node', image: 'calico/node:v3.7.3' }] },
          },
        },
        status: { desiredNumberScheduled: 2, currentNumberScheduled: 0, numberReady: 0 },
      } as never,
      warning(
        {
          kind: 'DaemonSet',
          namespace: 'kube-system',
          name: 'calico-node',
          uid: 'ds-9',
          apiVersion: 'apps/v1',
        },
        'FailedCreate',
        'Error creating: Internal error occurred: failed calling webhook "hook.topolvm.cybozu.com": Post https://controller.topolvm-system.svc:443/mutate?timeout=30s: dial tcp 10.99.12.3:443: connect: connection refused',
        'daemonset-controller',
      ),
    ],
  },
  {
    slug: 'no-quota-for-priority-class',
    what: 'no quota allows the PriorityClass',
    parts: [
      namespace('cluster-x'),
      service('cluster-x/metrics-server'),
      deployment('cluster-x/metrics-server', {
        replicas: 1,
        spec: { priorityClassName: 'system-cluster-critical' } as never,
        refused:
          'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]',
      }),
      apiService('v1beta1.metrics.k8s.io', 'cluster-x/metrics-server', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/metrics-server in "cluster-x" have no addresses with port name "https"',
      }),
    ],
  },
  {
    slug: 'path-never-registered',
    what: '404',
    parts: [
      customResource('machines.cluster.k8s.io', 'Machine'),
      ...installation('cluster-x/user-cluster-webhook', {
        deployment: {
          pods: [running({ answer: 'raw', status: 404, body: '404 page not found\n' } as never)],
        },
        validating: {
          path: '/validate-cluster-k8s-io-v1alpha1-machine',
          name: 'machines.cluster.k8s.io',
          rules: [rule('cluster.k8s.io/v1', 'machines')],
        },
      }),
    ],
  },
  {
    slug: 'private-cluster-port-8443',
    what: 'the firewall drops the target port',
    parts: [
      ...installation('gmp-system/gmp-operator', {
        service: { ports: [{ port: 8443, targetPort: 8443 }] },
        deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
        mutating: {
          port: 8443,
          timeoutSeconds: 3,
          name: 'default.podmonitorings.gmp-operator.gmp-system.monitoring.googleapis.com',
          rules: [rule('monitoring.googleapis.com/v1alpha1', 'podmonitorings')],
        },
      }),
      node('gke-c1-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } }),
    ],
  },
  {
    slug: 'response-without-uid',
    what: 'the response lacks the uid',
    parts: withoutNamespace(
      installation('kube-system/vpa-webhook', {
        deployment: { replicas: 1, pods: [running({ answer: 'wrong-uid' })] },
        mutating: { name: 'vpa.k8s.io', failurePolicy: 'Ignore', timeoutSeconds: 2, rules: pods },
      }),
    ),
  },
  {
    slug: 'overlay-of-managed-cluster-apiservice',
    what: 'the control plane refuses Pod addresses of an APIService',
    parts: [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook'),
      deployment('cert-manager/cert-manager-webhook', {
        replicas: 1,
        pods: [running({ network: 'not-allowed' })],
      }),
      apiService('v1beta1.webhook.cert-manager.io', 'cert-manager/cert-manager-webhook', {
        reason: 'FailedDiscoveryCheck',
        message:
          'no response from https://100.84.236.100:6443: Get https://100.84.236.100:6443: Address is not allowed',
      }),
    ],
  },
  {
    slug: 'listens-on-ipv4-only',
    what: 'the process does not listen on the address family of the Service',
    parts: installation('kruise-system/kruise-webhook-service', {
      deployment: {
        replicas: 1,
        container: { readinessProbe: { httpGet: { path: '/readyz', port: 8000 } } as never },
        pods: [running({ listens: 'nowhere' })],
      },
      mutating: { name: 'mcloneset.kb.io', rules: [rule('apps.kruise.io/v1alpha1', 'clonesets')] },
    }),
  },
  {
    slug: 'private-cluster-port-6443',
    what: 'the firewall drops the target port of an APIService',
    parts: [
      namespace('monitoring'),
      node('gke-c1-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } }),
      service('monitoring/my-release-prometheus-adapter', { ports: [{ port: 443, targetPort: 6443 }] }),
      deployment('monitoring/my-release-prometheus-adapter', {
        replicas: 1,
        container: { ports: [{ containerPort: 6443 }] },
        pods: [running({ network: 'drops' })],
      }),
      apiService('v1beta1.custom.metrics.k8s.io', 'monitoring/my-release-prometheus-adapter', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.128.1.17:6443/apis/custom.metrics.k8s.io/v1beta1: Get "https://10.128.1.17:6443/apis/custom.metrics.k8s.io/v1beta1": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
      }),
    ],
  },
  {
    slug: 'not-reinvoked',
    what: 'a later webhook changes the object again',
    parts: [
      ...installation('kyverno/kyverno-svc', {
        deployment: { replicas: 3 },
        mutating: { name: 'mpol.validate.kyverno.svc-fail', rules: pods },
      }),
      ...installation('mesh/injector', {
        deployment: { replicas: 2 },
        mutating: { name: 'z.injector.example.com', rules: pods },
      }),
    ],
  },
  {
    slug: 'private-cluster-fails-open',
    what: 'the firewall drops the target port; failurePolicy Ignore',
    parts: [
      node('gke-c1-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } }),
      ...withoutNamespace(
        installation('default/newrelic-metadata-injection-svc', {
          deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
          mutating: {
            name: 'metadata-injection.newrelic.com',
            failurePolicy: 'Ignore',
            timeoutSeconds: 3,
            rules: pods,
          },
        }),
      ),
    ],
  },
  {
    slug: 'pinned-to-tainted-control-plane',
    what: 'no toleration of the taint of the control plane',
    parts: [
      namespace('calico-system'),
      service('calico-system/calico-webhooks'),
      ...unschedulable(
        'calico-system/calico-webhooks',
        "0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
      ),
      validating('calico-webhooks', [
        webhook('webhooks.projectcalico.org', {
          service: 'calico-system/calico-webhooks',
          rules: [rule('projectcalico.org/v3', 'networkpolicies')],
        }),
      ]),
    ],
  },
  {
    slug: 'conversion-before-its-server',
    what: 'the old program does not serve /convert',
    parts: [
      namespace('opendatahub'),
      service('opendatahub/opendatahub-operator-service'),
      deployment('opendatahub/opendatahub-operator-service', {
        replicas: 1,
        pods: [running({ answer: 'raw', status: 404, body: '404 page not found\n' } as never)],
      }),
      customResource('datascienceclusters.datasciencecluster.opendatahub.io', 'DataScienceCluster', {
        service: 'opendatahub/opendatahub-operator-service',
        path: '/convert',
      }),
    ],
  },
  {
    slug: 'authentication-reader-missing',
    what: 'may not read extension-apiserver-authentication',
    parts: [
      namespace('alpha'),
      service('alpha/alpha-apiserver'),
      deployment('alpha/alpha-apiserver', {
        replicas: 1,
        pods: [
          crashing(
            1,
            'W0910 11:07:43.156984       1 authentication.go:349] Unable to get configmap/extension-apiserver-authentication in kube-system.  Usually fixed by \'kubectl create rolebinding -n kube-system ROLEBINDING_NAME --role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA\'\nError: unable to load configmap based request-header-client-ca-file: configmaps "extension-apiserver-authentication" is forbidden: User "system:serviceaccount:alpha:default" cannot get resource "configmaps" in API group "" in the namespace "kube-system"',
          ),
        ],
      }),
      serviceAccount('alpha', 'default'),
      apiService('v1beta1.policy.example.com', 'alpha/alpha-apiserver', {
        reason: 'MissingEndpoints',
        message: 'endpoints for service/alpha-apiserver in "alpha" have no addresses with port name "https"',
      }),
    ],
  },
  {
    slug: 'network-needs-node-updates',
    what: 'updates of Nodes must pass it, and its Pod waits for a ready node',
    parts: [
      namespace('longhorn-system'),
      service('longhorn-system/longhorn-admission-webhook', { ports: [{ port: 9502, targetPort: 8443 }] }),
      ...unschedulable(
        'longhorn-system/longhorn-admission-webhook',
        '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
      ),
      validating('longhorn-webhook-validator', [
        webhook('validator.longhorn.io', {
          service: 'longhorn-system/longhorn-admission-webhook',
          port: 9502,
          rules: [rule('v1', 'nodes', 'UPDATE')],
        }),
      ]),
    ],
  },
  {
    slug: 'patch-of-missing-annotations',
    what: 'the patch adds to a map that does not exist',
    parts: installation('karydia/karydia', {
      deployment: {
        replicas: 1,
        pods: [
          running({
            answer: 'patch',
            patch: [{ op: 'add', path: '/metadata/annotations/x~1pod', value: 'a' }],
          } as never),
        ],
      },
      mutating: { name: 'karydia.gardener.cloud', rules: pods },
    }),
  },
  {
    slug: 'hooks-server-not-reloaded',
    what: 'renewed, not reloaded',
    parts: notReloaded('example/shell-operator', 'hooks.shell-operator.io'),
  },
  {
    slug: 'webhook-server-not-restarted',
    what: 'renewed, not reloaded',
    parts: notReloaded(
      'devworkspace-controller/devworkspace-webhookserver',
      'mutate.devworkspace-controller.svc',
    ),
  },
  {
    slug: 'started-before-its-new-name',
    what: 'the served certificate lacks the new name',
    parts: [
      ...installation('olmv1-system/catalogd-service', {
        deployment: {
          replicas: 1,
          ...mount('catalogd-service-cert'),
          pods: [running({ certificate: 'for-another-name' })],
        },
        mutating: {
          name: 'inject-metadata-name.olm.operatorframework.io',
          rules: [rule('olm.operatorframework.io/v1', 'clustercatalogs')],
        },
      }),
      servingSecretManifest('olmv1-system/catalogd-service-cert', 'olmv1-system/catalogd-service'),
    ],
  },
  {
    slug: 'upgrade-waits-for-budget',
    what: 'the PodDisruptionBudget allows no eviction',
    deep: true,
    parts: [
      ...installation('azure-workload-identity-system/azure-wi-webhook-controller-manager', {
        deployment: { replicas: 1 },
        mutating: { rules: pods, failurePolicy: 'Ignore' },
      }),
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: {
          namespace: 'azure-workload-identity-system',
          name: 'azure-wi-webhook-controller-manager',
        },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'azure-wi-webhook-controller-manager' } } },
        status: { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
      } as never,
    ],
  },
  {
    slug: 'empty-certificate-files',
    what: 'the Secret holds no certificate',
    parts: [
      ...installation('tools/admission-webhook-server', {
        deployment: {
          replicas: 1,
          ...mount('admission-webhook-tls'),
          pods: [
            crashing(
              1,
              '2020/08/20 06:59:07 Starting admission webhook server...\n2020/08/20 06:59:07 tls: failed to find any PEM data in certificate input',
            ),
          ],
        },
        mutating: { rules: pods },
      }),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'tools', name: 'admission-webhook-tls' },
        type: 'Opaque',
        data: { 'tls.crt': '', 'tls.key': '' },
      } as never,
    ],
  },
  {
    slug: 'policy-allows-the-service-port',
    what: 'the NetworkPolicy names the port of the Service',
    parts: [
      service('kube-system/metrics-server'),
      deployment('kube-system/metrics-server', { replicas: 1, pods: [running({ network: 'drops' })] }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.104.14.24:443/apis/metrics.k8s.io/v1beta1: Get "https://10.104.14.24:443/apis/metrics.k8s.io/v1beta1": context deadline exceeded',
      }),
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { namespace: 'kube-system', name: 'metrics-server-allow' },
        spec: {
          podSelector: { matchLabels: { app: 'metrics-server' } },
          policyTypes: ['Ingress'],
          ingress: [{ ports: [{ port: 443, protocol: 'TCP' }] }],
        },
      } as never,
    ],
  },
  {
    slug: 'read-only-root-filesystem',
    what: 'the program writes to a read-only filesystem',
    parts: installation('cert-manager/cert-manager-webhook', {
      deployment: {
        replicas: 1,
        container: { securityContext: { readOnlyRootFilesystem: true } } as never,
        pods: [
          crashing(
            2,
            'log: exiting because of error: log: cannot create log: open /tmp/webhook.cert-manager-webhook.1000.log.INFO.20221108-093655.1: read-only file system',
          ),
        ],
      },
      validating: { name: 'webhook.cert-manager.io', rules: [rule('cert-manager.io/v1', 'certificates')] },
    }),
  },
  {
    slug: 'certificate-folder-not-writable',
    what: 'the process may not create its certificate folder',
    parts: withoutNamespace(
      installation('kube-system/antrea', {
        deployment: {
          replicas: 1,
          pods: [
            crashing(
              1,
              'F0829 main.go:58] Error running controller: error creating API server config: error applying server certificate: error creating self-signed certificates: mkdir /var/run/antrea/antrea-controller-self-signed: permission denied',
            ),
          ],
        },
        validating: {
          name: 'acnpvalidator.antrea.io',
          rules: [rule('crd.antrea.io/v1alpha1', 'clusternetworkpolicies')],
        },
      }),
    ),
  },
];
