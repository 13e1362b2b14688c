import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, node, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { daemonSet, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { dropped, on, onHostNetwork, ownedBy, without } from './managed-clusters.ts';
import { at, failedCreate, type IncidentState, log, pods, serviceAccount, to, warning } from './parts.ts';

const hybrid = { nodeSelector: { 'eks.amazonaws.com/compute-type': 'hybrid' } };

const certManagerParts = [
  'cert-manager',
  'certificates.cert-manager.io',
  'issuers.cert-manager.io',
  'certificaterequests.cert-manager.io',
];

/** Webhooks in Pods of a Calico network that EKS does not route. */
const overlay = (home: string, parts: Parameters<typeof on>[2]) =>
  without(on('eks with Calico', home, [...parts, ...onHostNetwork]), 'ingress-nginx');

/** States of vendors' pages and threads, in the order in which searches found them. */
export const sampledVendors: readonly IncidentState[] = [
  {
    slug: 'lock-of-former-operator-remains',
    what: 'The Pod that owned the lock of the operator was removed in an upgrade. Its lock was not.',
    parts: on('openshift', 'integration', [
      namespace('integration'),
      service('integration/ibm-mq-operator-webhook', { selector: { app: 'ibm-mq-operator' }, ...to(9443) }),
      deployment('integration/ibm-mq-operator', {
        replicas: 1,
        ...at(9443, {
          livenessProbe: { httpGet: { path: '/healthz', port: 8081 } },
          image: 'icr.io/cpopen/ibm-mq-operator:3.2.4',
        }),
        pods: [
          crashing(
            1,
            '{"level":"info","ts":"2024-06-18T10:02:11Z","logger":"leader","msg":"Trying to become the leader."}\n{"level":"info","ts":"2024-06-18T10:02:11Z","logger":"leader","msg":"Found existing lock","LockOwner":"ibm-mq-operator-5f7d4c9b8-q2x7z"}\n{"level":"info","ts":"2024-06-18T10:02:12Z","logger":"leader","msg":"Not the leader. Waiting."}\n{"level":"info","ts":"2024-06-18T10:02:29Z","logger":"leader","msg":"Not the leader. Waiting."}',
          ),
        ],
        metadata: {
          labels: { 'olm.owner': 'ibm-mq.v3.2.4', 'olm.owner.kind': 'ClusterServiceVersion' },
          ownerReferences: ownedBy('ibm-mq.v3.2.4'),
        },
      }),
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          namespace: 'integration',
          name: 'ibm-mq-operator-lock',
          creationTimestamp: ago('90d'),
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'Pod',
              name: 'ibm-mq-operator-5f7d4c9b8-q2x7z',
              uid: 'uid-of-former-pod',
            },
          ],
        },
      } as never,
      mutating('mqueuemanager.kb.io-7xk2p', [
        webhook('mqueuemanager.kb.io', {
          service: 'integration/ibm-mq-operator-webhook',
          rules: [rule('mq.ibm.com/v1beta1', 'queuemanagers')],
        }),
      ]),
    ]),
  },
  {
    slug: 'webhook-on-hybrid-node',
    what: 'A Pod of the webhook runs on a hybrid node of EKS. The control plane has no route to its address.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: on('eks', 'amazon-cloudwatch', [
      node('mi-0b3f6a1c2d4e5f607', {
        labels: { 'eks.amazonaws.com/compute-type': 'hybrid', 'topology.kubernetes.io/zone': 'onprem' },
      }),
      daemonSet('kube-system/cilium', {
        labels: { 'k8s-app': 'cilium' },
        container: { name: 'cilium-agent', ports: [] },
        spec: hybrid,
      }),
      namespace('amazon-cloudwatch'),
      service('amazon-cloudwatch/amazon-cloudwatch-observability-webhook-service', {
        selector: { app: 'amazon-cloudwatch-observability-controller-manager' },
        ...to(9443),
      }),
      deployment('amazon-cloudwatch/amazon-cloudwatch-observability-controller-manager', {
        replicas: 1,
        ...at(9443),
        spec: hybrid,
        pods: dropped,
      }),
      mutating('amazon-cloudwatch-observability-mutating-webhook-configuration', [
        webhook('mpod.kb.io', {
          service: 'amazon-cloudwatch/amazon-cloudwatch-observability-webhook-service',
          path: '/mutate-v1-pod',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'url-beyond-restricted-control-plane',
    what: 'The control plane of GKE may not connect outside. The webhook is outside the cluster.',
    version: 'v1.33.5-gke.1080000',
    parts: on('gke', 'shop', [
      namespace('shop'),
      deployment('shop/cart', { replicas: 2, container: { ports: [] } }),
      validating('image-policy', [
        webhook('images.policy.example.com', {
          url: 'https://192.0.2.200/validate',
          timeoutSeconds: 10,
          rules: [rule('apps/v1', 'deployments')],
        }),
      ]),
      warning(
        {
          kind: 'HelmRelease',
          namespace: 'shop',
          name: 'cart',
          uid: 'uid-of-cart',
          apiVersion: 'helm.toolkit.fluxcd.io/v2',
        },
        'UpgradeFailed',
        'Helm upgrade failed for release shop/cart: Internal error occurred: failed calling webhook "images.policy.example.com": failed to call webhook: Post "https://192.0.2.200/validate?timeout=10s": context deadline exceeded',
        'helm-controller',
      ),
    ]),
  },
  {
    slug: 'addon-manager-removed-configuration',
    what: 'An upgrade of AKS deleted the configuration and the CRDs of a Gatekeeper that is no add-on.',
    parts: on('aks', 'gatekeeper-system', [
      namespace('gatekeeper-system'),
      service('gatekeeper-system/gatekeeper-webhook-service', {
        selector: { app: 'gatekeeper-controller-manager' },
        ...to(8443),
      }),
      deployment('gatekeeper-system/gatekeeper-controller-manager', {
        replicas: 1,
        ...at(8443, { name: 'manager', image: 'openpolicyagent/gatekeeper:v3.1.0-beta.8' }),
      }),
      deployment('gatekeeper-system/gatekeeper-audit', { replicas: 1, container: { ports: [] } }),
    ]),
  },
  {
    slug: 'mirror-pods-of-new-cluster-refused',
    what: 'A new cluster: the webhook matches all Pods, also its own and those of the platform.',
    parts: on('kubeadm', 'kube-system', [
      service('kube-system/pod-identity-webhook', to(443)),
      deployment('kube-system/pod-identity-webhook', {
        replicas: 2,
        ...at(443),
        refused:
          'Internal error occurred: failed calling webhook "pod-identity-webhook.amazonaws.com": failed to call webhook: Post "https://pod-identity-webhook.kube-system.svc:443/mutate?timeout=10s": dial tcp 100.64.59.214:443: connect: connection refused',
        pods: [],
      }),
      mutating('pod-identity-webhook', [
        webhook('pod-identity-webhook.amazonaws.com', {
          service: 'kube-system/pod-identity-webhook',
          path: '/mutate',
          timeoutSeconds: 10,
          rules: pods,
        }),
      ]),
      failedCreate(
        { kind: 'DaemonSet', namespace: 'kube-system', name: 'ebs-csi-node', uid: 'uid-of-ebs' },
        'Error creating: Internal error occurred: failed calling webhook "pod-identity-webhook.amazonaws.com": failed to call webhook: Post "https://pod-identity-webhook.kube-system.svc:443/mutate?timeout=10s": dial tcp 100.64.59.214:443: connect: connection refused',
        'apps/v1',
      ),
    ]),
  },
  {
    slug: 'template-without-service-account',
    what: 'The Pod template names no ServiceAccount. The one of the chart may use the policy that allows hostNetwork.',
    parts: on('kubeadm', 'vmware-system-tkg', [
      namespace('vmware-system-tkg'),
      serviceAccount('vmware-system-tkg', 'tkr-conversion-webhook-manager-sa'),
      service('vmware-system-tkg/tkr-conversion-webhook-service', {
        selector: { app: 'tkr-conversion-webhook-manager' },
        ...to(9865),
      }),
      deployment('vmware-system-tkg/tkr-conversion-webhook-manager', {
        replicas: 1,
        ...at(9865),
        spec: { hostNetwork: true },
        refused:
          'pods "tkr-conversion-webhook-manager-7c6f9d8b5-" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used spec.containers[0].hostPort: Invalid value: 9865: Host port 9865 is not allowed to be used. Allowed ports: []]',
        pods: [],
      }),
      customResource('tanzukubernetesreleases.run.tanzu.vmware.com', 'TanzuKubernetesRelease', {
        service: 'vmware-system-tkg/tkr-conversion-webhook-service',
      }),
    ]),
  },
  {
    slug: 'injector-on-overlay-of-eks',
    what: 'The injector of a security product in a Calico network of EKS.',
    version: 'v1.31.9-eks-5d4a308',
    parts: overlay('falcon-system', [
      namespace('falcon-system'),
      service('falcon-system/falcon-sensor-injector', to(4433)),
      deployment('falcon-system/falcon-sensor-injector', {
        replicas: 1,
        ...at(4433),
        pods: [running({ network: 'not-allowed' })],
      }),
      mutating('falcon-sensor-injector', [
        webhook('falcon-sensor-injector.falcon-system.svc', {
          service: 'falcon-system/falcon-sensor-injector',
          path: '/mutate',
          timeoutSeconds: 30,
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'api-of-removed-cert-manager-stops-audit',
    what: 'The API of a removed cert-manager remains. The audit of Gatekeeper lists all APIs and fails.',
    parts: without(
      on('kubeadm', 'gatekeeper-system', [
        namespace('gatekeeper-system'),
        service('gatekeeper-system/gatekeeper-webhook-service', {
          selector: { app: 'gatekeeper-controller-manager' },
          ...to(8443),
        }),
        deployment('gatekeeper-system/gatekeeper-controller-manager', {
          replicas: 1,
          ...at(8443, { name: 'manager' }),
        }),
        deployment('gatekeeper-system/gatekeeper-audit', { replicas: 1, container: { ports: [] } }),
        validating('gatekeeper-validating-webhook-configuration', [
          webhook('validation.gatekeeper.sh', {
            service: 'gatekeeper-system/gatekeeper-webhook-service',
            path: '/v1/admit',
            failurePolicy: 'Ignore',
            timeoutSeconds: 3,
            rules: [rule('apps/v1', 'deployments')],
          }),
        ]),
        apiService('v1beta1.webhook.certmanager.k8s.io', 'cert-manager/cert-manager-webhook', {
          reason: 'ServiceNotFound',
          message: 'service/cert-manager-webhook in "cert-manager" is not present',
        }),
      ]),
      ...certManagerParts,
    ),
    logs: log(
      'gatekeeper-system/gatekeeper-audit',
      '{"level":"error","ts":1602798904.4001157,"logger":"controller","msg":"audit manager audit() failed","process":"audit","error":"unable to retrieve the complete list of server APIs: webhook.certmanager.k8s.io/v1beta1: the server is currently unable to handle the request"}',
    ),
  },
  {
    slug: 'definitions-of-release-without-webhook',
    what: 'A release of CRDs only: they name the webhook that its values disable.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: on('eks', 'crds-eso', [
      namespace('crds-eso'),
      ...['SecretStore', 'ExternalSecret', 'ClusterSecretStore'].map((kind) =>
        customResource(`${kind.toLowerCase()}s.external-secrets.io`, kind, {
          service: 'crds-eso/crds-eso-install-webhook',
          metadata: {
            labels: { 'app.kubernetes.io/managed-by': 'Helm' },
            annotations: {
              'meta.helm.sh/release-name': 'crds-eso-install',
              'meta.helm.sh/release-namespace': 'crds-eso',
            },
          },
        }),
      ),
      namespace('external-secrets'),
      deployment('external-secrets/external-secrets', { replicas: 1, container: { ports: [] } }),
    ]),
  },
  {
    slug: 'default-port-is-the-kubelets',
    what: 'A webhook in a Calico network of EKS. Its port is that of the kubelet.',
    version: 'v1.31.9-eks-5d4a308',
    parts: overlay('external-secrets', [
      namespace('external-secrets'),
      service('external-secrets/external-secrets-webhook', to(10250)),
      deployment('external-secrets/external-secrets-webhook', {
        replicas: 1,
        ...at(10250),
        pods: [running({ network: 'not-allowed' })],
      }),
      deployment('external-secrets/external-secrets', { replicas: 1, container: { ports: [] } }),
      validating('secretstore-validate', [
        webhook('validate.clustersecretstore.external-secrets.io', {
          service: 'external-secrets/external-secrets-webhook',
          path: '/validate-external-secrets-io-v1beta1-clustersecretstore',
          rules: [rule('external-secrets.io/v1beta1', 'clustersecretstores')],
        }),
      ]),
    ]),
  },
  {
    slug: 'selector-of-one-label-covers-second-operator',
    what: 'The selector of the Service has one label, which another operator of the product has as well.',
    parts: on('aks', 'capz-system', [
      namespace('capz-system'),
      service('capz-system/capz-webhook-service', {
        selector: { 'cluster.x-k8s.io/provider': 'infrastructure-azure' },
        ...to(9443),
      }),
      deployment('capz-system/capz-controller-manager', {
        replicas: 1,
        ...at(9443),
        labels: {
          'cluster.x-k8s.io/provider': 'infrastructure-azure',
          'control-plane': 'capz-controller-manager',
        },
      }),
      deployment('capz-system/azureserviceoperator-controller-manager', {
        replicas: 1,
        ...at(9443),
        labels: {
          'cluster.x-k8s.io/provider': 'infrastructure-azure',
          'control-plane': 'controller-manager',
        },
        pods: [running({ certificate: 'for-another-name' })],
      }),
      mutating('capz-mutating-webhook-configuration', [
        webhook('default.azuremanagedcontrolplanes.infrastructure.cluster.x-k8s.io', {
          service: 'capz-system/capz-webhook-service',
          timeoutSeconds: 10,
          rules: [rule('infrastructure.cluster.x-k8s.io/v1beta1', 'azuremanagedcontrolplanes')],
        }),
      ]),
    ]),
  },
  {
    slug: 'metrics-server-beyond-api-server',
    what: 'The API server of a cluster on machines does not reach metrics-server, and all requests are slow.',
    parts: on('kubeadm', 'kube-system', [
      service('kube-system/metrics-server', to(443)),
      deployment('kube-system/metrics-server', { replicas: 1, ...at(443), pods: dropped }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.12.185.191:443/apis/metrics.k8s.io/v1beta1: Get "https://10.12.185.191:443/apis/metrics.k8s.io/v1beta1": dial tcp 10.12.185.191:443: i/o timeout',
      }),
    ]),
  },
  {
    slug: 'policy-drops-right-to-bind-port',
    what: 'A PodSecurityPolicy takes the capability to listen on port 443 from a program that is not root.',
    version: 'v1.33.5-gke.1080000',
    parts: on('gke', 'cnrm-system', [
      namespace('cnrm-system'),
      service('cnrm-system/cnrm-validating-webhook', {
        selector: { app: 'cnrm-webhook-manager' },
        ...to(443),
      }),
      deployment('cnrm-system/cnrm-webhook-manager', {
        replicas: 2,
        ...at(443, {
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        }),
        metadata: { labels: { app: 'cnrm-webhook-manager' } },
        spec: { securityContext: { runAsUser: 1000, runAsNonRoot: true } } as never,
        pods: [
          crashing(
            1,
            '{"severity":"info","logger":"controller-runtime.webhook","msg":"registering webhook","path":"/deny-unknown-fields"}\n{"severity":"error","logger":"setup","msg":"problem running manager","error":"listen tcp :443: bind: permission denied"}',
          ),
        ],
      }),
      validating('validating-webhook.cnrm.cloud.google.com', [
        webhook('deny-unknown-fields.cnrm.cloud.google.com', {
          service: 'cnrm-system/cnrm-validating-webhook',
          path: '/deny-unknown-fields',
          timeoutSeconds: 30,
          rules: [rule('*/*', '*')],
          objectSelector: { matchExpressions: [{ key: 'cnrm', operator: 'Exists' }] },
        }),
      ]),
    ]),
  },
];
