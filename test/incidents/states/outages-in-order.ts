import { caBundle } from '../../../src/demo/certificate/demo-certificates.ts';
import { ago } from '../../../src/demo/cluster/ago.ts';
import { notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { generated } from '../../../src/demo/cluster/generated-name.ts';
import { namespace, node, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  exceptNamespaces,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, daemonSet, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster } from './busy-cluster.ts';
import { dropped, on, without, withoutNetwork } from './managed-clusters.ts';
import {
  apiServerPod,
  at,
  failedCreate,
  type IncidentState,
  log,
  pods,
  to,
  unschedulable,
  warning,
} from './parts.ts';

const noNode =
  '0/2 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/not-ready: }. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';

const certManager = [
  'cert-manager',
  'certificates.cert-manager.io',
  'issuers.cert-manager.io',
  'certificaterequests.cert-manager.io',
];
const metricsServer = ['metrics-server', 'v1beta1.metrics'];

/** A DaemonSet of network agents on two nodes, whose Pods the API server refuses. */
const refusedAgents = (name: string, refusal: string): readonly ClusterPart[] => [
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace: 'kube-system', name, creationTimestamp: ago('30d'), labels: { 'k8s-app': name } },
    spec: {
      selector: { matchLabels: { 'k8s-app': name } },
      template: {
        metadata: { labels: { 'k8s-app': name } },
        spec: {
          hostNetwork: true,
          priorityClassName: 'system-node-critical',
          containers: [{ name, image: name }],
          volumes: [{ name: 'cni-net-dir', hostPath: { path: '/etc/cni/net.d' } }],
        },
      },
    },
    status: {
      desiredNumberScheduled: 2,
      currentNumberScheduled: 0,
      numberReady: 0,
      numberUnavailable: 2,
      numberMisscheduled: 0,
    },
  } as never,
  failedCreate(
    { kind: 'DaemonSet', namespace: 'kube-system', name },
    `Error creating: ${refusal}`,
    'apps/v1',
  ),
];

/** New nodes of EKS whose network agents a webhook refuses; its own Pod waits for these nodes. */
const newNodesOfEks = (home: string, refusal: string, parts: readonly ClusterPart[]) =>
  without(
    on('eks', home, [
      ...['worker-1', 'worker-2'].map((name) =>
        withoutNetwork(name, { 'eks.amazonaws.com/nodegroup': 'workers' }),
      ),
      ...refusedAgents('aws-node', refusal),
      ...unschedulable('kube-system/coredns', noNode),
      ...parts,
    ]),
    'ingress-nginx',
    ...certManager,
    ...metricsServer,
  );

const gates =
  'Internal error occurred: failed calling webhook "mpod.elbv2.k8s.aws": failed to call webhook: Post "https://aws-load-balancer-webhook-service.kube-system.svc:443/mutate-v1-pod?timeout=10s": no endpoints available for service "aws-load-balancer-webhook-service"';
const secretsInjector =
  'Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: Post "https://k8ssandra-operator-webhook-service.k8ssandra-operator.svc:443/mutate-v1-pod-secrets-inject?timeout=10s": no endpoints available for service "k8ssandra-operator-webhook-service"';

/** States of outages in production, of threads in the order in which searches found them. */
export const outagesInOrder: readonly IncidentState[] = [
  {
    slug: 'udp-offload-breaks-overlay',
    what: 'The network interface of virtual machines corrupts the packets of the overlay between nodes. Pods on other nodes than that of the API server are not reached.',
    parts: inBusyCluster('cert-manager', [
      node('server-1', { labels: { 'node-role.kubernetes.io/control-plane': 'true' } }),
      apiServerPod('server-1'),
      daemonSet('kube-system/cilium', {
        labels: { 'k8s-app': 'cilium' },
        container: { name: 'cilium-agent', image: 'rancher/mirrored-cilium-cilium:v1.13.2', ports: [] },
        spec: { hostNetwork: true },
      }),
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook', to(10250)),
      deployment('cert-manager/cert-manager-webhook', { replicas: 1, ...at(10250), pods: dropped }),
      ...besides('cert-manager', 'cert-manager', 'cert-manager-cainjector'),
      validating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'cert-manager/cert-manager-webhook',
          timeoutSeconds: 10,
          rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
        }),
      ]),
      service('ingress-nginx/ingress-nginx-controller-admission', to(8443)),
      deployment('ingress-nginx/ingress-nginx-controller-admission', { replicas: 1, pods: dropped }),
      service('kube-system/metrics-server', to(10250)),
      deployment('kube-system/metrics-server', {
        replicas: 1,
        ...at(10250),
        pods: [running({ network: 'drops', api: 'metrics.k8s.io/v1beta1' })],
      }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://198.51.100.20:10250/apis/metrics.k8s.io/v1beta1: Get "https://198.51.100.20:10250/apis/metrics.k8s.io/v1beta1": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
      }),
    ]),
  },
  {
    slug: 'two-interfaces-and-cilium',
    what: 'The nodes have an interface of a VPN beside their own. Packets of the API server to Pods leave by the wrong one.',
    parts: without(
      inBusyCluster('kyverno', [
        node('hawk-0', { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
        apiServerPod('hawk-0'),
        daemonSet('kube-system/cilium', {
          labels: { 'k8s-app': 'cilium' },
          container: { name: 'cilium-agent', image: 'quay.io/cilium/cilium:v1.12.5', ports: [] },
          spec: { hostNetwork: true },
        }),
        namespace('cert-manager'),
        service('cert-manager/cert-manager-webhook', to(10250)),
        deployment('cert-manager/cert-manager-webhook', { replicas: 1, ...at(10250), pods: dropped }),
        service('ingress-nginx/ingress-nginx-controller-admission', to(8443)),
        deployment('ingress-nginx/ingress-nginx-controller-admission', { replicas: 1, pods: dropped }),
        namespace('kyverno'),
        service('kyverno/kyverno-svc', { selector: { app: 'kyverno-admission-controller' }, ...to(9443) }),
        deployment('kyverno/kyverno-admission-controller', { replicas: 1, ...at(9443), pods: dropped }),
        validating('kyverno-resource-validating-webhook-cfg', [
          webhook('validate.kyverno.svc-fail', {
            service: 'kyverno/kyverno-svc',
            timeoutSeconds: 10,
            rules: pods,
            namespaceSelector: exceptNamespaces('kyverno'),
          }),
        ]),
      ]),
      ...metricsServer,
    ),
  },
  {
    slug: 'gke-firewall-without-operator-port',
    what: 'The firewall of a private cluster admits ports 443 and 10250. A rule for 8443 was added; the webhook listens on 9443.',
    version: 'v1.27.2-gke.1200',
    parts: on('gke', 'application', [
      namespace('application'),
      service('application/opentelemetry-operator-webhook-service', {
        selector: { app: 'opentelemetry-operator' },
        ...to(9443),
      }),
      deployment('application/opentelemetry-operator', { replicas: 1, ...at(9443), pods: dropped }),
      service('ingress-nginx/ingress-nginx-controller-admission', to(8443)),
      mutating('opentelemetry-operator-mutation', [
        webhook('mopentelemetrycollector.kb.io', {
          service: 'application/opentelemetry-operator-webhook-service',
          path: '/mutate-opentelemetry-io-v1alpha1-opentelemetrycollector',
          timeoutSeconds: 10,
          rules: [rule('opentelemetry.io/v1alpha1', 'opentelemetrycollectors')],
        }),
        webhook('minstrumentation.kb.io', {
          service: 'application/opentelemetry-operator-webhook-service',
          path: '/mutate-opentelemetry-io-v1alpha1-instrumentation',
          timeoutSeconds: 10,
          rules: [rule('opentelemetry.io/v1alpha1', 'instrumentations')],
        }),
      ]),
    ]),
  },
  {
    slug: 'kubelet-registers-again-during-upgrade',
    what: 'A webhook denies the registration of nodes during an upgrade, also that of a node which is registered already.',
    parts: inBusyCluster('harvester-system', [
      ...['worker-1', 'worker-2'].map((name) =>
        node(name, { labels: { 'node-role.kubernetes.io/control-plane': 'true' } }),
      ),
      {
        ...node('charlie-1', { ready: false, labels: { 'node-role.kubernetes.io/control-plane': 'true' } }),
        spec: {
          unschedulable: true,
          taints: [
            { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
            { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
          ],
        },
      },
      namespace('harvester-system'),
      service('harvester-system/harvester-webhook', to(9443)),
      deployment('harvester-system/harvester-webhook', {
        replicas: 2,
        ...at(9443, { image: 'rancher/harvester-webhook:v1.9.0' }),
      }),
      ...besides('harvester-system', 'harvester'),
      validating('harvester-validator', [
        webhook('validator.harvesterhci.io', {
          service: 'harvester-system/harvester-webhook',
          path: '/v1/webhook/validation',
          timeoutSeconds: 10,
          rules: [
            rule('v1', 'nodes', 'CREATE', 'UPDATE'),
            rule('harvesterhci.io/v1beta1', 'upgrades,virtualmachineimages', 'CREATE', 'UPDATE', 'DELETE'),
          ],
        }),
      ]),
      ...unschedulable(
        'harvester-system/hvst-upgrade-fjh52-post-drain-charlie-1',
        "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
      ),
    ]),
    logs: log(
      'harvester-system/harvester-webhook',
      'time="2026-06-25T09:11:38Z" level=info msg="Listening on :9443"\ntime="2026-06-25T09:11:41Z" level=error msg="resource nodes create charlie-1 denied: cluster upgrade is in progress: node registration is temporarily blocked"\ntime="2026-06-25T09:11:49Z" level=error msg="resource nodes create charlie-1 denied: cluster upgrade is in progress: node registration is temporarily blocked"',
      'webhook',
      2,
    ),
  },
  {
    slug: 'node-webhook-after-reboot',
    what: 'After a reboot, the network agent cannot update its Node, as the webhook for Nodes does not respond. The Pod of the webhook waits for the network.',
    parts: inBusyCluster('extension-provider-local', [
      namespace('extension-provider-local'),
      service('extension-provider-local/gardener-extension-provider-local', to(10250)),
      deployment('extension-provider-local/gardener-extension-provider-local', {
        replicas: 1,
        ...at(10250),
        pods: [
          notReady(
            'Get "http://198.51.100.10:8081/readyz": dial tcp 198.51.100.10:8081: connect: no route to host',
            { network: 'rejects' },
          ),
        ],
      }),
      daemonSet('kube-system/calico-node', {
        labels: { 'k8s-app': 'calico-node' },
        container: {
          name: 'calico-node',
          ports: [],
          readinessProbe: { exec: { command: ['/bin/calico-node', '-felix-ready'] } } as never,
        },
        spec: {
          hostNetwork: true,
          volumes: [{ name: 'cni-net-dir', hostPath: { path: '/etc/cni/net.d' } }],
        },
        pods: [
          notReady(
            'calico/node is not ready: felix is not ready: Get "http://localhost:9099/readiness": dial tcp [::1]:9099: connect: connection refused',
          ),
        ],
      }),
      mutating('gardener-extension-provider-local', [
        webhook('node.local.extensions.gardener.cloud', {
          service: 'extension-provider-local/gardener-extension-provider-local',
          path: '/node',
          timeoutSeconds: 10,
          rules: [rule('v1', 'nodes,nodes/status', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
    logs: Object.fromEntries(
      [0, 1].map((at) => [
        `kube-system/calico-node-${generated(`calico-node/${at}`, 5)}/calico-node`,
        '2025-10-06 06:31:12.114 [WARNING][9] startup/utils.go 228: Failed to set NetworkUnavailable to False; will retry error=Internal error occurred: failed calling webhook "node.local.extensions.gardener.cloud": failed to call webhook: Post "https://gardener-extension-provider-local.extension-provider-local.svc:443/node?timeout=10s": dial tcp 203.0.113.82:443: connect: connection refused',
      ]),
    ),
  },
  {
    slug: 'readiness-gates-of-network-agents',
    what: 'All nodes were lost. The injector of readiness gates matches Pods of kube-system, also the network agents of the new nodes.',
    version: 'v1.28.3-eks-e71965b',
    parts: newNodesOfEks('kube-system', gates, [
      namespace('kube-system', { 'elbv2.k8s.aws/pod-readiness-gate-inject': 'enabled' }),
      service('kube-system/aws-load-balancer-webhook-service', {
        selector: { app: 'aws-load-balancer-controller' },
        ...to(9443),
      }),
      ...unschedulable('kube-system/aws-load-balancer-controller', noNode),
      mutating('aws-load-balancer-webhook', [
        webhook('mpod.elbv2.k8s.aws', {
          service: 'kube-system/aws-load-balancer-webhook-service',
          path: '/mutate-v1-pod',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              { key: 'elbv2.k8s.aws/pod-readiness-gate-inject', operator: 'In', values: ['enabled'] },
            ],
          },
          objectSelector: {
            matchExpressions: [
              {
                key: 'app',
                operator: 'NotIn',
                values: ['aws-load-balancer-controller'],
              },
            ],
          },
        }),
      ]),
    ]),
  },
  {
    slug: 'all-pods-registered-and-no-node',
    what: 'All nodes are deleted each evening. The webhook of an operator matches all Pods, and keeps the network agents of new nodes from being created.',
    version: 'v1.28.4-eks-8cb36c9',
    parts: newNodesOfEks('k8ssandra-operator', secretsInjector, [
      namespace('k8ssandra-operator'),
      service('k8ssandra-operator/k8ssandra-operator-webhook-service', {
        selector: { app: 'k8ssandra-operator' },
        ...to(9443),
      }),
      ...unschedulable('k8ssandra-operator/k8ssandra-operator', noNode),
      mutating('k8ssandra-operator-mutating-webhook-configuration', [
        webhook('mpod.kb.io', {
          service: 'k8ssandra-operator/k8ssandra-operator-webhook-service',
          path: '/mutate-v1-pod-secrets-inject',
          timeoutSeconds: 10,
          rules: [rule('v1', 'pods', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'runtime-stopped-under-policy-pod',
    what: 'The container runtime of the node with the only policy Pod was stopped. The scheduler and the controller manager cannot renew their Leases.',
    parts: inBusyCluster('edison-policy', [
      {
        ...node('worker-3'),
        spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] },
        status: {
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: 'KubeletNotReady',
              message:
                '[container runtime is down, PLEG is not healthy: pleg was last seen active 4m12s ago; threshold is 3m0s]',
              lastTransitionTime: ago('4m'),
            },
          ],
        },
      } as ClusterPart,
      namespace('edison-policy'),
      service('edison-policy/kyverno-svc', { selector: { app: 'kyverno' }, ...to(9443) }),
      deployment('edison-policy/kyverno', {
        replicas: 1,
        ...at(9443),
        spec: { nodeSelector: { 'kubernetes.io/hostname': 'worker-3' } },
        pods: [running({ network: 'rejects' })],
      }),
      ...['kube-controller-manager', 'kube-scheduler'].map((name) =>
        warning(
          {
            kind: 'Pod',
            namespace: 'kube-system',
            name: `${name}-master-0`,
            uid: `uid-of-${name}`,
            apiVersion: 'v1',
          },
          'BackOff',
          `Back-off restarting failed container ${name} in pod ${name}-master-0_kube-system`,
          'kubelet',
        ),
      ),
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: 'kube-system', name: 'kube-controller-manager' },
        spec: {
          holderIdentity: 'master-0_ae221157',
          leaseDurationSeconds: 15,
          acquireTime: ago('2h'),
          renewTime: ago('5m'),
          leaseTransitions: 4,
        },
      } as never,
      mutating('kyverno-resource-mutating-webhook-cfg', [
        webhook('mutate.kyverno.svc', {
          service: 'edison-policy/kyverno-svc',
          path: '/mutate',
          timeoutSeconds: 10,
          rules: [rule('*/*', '*')],
        }),
      ]),
      validating('kyverno-resource-validating-webhook-cfg', [
        webhook('validate.kyverno.svc', {
          service: 'edison-policy/kyverno-svc',
          timeoutSeconds: 10,
          rules: [rule('*/*', '*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT')],
        }),
      ]),
    ]),
  },
  {
    slug: 'stopped-aks-starts-with-policies',
    what: 'A stopped cluster starts again. The webhooks of a policy engine fail closed, and none of its Pods runs yet.',
    version: 'v1.29.9',
    parts: without(
      on('aks', 'kyverno', [
        ...['worker-1', 'worker-2'].map((name) =>
          withoutNetwork(name, { 'kubernetes.azure.com/cluster': 'MC_shop_westeurope' }),
        ),
        namespace('kyverno'),
        service('kyverno/kyverno-svc', { selector: { app: 'kyverno-admission-controller' }, ...to(9443) }),
        ...unschedulable('kyverno/kyverno-admission-controller', noNode),
        ...unschedulable('kyverno/kyverno-background-controller', noNode),
        mutating('kyverno-resource-mutating-webhook-cfg', [
          webhook('mutate.kyverno.svc-fail', {
            service: 'kyverno/kyverno-svc',
            path: '/mutate/fail',
            timeoutSeconds: 10,
            rules: [rule('*/*', '*')],
            namespaceSelector: {
              matchExpressions: [
                { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kyverno', 'kube-system'] },
                { key: 'control-plane', operator: 'NotIn', values: ['true'] },
                { key: 'kubernetes.azure.com/managedby', operator: 'NotIn', values: ['aks'] },
              ],
            },
          }),
        ]),
      ]),
      'ingress-nginx',
      ...certManager,
      ...metricsServer,
    ),
  },
  {
    slug: 'terminating-webhook-blocks-drain',
    what: 'A node is drained. The Pod of the webhook there stops to serve before the API server knows, and requests wait for it.',
    version: 'v1.30.4',
    parts: on('openshift', 'openshift-addon-operator', [
      {
        ...node('worker-1', { labels: { 'node-role.kubernetes.io/infra': '' } }),
        spec: {
          unschedulable: true,
          taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
        },
      },
      namespace('openshift-addon-operator'),
      service('openshift-addon-operator/addon-operator-webhook-service', {
        selector: { app: 'addon-operator-webhooks' },
        ...to(8080),
      }),
      deployment('openshift-addon-operator/addon-operator-webhooks', { replicas: 2, ...at(8080) }),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'openshift-addon-operator',
          name: 'addon-operator-webhooks-6c6f8b7d9-q7x2k',
          creationTimestamp: ago('3d'),
          deletionTimestamp: ago('64m'),
          deletionGracePeriodSeconds: 30,
          labels: { app: 'addon-operator-webhooks', 'pod-template-hash': '6c6f8b7d9' },
        },
        spec: {
          nodeName: 'worker-1',
          terminationGracePeriodSeconds: 30,
          containers: [
            { name: 'webhook', image: 'addon-operator-webhook', ports: [{ containerPort: 8080 }] },
          ],
        },
        status: {
          phase: 'Running',
          podIP: '198.51.100.91',
          podIPs: [{ ip: '198.51.100.91' }],
          conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago('63m') }],
          containerStatuses: [
            {
              name: 'webhook',
              image: 'addon-operator-webhook',
              ready: false,
              restartCount: 0,
              state: { running: { startedAt: ago('3d') } },
            },
          ],
        },
      } as never,
      ...besides('openshift-addon-operator', 'addon-operator-manager'),
      validating('vaddons.managed.openshift.io-4x7kd', [
        webhook('vaddons.managed.openshift.io', {
          service: 'openshift-addon-operator/addon-operator-webhook-service',
          timeoutSeconds: 30,
          rules: [rule('addons.managed.openshift.io/v1alpha1', 'addons')],
        }),
      ]),
    ]),
  },
  {
    slug: 'suspended-machine-keeps-expired-certificate',
    what: 'The machine was suspended beyond the renewal of a certificate that the process keeps in memory. It serves the expired one.',
    parts: inBusyCluster('cert-manager', [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook', to(10250)),
      deployment('cert-manager/cert-manager-webhook', {
        replicas: 1,
        ...at(10250, {
          image: 'quay.io/jetstack/cert-manager-webhook:v1.20.0',
          args: [
            '--v=2',
            '--secure-port=10250',
            '--dynamic-serving-ca-secret-namespace=$(POD_NAMESPACE)',
            '--dynamic-serving-ca-secret-name=cert-manager-webhook-ca',
            '--dynamic-serving-dns-names=cert-manager-webhook',
          ],
          readinessProbe: { httpGet: { path: '/healthz', port: 6080, scheme: 'HTTP' } } as never,
        }),
        pods: [running({ certificate: 'expired' })],
      }),
      ...besides('cert-manager', 'cert-manager', 'cert-manager-cainjector'),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          namespace: 'cert-manager',
          name: 'cert-manager-webhook-ca',
          annotations: { 'cert-manager.io/allow-direct-injection': 'true' },
        },
        type: 'Opaque',
        data: { 'ca.crt': caBundle, 'tls.crt': caBundle },
      } as never,
      validating(
        'cert-manager-webhook',
        [
          webhook('webhook.cert-manager.io', {
            service: 'cert-manager/cert-manager-webhook',
            timeoutSeconds: 30,
            rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
          }),
        ],
        { annotations: { 'cert-manager.io/inject-ca-from-secret': 'cert-manager/cert-manager-webhook-ca' } },
      ),
    ]),
    logs: log(
      'cert-manager/cert-manager-webhook',
      'I0611 08:00:01.100000       1 webhook.go:128] "using dynamic certificate generating using CA stored in Secret resource" logger="cert-manager.webhook.webhook" secret_namespace="cert-manager" secret_name="cert-manager-webhook-ca"\nI0611 08:00:01.300000       1 dynamic_source.go:290] "Updated cert-manager TLS certificate" logger="cert-manager.webhook" DNSNames=["cert-manager-webhook"]\nI0629 07:12:44.300000       1 logs.go:59] "http: TLS handshake error from 192.0.2.10:51122: remote error: tls: bad certificate" logger="cert-manager"',
    ),
  },
  {
    slug: 'injector-matches-node-upgrades',
    what: 'The injector matches the Pods that upgrade nodes. While its only Pod moves to another node, these are refused.',
    parts: inBusyCluster('k8tz', [
      {
        ...node('worker-2'),
        spec: {
          unschedulable: true,
          taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
        },
      },
      namespace('k8tz'),
      namespace('system-upgrade'),
      service('k8tz/k8tz', to(8443)),
      deployment('k8tz/k8tz', { replicas: 1, pods: [{ is: 'starting' }] }),
      deployment('system-upgrade/system-upgrade-controller', { replicas: 1, container: { ports: [] } }),
      failedCreate(
        { kind: 'Job', namespace: 'system-upgrade', name: 'apply-talos-on-worker-2' },
        'Error creating: Internal error occurred: failed calling webhook "admission-controller.k8tz.io": failed to call webhook: Post "https://k8tz.k8tz.svc:443/?timeout=10s": no endpoints available for service "k8tz"',
      ),
      mutating('k8tz', [
        webhook('admission-controller.k8tz.io', {
          service: 'k8tz/k8tz',
          path: '/',
          timeoutSeconds: 10,
          rules: [...pods, rule('batch/v1', 'cronjobs', 'CREATE', 'UPDATE')],
          namespaceSelector: exceptNamespaces('kube-system', 'k8tz'),
        }),
      ]),
    ]),
  },
  {
    slug: 'operator-without-its-configuration',
    what: 'The chart of an operator has no webhook configuration. Invalid objects are admitted.',
    parts: inBusyCluster('k8ssandra-operator', [
      namespace('k8ssandra-operator'),
      service('k8ssandra-operator/cass-operator-webhook-service', {
        selector: { app: 'cass-operator' },
        ...to(9443),
      }),
      deployment('k8ssandra-operator/cass-operator', {
        replicas: 1,
        ...at(9443, {
          image: 'k8ssandra/cass-operator:v1.10.3',
          args: ['--config=/configs/controller_manager_config.yaml'],
        }),
      }),
      customResource('cassandradatacenters.cassandra.datastax.com', 'CassandraDatacenter'),
    ]),
  },
];
