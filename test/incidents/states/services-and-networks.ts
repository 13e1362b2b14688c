import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, node, selectorlessService, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, daemonSet, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { type IncidentState, pods, policy, unschedulable } from './parts.ts';

/** A policy of a network plugin, and the CRD that serves it. */
const pluginPolicy = (
  crd: string,
  apiVersion: string,
  kind: string,
  key: string,
  spec: object,
): readonly ClusterPart[] => {
  const [name = '', home] = key.split('/').toReversed();
  const definition = customResource(crd, kind);
  const { spec: declared } = definition as { readonly spec?: object };
  const version = { served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  return [
    {
      ...definition,
      spec: {
        ...declared,
        scope: home === undefined ? 'Cluster' : 'Namespaced',
        versions: [{ name: apiVersion.split('/')[1], ...version }],
      },
    },
    { apiVersion, kind, metadata: { ...(home && { namespace: home }), name }, spec } as never,
  ];
};
/** A server whose packets from the control plane are lost, as `namespace/name`, with its webhook's name and rule. */
const unreached = (key: string, name: string, over: object = {}, port = 8443) =>
  installation(key, {
    service: { ports: [{ port: 443, targetPort: port }] },
    deployment: {
      replicas: 1,
      container: { ports: [{ containerPort: port }] },
      pods: [running({ network: 'drops' })],
    },
    validating: { name, timeoutSeconds: 3, ...over },
  });

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
  {
    slug: 'cilium-policy-without-remote-nodes',
    what: 'A CiliumNetworkPolicy allows the entity kube-apiserver. The API server of a managed cluster reaches the Pod from another node, as remote-node.',
    parts: [
      ...unreached(
        'external-secrets/external-secrets-webhook',
        'validate.externalsecret.external-secrets.io',
        { rules: [rule('external-secrets.io/v1beta1', 'externalsecrets')] },
        10250,
      ),
      ...pluginPolicy(
        'ciliumnetworkpolicies.cilium.io',
        'cilium.io/v2',
        'CiliumNetworkPolicy',
        'external-secrets/default',
        {
          endpointSelector: {},
          ingress: [
            { fromEntities: ['kube-apiserver'], toPorts: [{ ports: [{ port: '10250', protocol: 'TCP' }] }] },
          ],
        },
      ),
    ],
  },
  {
    slug: 'cilium-policy-denies-world',
    what: 'A CiliumClusterwideNetworkPolicy denies the entity world on the port of the webhook. The API server arrives with this identity.',
    parts: [
      ...unreached('tenant-root/root-ingress-controller-admission', 'validate.nginx.ingress.kubernetes.io', {
        rules: [rule('networking.k8s.io/v1', 'ingresses')],
      }),
      ...pluginPolicy(
        'ciliumclusterwidenetworkpolicies.cilium.io',
        'cilium.io/v2',
        'CiliumClusterwideNetworkPolicy',
        'deny-admission',
        {
          endpointSelector: { matchLabels: { app: 'root-ingress-controller-admission' } },
          enableDefaultDeny: { ingress: false },
          ingressDeny: [
            { fromEntities: ['world'], toPorts: [{ ports: [{ port: '8443', protocol: 'TCP' }] }] },
          ],
        },
      ),
    ],
  },
  {
    slug: 'policy-names-namespace-of-api-server',
    what: 'A NetworkPolicy allows the namespace of the API server, whose Pods use the host network: their packets come from the address of the node.',
    parts: [
      ...unreached(
        'open-cluster-management/search-v2-operator',
        'vcollectorconfig.kb.io',
        { rules: [rule('search.open-cluster-management.io/v1', 'collectorconfigs')] },
        9443,
      ),
      policy('open-cluster-management/search-operator', {
        podSelector: { matchLabels: { app: 'search-v2-operator' } },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              {
                namespaceSelector: {
                  matchLabels: { 'kubernetes.io/metadata.name': 'openshift-kube-apiserver' },
                },
              },
            ],
            ports: [{ protocol: 'TCP', port: 9443 }],
          },
        ],
      }),
    ],
  },
  {
    slug: 'policy-port-of-service-fails-open',
    what: 'The NetworkPolicy allows the port of the Service, not the container port. The webhook fails open, so nothing is validated.',
    parts: [
      ...unreached(
        'apisix/apisix-ingress-webhook',
        'vapisixroute-v2.kb.io',
        { failurePolicy: 'Ignore', rules: [rule('apisix.apache.org/v2', 'apisixroutes')] },
        9443,
      ),
      policy('apisix/allow-webhook-traffic', {
        podSelector: { matchLabels: { app: 'apisix-ingress-webhook' } },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [{ namespaceSelector: { matchLabels: { webhook: 'enabled' } } }],
            ports: [{ port: 443, protocol: 'TCP' }],
          },
        ],
      }),
    ],
  },
  {
    slug: 'conversion-port-not-in-service',
    what: 'The CRD names port 8443 of the Service for its conversion webhook. The Service has only the port of the metrics: the webhook is disabled in the values of the chart.',
    parts: [
      namespace('karpenter'),
      service('karpenter/karpenter', { ports: [{ name: 'http-metrics', port: 8080, targetPort: 8080 }] }),
      deployment('karpenter/karpenter', {
        container: { ports: [{ name: 'http-metrics', containerPort: 8080 }] },
      }),
      customResource('nodepools.karpenter.sh', 'NodePool', {
        service: 'karpenter/karpenter',
        port: 8443,
        path: '/conversion/karpenter.sh',
      }),
    ],
  },
  {
    slug: 'kubelet-responds-on-fargate',
    what: 'On Fargate each Pod has a kubelet on port 10250 of its own address, on which the webhook should listen.',
    parts: [
      node('fargate-ip-172-16-17-60.ap-southeast-1.compute.internal', {
        labels: { 'eks.amazonaws.com/compute-type': 'fargate' },
      }),
      ...installation('cert-manager/cert-manager-webhook', {
        service: { ports: [{ port: 443, targetPort: 10250 }] },
        deployment: {
          replicas: 1,
          container: {
            ports: [{ name: 'https', containerPort: 10250 }],
            readinessProbe: { httpGet: { path: '/healthz', port: 6080, scheme: 'HTTP' } },
          },
          spec: { nodeSelector: { 'eks.amazonaws.com/compute-type': 'fargate' } },
          pods: [running({ certificate: 'for-another-name' })],
        },
        mutating: {
          name: 'webhook.cert-manager.io',
          rules: [rule('cert-manager.io/v1', 'certificates')],
        },
      }),
    ],
  },
  {
    slug: 'node-security-group-closed',
    what: 'The security group of the EKS nodes allows no connections of the control plane to the port of the webhook.',
    parts: [
      node('ip-10-0-12-7.eu-west-1.compute.internal', {
        labels: { 'eks.amazonaws.com/nodegroup': 'workers' },
      }),
      ...unreached('mimir/mimir-distributed-rollout-operator', 'prepare-downscale-mimir.grafana.com', {
        rules: [rule('apps/v1', 'statefulsets', 'UPDATE')],
      }),
    ],
  },
  {
    slug: 'uninstalled-but-for-service',
    what: 'The product was uninstalled. Its webhook configuration and its Service remain; its Pods are gone.',
    parts: [
      namespace('kai-scheduler'),
      service('kai-scheduler/admission'),
      mutating('kai-admission', [
        webhook('admission.kai-scheduler.svc', {
          service: 'kai-scheduler/admission',
          timeoutSeconds: 10,
          rules: pods,
        }),
      ]),
    ],
  },
  {
    slug: 'uninstall-removes-service-first',
    what: 'helm uninstall deletes the Service before the webhook configuration, which then blocks the deletion of cluster-scoped objects.',
    parts: [
      namespace('gatekeeper'),
      validating(
        'gatekeeper-validating-webhook-configuration',
        [
          webhook('validation.gatekeeper.sh', {
            service: 'gatekeeper/gatekeeper-webhook-service',
            rules: [
              rule(
                'rbac.authorization.k8s.io/v1',
                'clusterroles,clusterrolebindings',
                'CREATE',
                'UPDATE',
                'DELETE',
              ),
            ],
          }),
        ],
        {
          labels: { 'app.kubernetes.io/managed-by': 'Helm' },
          annotations: {
            'meta.helm.sh/release-name': 'gatekeeper',
            'meta.helm.sh/release-namespace': 'gatekeeper',
          },
        },
      ),
    ],
  },
  {
    slug: 'no-nodes-for-metrics-server',
    what: 'A hibernated cluster has no nodes. The Pod of metrics-server is Pending, so its APIService is not available, and a namespace cannot be deleted.',
    parts: [
      service('kube-system/metrics-server'),
      ...unschedulable('kube-system/metrics-server', 'no nodes available to schedule pods'),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/metrics-server in "kube-system" have no addresses with port name "https"',
      }),
      {
        ...namespace('shop'),
        metadata: { name: 'shop', deletionTimestamp: ago('20m') },
        status: {
          phase: 'Terminating',
          conditions: [
            {
              type: 'NamespaceDeletionDiscoveryFailure',
              status: 'True',
              reason: 'DiscoveryFailed',
              message:
                'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request',
            },
          ],
        },
      } as never,
    ],
  },
  {
    slug: 'path-not-served-fails-open',
    what: 'An operator registers a webhook for a path that its server does not have. failurePolicy is Ignore.',
    parts: installation('calico-system/calico-webhooks', {
      deployment: {
        replicas: 1,
        pods: [running({ answer: 'raw', status: 404, body: '404 page not found\n' } as never)],
      },
      validating: {
        name: 'audit-logging.api.projectcalico.org',
        path: '/audit',
        failurePolicy: 'Ignore',
        rules: pods,
      },
    }),
  },
  {
    slug: 'configuration-names-other-namespace',
    what: 'The webhook configuration names the Service in another namespace than that of the release.',
    parts: [
      namespace('observability'),
      service('observability/opentelemetry-operator-webhook'),
      deployment('observability/opentelemetry-operator-webhook', { replicas: 1 }),
      namespace('opentelemetry-operator-system'),
      mutating('opentelemetry-operator-mutation', [
        webhook('mpod.kb.io', {
          service: 'opentelemetry-operator-system/opentelemetry-operator-webhook',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
    ],
  },
];
