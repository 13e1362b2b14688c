import { ago } from '../../../src/demo/cluster/ago.ts';
import { notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, node, service } from '../../../src/demo/cluster/manifests.ts';
import { mutating, rule, validating, webhook } from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { failedCreate, type IncidentState, pods } from './parts.ts';

const everything = [rule('*/*', '*', 'CREATE', 'UPDATE')];

/** An injector of sidecars in its own namespace. */
const injector = (key: string, name: string, over: object = {}) =>
  installation(key, { deployment: { replicas: 2 }, mutating: { name, rules: pods, ...over } });

/** Webhooks that a request does not reach, or that it reaches too early or waits for. */
export const selectionAndOrder: readonly IncidentState[] = [
  {
    slug: 'leases-wait-for-ignored-webhook',
    what: 'A webhook with failurePolicy Ignore intercepts every write, also of Leases. Its server drops the connections. The controller manager gives up before the timeout of the webhook and loses its Lease.',
    parts: installation('example/everything', {
      deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
      validating: { failurePolicy: 'Ignore', timeoutSeconds: 10, rules: everything },
    }),
  },
  {
    slug: 'leases-wait-for-lost-node',
    what: 'The only Pod of the webhook was on a node that is gone. Its endpoint remains, since the controller manager that would remove it waits for the webhook.',
    parts: [
      node('worker-9', { ready: false }),
      ...installation('gatekeeper-system/gatekeeper-webhook-service', {
        deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
        validating: {
          name: 'validation.gatekeeper.sh',
          failurePolicy: 'Ignore',
          timeoutSeconds: 5,
          rules: everything,
        },
      }),
    ],
  },
  {
    slug: 'network-pods-wait-for-ignored-webhooks',
    what: 'The Pods of the network plugin are gone. Two webhooks with failurePolicy Ignore intercept all Pods and cannot be reached without the network. The controller manager cannot create the Pods of the network plugin.',
    parts: [
      namespace('d8-system'),
      ...['vpa-admission-controller', 'admission-policy-engine'].flatMap((name) => [
        service(`d8-system/${name}`),
        deployment(`d8-system/${name}`, { replicas: 1, pods: [running({ network: 'drops' })] }),
      ]),
      mutating('vpa', [
        webhook('vpa.k8s.io', {
          service: 'd8-system/vpa-admission-controller',
          failurePolicy: 'Ignore',
          timeoutSeconds: 30,
          rules: pods,
        }),
      ]),
      validating('policy', [
        webhook('admission-policy-engine.deckhouse.io', {
          service: 'd8-system/admission-policy-engine',
          failurePolicy: 'Ignore',
          timeoutSeconds: 30,
          rules: pods,
        }),
      ]),
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: {
          namespace: 'kube-system',
          name: 'cilium',
          uid: 'ds-cilium',
          labels: { 'k8s-app': 'cilium' },
        },
        spec: {
          selector: { matchLabels: { 'k8s-app': 'cilium' } },
          template: {
            metadata: { labels: { 'k8s-app': 'cilium' } },
            spec: {
              hostNetwork: true,
              containers: [{ name: 'cilium-agent', image: 'quay.io/cilium/cilium:v1.12.3' }],
            },
          },
        },
        status: { desiredNumberScheduled: 3, currentNumberScheduled: 0, numberReady: 0 },
      } as never,
      failedCreate(
        { kind: 'DaemonSet', namespace: 'kube-system', name: 'cilium', uid: 'ds-cilium' },
        'Error creating: Timeout: request did not complete within requested timeout - context deadline exceeded',
        'apps/v1',
      ),
    ],
  },
  {
    slug: 'label-added-by-later-webhook',
    what: 'A policy engine adds the annotation that requests the sidecar. The injector is called before it, and not again: reinvocationPolicy is Never.',
    parts: [
      ...injector('falcon-system/falcon-sidecar-sensor-injector', 'injector.falcon-system.svc', {
        objectSelector: { matchLabels: { 'sensor.falcon-system.crowdstrike.com/injection': 'enabled' } },
      }),
      ...injector('kyverno/kyverno-svc', 'mutate.kyverno.svc-fail'),
      namespace('shop'),
      ...owned('shop', 'web', {
        template: {},
        pod: { labels: { 'sensor.falcon-system.crowdstrike.com/injection': 'enabled' } },
      }),
    ],
  },
  {
    slug: 'fuse-sidecar-requested-by-later-webhook',
    what: 'Three webhooks change Pods. The one that injects the sidecar is called before the one that adds the label.',
    parts: [
      ...injector('fluid-system/fluid-pod-admission-webhook', 'fuse-sidecar.fluid.io', {
        objectSelector: { matchLabels: { 'serverless.fluid.io/inject': 'true' } },
      }),
      ...injector('platform/pod-defaults', 'defaults.platform.example.com'),
      namespace('ml'),
      ...owned('ml', 'train', { template: {}, pod: { labels: { 'serverless.fluid.io/inject': 'true' } } }),
    ],
  },
  {
    slug: 'sidecar-injected-after-mesh',
    what: 'Another injector adds its container after Istio was called. Istio is not called again, so the probes of that container are not rewritten.',
    parts: [
      ...injector('istio-system/istiod', 'rev.namespace.sidecar-injector.istio.io', {
        namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
      }),
      ...injector('opa-istio/opa-istio-admission-controller', 'z-sidecar.opa-istio.example.com'),
      namespace('shop', { 'istio-injection': 'enabled' }),
      ...owned('shop', 'web', {
        template: {},
        pod: {
          annotations: { 'sidecar.istio.io/status': '{"containers":["istio-proxy"]}' },
          containers: ['istio-proxy', 'opa-istio'],
        },
      }),
    ],
  },
  {
    slug: 'sdk-not-injected-into-later-sidecar',
    what: 'An operator adds a sidecar after the OpenTelemetry operator was called, which should have added its SDK to it.',
    parts: [
      ...injector('opentelemetry-operator-system/opentelemetry-operator-webhook', 'mpod.kb.io'),
      ...injector('apps/sidecar-operator', 'sidecars.apps.example.com'),
      namespace('shop'),
      ...owned('shop', 'web', {
        template: { annotations: { 'instrumentation.opentelemetry.io/inject-sdk': 'true' } },
        pod: {
          annotations: { 'instrumentation.opentelemetry.io/inject-sdk': 'true' },
          containers: ['worker-sidecar'],
        },
      }),
    ],
  },
  {
    slug: 'release-namespace-excluded',
    what: 'The chart excludes the namespace of its release. The Pods that request secrets run in the same namespace.',
    parts: [
      ...injector('vault/vault-secrets-webhook', 'pods.vault-secrets-webhook.admission.banzaicloud.com', {
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'vault'] },
          ],
        },
      }),
      ...owned('vault', 'web', {
        template: { annotations: { 'vault.security.banzaicloud.io/vault-addr': 'https://vault:8200' } },
        pod: { annotations: { 'vault.security.banzaicloud.io/vault-addr': 'https://vault:8200' } },
      }),
    ],
  },
  {
    slug: 'agent-requested-outside-of-selected-namespaces',
    what: 'The Pod requests the agent by annotation. The namespaceSelector of the injector does not match its namespace.',
    parts: [
      ...injector('vault/vault-agent-injector-svc', 'vault.hashicorp.com', {
        namespaceSelector: { matchLabels: { 'vault-injection': 'enabled' } },
        failurePolicy: 'Ignore',
      }),
      namespace('vault-users', { 'vault-injection': 'enabled' }),
      namespace('shop'),
      ...owned('shop', 'web', {
        template: { annotations: { 'vault.hashicorp.com/agent-inject': 'true' } },
        pod: { annotations: { 'vault.hashicorp.com/agent-inject': 'true' } },
      }),
    ],
  },
  {
    slug: 'revision-label-missing',
    what: 'Istio is installed with a revision. The namespace has the label istio-injection=enabled, which the injector of a revision does not select.',
    parts: [
      ...injector('istio-system/istiod-1-9-4', 'rev.namespace.sidecar-injector.istio.io', {
        namespaceSelector: {
          matchExpressions: [
            { key: 'istio-injection', operator: 'DoesNotExist' },
            { key: 'istio.io/rev', operator: 'In', values: ['1-9-4'] },
          ],
        },
      }),
      namespace('bookinfo', { 'istio-injection': 'enabled' }),
    ],
  },
  {
    slug: 'injector-covers-own-pods',
    what: 'The injector has failurePolicy Fail and no namespaceSelector. It was scaled to 0 and to 2: its Pods cannot be created.',
    parts: installation('vault/vault-agent-injector-svc', {
      deployment: {
        refused:
          'Internal error occurred: failed calling webhook "vault.hashicorp.com": failed to call webhook: Post "https://vault-agent-injector-svc.vault.svc:443/mutate?timeout=30s": no endpoints available for service "vault-agent-injector-svc"',
      },
      mutating: { name: 'vault.hashicorp.com', timeoutSeconds: 30, rules: pods },
    }),
  },
  {
    slug: 'webhook-for-some-pods-blocks-all',
    what: 'A webhook for the Pods of one operator intercepts all Pods. After an upgrade of the nodes its server has no ready Pod, and Pods of other namespaces, metrics-server too, cannot be created.',
    parts: [
      ...installation('k8ssandra-operator/k8ssandra-operator-webhook-service', {
        deployment: {
          replicas: 1,
          pods: [
            notReady(
              'Get "http://10.0.0.9:8081/readyz": dial tcp 10.0.0.9:8081: connect: connection refused',
              { listens: 'nowhere' },
            ),
          ],
        },
        mutating: { name: 'mpod.kb.io', timeoutSeconds: 10, rules: pods },
      }),
      deployment('kube-system/metrics-server', {
        replicas: 1,
        refused:
          'Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: Post "https://k8ssandra-operator-webhook-service.k8ssandra-operator.svc:443/mutate-v1-pod-secrets-inject?timeout=10s": no endpoints available for service "k8ssandra-operator-webhook-service"',
      }),
    ],
  },
  {
    slug: 'policy-engine-and-mesh-wait-for-each-other',
    what: 'After a restart of the cluster the policy engine waits for the mesh injector, and the mesh for the policy engine.',
    parts: [
      namespace('istio-system'),
      namespace('pepr-system', { 'istio-injection': 'enabled' }),
      service('istio-system/istiod'),
      deployment('istio-system/istiod', {
        refused:
          'Internal error occurred: failed calling webhook "pepr-uds-core.pepr.dev": failed to call webhook: Post "https://pepr-uds-core.pepr-system.svc:443/mutate?timeout=10s": no endpoints available for service "pepr-uds-core"',
      }),
      service('pepr-system/pepr-uds-core'),
      deployment('pepr-system/pepr-uds-core', {
        refused:
          'Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": no endpoints available for service "istiod"',
      }),
      mutating('istio-sidecar-injector', [
        webhook('namespace.sidecar-injector.istio.io', {
          service: 'istio-system/istiod',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
        }),
      ]),
      mutating('pepr-uds-core', [
        webhook('pepr-uds-core.pepr.dev', {
          service: 'pepr-system/pepr-uds-core',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              {
                key: 'kubernetes.io/metadata.name',
                operator: 'NotIn',
                values: ['kube-system', 'pepr-system'],
              },
            ],
          },
        }),
      ]),
    ],
  },
  {
    slug: 'secrets-of-every-namespace',
    what: 'A webhook with failurePolicy Fail and a timeout of 15 s intercepts the Secrets of all namespaces, which new nodes need.',
    parts: installation('cattle-system/rancher-webhook', {
      mutating: {
        name: 'rancher.cattle.io.secrets',
        timeoutSeconds: 15,
        rules: [rule('v1', 'secrets', 'CREATE', 'DELETE')],
      },
    }),
  },
  {
    slug: 'rule-for-everything',
    what: 'A validating webhook with failurePolicy Fail has the rule * of all groups. Its provider refuses to stop the cluster.',
    parts: installation('gatekeeper-system/gatekeeper-webhook-service', {
      validating: { name: 'debug-validation.gatekeeper.sh', rules: [rule('*/*', '*', 'CREATE', 'UPDATE')] },
    }),
  },
  {
    slug: 'leases-of-nodes',
    what: 'A webhook with failurePolicy Fail excludes kube-system, but not the Leases of nodes.',
    parts: installation('example/validator', {
      validating: {
        rules: [rule('coordination.k8s.io/v1', 'leases')],
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] },
          ],
        },
      },
    }),
  },
  {
    slug: 'managed-namespaces-excluded',
    what: 'The platform excludes the namespaces that it labels as its own from the injector. The application runs in one of them.',
    parts: [
      ...injector('default/dapr-sidecar-injector', 'sidecar-injector.dapr.io', {
        failurePolicy: 'Ignore',
        namespaceSelector: {
          matchExpressions: [
            { key: 'control-plane', operator: 'NotIn', values: ['true'] },
            { key: 'kubernetes.azure.com/managedby', operator: 'NotIn', values: ['aks'] },
          ],
        },
      }).filter((part) => !('kind' in part && part.kind === 'Namespace')),
      namespace('shop', { 'kubernetes.azure.com/managedby': 'aks' }),
      ...owned('shop', 'web', {
        template: { annotations: { 'dapr.io/enabled': 'true' } },
        pod: { annotations: { 'dapr.io/enabled': 'true' } },
      }),
    ],
  },
];

/** A ReplicaSet and its Pod; `pod` has what admission has added. */
function owned(
  home: string,
  name: string,
  {
    template,
    pod,
  }: {
    readonly template: { readonly annotations?: Readonly<Record<string, string>> };
    readonly pod: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly containers?: readonly string[];
    };
  },
): readonly ClusterPart[] {
  const app = { name: 'app', image: 'registry.example.com/app:v1' };
  const owner = (kind: string, owned: string) => [
    { apiVersion: 'apps/v1', kind, name: owned, uid: `uid-of-${owned}`, controller: true },
  ];
  const spec = {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name }, ...template }, spec: { containers: [app] } },
  };
  const metadata = (suffix: string) => ({
    namespace: home,
    name: `${name}${suffix}`,
    uid: `uid-of-${name}${suffix}`,
    labels: { app: name },
    creationTimestamp: ago('1h'),
  });
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata(''),
      spec,
      status: { replicas: 1, readyReplicas: 1 },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { ...metadata('-5d9c'), ownerReferences: owner('Deployment', name) },
      spec,
      status: { replicas: 1, readyReplicas: 1 },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata('-5d9c-x7k2p'),
        labels: { app: name, ...pod.labels },
        annotations: pod.annotations ?? {},
        ownerReferences: owner('ReplicaSet', `${name}-5d9c`),
      },
      spec: {
        nodeName: 'worker-1',
        containers: [app, ...(pod.containers ?? []).map((one) => ({ name: one, image: `${one}:v1` }))],
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    },
  ] as never;
}
