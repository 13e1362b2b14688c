import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, node, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { daemonSet, deployment, isWorkloadPart, job } from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, creating, inBusyCluster, withStatus } from './busy-cluster.ts';
import { trusting } from './certificates.ts';
import {
  at,
  failedCreate,
  type IncidentState,
  jobWith,
  log,
  mount,
  pods,
  to,
  unschedulable,
} from './parts.ts';

/** Upgrades, removals and renewals that leave something behind, in clusters with other products. */
export const busyUpgrades: readonly IncidentState[] = [
  {
    slug: 'network-agents-refused',
    what: 'An upgrade replaces the nodes. A webhook for all Pods refuses the Pods of the network plugin, and its own Pod waits for a node with a network.',
    parts: inBusyCluster('netbird', [
      node('worker-3', { ready: false }),
      namespace('netbird'),
      service('netbird/netbird-operator-webhook-service', {
        selector: { app: 'netbird-operator' },
        ...to(9443),
      }),
      ...unschedulable(
        'netbird/netbird-operator',
        '0/3 nodes are available: 3 node(s) had untolerated taint {node.cilium.io/agent-not-ready: }. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
      ),
      daemonSet('kube-system/cilium', {
        container: { name: 'cilium-agent', ports: [] },
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "mpod-v1.netbird.io": failed to call webhook: Post "https://netbird-operator-webhook-service.netbird.svc:443/mutate--v1-pod?timeout=10s": no endpoints available for service "netbird-operator-webhook-service"',
      }),
      mutating('netbird-operator-mpod-webhook-configuration', [
        webhook('mpod-v1.netbird.io', {
          service: 'netbird/netbird-operator-webhook-service',
          timeoutSeconds: 10,
          rules: pods,
        }),
      ]),
      validating('netbird-operator-vnbsetupkey-webhook-configuration', [
        webhook('vnbsetupkey-v1.netbird.io', {
          service: 'netbird/netbird-operator-webhook-service',
          rules: [rule('netbird.io/v1', 'nbsetupkeys')],
        }),
      ]),
    ]),
  },
  {
    slug: 'old-certificates-read-after-removal',
    what: 'An installer removes the old cert-manager and then reads its Certificates, whose conversion webhook is gone.',
    parts: inBusyCluster('kubermatic', [
      namespace('cert-manager'),
      ...besides('kubermatic', 'kubermatic-operator', 'kubermatic-api'),
      customResource('certificates.cert-manager.io', 'Certificate', {
        service: 'cert-manager/cert-manager-webhook',
      }),
      customResource('issuers.cert-manager.io', 'Issuer', { service: 'cert-manager/cert-manager-webhook' }),
      {
        apiVersion: 'cert-manager.io/v1beta1',
        kind: 'Certificate',
        metadata: { namespace: 'kubermatic', name: 'kubermatic-tls' },
      } as never,
    ]).filter((part) => {
      const { metadata } = isWorkloadPart(part) ? part.manifest : part;
      return metadata.namespace !== 'cert-manager' && !metadata.name.startsWith('cert-manager-');
    }),
  },
  {
    slug: 'one-configuration-without-ca',
    what: 'With cert-manager enabled, the chart leaves the CA out of one of its two configurations.',
    parts: inBusyCluster('kube-federation-system', [
      namespace('kube-federation-system'),
      service('kube-federation-system/kubefed-admission-webhook'),
      deployment('kube-federation-system/kubefed-admission-webhook', { replicas: 1 }),
      ...besides('kube-federation-system', 'kubefed-controller-manager'),
      validating('validation.core.kubefed.io', [
        webhook('federatedtypeconfigs.core.kubefed.io', {
          service: 'kube-federation-system/kubefed-admission-webhook',
          rules: [rule('core.kubefed.io/v1beta1', 'federatedtypeconfigs')],
        }),
        webhook('kubefedclusters.core.kubefed.io', {
          service: 'kube-federation-system/kubefed-admission-webhook',
          rules: [rule('core.kubefed.io/v1beta1', 'kubefedclusters')],
        }),
      ]),
      mutating('mutation.core.kubefed.io', [
        webhook('kubefedconfigs.core.kubefed.io', {
          service: 'kube-federation-system/kubefed-admission-webhook',
          caBundle: '',
          rules: [rule('core.kubefed.io/v1beta1', 'kubefedconfigs')],
        }),
      ]),
    ]),
  },
  {
    slug: 'configurations-renamed-by-upgrade',
    what: 'A release renames its configurations. The old ones stay beside the new ones, and no longer get the CA.',
    parts: inBusyCluster('karpenter', [
      namespace('karpenter'),
      service('karpenter/karpenter'),
      deployment('karpenter/karpenter'),
      ...trusting('of-another-authority', [
        validating(
          'validation.webhook.provisioners.karpenter.sh',
          [
            webhook('validation.webhook.provisioners.karpenter.sh', {
              service: 'karpenter/karpenter',
              rules: [rule('karpenter.sh/v1alpha5', 'provisioners')],
            }),
          ],
          { creationTimestamp: ago('300d') },
        ),
        mutating(
          'defaulting.webhook.provisioners.karpenter.sh',
          [
            webhook('defaulting.webhook.provisioners.karpenter.sh', {
              service: 'karpenter/karpenter',
              rules: [rule('karpenter.sh/v1alpha5', 'provisioners')],
            }),
          ],
          { creationTimestamp: ago('300d') },
        ),
      ]),
      validating(
        'validation.webhook.karpenter.sh',
        [
          webhook('validation.webhook.karpenter.sh', {
            service: 'karpenter/karpenter',
            rules: [rule('karpenter.sh/v1alpha5', 'provisioners')],
          }),
        ],
        { creationTimestamp: ago('2d') },
      ),
      mutating(
        'defaulting.webhook.karpenter.sh',
        [
          webhook('defaulting.webhook.karpenter.sh', {
            service: 'karpenter/karpenter',
            rules: [rule('karpenter.sh/v1alpha5', 'provisioners')],
          }),
        ],
        { creationTimestamp: ago('2d') },
      ),
    ]),
  },
  {
    slug: 'certificate-job-without-network',
    what: 'The Job that creates the certificate cannot connect to the API server. The Pod of the webhook waits for the Secret.',
    parts: inBusyCluster('testkube', [
      namespace('testkube'),
      service('testkube/testkube-operator-webhook-service', {
        selector: { app: 'testkube-operator-controller-manager' },
        ...to(9443),
      }),
      deployment('testkube/testkube-operator-controller-manager', {
        replicas: 1,
        ...mount('webhook-server-cert', { ports: [{ containerPort: 9443 }] }),
      }),
      ...besides('testkube', 'testkube-api-server', 'testkube-dashboard'),
      ...jobWith(
        'testkube/testkube-webhook-cert-create',
        {
          name: 'create',
          image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.3.0',
          args: [
            'create',
            '--host=testkube-operator-webhook-service.testkube.svc',
            '--namespace=testkube',
            '--secret-name=webhook-server-cert',
          ],
        },
        {
          restartCount: 6,
          state: {
            waiting: {
              reason: 'CrashLoopBackOff',
              message: 'back-off 5m0s restarting failed container=create',
            },
          },
          lastState: {
            terminated: { exitCode: 1, reason: 'Error', startedAt: ago('5m'), finishedAt: ago('4m') },
          },
        },
      ),
      validating('testkube-operator-webhook', [
        webhook('vtestexecution.kb.io', {
          service: 'testkube/testkube-operator-webhook-service',
          rules: [rule('tests.testkube.io/v1', 'testexecutions')],
        }),
      ]),
    ]),
    logs: {
      'testkube/testkube-webhook-cert-create-jz4wk/create':
        'W1018 10:00:00.000000       1 client_config.go:617] Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might not work.\n{"level":"fatal","msg":"error getting secret","source":"k8s/k8s.go:232","err":"Get \\"https://203.0.113.1:443/api/v1/namespaces/testkube/secrets/webhook-server-cert\\": dial tcp 203.0.113.1:443: i/o timeout"}',
      'testkube/testkube-webhook-cert-create-jz4wk/create/previous':
        '{"level":"fatal","msg":"error getting secret","source":"k8s/k8s.go:232","err":"Get \\"https://203.0.113.1:443/api/v1/namespaces/testkube/secrets/webhook-server-cert\\": dial tcp 203.0.113.1:443: i/o timeout"}',
    },
  },
  {
    slug: 'renewed-after-24-hours',
    what: 'The injector renews the CA that it made itself, and does not write it into its configuration. It fails open: Pods start without the agent.',
    parts: inBusyCluster('vault', [
      namespace('vault'),
      service('vault/vault-agent-injector-svc', to(8080)),
      deployment('vault/vault-agent-injector-svc', {
        replicas: 1,
        ...at(8080),
        pods: [running({ certificate: 'of-renewed-authority' })],
      }),
      ...besides('vault', 'vault-csi-provider'),
      mutating('vault-agent-injector-cfg', [
        webhook('vault.hashicorp.com', {
          service: 'vault/vault-agent-injector-svc',
          path: '/mutate',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
    ]),
    logs: log(
      'vault/vault-agent-injector-svc',
      '2021-07-20T10:00:00.000Z [INFO]  handler: Starting handler..\n2021-07-21T09:00:00.000Z [INFO]  handler.certwatcher: Updated certificate bundle received. Updating certs...\n2021/07/21 09:05:11 http: TLS handshake error from 198.51.100.3:52332: remote error: tls: bad certificate',
    ),
  },
  {
    slug: 'patch-allowed-update-not',
    what: 'A new release updates the configuration, and its role still allows patch only. The caBundle stays empty.',
    parts: inBusyCluster('shop', [
      namespace('istio-system'),
      namespace('shop', { 'istio-injection': 'enabled' }),
      service('istio-system/istiod', to(15017)),
      deployment('istio-system/istiod', {
        replicas: 1,
        container: { name: 'discovery', ports: [{ containerPort: 15017 }] },
        spec: { serviceAccountName: 'default' } as never,
      }),
      mutating('istio-sidecar-injector', [
        webhook('sidecar-injector.istio.io', {
          service: 'istio-system/istiod',
          path: '/inject',
          caBundle: '',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
        }),
      ]),
    ]),
    logs: log(
      'istio-system/istiod',
      '2020-11-10T10:00:00.000000Z\tinfo\tvalidationServer\tReady\n2020-11-10T10:00:02.100000Z\terror\twebhooks\tfailed to updated: mutatingwebhookconfigurations.admissionregistration.k8s.io "istio-sidecar-injector" is forbidden: User "system:serviceaccount:istio-system:default" cannot update resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope',
      'discovery',
    ),
  },
  {
    slug: 'thirty-days-after-installation',
    what: 'A Job made a certificate for 30 days at the installation. It has expired, and nothing renews it.',
    parts: inBusyCluster('flink-operator-system', [
      namespace('flink-operator-system'),
      service('flink-operator-system/flink-operator-webhook-service', {
        selector: { app: 'flink-operator-controller-manager' },
        ...to(9443),
      }),
      deployment('flink-operator-system/flink-operator-controller-manager', {
        replicas: 1,
        ...mount('webhook-server-cert', { ports: [{ containerPort: 9443 }] }),
        pods: [running({ certificate: 'expired' })],
      }),
      servingSecretManifest(
        'flink-operator-system/webhook-server-cert',
        'flink-operator-system/flink-operator-webhook-service',
        'expired',
      ),
      job('flink-operator-system/cert-job'),
      mutating('flink-operator-mutating-webhook-configuration', [
        webhook('mflinkcluster.flinkoperator.k8s.io', {
          service: 'flink-operator-system/flink-operator-webhook-service',
          rules: [rule('flinkoperator.k8s.io/v1beta1', 'flinkclusters')],
        }),
      ]),
      validating('flink-operator-validating-webhook-configuration', [
        webhook('vflinkcluster.flinkoperator.k8s.io', {
          service: 'flink-operator-system/flink-operator-webhook-service',
          rules: [rule('flinkoperator.k8s.io/v1beta1', 'flinkclusters')],
        }),
      ]),
    ]),
  },
  {
    slug: 'authorization-at-the-root',
    what: 'The configuration has no path, and the policy engine demands a token for its root.',
    parts: inBusyCluster('opa', [
      namespace('opa'),
      service('opa/opa'),
      deployment('opa/opa', {
        replicas: 1,
        pods: [
          running({
            answer: 'raw',
            status: 401,
            body: '{"code":"unauthorized","message":"request rejected by administrative policy"}',
          }),
        ],
      }),
      validating('opa-validating-webhook', [
        webhook('validating-webhook.openpolicyagent.org', {
          service: 'opa/opa',
          path: '/',
          rules: [rule('networking.k8s.io/v1', 'ingresses')],
        }),
      ]),
    ]),
  },
  {
    slug: 'crd-ahead-of-its-operator',
    what: 'The CRDs of the new release name a conversion webhook. The Pods behind the Service are still of the old release, which does not serve it.',
    parts: inBusyCluster('opendatahub-operator-system', [
      namespace('opendatahub-operator-system'),
      service('opendatahub-operator-system/opendatahub-operator-webhook-service', {
        selector: { app: 'opendatahub-operator' },
        ...to(9443),
      }),
      deployment('opendatahub-operator-system/opendatahub-operator', {
        ...at(9443),
        pods: [running({ answer: 'raw', status: 404, body: '404 page not found\n' })],
      }),
      customResource('datascienceclusters.datasciencecluster.opendatahub.io', 'DataScienceCluster', {
        service: 'opendatahub-operator-system/opendatahub-operator-webhook-service',
      }),
      customResource('dscinitializations.dscinitialization.opendatahub.io', 'DSCInitialization', {
        service: 'opendatahub-operator-system/opendatahub-operator-webhook-service',
      }),
    ]),
  },
  {
    slug: 'version-that-adapter-does-not-serve',
    what: 'The manifests register a version of the API that this release of the adapter does not serve. The one that autoscalers use works.',
    parts: inBusyCluster('monitoring', [
      namespace('monitoring'),
      service('monitoring/prometheus-adapter', to(6443)),
      deployment('monitoring/prometheus-adapter', {
        replicas: 2,
        ...at(6443),
        pods: [running({ api: 'custom.metrics.k8s.io/v1beta1' })],
      }),
      ...besides('monitoring', 'prometheus-operator', 'grafana'),
      apiService('v1beta1.custom.metrics.k8s.io', 'monitoring/prometheus-adapter'),
      apiService('v1.custom.metrics.k8s.io', 'monitoring/prometheus-adapter', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://203.0.113.40:443/apis/custom.metrics.k8s.io/v1: bad status from https://203.0.113.40:443/apis/custom.metrics.k8s.io/v1: 404',
      }),
    ]),
  },
  {
    slug: 'dry-runs-refused',
    what: 'The webhook works and declares sideEffects Unknown in its old configuration: kubectl diff and every server-side dry run are refused.',
    parts: inBusyCluster('gatekeeper-system', [
      namespace('gatekeeper-system'),
      service('gatekeeper-system/gatekeeper-webhook-service', {
        selector: { app: 'gatekeeper-controller-manager' },
      }),
      deployment('gatekeeper-system/gatekeeper-controller-manager', { replicas: 3 }),
      ...besides('gatekeeper-system', 'gatekeeper-audit'),
      validating('gatekeeper-validating-webhook-configuration', [
        webhook('validation.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          failurePolicy: 'Ignore',
          sideEffects: 'Unknown',
          rules: [rule('*/*', '*')],
        }),
      ]),
    ]),
  },
  {
    slug: 'all-nodes-replaced',
    what: 'All nodes were replaced at once. The webhook must admit every Pod, has none itself, and its own is refused as those of the network and of DNS are.',
    parts: inBusyCluster('kube-system', [
      service('kube-system/pod-identity-webhook', { selector: { app: 'pod-identity-webhook' }, ...to(8443) }),
      deployment('kube-system/pod-identity-webhook', {
        replicas: 2,
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "pod-identity-webhook.amazonaws.com": failed to call webhook: Post "https://pod-identity-webhook.kube-system.svc:443/mutate?timeout=10s": no endpoints available for service "pod-identity-webhook"',
      }),
      ...['coredns', 'ebs-csi-controller'].map((name) =>
        failedCreate(
          { kind: 'ReplicaSet', namespace: 'kube-system', name: `${name}-7c9d5b6f4` },
          'Error creating: Internal error occurred: failed calling webhook "pod-identity-webhook.amazonaws.com": failed to call webhook: Post "https://pod-identity-webhook.kube-system.svc:443/mutate?timeout=10s": no endpoints available for service "pod-identity-webhook"',
          'apps/v1',
        ),
      ),
      mutating('pod-identity-webhook', [
        webhook('pod-identity-webhook.amazonaws.com', {
          service: 'kube-system/pod-identity-webhook',
          path: '/mutate',
          timeoutSeconds: 10,
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'node-agent-updates-nodes-through-webhook',
    what: 'The agents of the network plugin update their Node, which a webhook intercepts. Its own Pod gets no network.',
    parts: inBusyCluster('capsule-system', [
      namespace('capsule-system'),
      service('capsule-system/capsule-webhook-service', {
        selector: { app: 'capsule-controller-manager' },
        ...to(9443),
      }),
      ...withStatus(
        'capsule-system/capsule-controller-manager',
        creating(),
        [
          [
            'FailedCreatePodSandBox',
            'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "7a1c": plugin type="calico" failed (add): stat /var/lib/calico/nodename: no such file or directory: check that the calico/node container is running and has mounted /var/lib/calico/',
          ],
        ],
        at(9443),
      ),
      daemonSet('kube-system/calico-node', {
        container: { name: 'calico-node', ports: [] },
        pods: [
          crashing(
            1,
            '2023-08-01 10:00:00.000 [ERROR][9] startup/startup.go 158: failed to set networking condition on the node error=Internal error occurred: failed calling webhook "nodes.capsule.clastix.io": failed to call webhook: Post "https://capsule-webhook-service.capsule-system.svc:443/nodes?timeout=30s": dial tcp 203.0.113.82:443: connect: connection refused',
          ),
        ],
      }),
      validating('capsule-validating-webhook-configuration', [
        webhook('nodes.capsule.clastix.io', {
          service: 'capsule-system/capsule-webhook-service',
          path: '/nodes',
          timeoutSeconds: 30,
          rules: [rule('v1', 'nodes', 'UPDATE')],
        }),
        webhook('tenants.capsule.clastix.io', {
          service: 'capsule-system/capsule-webhook-service',
          path: '/tenants',
          rules: [rule('capsule.clastix.io/v1beta2', 'tenants')],
        }),
      ]),
    ]),
  },
  {
    slug: 'release-and-objects-in-two-namespaces',
    what: 'The release is in one namespace, and its objects in another. The configuration names the Service in that of the release.',
    parts: inBusyCluster('platform', [
      namespace('platform'),
      namespace('trust'),
      service('trust/trust-manager', to(6443)),
      deployment('trust/trust-manager', { replicas: 1, ...at(6443) }),
      validating('trust-manager', [
        webhook('trust.cert-manager.io', {
          service: 'platform/trust-manager',
          rules: [rule('trust.cert-manager.io/v1alpha1', 'bundles')],
        }),
      ]),
    ]),
  },
  {
    slug: 'leftover-of-a-developer',
    what: 'A developer ran the operator on a laptop against this cluster. A configuration with a loopback URL is left beside the one of the release.',
    parts: inBusyCluster('risingwave-operator-system', [
      namespace('risingwave-operator-system'),
      service('risingwave-operator-system/risingwave-operator-webhook-service', {
        selector: { app: 'risingwave-operator' },
        ...to(9443),
      }),
      deployment('risingwave-operator-system/risingwave-operator', { replicas: 2, ...at(9443) }),
      validating('risingwave-operator-validating-webhook-configuration', [
        webhook('vrisingwave.kb.io', {
          service: 'risingwave-operator-system/risingwave-operator-webhook-service',
          rules: [rule('risingwave.risingwavelabs.com/v1alpha1', 'risingwaves')],
        }),
      ]),
      validating('dev-validating-webhook-configuration', [
        webhook('vrisingwave.kb.io', {
          url: 'https://127.0.0.1:9443/validate-risingwave',
          rules: [rule('risingwave.risingwavelabs.com/v1alpha1', 'risingwaves')],
        }),
      ]),
    ]),
  },
  {
    slug: 'crd-not-in-the-role',
    what: 'The ClusterRole of the chart lacks a rule: the program cannot write its CA into the CRD. Its webhook configurations are right.',
    parts: inBusyCluster('cosign-system', [
      namespace('cosign-system'),
      service('cosign-system/webhook', { selector: { app: 'policy-controller-webhook' } }),
      deployment('cosign-system/policy-controller-webhook', {
        replicas: 1,
        container: { name: 'policy-controller-webhook' },
      }),
      validating('policy.sigstore.dev', [
        webhook('policy.sigstore.dev', {
          service: 'cosign-system/webhook',
          rules: pods,
          namespaceSelector: { matchLabels: { 'policy.sigstore.dev/include': 'true' } },
        }),
      ]),
      customResource('clusterimagepolicies.policy.sigstore.dev', 'ClusterImagePolicy', {
        service: 'cosign-system/webhook',
        path: '/resource-conversion',
        caBundle: '',
      }),
    ]),
    logs: log(
      'cosign-system/policy-controller-webhook',
      '{"level":"error","ts":"2022-08-01T10:00:00.000Z","logger":"policy-controller.ConversionWebhook","msg":"Reconcile error","knative.dev/key":"clusterimagepolicies.policy.sigstore.dev","error":"failed to update webhook: customresourcedefinitions.apiextensions.k8s.io \\"clusterimagepolicies.policy.sigstore.dev\\" is forbidden: User \\"system:serviceaccount:cosign-system:policy-controller-webhook\\" cannot update resource \\"customresourcedefinitions\\" in API group \\"apiextensions.k8s.io\\" at the cluster scope"}',
      'policy-controller-webhook',
    ),
  },
];
