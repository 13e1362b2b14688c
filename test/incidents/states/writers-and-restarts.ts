import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import {
  apiServerPod,
  type IncidentState,
  jobWith,
  log,
  mount,
  pods,
  policy,
  serviceAccount,
  unschedulable,
} from './parts.ts';

/** A Pod that a controller has created, with annotations, as `namespace/name`. */
const createdPod = (
  home: string,
  name: string,
  annotations: Readonly<Record<string, string>>,
  creationTimestamp: string,
): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: home, name, annotations, labels: { app: name }, creationTimestamp },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:v1' }], nodeName: 'worker-1' },
    status: { phase: 'Running' },
  }) as never;

const vaultRequested = { 'vault.hashicorp.com/agent-inject': 'true' };

/** Kube-apiserver with a proxy that is also used for Services. */
const proxiedApiServer = apiServerPod(
  'cp-1',
  ['--service-cluster-ip-range=10.200.0.0/16'],
  [
    { name: 'HTTPS_PROXY', value: 'http://192.0.2.80:3128' },
    { name: 'NO_PROXY', value: 'localhost,127.0.0.1,192.0.2.0/24' },
  ],
);

/** Who writes configurations and certificates, and what clusters cannot do when they start again. */
export const writersAndRestarts: readonly IncidentState[] = [
  {
    slug: 'lock-of-failed-pod',
    what: 'After a reboot of its node the Pod that owns the lock has failed with a reason of the platform, and is never deleted. Its successor waits for the lock.',
    parts: [
      namespace('op'),
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
        spec: { nodeName: 'worker-1', containers: [{ name: 'webhook', image: 'op:v1' }] },
        status: {
          phase: 'Failed',
          reason: 'ProviderFailed',
          message: 'Pod Sandbox has been stopped.',
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
    slug: 'created-while-injector-was-down',
    what: 'The node of the injector was drained. Pods that request a secret were created meanwhile; failurePolicy is Ignore.',
    parts: [
      ...installation('vault/vault-agent-injector-svc', {
        deployment: { replicas: 1 },
        mutating: { name: 'vault.hashicorp.com', failurePolicy: 'Ignore', rules: pods },
      }),
      namespace('shop'),
      createdPod('shop', 'web-0', vaultRequested, ago('40m')),
      createdPod('shop', 'web-1', vaultRequested, ago('41m')),
    ],
    deep: true,
  },
  {
    slug: 'namespace-of-jobs-not-labelled',
    what: 'The webhook selects namespaces by a label that the namespace of the jobs does not have.',
    parts: [
      ...installation('spark-operator/spark-operator-webhook', {
        deployment: { replicas: 1 },
        mutating: {
          name: 'webhook.sparkoperator.k8s.io',
          rules: pods,
          failurePolicy: 'Ignore',
          namespaceSelector: { matchLabels: { 'spark-webhook-enabled': 'true' } },
        },
      }),
      namespace('spark'),
      createdPod('spark', 'example-driver', {}, ago('10m')),
    ],
  },
  {
    slug: 'started-without-nodes',
    what: 'A stopped cluster starts without nodes. A policy webhook with failurePolicy Fail intercepts Nodes, Leases and Pods of the system, and has no Pod.',
    parts: [
      namespace('gatekeeper-system'),
      service('gatekeeper-system/gatekeeper-webhook-service'),
      ...unschedulable('gatekeeper-system/gatekeeper-webhook-service', 'no nodes available to schedule pods'),
      validating('gatekeeper-validating-webhook-configuration', [
        webhook('validation.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          rules: [rule('*/*', '*')],
          timeoutSeconds: 3,
        }),
      ]),
    ],
  },
  {
    slug: 'overlay-without-control-plane',
    what: 'The control plane of the provider is not part of the overlay network of the Pods. The webhook has failurePolicy Ignore, and each Pod waits for 30 s.',
    parts: installation('kube-system/vpa-webhook', {
      service: { ports: [{ port: 443, targetPort: 8000 }] },
      deployment: {
        replicas: 1,
        container: { ports: [{ containerPort: 8000 }] },
        pods: [running({ network: 'drops' })],
      },
      mutating: { name: 'vpa.k8s.io', failurePolicy: 'Ignore', timeoutSeconds: 30, rules: pods },
    }).filter((part) => !('kind' in part && part.kind === 'Namespace')),
  },
  {
    slug: 'one-policy-not-downloaded',
    what: 'The policy server cannot download one of its policies, and exits. All policies fail.',
    parts: installation('kubewarden/policy-server-default', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            'Error: error while fetching policy safe-labels from registry://ghcr.io/example/safe-labels:v9: Registry error: url https://ghcr.io/v2/example/safe-labels/manifests/v9, envelope: OCI API errors: [OCI API error: manifest unknown]',
          ),
        ],
      },
      validating: { name: 'clusterwide-privileged-pods.kubewarden.admission', rules: pods },
    }),
  },
  {
    slug: 'restored-before-its-service',
    what: 'A restore writes CRDs with a conversion webhook. The Service of the webhook is not part of the backup.',
    parts: [
      namespace('cattle-provisioning-capi-system'),
      customResource('machines.cluster.x-k8s.io', 'Machine', {
        service: 'cattle-provisioning-capi-system/capi-webhook-service',
      }),
    ],
  },
  {
    slug: 'policy-allows-addresses-of-nodes',
    what: 'Isolation of projects adds a NetworkPolicy that allows the addresses of the nodes. The network plugin gives packets of nodes an identity of their own, and denies them.',
    parts: [
      ...installation('metallb-system/metallb-webhook-service', {
        service: { ports: [{ port: 443, targetPort: 9443 }] },
        deployment: {
          replicas: 1,
          container: { ports: [{ containerPort: 9443 }] },
          pods: [running({ network: 'drops' })],
        },
        validating: {
          name: 'ipaddresspoolvalidationwebhook.metallb.io',
          timeoutSeconds: 3,
          rules: [rule('metallb.io/v1beta1', 'ipaddresspools')],
        },
      }),
      policy('metallb-system/hn-nodes', {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              { ipBlock: { cidr: '10.42.2.245/32' } },
              { ipBlock: { cidr: '10.42.0.13/32' } },
              { ipBlock: { cidr: '10.42.1.7/32' } },
            ],
          },
        ],
      }),
      policy('metallb-system/np-default', {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              { namespaceSelector: { matchLabels: { 'field.cattle.io/projectId': 'p-8jvnd' } } },
              { namespaceSelector: { matchLabels: { 'field.cattle.io/projectId': 'p-x2j4q' } } },
            ],
          },
        ],
      }),
    ],
  },
  {
    slug: 'image-of-certificate-job-incomplete',
    what: 'The image of the certificate Job was loaded into the node, and lacks a layer. The kubelet cannot create the container; the Secret does not exist.',
    parts: [
      ...installation('ingress-nginx/ingress-nginx-controller-admission', {
        deployment: { replicas: 1, ...mount('ingress-nginx-admission') },
        validating: {
          name: 'validate.nginx.ingress.kubernetes.io',
          caBundle: '',
          rules: [rule('networking.k8s.io/v1', 'ingresses')],
        },
      }),
      ...jobWith(
        'ingress-nginx/ingress-nginx-admission-create',
        {
          name: 'create',
          image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v20231011-8b53cabe0',
          args: ['create', '--secret-name=ingress-nginx-admission'],
        },
        {
          state: {
            waiting: {
              reason: 'CreateContainerError',
              message:
                'failed to get image from containerd "sha256:1ebff0f9671bc015dc340b12c5bf6f3dbda7d0a8b5332bd095f21bd52e1b30fb": image "docker.io/library/import-2023-10-28@sha256:3c87d31c654a": not found',
            },
          },
        },
      ),
    ],
  },
  {
    slug: 'service-range-through-proxy',
    what: 'Kube-apiserver runs with a proxy, and NO_PROXY does not contain the Service range. The APIService of metrics-server is not available.',
    parts: [
      proxiedApiServer,
      service('kube-system/metrics-server'),
      deployment('kube-system/metrics-server', { replicas: 1 }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.200.12.7:443/apis/metrics.k8s.io/v1beta1: Get "https://10.200.12.7:443/apis/metrics.k8s.io/v1beta1": Service Unavailable',
      }),
    ],
  },
  {
    slug: 'binding-names-other-account',
    what: 'The ClusterRoleBinding names another ServiceAccount than the Pod has. The program cannot write the caBundle of its CRD.',
    parts: [
      namespace('cosign-system'),
      service('cosign-system/policy-webhook'),
      serviceAccount('cosign-system', 'policy-controller-policy-webhook'),
      deployment('cosign-system/policy-webhook', {
        replicas: 1,
        spec: { serviceAccountName: 'policy-controller-policy-webhook' },
      }),
      customResource('clusterimagepolicies.policy.sigstore.dev', 'ClusterImagePolicy', {
        service: 'cosign-system/policy-webhook',
        caBundle: '',
      }),
    ],
    logs: log(
      'cosign-system/policy-webhook',
      '{"level":"error","ts":"2022-06-20T09:19:39.406Z","logger":"clusterimagepolicy.ConversionWebhook","msg":"Reconcile error","error":"failed to update webhook: customresourcedefinitions.apiextensions.k8s.io \\"clusterimagepolicies.policy.sigstore.dev\\" is forbidden: User \\"system:serviceaccount:cosign-system:policy-controller-policy-webhook\\" cannot update resource \\"customresourcedefinitions\\" in API group \\"apiextensions.k8s.io\\" at the cluster scope"}',
    ),
  },
  {
    slug: 'authority-of-webhook-expired',
    what: 'The process signs its serving certificate with a CA in a Secret. The CA has expired, and the Pod is not ready.',
    parts: [
      ...installation('cert-manager/cert-manager-webhook', {
        deployment: {
          replicas: 1,
          container: {
            args: [
              '--dynamic-serving-ca-secret-namespace=cert-manager',
              '--dynamic-serving-ca-secret-name=cert-manager-webhook-ca',
            ],
          },
          pods: [notReady('HTTP probe failed with statuscode: 500', { listens: 'nowhere' })],
        },
        validating: { name: 'webhook.cert-manager.io' },
      }),
      servingSecretManifest(
        'cert-manager/cert-manager-webhook-ca',
        'cert-manager/cert-manager-webhook',
        'expired',
      ),
    ],
    logs: log(
      'cert-manager/cert-manager-webhook',
      'E1106 09:12:00.314872       1 dynamic_source.go:221] "Failed to generate serving certificate, retrying..." err="internal error: CA certificate has expired, try again later" logger="cert-manager" interval="1s"',
    ),
  },
];
