import { ago, lately } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, ready, running, starting } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, node, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  exceptNamespaces,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import {
  type ClusterPart,
  daemonSet,
  deployment,
  isWorkloadPart,
  statefulSet,
} from '../../../src/demo/cluster/workload-manifests.ts';
import { creating, inBusyCluster, withStatus } from './busy-cluster.ts';
import {
  annotated,
  at,
  failedCreate,
  type IncidentState,
  jobWith,
  log,
  mount,
  pods,
  policy,
  serviceAccount,
  to,
  unschedulable,
  warning,
} from './parts.ts';

/** Labels of the nodes of a platform, and the Pods that it runs on each of them. */
const platforms = {
  eks: { labels: { 'eks.amazonaws.com/nodegroup': 'workers' }, agents: ['aws-node', 'kube-proxy'] },
  'eks with Calico': {
    labels: { 'eks.amazonaws.com/nodegroup': 'workers' },
    agents: ['calico-node', 'kube-proxy'],
  },
  gke: {
    labels: { 'cloud.google.com/gke-nodepool': 'default-pool' },
    agents: ['netd', 'konnectivity-agent'],
  },
  aks: {
    labels: { 'kubernetes.azure.com/cluster': 'MC_shop_westeurope' },
    agents: ['azure-cns', 'kube-proxy'],
  },
  kubeadm: { labels: {}, agents: ['calico-node', 'kube-proxy'] },
  openshift: { labels: { 'node.openshift.io/os_id': 'rhcos' }, agents: [] },
} as const;

/** cert-manager and metrics-server on a port that managed control planes reach. */
const neighbours = [
  namespace('cert-manager'),
  service('cert-manager/cert-manager-webhook', to(10250)),
  deployment('cert-manager/cert-manager-webhook', { replicas: 1, ...at(10250) }),
  deployment('cert-manager/cert-manager', { replicas: 1, container: { ports: [] } }),
  validating('cert-manager-webhook', [
    webhook('webhook.cert-manager.io', {
      service: 'cert-manager/cert-manager-webhook',
      rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
    }),
  ]),
  service('kube-system/metrics-server', to(10250)),
  deployment('kube-system/metrics-server', {
    replicas: 1,
    ...at(10250),
    pods: [running({ api: 'metrics.k8s.io/v1beta1' })],
  }),
  apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server'),
];

const nameOf = (part: ClusterPart): string => {
  const { kind, metadata } = isWorkloadPart(part) ? part.manifest : part;
  return [kind, metadata.namespace ?? '', metadata.name].join('/');
};

/** These parts in a busy cluster of a platform: its nodes, its agents, and no network plugin of others. */
export function on(
  platform: keyof typeof platforms,
  home: string,
  parts: readonly ClusterPart[],
): readonly ClusterPart[] {
  const { labels, agents } = platforms[platform];
  const own = new Set(parts.map(nameOf));
  return inBusyCluster(home, [
    ...['worker-1', 'worker-2'].map((name) => node(name, { labels })).filter((one) => !own.has(nameOf(one))),
    ...agents
      .map((name) =>
        daemonSet(`kube-system/${name}`, { labels: { 'k8s-app': name }, container: { name, ports: [] } }),
      )
      .filter((one) => !own.has(nameOf(one))),
    ...parts,
    ...neighbours.filter((one) => !own.has(nameOf(one))),
  ]).filter(
    (part) =>
      (agents as readonly string[]).includes('calico-node') ||
      nameOf(part) !== 'DaemonSet/kube-system/calico-node',
  );
}

/** The owner of what OLM installs. */
export const ownedBy = (name: string) => [
  { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', name, uid: 'uid-of-csv' },
];

/** A Pod that connections of the API server do not reach. */
export const dropped = [running({ network: 'drops' })];

/** An entry of managedFields of a webhook configuration, about the namespaceSelector of a webhook. */
const selectorOf = (manager: string, name: string, time: string) => ({
  manager,
  operation: 'Update',
  apiVersion: 'admissionregistration.k8s.io/v1',
  fieldsType: 'FieldsV1',
  time,
  fieldsV1: { 'f:webhooks': { [`k:{"name":"${name}"}`]: { '.': {}, 'f:namespaceSelector': {} } } },
});

/** The {@link neighbours} on the network of their nodes, where the control plane has no route to other addresses of Pods. */
export const onHostNetwork = [
  deployment('cert-manager/cert-manager-webhook', {
    replicas: 1,
    ...at(10260),
    spec: { hostNetwork: true },
  }),
  service('cert-manager/cert-manager-webhook', to(10260)),
  deployment('kube-system/metrics-server', {
    replicas: 1,
    ...at(4443),
    spec: { hostNetwork: true },
    pods: [running({ api: 'metrics.k8s.io/v1beta1' })],
  }),
  service('kube-system/metrics-server', to(4443)),
];

/** The controller `namespace/release` of ingress-nginx, which was installed so long ago and is not ready yet. */
const newIngressNginx = (
  key: string,
  age: Parameters<typeof ago>[0],
  namespaceAge: typeof age,
): readonly ClusterPart[] => {
  const [home = '', release = ''] = key.split('/');
  return [
    { ...namespace(home), metadata: { name: home, creationTimestamp: ago(namespaceAge) } },
    service(
      `${key}-controller-admission`,
      { selector: { app: `${release}-controller` }, ...to(8443) },
      { creationTimestamp: ago(age) },
    ),
    deployment(`${key}-controller`, {
      replicas: 1,
      ...at(8443),
      metadata: { creationTimestamp: ago(age) },
      pods: [starting],
    }),
  ];
};

const nginx = (over: object = {}) => [
  validating(
    'ingress-nginx-admission',
    [
      webhook('validate.nginx.ingress.kubernetes.io', {
        service: 'ingress-nginx/ingress-nginx-controller-admission',
        path: '/networking/v1/ingresses',
        timeoutSeconds: 10,
        rules: [rule('networking.k8s.io/v1', 'ingresses')],
      }),
    ],
    over,
  ),
];

/** Parts without those of these namespaces of the busy cluster. */
export const without = (parts: readonly ClusterPart[], ...homes: readonly string[]): readonly ClusterPart[] =>
  parts.filter((part) => {
    const { kind, metadata } = isWorkloadPart(part) ? part.manifest : part;
    return (
      !homes.includes(kind === 'Namespace' ? metadata.name : (metadata.namespace ?? '')) &&
      !homes.some((home) => metadata.name.startsWith(home))
    );
  });

/** A Pod that the kubelet cannot start yet, with the Event that says why. */
export const waiting = (key: string, reason: string, message: string, over = {}) =>
  withStatus(key, creating(), [[reason, message]], over);

/** A node that has joined without a network plugin. */
export const withoutNetwork = (name: string, labels: Readonly<Record<string, string>> = {}): ClusterPart =>
  ({
    ...node(name),
    metadata: { name, creationTimestamp: ago('9m'), labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'KubeletNotReady',
          message:
            'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
          lastTransitionTime: ago('9m'),
        },
      ],
    },
  }) as ClusterPart;

/** States of managed and self-managed clusters, of threads in the order in which searches found them. */
export const managedClusters: readonly IncidentState[] = [
  {
    slug: 'private-gke-operator-ignored',
    what: 'A private GKE cluster: changes wait ten seconds for an operator that the control plane does not reach.',
    version: 'v1.33.5-gke.1080000',
    parts: on('gke', 'elastic-system', [
      namespace('elastic-system'),
      service('elastic-system/elastic-webhook-server', {
        selector: { app: 'elastic-operator' },
        ...to(9443),
      }),
      statefulSet('elastic-system/elastic-operator', { replicas: 1, ...at(9443), pods: dropped }),
      validating(
        'elastic-webhook.k8s.elastic.co',
        ['elasticsearch', 'kibana'].map((kind) =>
          webhook(`elastic-${kind}-validation-v1.k8s.elastic.co`, {
            service: 'elastic-system/elastic-webhook-server',
            path: `/validate-${kind}-k8s-elastic-co-v1-${kind}`,
            failurePolicy: 'Ignore',
            timeoutSeconds: 10,
            rules: [rule(`${kind}.k8s.elastic.co/v1`, kind === 'kibana' ? 'kibanas' : 'elasticsearches')],
          }),
        ),
      ),
    ]),
  },
  {
    slug: 'enforcer-and-operator',
    what: 'AKS adds exclusions to the namespaceSelector, and the operator writes its own again.',
    parts: on('aks', 'octarine-dataplane', [
      namespace('octarine-dataplane'),
      service('octarine-dataplane/octarine-guardrails', to(8443)),
      deployment('octarine-dataplane/octarine-guardrails', { replicas: 1, ...at(8443) }),
      deployment('octarine-dataplane/octarine-operator', { replicas: 1, container: { ports: [] } }),
      validating(
        'octarine-guardrails',
        [
          webhook('resources.validating-webhook.octarine', {
            service: 'octarine-dataplane/octarine-guardrails',
            failurePolicy: 'Ignore',
            rules: [rule('apps/v1', 'deployments,daemonsets')],
            namespaceSelector: {
              matchExpressions: [
                { key: 'control-plane', operator: 'DoesNotExist' },
                { key: 'kubernetes.azure.com/managedby', operator: 'NotIn', values: ['aks'] },
              ],
            },
          }),
        ],
        {
          generation: 5641,
          creationTimestamp: ago('2d'),
          managedFields: [
            selectorOf('octarine-operator', 'resources.validating-webhook.octarine', ago('40s')),
            selectorOf('admissionsenforcer', 'resources.validating-webhook.octarine', ago('20s')),
          ] as never,
        },
      ),
    ]),
    logs: log(
      'octarine-dataplane/octarine-operator',
      '2021-10-08T09:14:02.101Z\tINFO\tcontrollers.Guardrails\tUpdating webhook configuration\t{"name": "octarine-guardrails"}\n2021-10-08T09:14:22.412Z\tINFO\tcontrollers.Guardrails\tUpdating webhook configuration\t{"name": "octarine-guardrails"}',
    ),
  },
  {
    slug: 'policy-without-tunnel',
    what: 'A NetworkPolicy admits the Pods of the tunnel. The packets have the address of the API server.',
    parts: on('aks', 'ingress', [
      namespace('ingress'),
      service('ingress/ingress-nginx-controller-admission', {
        selector: { app: 'ingress-nginx-controller' },
        ...to(8443),
      }),
      deployment('ingress/ingress-nginx-controller', { replicas: 2, ...at(8443), pods: dropped }),
      deployment('kube-system/tunnelfront', { replicas: 1, container: { ports: [] } }),
      policy('ingress/ingress-nginx', {
        podSelector: { matchLabels: { app: 'ingress-nginx-controller' } },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              {
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
                podSelector: { matchLabels: { app: 'tunnelfront' } },
              },
            ],
            ports: [{ port: 8443 }],
          },
          { ports: [{ port: 80 }, { port: 443 }] },
        ],
      }),
      validating('ingress-admission', [
        webhook('validate.nginx.ingress.kubernetes.io', {
          service: 'ingress/ingress-nginx-controller-admission',
          timeoutSeconds: 10,
          rules: [rule('networking.k8s.io/v1', 'ingresses')],
        }),
      ]),
    ]),
  },
  {
    slug: 'certificate-rendered-at-each-sync',
    what: 'Argo CD renders the chart anew at each sync, with another certificate. The Pod serves the former one.',
    parts: on('kubeadm', 'llmkube-system', [
      namespace('llmkube-system'),
      service('llmkube-system/llmkube-webhook', {
        selector: { app: 'llmkube-controller-manager' },
        ...to(9443),
      }),
      deployment('llmkube-system/llmkube-controller-manager', {
        replicas: 1,
        ...mount('llmkube-webhook-cert', { ports: [{ containerPort: 9443 }] }),
        pods: [running({ certificate: 'of-another-authority' })],
      }),
      {
        ...servingSecretManifest('llmkube-system/llmkube-webhook-cert', 'llmkube-system/llmkube-webhook'),
        metadata: {
          namespace: 'llmkube-system',
          name: 'llmkube-webhook-cert',
          annotations: {
            'argocd.argoproj.io/tracking-id': 'llmkube:/Secret:llmkube-system/llmkube-webhook-cert',
          },
          managedFields: [
            {
              manager: 'argocd-controller',
              operation: 'Apply',
              apiVersion: 'v1',
              time: ago('3m'),
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:tls.crt': {}, 'f:tls.key': {}, 'f:ca.crt': {} } },
            },
          ],
        } as never,
      },
      ...annotated(
        [
          validating('llmkube-validating-webhook-configuration', [
            webhook('vinferenceservice.kb.io', {
              service: 'llmkube-system/llmkube-webhook',
              rules: [rule('inference.llmkube.dev/v1alpha1', 'inferenceservices')],
            }),
          ]),
        ],
        {
          'argocd.argoproj.io/tracking-id':
            'llmkube:admissionregistration.k8s.io/ValidatingWebhookConfiguration:llmkube-system/llmkube-validating-webhook-configuration',
        },
      ),
    ]),
  },
  {
    slug: 'only-replica-is-upgraded',
    what: 'Helm replaces the only Pod of the controller, whose webhook must admit the policies of the same chart.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: on('eks', 'terraform-system', [
      namespace('terraform-system'),
      service('terraform-system/controller', { selector: { app: 'terranetes-controller' }, ...to(10081) }),
      deployment('terraform-system/terranetes-controller', {
        replicas: 1,
        ...at(10081),
        pods: [starting],
        metadata: {
          labels: { app: 'terranetes-controller', 'app.kubernetes.io/managed-by': 'Helm' },
          annotations: {
            'meta.helm.sh/release-name': 'terranetes',
            'deployment.kubernetes.io/revision': '2',
          },
        },
      }),
      validating('validating-webhook-configuration', [
        webhook('policies.terraform.appvia.io', {
          service: 'terraform-system/controller',
          path: '/validate/terraform.appvia.io/policies',
          rules: [rule('terraform.appvia.io/v1alpha1', 'policies')],
        }),
      ]),
    ]),
  },
  {
    slug: 'apis-of-former-cert-manager',
    what: 'The APIServices of a cert-manager that was removed remain. No namespace can be deleted.',
    parts: without(
      on('kubeadm', 'kube-system', [
        apiService('v1beta1.webhook.certmanager.k8s.io', 'cert-manager/cert-manager-webhook', {
          reason: 'ServiceNotFound',
          message: 'service/cert-manager-webhook in "cert-manager" is not present',
        }),
        apiService('v1beta1.admission.certmanager.k8s.io', 'cert-manager/cert-manager-webhook', {
          reason: 'ServiceNotFound',
          message: 'service/cert-manager-webhook in "cert-manager" is not present',
        }),
        {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'staging', creationTimestamp: ago('60d'), deletionTimestamp: ago('2d') },
          spec: { finalizers: ['kubernetes'] },
          status: {
            phase: 'Terminating',
            conditions: [
              {
                type: 'NamespaceDeletionDiscoveryFailure',
                status: 'True',
                reason: 'DiscoveryFailed',
                message:
                  'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: admission.certmanager.k8s.io/v1beta1: the server is currently unable to handle the request, webhook.certmanager.k8s.io/v1beta1: the server is currently unable to handle the request',
                lastTransitionTime: ago('2d'),
              },
            ],
          },
        } as never,
      ]),
      'cert-manager',
      'certificates.cert-manager.io',
      'issuers.cert-manager.io',
      'certificaterequests.cert-manager.io',
    ),
  },
  {
    slug: 'injector-covers-platform-namespaces',
    what: 'During an upgrade of OpenShift no node admits the injector, which must admit the Pods of OpenShift itself.',
    parts: on('openshift', 'consul', [
      namespace('consul'),
      ...['openshift-dns', 'openshift-multus', 'openshift-network-operator'].map((name) => namespace(name)),
      service('consul/consul-connect-injector', to(8080)),
      ...unschedulable(
        'consul/consul-connect-injector',
        '0/5 nodes are available: 2 node(s) were unschedulable, 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.',
      ),
      mutating('consul-connect-injector', [
        webhook('consul-connect-injector.consul.hashicorp.com', {
          service: 'consul/consul-connect-injector',
          path: '/mutate',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: exceptNamespaces('kube-system', 'local-path-storage'),
        }),
      ]),
      ...(
        [
          ['DaemonSet', 'openshift-dns', 'dns-default'],
          ['DaemonSet', 'openshift-multus', 'multus'],
          ['ReplicaSet', 'openshift-network-operator', 'network-operator-5d8f7b6c4'],
        ] as const
      ).map(([kind, home, name]) =>
        failedCreate(
          { kind, namespace: home, name },
          'Error creating: Internal error occurred: failed calling webhook "consul-connect-injector.consul.hashicorp.com": failed to call webhook: Post "https://consul-connect-injector.consul.svc:443/mutate?timeout=10s": no endpoints available for service "consul-connect-injector"',
          'apps/v1',
        ),
      ),
    ]),
  },
  {
    slug: 'configuration-named-by-platform',
    what: 'The program looks for its webhook configuration by name. OLM has given it another one.',
    parts: on('openshift', 'openshift-operators', [
      namespace('openshift-operators'),
      service('openshift-operators/cockroach-operator-manager-service', {
        selector: { app: 'cockroach-operator-manager' },
        ...to(9443),
      }),
      deployment('openshift-operators/cockroach-operator-manager', {
        replicas: 1,
        container: { ports: [{ containerPort: 9443 }], args: ['-zap-log-level', 'info'] },
        metadata: { ownerReferences: ownedBy('cockroach-operator.v2.3.0') },
        pods: [
          crashing(
            1,
            '{"severity":"info","timestamp":"2021-10-19T11:20:31.100Z","logger":"setup","msg":"starting webhook server"}\n{"severity":"error","timestamp":"2021-10-19T11:20:31.512Z","logger":"setup","msg":"failed to setup webhooks","error":"failed to patch webhook certificate: mutatingwebhookconfigurations.admissionregistration.k8s.io \\"cockroach-operator-mutating-webhook-configuration\\" not found"}',
          ),
        ],
      }),
      mutating(
        'mcrdbcluster.kb.io-5rj8x',
        [
          webhook('mcrdbcluster.kb.io', {
            service: 'openshift-operators/cockroach-operator-manager-service',
            path: '/mutate-crdb-cockroachlabs-com-v1alpha1-crdbcluster',
            rules: [rule('crdb.cockroachlabs.com/v1alpha1', 'crdbclusters')],
          }),
        ],
        {
          labels: {
            'olm.owner': 'cockroach-operator.v2.3.0',
            'olm.webhook-description-generate-name': 'mcrdbcluster.kb.io',
          },
        },
      ),
    ]),
  },
  {
    slug: 'network-agents-refused-on-new-nodes',
    what: 'New nodes have no network, because a webhook whose Pods wait for the network must admit the agents of it.',
    parts: without(
      on('kubeadm', 'vendor-security', [
        ...['worker-1', 'worker-2'].map((name) => withoutNetwork(name)),
        namespace('vendor-security'),
        service('vendor-security/vendor-admission', to(8443)),
        ...unschedulable(
          'vendor-security/vendor-admission',
          '0/2 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/not-ready: }. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
        ),
        failedCreate(
          { kind: 'DaemonSet', namespace: 'kube-system', name: 'antrea-agent' },
          'Error creating: Internal error occurred: failed calling webhook "pods.vendor-security.example.com": failed to call webhook: Post "https://vendor-admission.vendor-security.svc:443/mutate?timeout=10s": no endpoints available for service "vendor-admission"',
          'apps/v1',
        ),
        daemonSet('kube-system/antrea-agent', {
          container: { name: 'antrea-agent', ports: [] },
          spec: { hostNetwork: true },
          pods: [],
          refused:
            'Internal error occurred: failed calling webhook "pods.vendor-security.example.com": failed to call webhook: Post "https://vendor-admission.vendor-security.svc:443/mutate?timeout=10s": no endpoints available for service "vendor-admission"',
        }),
        mutating('vendor-admission', [
          webhook('pods.vendor-security.example.com', {
            service: 'vendor-security/vendor-admission',
            path: '/mutate',
            timeoutSeconds: 10,
            rules: pods,
          }),
        ]),
      ]),
      'ingress-nginx',
      'cert-manager',
      'certificates.cert-manager.io',
      'issuers.cert-manager.io',
      'certificaterequests.cert-manager.io',
      'v1beta1.metrics',
      'metrics-server',
    ),
  },
  {
    slug: 'eks-port-443-of-nodes',
    what: 'The security groups of an EKS cluster do not admit port 443 from the control plane to the nodes.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: on('eks', 'policy', [
      namespace('policy'),
      service('policy/pod-policy', to(443)),
      deployment('policy/pod-policy', { replicas: 2, ...at(443), pods: dropped }),
      mutating('pod-policy', [
        webhook('pod-policy.example.com', {
          service: 'policy/pod-policy',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: exceptNamespaces('kube-system', 'policy'),
        }),
      ]),
    ]),
  },
  {
    slug: 'eks-two-ports-of-two-products',
    what: 'The security group admits the usual ports. The webhooks of two products listen on others.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: on('eks', 'castai-live', [
      namespace('castai-live'),
      service('castai-live/castai-live-controller', to(9091)),
      deployment('castai-live/castai-live-controller', { replicas: 1, ...at(9091), pods: dropped }),
      mutating('castai-live', [
        webhook('pods.live.cast.ai', {
          service: 'castai-live/castai-live-controller',
          failurePolicy: 'Ignore',
          timeoutSeconds: 5,
          rules: pods,
        }),
      ]),
      namespace('istio-system'),
      service('istio-system/istiod', to(15017)),
      deployment('istio-system/istiod', { replicas: 1, ...at(15017), pods: dropped }),
      mutating('istio-sidecar-injector', [
        webhook('namespace.sidecar-injector.istio.io', {
          service: 'istio-system/istiod',
          path: '/inject',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
        }),
      ]),
    ]),
  },
  {
    slug: 'eks-validator-not-ready',
    what: 'The security group does not admit port 15017. Istiod calls its own webhook through the API server, and waits.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: on('eks', 'istio-system', [
      namespace('istio-system'),
      service('istio-system/istiod', to(15017)),
      deployment('istio-system/istiod', {
        replicas: 1,
        container: {
          name: 'discovery',
          ports: [{ containerPort: 8080 }, { containerPort: 15017 }],
          readinessProbe: { httpGet: { path: '/ready', port: 8080 } } as never,
        },
        pods: dropped,
      }),
      validating('istiod-default-validator', [
        webhook('validation.istio.io', {
          service: 'istio-system/istiod',
          path: '/validate',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: [rule('networking.istio.io/*', '*')],
        }),
      ]),
      mutating('istio-sidecar-injector', [
        webhook('namespace.sidecar-injector.istio.io', {
          service: 'istio-system/istiod',
          path: '/inject',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
        }),
      ]),
    ]),
    logs: log(
      'istio-system/istiod',
      '2023-08-29T10:14:21.310822Z\tinfo\tvalidationController\tNot ready to switch validation to fail-closed: dummy invalid config not rejected\n2023-08-29T10:14:21.310901Z\terror\tcontrollers\terror handling /istiod-default-validator, retrying (retry count: 31): webhook is not ready, retry\tcontroller=validation',
      'discovery',
    ),
  },
  {
    slug: 'eks-with-other-network-plugin',
    what: 'The nodes of an EKS cluster have Calico as network. The control plane has no route to its Pods.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: without(
      on('eks with Calico', 'istio-system', [
        namespace('istio-system'),
        service('istio-system/istiod', to(15017)),
        deployment('istio-system/istiod', { replicas: 1, ...at(15017), pods: dropped }),
        mutating('istio-sidecar-injector', [
          webhook('sidecar-injector.istio.io', {
            service: 'istio-system/istiod',
            path: '/inject',
            timeoutSeconds: 30,
            rules: pods,
            namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
          }),
        ]),
        namespace('opa'),
        service('opa/opa', to(8443)),
        deployment('opa/opa', { replicas: 1, ...at(8443), pods: dropped }),
        validating('opa-validating-webhook', [
          webhook('validating-webhook.openpolicyagent.org', {
            service: 'opa/opa',
            failurePolicy: 'Ignore',
            rules: [rule('*/*', '*')],
          }),
        ]),
        ...onHostNetwork,
      ]),
      'ingress-nginx',
    ),
  },
  {
    slug: 'configuration-of-deleted-namespace-and-new-installation',
    what: 'The namespace was deleted, and the chart is installed again. The configuration of the former installation refuses its Ingress.',
    parts: without(
      on('aks', 'budibase', [
        ...newIngressNginx('budibase/budibase-ingress-nginx', '1m', '2m'),
        validating(
          'budibase-ingress-nginx-admission',
          [
            webhook('validate.nginx.ingress.kubernetes.io', {
              service: 'budibase/budibase-ingress-nginx-controller-admission',
              path: '/networking/v1/ingresses',
              timeoutSeconds: 10,
              rules: [rule('networking.k8s.io/v1', 'ingresses')],
            }),
          ],
          {
            creationTimestamp: ago('20d'),
            labels: { 'app.kubernetes.io/managed-by': 'Helm' },
            annotations: {
              'meta.helm.sh/release-name': 'budibase',
              'meta.helm.sh/release-namespace': 'budibase',
            },
          },
        ),
      ]),
      'ingress-nginx',
    ),
  },
  {
    slug: 'configuration-of-former-ingress-controller',
    what: 'The namespace of the former Ingress controller was deleted. The new one has no webhook.',
    parts: without(
      on('kubeadm', 'haproxy-controller', [
        namespace('haproxy-controller'),
        deployment('haproxy-controller/haproxy-kubernetes-ingress', {
          replicas: 2,
          container: { ports: [{ containerPort: 8080 }] },
        }),
      ]),
      'ingress-nginx',
    ).concat(nginx({ creationTimestamp: ago('40d') })),
  },
  {
    slug: 'ingress-service-removed-namespace-kept',
    what: 'The Ingress controller was removed. Its namespace and its webhook configuration remain.',
    parts: without(
      on('kubeadm', 'staging', [namespace('staging'), deployment('staging/foo'), deployment('staging/bar')]),
      'ingress-nginx',
    ).concat(namespace('ingress-nginx'), nginx({ creationTimestamp: ago('40d') })),
  },
  {
    slug: 'aks-controller-waits-for-its-certificate-job',
    what: 'Half a minute after the installation the Job that creates the certificate still runs.',
    parts: without(
      on('aks', 'ingress', [
        ...newIngressNginx('ingress/nginx-ingress-nginx', '30s', '40s'),
        validating(
          'nginx-ingress-nginx-admission',
          [
            webhook('validate.nginx.ingress.kubernetes.io', {
              service: 'ingress/nginx-ingress-nginx-controller-admission',
              path: '/networking/v1beta1/ingresses',
              timeoutSeconds: 10,
              rules: [rule('networking.k8s.io/v1', 'ingresses')],
            }),
          ],
          { creationTimestamp: ago('30s') },
        ),
      ]),
      'ingress-nginx',
    ),
  },
  {
    slug: 'kind-ingress-just-applied',
    what: 'A workflow installs the Ingress controller in kind, and the next chart at once.',
    parts: without(
      on('kubeadm', 'alfresco', [
        namespace('alfresco'),
        ...newIngressNginx('ingress-nginx/ingress-nginx', '20s', '20s'),
        ...nginx({ creationTimestamp: ago('20s') }),
      ]).filter(
        (part) => nameOf(part) !== 'ValidatingWebhookConfiguration//ingress-nginx-controller-admission',
      ),
    ),
  },
  {
    slug: 'certificate-job-in-namespace-of-argo',
    what: 'Kustomize moves the objects of a chart to another namespace. The argument of its Job still names that of Argo CD.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: on('eks', 'monitoring-prod', [
      namespace('monitoring-prod'),
      namespace('argocd'),
      serviceAccount('monitoring-prod', 'kube-prometheus-stack-admission'),
      service('monitoring-prod/kube-prometheus-stack-operator', to(10250)),
      ...waiting(
        'monitoring-prod/kube-prometheus-stack-operator',
        'FailedMount',
        'MountVolume.SetUp failed for volume "tls-secret" : secret "kube-prometheus-stack-admission" not found',
        mount('kube-prometheus-stack-admission', { ports: [{ containerPort: 10250 }] }),
      ),
      ...jobWith(
        'monitoring-prod/kube-prometheus-stack-admission-create',
        {
          name: 'create',
          image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6.4',
          args: [
            'create',
            '--host=kube-prometheus-stack-operator,kube-prometheus-stack-operator.monitoring-prod.svc',
            '--namespace=argocd',
            '--secret-name=kube-prometheus-stack-admission',
          ],
        },
        {
          restartCount: 5,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, reason: 'Error', finishedAt: lately('2m') } },
        },
      ),
      validating('kube-prometheus-stack-admission', [
        webhook('prometheusrulemutate.monitoring.coreos.com', {
          service: 'monitoring-prod/kube-prometheus-stack-operator',
          caBundle: '',
          path: '/admission-prometheusrules/validate',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: [rule('monitoring.coreos.com/*', 'prometheusrules')],
        }),
      ]),
    ]),
    logs: {
      'monitoring-prod/kube-prometheus-stack-admission-create-jz4wk/create/previous':
        '{"err":"secrets \\"kube-prometheus-stack-admission\\" is forbidden: User \\"system:serviceaccount:monitoring-prod:kube-prometheus-stack-admission\\" cannot get resource \\"secrets\\" in API group \\"\\" in the namespace \\"argocd\\"","level":"fatal","msg":"error getting secret","source":"k8s/k8s.go:344","time":"2025-11-07T10:00:00Z"}',
    },
  },
  {
    slug: 'only-server-is-upgraded',
    what: 'Helm replaces the only Pod of a StatefulSet, whose webhook must admit an object of the same chart.',
    parts: on('kubeadm', 'spire', [
      namespace('spire'),
      service('spire/spire-controller-manager-webhook-service', {
        selector: { app: 'spire-server' },
        ...to(9443),
      }),
      statefulSet('spire/spire-server', { replicas: 1, ...at(9443), pods: [starting] }),
      validating('spire-spire-controller-manager-webhook', [
        webhook('vclusterspiffeid.kb.io', {
          service: 'spire/spire-controller-manager-webhook-service',
          path: '/validate-spire-spiffe-io-v1alpha1-clusterspiffeid',
          timeoutSeconds: 10,
          rules: [rule('spire.spiffe.io/v1alpha1', 'clusterspiffeids')],
        }),
      ]),
    ]),
  },
  {
    slug: 'policies-sync-removed-version',
    what: 'The Config names a version of Ingress that the cluster no longer serves. The new Pods never become ready.',
    version: 'v1.33.5-eks-3cfe0ce',
    parts: on('eks', 'gatekeeper-system', [
      namespace('gatekeeper-system'),
      service('gatekeeper-system/gatekeeper-webhook-service', {
        selector: { app: 'gatekeeper-controller-manager' },
        ...to(10250),
      }),
      deployment('gatekeeper-system/gatekeeper-controller-manager', {
        replicas: 3,
        ...at(10250),
        pods: [notReady('HTTP probe failed with statuscode: 500')],
        previous: [ready, ready],
      }),
      {
        apiVersion: 'config.gatekeeper.sh/v1alpha1',
        kind: 'Config',
        metadata: { namespace: 'gatekeeper-system', name: 'config' },
        spec: {
          sync: {
            syncOnly: [
              { group: 'extensions', version: 'v1beta1', kind: 'Ingress' },
              { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' },
            ],
          },
        },
      } as never,
      customResource('configs.config.gatekeeper.sh', 'Config'),
      validating('gatekeeper-validating-webhook-configuration', [
        webhook('validation.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          path: '/v1/admit',
          failurePolicy: 'Ignore',
          timeoutSeconds: 3,
          rules: [rule('*/*', '*')],
          namespaceSelector: exceptNamespaces('kube-system', 'gatekeeper-system'),
        }),
      ]),
    ]),
    logs: {
      // The Pod of the new revision.
      'gatekeeper-system/gatekeeper-controller-manager-766sld2lnb-wdlml/webhook':
        '{"level":"info","ts":1708531198.2,"logger":"setup","msg":"starting manager"}\n{"level":"error","ts":1708531200.1,"logger":"controller-runtime.source.EventHandler","msg":"if kind is a CRD, it should be installed before calling Start","kind":"Ingress.extensions","error":"no matches for kind \\"Ingress\\" in version \\"extensions/v1beta1\\""}\n{"level":"info","ts":1708531230.5,"logger":"controller-runtime.healthz","msg":"healthz check failed","statuses":[{}]}',
    },
  },
  {
    slug: 'configuration-of-former-release-calls-new-program',
    what: 'An upgrade has installed a configuration with another name. The former one still lists only v1beta1.',
    parts: on('kubeadm', 'kube-system', [
      service('kube-system/machine-controller-webhook', to(9876)),
      deployment('kube-system/machine-controller-webhook', {
        replicas: 1,
        ...at(9876),
        pods: [
          running({
            answer: 'raw',
            body: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"$uid","allowed":true}}',
          }),
        ],
      }),
      {
        ...mutating(
          'machine-controller.kubermatic.io',
          ['machinedeployments', 'machines'].map((name) => ({
            ...webhook(`machine-controller.kubermatic.io-${name}`, {
              service: 'kube-system/machine-controller-webhook',
              path: `/${name}`,
              rules: [rule('cluster.k8s.io/v1alpha1', name)],
            }),
            admissionReviewVersions: ['v1beta1'],
          })),
          { creationTimestamp: ago('400d') },
        ),
      },
      mutating(
        'machinedeployments.machine-controller.kubermatic.io',
        ['machinedeployments', 'machines'].map((name) =>
          webhook(`${name}.machine-controller.kubermatic.io`, {
            service: 'kube-system/machine-controller-webhook',
            path: `/${name}`,
            rules: [rule('cluster.k8s.io/v1alpha1', name)],
          }),
        ),
        { creationTimestamp: ago('1d') },
      ),
    ]),
  },
  {
    slug: 'operator-removed-service-before-configuration',
    what: 'The new release removed the Service of the former webhook. Its configuration refuses what the operator writes first.',
    parts: on('kubeadm', 'kubermatic', [
      namespace('kubermatic'),
      service('kubermatic/kubermatic-webhook', to(9876)),
      deployment('kubermatic/kubermatic-webhook', { replicas: 1, ...at(9876) }),
      deployment('kubermatic/kubermatic-operator', { replicas: 1, container: { ports: [] } }),
      customResource('clusters.kubermatic.k8c.io', 'Cluster'),
      validating('kubermatic-clusters', [
        webhook('clusters.kubermatic.io', {
          service: 'kubermatic/cluster-webhook',
          path: '/validate-kubermatic-k8s-io-cluster',
          rules: [rule('kubermatic.k8c.io/v1', 'clusters')],
        }),
      ]),
      validating('kubermatic-users', [
        webhook('users.kubermatic.io', {
          service: 'kubermatic/kubermatic-webhook',
          rules: [rule('kubermatic.k8c.io/v1', 'users')],
        }),
      ]),
      warning(
        {
          kind: 'Cluster',
          namespace: 'kubermatic',
          name: 'h8rlv2vjpt',
          uid: 'uid-of-cluster',
          apiVersion: 'kubermatic.k8c.io/v1',
        },
        'ReconcilingError',
        'failed to update cluster: Internal error occurred: failed calling webhook "clusters.kubermatic.io": failed to call webhook: Post "https://cluster-webhook.kubermatic.svc:443/validate-kubermatic-k8s-io-cluster?timeout=5s": service "cluster-webhook" not found',
        'kkp-operator',
      ),
    ]),
    logs: log(
      'kubermatic/kubermatic-operator',
      '{"level":"error","time":"2022-08-19T10:14:16.117Z","logger":"controller","msg":"Reconciler error","controller":"kubermatic-seed-operator","error":"failed to reconcile OSM: failed to update cluster: Internal error occurred: failed calling webhook \\"clusters.kubermatic.io\\": failed to call webhook: Post \\"https://cluster-webhook.kubermatic.svc:443/validate-kubermatic-k8s-io-cluster?timeout=5s\\": service \\"cluster-webhook\\" not found"}',
    ),
  },
];
