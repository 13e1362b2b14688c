import type { ApiObject } from '../../src/demo/api-server/api-object.ts';
import { ago } from '../../src/demo/cluster/ago.ts';
import { crashing, evicted, notReady, running } from '../../src/demo/cluster/behaviour.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import {
  lease,
  namespace,
  node,
  selectorlessService,
  service,
  servingSecretManifest,
} from '../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../src/demo/cluster/workload-manifests.ts';
import { annotated, bundle, certManager, log, withoutNamespace } from './parts.ts';
import { type IncidentState, jobWith, mount, pods } from './thread-states.ts';

const withoutBundle = (service: ApiObject): ApiObject => {
  const { caBundle: _bundle, ...spec } = service.spec as Readonly<Record<string, unknown>>;
  return { ...service, spec };
};
const withoutAuthority = (secret: ApiObject): ApiObject => {
  const { 'ca.crt': _authority, ...data } = secret.data as Readonly<Record<string, string>>;
  return { ...secret, data };
};
const policy = (key: string, spec: object): ClusterPart => {
  const [home = '', name = ''] = key.split('/');
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { namespace: home, name },
    spec,
  } as never;
};
const failedCreate = (
  about: { kind: string; namespace: string; name: string; uid?: string },
  message: string,
  apiVersion = 'batch/v1',
): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: about.namespace, name: `${about.name}.fc` },
    involvedObject: { apiVersion, ...about },
    type: 'Warning',
    reason: 'FailedCreate',
    message,
    count: 9,
    firstTimestamp: ago('1h'),
    lastTimestamp: ago('2m'),
    source: { component: 'job-controller' },
  }) as never;

export const moreStates: readonly IncidentState[] = [
  {
    slug: 'status-patch-through-own-webhook',
    what: '*/* rule covers status patch of own CR: covers-own-configuration-path',
    parts: [
      ...installation('cert-manager/cert-manager-approver-policy', {
        deployment: {
          replicas: 1,
          pods: [notReady('HTTP probe failed with statuscode: 500', { listens: 'nowhere' })],
          container: { args: ['--tls-secret=approver-policy-tls'] },
        },
        validating: {
          name: 'policy.cert-manager.io',
          rules: [
            {
              apiGroups: ['policy.cert-manager.io'],
              apiVersions: ['*'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['*/*'],
            },
          ],
        },
      }),
      customResource('certificaterequestpolicies.policy.cert-manager.io', 'CertificateRequestPolicy'),
    ],
    logs: log(
      'cert-manager/cert-manager-approver-policy',
      'E1 "Reconciler error" err="failed to apply status: Internal error occurred: failed calling webhook \\"policy.cert-manager.io\\": failed to call webhook: Post \\"https://cert-manager-approver-policy.cert-manager.svc:443/validate?timeout=5s\\": dial tcp 10.0.0.1:443: connect: connection refused"',
    ),
  },
  {
    slug: 'scaled-down-and-up',
    what: 'own Pods covered, scaled 0 -> 1: bootstrap-deadlock',
    parts: [
      ...installation('demo-system/controller-manager', {
        deployment: {
          replicas: 1,
          refused:
            'Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: Post "https://webhook-service.demo-system.svc:443/mutate-v1-pod?timeout=10s": no endpoints available for service "webhook-service"',
        },
        mutating: { name: 'mpod.kb.io', rules: pods },
      }),
    ],
  },
  {
    slug: 'server-off-configuration-on',
    what: 'chart installs configuration, webhook server off: service-missing',
    parts: [
      namespace('kube-fledged'),
      deployment('kube-fledged/kube-fledged-controller'),
      validating('kube-fledged-webhook-server', [
        webhook('validate-image-cache.kubefledged.k8s.io', {
          service: 'kube-fledged/kube-fledged-webhook-server',
          rules: [rule('kubefledged.io/v1alpha2', 'imagecaches')],
        }),
      ]),
    ],
  },
  {
    slug: 'certificate-not-mounted',
    what: 'program exits: cert file not there (not mounted)',
    parts: installation('cockroach-operator-system/cockroach-operator-manager', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            '{"level":"error","logger":"setup","msg":"problem running manager","error":"open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory"}',
          ),
        ],
      },
      mutating: {
        name: 'mcrdbcluster.kb.io',
        rules: [rule('crdb.cockroachlabs.com/v1alpha1', 'crdbclusters')],
      },
    }),
  },
  {
    slug: 'certificate-object-missing',
    what: 'Secret not found, cert-manager installed, Certificate never made',
    parts: [
      ...certManager,
      ...annotated(
        installation('milvus-operator/milvus-operator-webhook-service', {
          deployment: { replicas: 1, ...mount('milvus-operator-webhook-cert') },
          validating: { name: 'vmilvus.kb.io', caBundle: '', rules: [rule('milvus.io/v1beta1', 'milvuses')] },
        }),
        { 'cert-manager.io/inject-ca-from': 'milvus-operator/milvus-operator-serving-cert' },
      ),
    ],
  },
  {
    slug: 'windows-nodes-only',
    what: 'no linux node: replica-unschedulable',
    parts: withoutNamespace(
      installation('kube-system/gmsa-webhook', {
        deployment: { replicas: 1, spec: { nodeSelector: { 'kubernetes.io/os': 'windows-not' } } },
        mutating: { rules: pods, failurePolicy: 'Ignore' },
      }),
    ),
  },
  {
    slug: 'forbidden-to-list',
    what: 'SA may not list flowschemas; probe 500: service-account-lacks-rights',
    parts: [
      namespace('cic-system'),
      service('cic-system/designate-webhook'),
      deployment('cic-system/designate-webhook', {
        replicas: 1,
        spec: { serviceAccountName: 'designate-webhook' },
        pods: [notReady('HTTP probe failed with statuscode: 500')],
      }),
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'cic-system', name: 'designate-webhook' },
      },
      apiService('v1alpha1.acme.syseleven.example', 'cic-system/designate-webhook', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/designate-webhook in "cic-system" have no addresses with port name ""',
      }),
    ],
    logs: log(
      'cic-system/designate-webhook',
      'E0823 09:06:19.824372       1 reflector.go:138] k8s.io/client-go@v0.23.4/tools/cache/reflector.go:167: Failed to watch *v1beta2.FlowSchema: failed to list *v1beta2.FlowSchema: flowschemas.flowcontrol.apiserver.k8s.io is forbidden: User "system:serviceaccount:cic-system:designate-webhook" cannot list resource "flowschemas" in API group "flowcontrol.apiserver.k8s.io" at the cluster scope',
    ),
  },
  {
    slug: 'host-port-taken',
    what: 'hostNetwork port taken',
    parts: installation('external-secrets/external-secrets-webhook', {
      service: { ports: [{ port: 443, targetPort: 10250 }] },
      deployment: {
        replicas: 1,
        spec: { hostNetwork: true },
        container: { ports: [{ containerPort: 10250, hostPort: 10250 }] },
        pods: [
          crashing(
            1,
            '{"level":"error","logger":"setup","msg":"problem running manager","error":"listen tcp :10250: bind: address already in use"}',
          ),
        ],
      },
      validating: {
        name: 'validate.externalsecret.external-secrets.io',
        rules: [rule('external-secrets.io/v1beta1', 'externalsecrets')],
      },
    }),
  },
  {
    slug: 'apiservice-name-mismatch',
    what: 'cert does not name the Service of the APIService',
    parts: [
      namespace('keda'),
      service('keda/my-keda-metrics-apiserver'),
      deployment('keda/my-keda-metrics-apiserver', {
        replicas: 1,
        pods: [running({ certificate: 'for-another-name' })],
      }),
      apiService('v1beta1.external.metrics.k8s.io', 'keda/my-keda-metrics-apiserver', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://203.0.113.9:443/apis/external.metrics.k8s.io/v1beta1: Get "https://203.0.113.9:443/apis/external.metrics.k8s.io/v1beta1": tls: failed to verify certificate: x509: certificate is valid for localhost, not my-keda-metrics-apiserver.keda.svc',
      }),
    ],
  },
  {
    slug: 'apiservice-ca-bundle-empty',
    what: 'caBundle of APIService empty',
    parts: [
      namespace('keda'),
      service('keda/keda-metrics'),
      deployment('keda/keda-metrics', { replicas: 1 }),
      withoutBundle(
        apiService('v1beta1.external.metrics.k8s.io', 'keda/keda-metrics', {
          reason: 'FailedDiscoveryCheck',
          message:
            'failing or missing response from https://203.0.113.9:443/apis/external.metrics.k8s.io/v1beta1: Get "https://203.0.113.9:443/apis/external.metrics.k8s.io/v1beta1": tls: failed to verify certificate: x509: certificate signed by unknown authority',
        }),
      ),
    ],
  },
  {
    slug: 'policy-pods-of-namespace-only',
    what: 'NetworkPolicy only Pods of namespace',
    parts: [
      ...installation('webhooks/gitops-webhook', {
        deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
        validating: { timeoutSeconds: 3 },
      }),
      policy('webhooks/allow-from-same-namespace', {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: {} }] }],
      }),
    ],
  },
  {
    slug: 'namespace-of-operator-deleted',
    what: 'Service gone with its namespace Terminating; covers deletion',
    parts: [
      {
        ...namespace('netbird'),
        metadata: { name: 'netbird', deletionTimestamp: ago('20m') },
        status: {
          phase: 'Terminating',
          conditions: [
            {
              type: 'NamespaceContentRemaining',
              status: 'True',
              reason: 'SomeResourcesRemain',
              message: 'Some resources are remaining: nbgroups.netbird.io has 2 resource instances',
            },
            {
              type: 'NamespaceDeletionContentFailure',
              status: 'True',
              reason: 'ContentDeletionFailed',
              message:
                'Failed to delete all resource types, 1 remaining: Internal error occurred: failed calling webhook "vnbgroup-v1.netbird.io": failed to call webhook: Post "https://netbird-webhook.netbird.svc:443/validate?timeout=10s": service "netbird-webhook" not found',
            },
          ],
        },
      } as never,
      customResource('nbgroups.netbird.io', 'NBGroup'),
      validating('netbird-vpc', [
        webhook('vnbgroup-v1.netbird.io', {
          service: 'netbird/netbird-webhook',
          rules: [rule('netbird.io/v1', 'nbgroups', 'CREATE', 'UPDATE', 'DELETE')],
        }),
      ]),
    ],
  },
  {
    slug: 'injector-may-not-patch',
    what: 'SA may not patch configuration: caBundle empty',
    parts: [
      ...installation('vault/vault-agent-injector-svc', {
        deployment: {
          replicas: 1,
          spec: { serviceAccountName: 'vault-agent-injector' },
          container: {
            image: 'hashicorp/vault-k8s:1.2.1',
            args: ['agent-inject'],
            env: [{ name: 'AGENT_INJECT_TLS_AUTO', value: 'vault-agent-injector-cfg' }],
          },
        },
        mutating: { name: 'vault.hashicorp.com', caBundle: '', failurePolicy: 'Ignore', rules: pods },
      }),
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'vault', name: 'vault-agent-injector' },
      },
    ],
    logs: log(
      'vault/vault-agent-injector-svc',
      '2023-05-16T10:23:49.056Z [ERROR] handler: Error updating MutatingWebhookConfiguration: mutatingwebhookconfigurations.admissionregistration.k8s.io "vault-agent-injector-svc" is forbidden: User "system:serviceaccount:vault:vault-agent-injector" cannot patch resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope',
    ),
  },
  {
    slug: 'certgen-forbidden',
    what: 'certgen Job may not read the configuration',
    parts: [
      ...installation('lit/litmus-admission', { validating: { caBundle: '' } }),
      ...jobWith(
        'lit/litmus-admission-patch',
        {
          name: 'patch',
          image: 'registry.example/kube-webhook-certgen:v1',
          args: ['patch', '--webhook-name=litmus-admission', '--secret-name=litmus-admission'],
        },
        {
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          restartCount: 5,
          lastState: { terminated: { exitCode: 1, reason: 'Error' } },
        },
      ),
    ],
    logs: {
      'lit/litmus-admission-patch-jz4wk/patch':
        '{"err":"validatingwebhookconfigurations.admissionregistration.k8s.io \\"litmus-admission\\" is forbidden: User \\"system:serviceaccount:lit:litmus-admission\\" cannot get resource \\"validatingwebhookconfigurations\\" in API group \\"admissionregistration.k8s.io\\" at the cluster scope","level":"fatal","msg":"failed getting validating webhook","source":"k8s/k8s.go:48"}',
      'lit/litmus-admission-patch-jz4wk/patch/previous':
        '{"err":"validatingwebhookconfigurations.admissionregistration.k8s.io \\"litmus-admission\\" is forbidden: User \\"system:serviceaccount:lit:litmus-admission\\" cannot get resource \\"validatingwebhookconfigurations\\" in API group \\"admissionregistration.k8s.io\\" at the cluster scope","level":"fatal","msg":"failed getting validating webhook","source":"k8s/k8s.go:48"}',
    },
  },
  {
    slug: 'budget-blocks-drain',
    what: 'PDB allows no eviction: blocking-disruption-budget (webhook healthy)',
    deep: true,
    parts: [
      ...installation('tekton-pipelines/tekton-pipelines-webhook', { deployment: { replicas: 1 } }),
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace: 'tekton-pipelines', name: 'tekton-pipelines-webhook' },
        spec: { minAvailable: '80%', selector: { matchLabels: { app: 'tekton-pipelines-webhook' } } },
        status: { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
      } as never,
    ],
  },
  {
    slug: 'annotation-names-other-namespace',
    what: 'inject annotation names Certificate in another namespace',
    parts: [
      ...certManager,
      ...annotated(
        installation('aso/azureserviceoperator-webhook-service', {
          deployment: { replicas: 1 },
          validating: { caBundle: '' },
        }),
        { 'cert-manager.io/inject-ca-from': 'azureserviceoperator-system/azureserviceoperator-serving-cert' },
      ),
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { namespace: 'aso', name: 'azureserviceoperator-serving-cert' },
        spec: {
          secretName: 'webhook-server-cert',
          dnsNames: ['azureserviceoperator-webhook-service.aso.svc'],
          issuerRef: { kind: 'Issuer', name: 'self' },
        },
        status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'up to date' }] },
      } as never,
    ],
  },
  {
    slug: 'network-plugin-needs-webhook',
    what: 'covers kube-system Pods; CNI Pods not created; own Pod has no network',
    parts: [
      namespace('iw'),
      node('worker-3', { ready: false }),
      service('iw/imageswap'),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'iw',
          name: 'imageswap-0',
          labels: { app: 'imageswap' },
          creationTimestamp: ago('1h'),
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'imageswap', uid: 'x', controller: true },
          ],
        },
        spec: {
          nodeName: 'worker-1',
          containers: [{ name: 'imageswap', image: 'imageswap:v1', ports: [{ containerPort: 8443 }] }],
        },
        status: {
          phase: 'Pending',
          conditions: [
            { type: 'PodScheduled', status: 'True' },
            { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
          ],
          containerStatuses: [
            {
              name: 'imageswap',
              image: '',
              ready: false,
              restartCount: 0,
              state: { waiting: { reason: 'ContainerCreating' } },
            },
          ],
        },
      } as never,
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { namespace: 'kube-system', name: 'aws-node', uid: 'ds-1', creationTimestamp: ago('9d') },
        spec: {
          selector: { matchLabels: { 'k8s-app': 'aws-node' } },
          template: {
            metadata: { labels: { 'k8s-app': 'aws-node' } },
            spec: {
              hostNetwork: true,
              containers: [{ name: 'aws-node', image: 'amazon-k8s-cni:v1.12' }],
              volumes: [{ name: 'cni-net-dir', hostPath: { path: '/etc/cni/net.d' } }],
            },
          },
        },
        status: { desiredNumberScheduled: 3, currentNumberScheduled: 0, numberReady: 0 },
      } as never,
      failedCreate(
        { kind: 'DaemonSet', namespace: 'kube-system', name: 'aws-node', uid: 'ds-1' },
        'Error creating: Internal error occurred: failed calling webhook "imageswap.webhook.k8s": failed to call webhook: Post "https://imageswap.iw.svc:443/?timeout=5s": no endpoints available for service "imageswap"',
        'apps/v1',
      ),
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'iw', name: 'sandbox' },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'iw', name: 'imageswap-0' },
        type: 'Warning',
        reason: 'FailedCreatePodSandBox',
        message:
          'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0a1b": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
        count: 30,
        firstTimestamp: ago('1h'),
        lastTimestamp: ago('1m'),
        source: { component: 'kubelet' },
      } as never,
      mutating('imageswap', [webhook('imageswap.webhook.k8s', { service: 'iw/imageswap', rules: pods })]),
    ],
  },
  {
    slug: 'key-of-another-certificate',
    what: 'Secret key does not belong to cert; process crashes',
    parts: [
      ...installation('minio-operator/operator', {
        deployment: {
          replicas: 1,
          ...mount('operator-tls'),
          pods: [crashing(1, 'F 1 main-controller.go:312] tls: private key does not match public key')],
        },
      }),
      servingSecretManifest('minio-operator/operator-tls', 'minio-operator/operator'),
    ],
  },
  {
    slug: 'lock-of-failed-node',
    what: 'node of the leader NotReady, Pod Terminating; new Pod waits for lock: leader-lease-stale',
    parts: [
      namespace('op'),
      node('worker-3', { ready: false }),
      service('op/op-webhook'),
      deployment('op/op-webhook', {
        replicas: 1,
        pods: [notReady('connect: connection refused', { listens: 'nowhere' })],
      }),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'op',
          name: 'op-webhook-7b8f-xyz12',
          uid: 'old-pod',
          labels: { app: 'op-webhook', 'pod-template-hash': '7b8f' },
          creationTimestamp: ago('9d'),
          deletionTimestamp: ago('1h'),
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'ReplicaSet',
              name: 'op-webhook-7b8f',
              uid: 'rs-old',
              controller: true,
            },
          ],
        },
        spec: {
          nodeName: 'worker-3',
          containers: [{ name: 'webhook', image: 'op:v1', ports: [{ containerPort: 8443 }] }],
        },
        status: {
          phase: 'Running',
          podIP: '198.51.100.70',
          podIPs: [{ ip: '198.51.100.70' }],
          conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago('1h') }],
          containerStatuses: [
            {
              name: 'webhook',
              image: '',
              ready: true,
              started: true,
              restartCount: 0,
              state: { running: { startedAt: ago('9d') } },
            },
          ],
        },
      } as never,
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          namespace: 'op',
          name: 'op-lock',
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'op-webhook-7b8f-xyz12', uid: 'old-pod' }],
        },
      } as never,
      validating('op-webhook', [webhook('v.op.example.com', { service: 'op/op-webhook' })]),
    ],
    logs: log(
      'op/op-webhook',
      '{"level":"info","logger":"leader","msg":"Found existing lock","LockOwner":"op-webhook-7b8f-xyz12"}\n{"level":"info","logger":"leader","msg":"Not the leader. Waiting."}',
    ),
  },
  {
    slug: 'server-on-another-port',
    what: '--webhook-port changed and container port not',
    parts: installation('kafka/kafka-operator-alertmanager', {
      service: { ports: [{ port: 443, targetPort: 9443 }] },
      deployment: {
        replicas: 1,
        container: {
          args: ['--webhook-server-port=9444'],
          ports: [{ containerPort: 9443 }],
          readinessProbe: { httpGet: { path: '/healthz', port: 8081 } } as never,
        },
        pods: [running({ listens: 'nowhere' })],
      },
    }),
  },
  {
    slug: 'waits-for-own-service',
    what: 'process waits for own webhook via Service without endpoints',
    parts: installation('longhorn-system/longhorn-conversion-webhook', {
      deployment: {
        replicas: 2,
        pods: [
          notReady(
            'Get "https://198.51.100.10:8443/v1/healthz": dial tcp 198.51.100.10:8443: connect: connection refused',
            { listens: 'nowhere' },
          ),
        ],
      },
    }),
    logs: log(
      'longhorn-system/longhorn-conversion-webhook',
      'time="2024-01-01" level=warning msg="Started webhook server, waiting for the webhook service to be accessible" error="Get \\"https://longhorn-conversion-webhook.longhorn-system.svc:9501/v1/healthz\\": dial tcp 10.43.1.2:9501: connect: connection refused"',
      'webhook',
      2,
    ),
  },
  {
    slug: 'two-webhooks-wait-for-each-other',
    what: 'deadlock-cycle',
    parts: [
      ...installation('istio-system/istiod', {
        deployment: {
          replicas: 1,
          refused:
            'Internal error occurred: failed calling webhook "k8s-image-availability.example.com": failed to call webhook: Post "https://image-policy.policy.svc:443/validate?timeout=5s": no endpoints available for service "image-policy"',
        },
        mutating: {
          name: 'sidecar-injector.istio.io',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['istio-system'] },
            ],
          },
        },
      }),
      ...installation('policy/image-policy', {
        deployment: {
          replicas: 1,
          refused:
            'Internal error occurred: failed calling webhook "sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=5s": no endpoints available for service "istiod"',
        },
        validating: {
          name: 'k8s-image-availability.example.com',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['policy'] }],
          },
        },
      }),
    ],
  },
  {
    slug: 'job-image-limited',
    what: 'image of the certgen Job cannot be pulled',
    parts: [
      ...installation('curam/curam-admission', {
        deployment: { replicas: 1, ...mount('curam-admission') },
        validating: { caBundle: '' },
      }),
      ...jobWith(
        'curam/curam-admission-create',
        {
          name: 'create',
          image: 'docker.io/jettech/kube-webhook-certgen:v1.5.0',
          args: ['create', '--secret-name=curam-admission'],
        },
        {
          state: {
            waiting: {
              reason: 'ImagePullBackOff',
              message:
                'Back-off pulling image "docker.io/jettech/kube-webhook-certgen:v1.5.0": toomanyrequests: You have reached your pull rate limit',
            },
          },
        },
      ),
    ],
  },
  {
    slug: 'job-pods-refused',
    what: 'PSP refuses the Pods of the Job; Secret missing, Pod waits',
    parts: [
      ...installation('ingress-nginx/ingress-nginx-controller', {
        deployment: { replicas: 1, ...mount('ingress-nginx-admission') },
        validating: { caBundle: '' },
      }),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          namespace: 'ingress-nginx',
          name: 'ingress-nginx-admission-create',
          uid: 'job-uid-1',
          creationTimestamp: ago('1h'),
        },
        spec: {
          template: {
            spec: {
              restartPolicy: 'OnFailure',
              containers: [
                {
                  name: 'create',
                  image: 'registry.example/kube-webhook-certgen:v1.5.1',
                  args: [
                    'create',
                    '--host=ingress-nginx-controller',
                    '--secret-name=ingress-nginx-admission',
                  ],
                },
              ],
            },
          },
        },
        status: {},
      } as never,
      failedCreate(
        { kind: 'Job', namespace: 'ingress-nginx', name: 'ingress-nginx-admission-create', uid: 'job-uid-1' },
        'Error creating: pods "ingress-nginx-admission-create-" is forbidden: PodSecurityPolicy: unable to admit pod: []',
      ),
    ],
  },
  {
    slug: 'quota-requires-resources',
    what: 'quota needs limits that container lacks: workload-cannot-create-pods',
    parts: installation('tyk/tyk-operator', {
      deployment: {
        replicas: 1,
        refused:
          'pods "tyk-operator-6d5f-" is forbidden: failed quota: compute: must specify limits.cpu for: kube-rbac-proxy; limits.memory for: kube-rbac-proxy',
      },
    }),
  },
  {
    slug: 'limit-range',
    what: 'LimitRange forbids',
    parts: installation('infra/infra-webhook', {
      deployment: {
        replicas: 1,
        refused:
          'pods "infra-webhook-5f-" is forbidden: maximum memory usage per Container is 256Mi, but limit is 512Mi',
      },
    }),
  },
  {
    slug: 'privileged-port',
    what: 'bind permission denied :443',
    parts: installation('dw/dw-webhook-server', {
      service: { ports: [{ port: 443, targetPort: 443 }] },
      deployment: {
        replicas: 1,
        container: { ports: [{ containerPort: 443 }] },
        pods: [
          crashing(
            1,
            '{"level":"error","logger":"cmd","msg":"Manager exited non-zero","error":"listen tcp :443: bind: permission denied"}',
          ),
        ],
      },
    }),
  },
  {
    slug: 'entry-point-missing',
    what: 'no such file (args in place of command)',
    parts: [
      namespace('cert-manager'),
      service('cert-manager/alidns-webhook'),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'cert-manager',
          name: 'alidns-webhook-0',
          labels: { app: 'alidns-webhook' },
          creationTimestamp: ago('1h'),
        },
        spec: {
          nodeName: 'worker-1',
          containers: [
            { name: 'alidns', image: 'registry.example/alidns:v1', args: ['--tls-cert-file=/tls/tls.crt'] },
          ],
        },
        status: {
          phase: 'Pending',
          conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
          podIP: '198.51.100.60',
          podIPs: [{ ip: '198.51.100.60' }],
          containerStatuses: [
            {
              name: 'alidns',
              image: '',
              ready: false,
              restartCount: 6,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: {
                terminated: {
                  exitCode: 128,
                  reason: 'StartError',
                  message:
                    'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "--tls-cert-file=/tls/tls.crt": stat --tls-cert-file=/tls/tls.crt: no such file or directory: unknown',
                  startedAt: ago('2m'),
                  finishedAt: ago('2m'),
                },
              },
            },
          ],
        },
      } as never,
      apiService('v1alpha1.acme.alidns.example', 'cert-manager/alidns-webhook', {
        reason: 'MissingEndpoints',
        message: 'endpoints for service/alidns-webhook in "cert-manager" have no addresses with port name ""',
      }),
    ],
  },
  {
    slug: 'crd-of-dependency-missing',
    what: 'CRD not installed: log no matches for kind',
    parts: installation('capo-system/capo-webhook-service', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            'E1 kind.go:71] controller-runtime/source/EventHandler "if kind is a CRD, it should be installed before calling Start" err="no matches for kind \\"Image\\" in version \\"openstack.k-orc.cloud/v1alpha1\\"" kind="Image.openstack.k-orc.cloud"\nE1 main.go:300] setup "problem running manager" err="failed to wait for openstackserver caches to sync: timed out waiting for cache to be synced"',
          ),
        ],
      },
      validating: {
        name: 'v.openstackcluster.cluster.x-k8s.io',
        rules: [rule('infrastructure.cluster.x-k8s.io/v1beta1', 'openstackclusters')],
      },
    }),
  },
  {
    slug: 'revision-deleted',
    what: 'old revision deleted, configuration left',
    parts: [
      namespace('istio-system'),
      service('istio-system/istiod-1-10', { selector: { app: 'istiod', 'istio.io/rev': '1-10' } }),
      deployment('istio-system/istiod-1-11', {
        replicas: 1,
        labels: { app: 'istiod', 'istio.io/rev': '1-11' },
      }),
      service('istio-system/istiod-1-11', { selector: { app: 'istiod', 'istio.io/rev': '1-11' } }),
      mutating('istio-sidecar-injector-1-10', [
        webhook('rev.namespace.sidecar-injector.istio.io', {
          service: 'istio-system/istiod-1-10',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio.io/rev': '1-10' } },
        }),
      ]),
      mutating('istio-sidecar-injector-1-11', [
        webhook('rev.namespace.sidecar-injector.istio.io', {
          service: 'istio-system/istiod-1-11',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio.io/rev': '1-11' } },
        }),
      ]),
      namespace('shop', { 'istio.io/rev': '1-10' }),
    ],
  },
  {
    slug: 'service-without-selector',
    what: 'Service has no selector',
    parts: [
      namespace('gatekeeper-system'),
      selectorlessService('gatekeeper-system/gatekeeper-svc'),
      deployment('gatekeeper-system/gatekeeper-controller-manager', { replicas: 1 }),
      validating('gatekeeper', [
        webhook('mutation.styra.com', { service: 'gatekeeper-system/gatekeeper-svc' }),
      ]),
    ],
  },
  {
    slug: 'writer-waits-for-former-leader',
    what: 'Secret writer waits for Lease held by a Pod that is gone: certificate-writer-not-leader / lease stale',
    parts: [
      namespace('knative-serving'),
      service('knative-serving/webhook'),
      deployment('knative-serving/webhook', {
        replicas: 1,
        ...mount('webhook-certs'),
        pods: [running({ certificate: 'expired' })],
      }),
      servingSecretManifest('knative-serving/webhook-certs', 'knative-serving/webhook', 'expired'),
      {
        ...lease('knative-serving/webhook.webhookcertificates.00-of-01', 'webhook', 0),
        spec: {
          holderIdentity: 'webhook-7d9f8c6b5-abcde_1f2e3d4c',
          leaseDurationSeconds: 60,
          acquireTime: ago('3h'),
          renewTime: ago('2h'),
          leaseTransitions: 3,
        },
      } as never,
      validating('config.webhook.serving.knative.dev', [
        webhook('config.webhook.serving.knative.dev', { service: 'knative-serving/webhook' }),
      ]),
    ],
  },
  {
    slug: 'placeholder-bundle',
    what: 'caBundle Cg==',
    parts: bundle(installation('capi-system/capi-webhook-service', { deployment: { replicas: 1 } }), 'Cg=='),
  },
  {
    slug: 'evicted-after-node-restart',
    what: 'after node restart Pod not recreated (bare / Failed)',
    parts: installation('gopaddle-servers/configurator-controllerwebhook', {
      barePod: { pods: [evicted('Pod was terminated in response to imminent node shutdown.')] } as never,
      validating: { name: 'podcontroller.configurator.gopaddle.io', rules: pods, timeoutSeconds: 10 },
    }),
  },
  {
    slug: 'hook-never-ran',
    what: 'hook interrupted: caBundle empty, no Job exists; Secret is there',
    parts: [
      ...installation('kubernaut-system/authwebhook', {
        deployment: { replicas: 1, ...mount('authwebhook-tls') },
        validating: { caBundle: '' },
      }),
      servingSecretManifest('kubernaut-system/authwebhook-tls', 'kubernaut-system/authwebhook'),
    ],
  },
  {
    slug: 'secret-lacks-ca-job-fails',
    what: 'Secret lacks key ca; Job fails',
    parts: [
      ...installation('ingress-nginx/ingress-nginx-controller', {
        deployment: { replicas: 1, ...mount('ingress-nginx-admission') },
        validating: { caBundle: '' },
      }),
      withoutAuthority(
        servingSecretManifest(
          'ingress-nginx/ingress-nginx-admission',
          'ingress-nginx/ingress-nginx-controller',
        ),
      ),
      ...jobWith(
        'ingress-nginx/ingress-nginx-admission-patch',
        {
          name: 'patch',
          image: 'registry.example/kube-webhook-certgen:v1.1.1',
          args: ['patch', '--webhook-name=ingress-nginx-controller', '--secret-name=ingress-nginx-admission'],
        },
        {
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          restartCount: 5,
          lastState: { terminated: { exitCode: 1, reason: 'Error' } },
        },
      ),
    ],
    logs: {
      'ingress-nginx/ingress-nginx-admission-patch-jz4wk/patch':
        '{"level":"fatal","msg":"got secret, but it did not contain a \'ca\' key","source":"k8s/k8s.go:225"}',
      'ingress-nginx/ingress-nginx-admission-patch-jz4wk/patch/previous':
        '{"level":"fatal","msg":"got secret, but it did not contain a \'ca\' key","source":"k8s/k8s.go:225"}',
    },
  },
];
