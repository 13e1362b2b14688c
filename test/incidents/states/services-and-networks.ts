import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, selectorlessService, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, daemonSet, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { type IncidentState, pods } from './parts.ts';

const policy = (key: string, spec: object): ClusterPart => {
  const [home = '', name = ''] = key.split('/');
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { namespace: home, name },
    spec,
  } as never;
};

/** Services, selectors, namespaces and networks that lead to no server. */
export const servicesAndNetworks: readonly IncidentState[] = [
  {
    slug: 'apiservice-behind-firewall',
    what: 'A security group of the nodes does not allow port 4443 from the control plane.',
    parts: [
      service('kube-system/metrics-server', { ports: [{ port: 443, targetPort: 4443 }] }),
      deployment('kube-system/metrics-server', {
        replicas: 1,
        container: { ports: [{ containerPort: 4443 }] },
        pods: [running({ network: 'drops' })],
      }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://198.51.100.218:4443/apis/metrics.k8s.io/v1beta1: Get "https://198.51.100.218:4443/apis/metrics.k8s.io/v1beta1": dial tcp 198.51.100.218:4443: i/o timeout',
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
    slug: 'proxy-service-selects-operator',
    what: 'Two Deployments of one operator have the same label. The Service of the webhook selects both. Half of the calls reach a Pod that does not listen on the port.',
    parts: [
      namespace('tekton-operator'),
      service('tekton-operator/tekton-operator-proxy-webhook', { selector: { name: 'tekton-operator' } }),
      deployment('tekton-operator/tekton-operator-proxy-webhook', {
        replicas: 1,
        labels: { name: 'tekton-operator' },
        container: { name: 'proxy' },
      }),
      deployment('tekton-operator/tekton-operator', {
        replicas: 1,
        labels: { name: 'tekton-operator' },
        container: {
          name: 'operator',
          ports: [{ name: 'metrics', containerPort: 9090 }],
          readinessProbe: {},
        },
      }),
      mutating('proxy.operator.tekton.dev', [
        webhook('proxy.operator.tekton.dev', {
          service: 'tekton-operator/tekton-operator-proxy-webhook',
          rules: pods,
        }),
      ]),
    ],
  },
  {
    slug: 'network-plugin-crashes',
    what: 'The Pods of the network plugin crash. The Pod of the webhook runs and is Ready. The API server does not reach it.',
    parts: [
      ...installation('kubedirector/kubedirector', {
        deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
        validating: { name: 'validate-cr.kubedirector.example.com', timeoutSeconds: 3 },
      }),
      daemonSet('kube-system/calico-node', {
        labels: { 'k8s-app': 'calico-node' },
        container: { name: 'calico-node', image: 'docker.io/calico/node:v3.16.0', ports: [] },
        spec: { hostNetwork: true },
        pods: [
          crashing(
            1,
            'bird: Unable to open configuration file /etc/calico/confd/config/bird.cfg: No such file or directory',
          ),
        ],
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
];
