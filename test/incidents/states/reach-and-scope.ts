import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { lease, namespace, node, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment, scaledBy } from '../../../src/demo/cluster/workload-manifests.ts';
import { failedCreate, type IncidentState, log, pods, unschedulable } from './parts.ts';

const eksNode = node('ip-10-0-12-7.eu-west-1.compute.internal', {
  labels: { 'eks.amazonaws.com/nodegroup': 'workers' },
});
const gkeNode = node('gke-c1-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } });

const terminating = (name: string, message: string): ClusterPart =>
  ({
    ...namespace(name),
    metadata: { name, deletionTimestamp: ago('20m') },
    status: {
      phase: 'Terminating',
      conditions: [
        {
          type: 'NamespaceDeletionContentFailure',
          status: 'True',
          reason: 'ContentDeletionFailed',
          message,
          lastTransitionTime: ago('19m'),
        },
      ],
    },
  }) as never;

const daemonSetWaits = (
  home: string,
  name: string,
  message: string,
  image: string,
): readonly ClusterPart[] => [
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace: home, name, uid: `ds-${name}`, labels: { 'k8s-app': name } },
    spec: {
      selector: { matchLabels: { 'k8s-app': name } },
      template: {
        metadata: { labels: { 'k8s-app': name } },
        spec: { hostNetwork: true, containers: [{ name, image }] },
      },
    },
    status: { desiredNumberScheduled: 1, currentNumberScheduled: 0, numberReady: 0 },
  } as never,
  failedCreate({ kind: 'DaemonSet', namespace: home, name, uid: `ds-${name}` }, message, 'apps/v1'),
];

/** States in which a port, a name, a network, a scope or the handler is at fault. */
export const reachAndScope: readonly IncidentState[] = [
  {
    slug: 'service-port',
    what: 'OLM makes a Service with the container port 5000.',
    parts: installation('operators/example-operator-service', {
      service: { ports: [{ name: '5000', port: 5000, targetPort: 5000 }] },
      deployment: { replicas: 1, container: { ports: [{ containerPort: 5000 }] } },
      validating: { rules: [rule('example.com/v1', 'examples')] },
    }),
  },
  {
    slug: 'conversion-service-uninstalled',
    what: 'The Service of a conversion webhook is deleted first.',
    parts: [
      namespace('kyma-system'),
      customResource('apirules.gateway.kyma-project.io', 'APIRule', {
        service: 'kyma-system/api-gateway-webhook-service',
      }),
    ],
  },
  {
    slug: 'apiservice-port',
    what: 'The Service has port 4443, the APIService 443.',
    parts: [
      service('kube-system/metrics-server', {
        type: 'NodePort',
        ports: [{ name: 'https', port: 4443, targetPort: 4443 }],
      } as never),
      deployment('kube-system/metrics-server', {
        spec: { hostNetwork: true },
        container: { ports: [{ containerPort: 4443, hostPort: 4443 }] },
      }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message: 'no service port 443 found for service "metrics-server"',
      }),
    ],
  },
  {
    slug: 'eks-metrics-port',
    what: 'The security group does not admit port 4443.',
    parts: [
      eksNode,
      service('kube-system/metrics-server', { ports: [{ name: 'https', port: 443, targetPort: 4443 }] }),
      deployment('kube-system/metrics-server', {
        replicas: 1,
        container: { ports: [{ containerPort: 4443 }] },
        pods: [running({ network: 'drops', api: 'metrics.k8s.io/v1beta1' })],
      }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.0.3.31:4443/apis/metrics.k8s.io/v1beta1: Get "https://10.0.3.31:4443/apis/metrics.k8s.io/v1beta1": context deadline exceeded',
      }),
    ],
  },
  {
    slug: 'only-leader-listens',
    what: 'Only the leader starts its webhook server.',
    parts: [
      ...installation('aerospike/aerospike-cluster-webhook-service', {
        deployment: {
          container: { readinessProbe: undefined as never },
          pods: [running({}), running({ gate: 'listener', leader: false })],
        },
        validating: {
          name: 'vaerospikecluster.kb.io',
          rules: [rule('aerospike.com/v1alpha1', 'aerospikeclusters')],
        },
      }),
      lease('aerospike/96242fdf.aerospike.com', 'aerospike-cluster-webhook-service', 0),
    ],
  },
  {
    slug: 'former-names',
    what: 'The former configuration remains after the namespace was deleted and made again.',
    parts: [
      ...installation('actions-runner-system/actions-runner-controller-webhook', {
        deployment: { replicas: 1 },
        mutating: {
          name: 'mutate.runner.actions.summerwind.dev',
          rules: [rule('actions.summerwind.dev/v1alpha1', 'runners')],
        },
      }),
      mutating('mutating-webhook-configuration', [
        webhook('mutate.runner.actions.summerwind.dev', {
          service: 'actions-runner-system/webhook-service',
          path: '/mutate-actions-summerwind-dev-v1alpha1-runner',
          rules: [rule('actions.summerwind.dev/v1alpha1', 'runners')],
        }),
      ]),
    ],
  },
  {
    slug: 'kyverno-scaled-to-zero',
    what: 'Kyverno deletes its configurations at scale to zero.',
    parts: [
      namespace('kyverno'),
      service('kyverno/kyverno-svc', { ports: [{ name: 'https', port: 443, targetPort: 9443 }] }),
      deployment('kyverno/kyverno', {
        replicas: 0,
        labels: { app: 'kyverno-svc' },
        container: {
          name: 'kyverno',
          image: 'ghcr.io/kyverno/kyverno:v1.9.0',
          ports: [{ containerPort: 9443 }],
        },
        metadata: { managedFields: scaledBy('kubectl', ago('1h')) },
      }),
      customResource('clusterpolicies.kyverno.io', 'ClusterPolicy'),
    ],
  },
  {
    slug: 'started-before-linkerd',
    what: 'Pods started before the injector.',
    parts: [
      ...installation('linkerd/linkerd-proxy-injector', {
        deployment: { replicas: 1 },
        mutating: {
          name: 'linkerd-proxy-injector.linkerd.io',
          failurePolicy: 'Ignore',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              { key: 'config.linkerd.io/admission-webhooks', operator: 'NotIn', values: ['disabled'] },
            ],
          },
        },
      }),
      {
        ...namespace('shop'),
        metadata: { name: 'shop', annotations: { 'linkerd.io/inject': 'enabled' } },
      },
      ...['web', 'cart'].map(
        (name) =>
          ({
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { namespace: 'shop', name, labels: { app: name }, creationTimestamp: ago('1h') },
            spec: { containers: [{ name: 'app', image: 'registry.example/app:v1' }], nodeName: 'worker-1' },
            status: { phase: 'Running' },
          }) as never,
      ),
    ],
    deep: true,
  },
  {
    slug: 'injector-covers-system',
    what: 'The injector covers kube-system; the cluster crashed.',
    parts: [
      ...installation('consul/consul-connect-injector', {
        deployment: { replicas: 2, pods: [notReady('connection refused', { listens: 'nowhere' })] },
        mutating: { name: 'consul-connect-injector.consul.hashicorp.com', timeoutSeconds: 10, rules: pods },
      }),
    ],
  },
  {
    slug: 'injector-covers-cni',
    what: 'The injector intercepts aws-node.',
    parts: [
      node('ip-10-0-12-7.eu-west-1.compute.internal', {
        ready: false,
        labels: { 'eks.amazonaws.com/nodegroup': 'workers' },
      }),
      namespace('consul'),
      service('consul/consul-connect-injector-svc'),
      ...unschedulable(
        'consul/consul-connect-injector-svc',
        '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
      ),
      mutating('consul-consul-connect-injector-cfg', [
        webhook('consul-connect-injector.consul.hashicorp.com', {
          service: 'consul/consul-connect-injector-svc',
          timeoutSeconds: 10,
          rules: pods,
        }),
      ]),
      ...daemonSetWaits(
        'kube-system',
        'aws-node',
        'Error creating: Internal error occurred: failed calling webhook "consul-connect-injector.consul.hashicorp.com": Post "https://consul-connect-injector-svc.consul.svc:443/mutate?timeout=10s": no endpoints available for service "consul-connect-injector-svc"',
        'amazon-k8s-cni:v1.7.5',
      ),
    ],
  },
  {
    slug: 'policy-covers-dns',
    what: 'The policy webhook covers kube-system where it is opted in; CoreDNS waits for it.',
    parts: [
      ...installation('cosign-system/webhook', {
        deployment: {
          replicas: 1,
          pods: [notReady('HTTP probe failed with statuscode: 500', { listens: 'nowhere' })],
        },
        mutating: {
          name: 'policy.sigstore.dev',
          timeoutSeconds: 10,
          rules: [
            rule('v1', 'pods', 'CREATE', 'UPDATE'),
            rule('apps/v1', 'deployments,replicasets,daemonsets', 'CREATE', 'UPDATE'),
          ],
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['kube-system', 'shop'] },
            ],
          },
        },
      }),
      service('kube-system/kube-dns', {
        ports: [{ name: 'dns', port: 53 }],
        selector: { 'k8s-app': 'kube-dns' },
      }),
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: {
          namespace: 'kube-system',
          name: 'coredns',
          uid: 'coredns',
          labels: { 'k8s-app': 'kube-dns' },
        },
        spec: {
          replicas: 2,
          selector: { matchLabels: { 'k8s-app': 'kube-dns' } },
          template: {
            metadata: { labels: { 'k8s-app': 'kube-dns' } },
            spec: { containers: [{ name: 'coredns', image: 'registry.k8s.io/coredns/coredns:v1.10.1' }] },
          },
        },
        status: { replicas: 0 },
      } as never,
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          namespace: 'kube-system',
          name: 'coredns-5d78c9869d',
          uid: 'rs-coredns',
          labels: { 'k8s-app': 'kube-dns' },
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'Deployment', name: 'coredns', uid: 'coredns', controller: true },
          ],
        },
        spec: {
          replicas: 2,
          selector: { matchLabels: { 'k8s-app': 'kube-dns' } },
          template: {
            metadata: { labels: { 'k8s-app': 'kube-dns' } },
            spec: { containers: [{ name: 'coredns', image: 'registry.k8s.io/coredns/coredns:v1.10.1' }] },
          },
        },
        status: { replicas: 0 },
      } as never,
      failedCreate(
        { kind: 'ReplicaSet', namespace: 'kube-system', name: 'coredns-5d78c9869d', uid: 'rs-coredns' },
        'Error creating: Internal error occurred: failed calling webhook "policy.sigstore.dev": failed to call webhook: Post "https://webhook.cosign-system.svc:443/mutations?timeout=10s": dial tcp 10.96.1.7:443: connect: connection refused',
        'apps/v1',
      ),
    ],
    logs: log(
      'cosign-system/webhook',
      'F1012 06:11:14.201733 1 main.go:113] failed to initialize: Get "https://tuf-repo-cdn.sigstore.dev/root.json": dial tcp: lookup tuf-repo-cdn.sigstore.dev on 10.96.0.10:53: read udp 10.0.4.9:41022->10.96.0.10:53: i/o timeout',
    ),
  },
  {
    slug: 'karpenter-overlay',
    what: 'EKS refuses overlay addresses.',
    parts: [
      eksNode,
      ...installation('karpenter/karpenter', {
        service: { ports: [{ port: 8443, targetPort: 8443 }] },
        deployment: { pods: [running({ network: 'not-allowed' })] },
        mutating: {
          name: 'defaulting.webhook.karpenter.k8s.aws',
          port: 8443,
          rules: [rule('karpenter.sh/v1alpha5', 'provisioners')],
        },
      }),
    ],
  },
  {
    slug: 'injector-panics',
    what: 'The handler panics.',
    parts: installation('linkerd/linkerd-proxy-injector', {
      deployment: { replicas: 1, pods: [running({ fault: 'close-http' })] },
      mutating: { name: 'linkerd-proxy-injector.linkerd.io', timeoutSeconds: 30, rules: pods },
    }),
    logs: log(
      'linkerd/linkerd-proxy-injector',
      'time="2021-01-07T21:25:33Z" level=info msg="received pod/nginx-ingress-default-backend-dfbb7b9c-"\n2021/01/07 21:25:33 http: panic serving 127.0.0.1:59656: runtime error: invalid memory address or nil pointer dereference\ngoroutine 410 [running]:',
    ),
  },
  {
    slug: 'knows-v1beta1-only',
    what: 'The webhook knows v1beta1 only.',
    parts: [
      ...installation('gatekeeper-system/gatekeeper-webhook-service', {
        deployment: {
          pods: [
            running({
              answer: 'raw',
              status: 200,
              body: '{"response":{"uid":"","allowed":true},"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}',
            }),
          ],
        },
        validating: {
          name: 'validation.gatekeeper.sh',
          failurePolicy: 'Ignore',
          rules: [rule('v1', 'pods', 'CREATE')],
        },
      }),
    ],
  },
  {
    slug: 'api-not-served-by-adapter',
    what: 'The adapter serves external metrics only.',
    parts: [
      namespace('keda'),
      service('keda/keda'),
      deployment('keda/keda', { replicas: 1, pods: [running({ api: 'external.metrics.k8s.io/v1beta1' })] }),
      apiService('v1beta1.custom.metrics.k8s.io', 'keda/keda', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.0.4.9:6443/apis/custom.metrics.k8s.io/v1beta1: bad status from https://10.0.4.9:6443/apis/custom.metrics.k8s.io/v1beta1: 404',
      }),
    ],
  },
  {
    slug: 'binds-443',
    what: 'The process may not bind port 443.',
    parts: [
      namespace('kube-system'),
      service('kube-system/snapshot-conversion-webhook', { ports: [{ port: 443, targetPort: 443 }] }),
      deployment('kube-system/snapshot-conversion-webhook', {
        replicas: 1,
        spec: { securityContext: { runAsNonRoot: true, runAsUser: 1000 } } as never,
        container: { ports: [{ containerPort: 443 }] },
        pods: [
          crashing(
            1,
            'I0117 10:12:01.1 1 main.go:72] Starting webhook server\nF0117 10:12:01.2 1 main.go:80] failed to listen and serve: listen tcp :443: bind: permission denied',
          ),
        ],
      }),
      customResource(
        'volumegroupsnapshotcontents.groupsnapshot.storage.k8s.io',
        'VolumeGroupSnapshotContent',
        {
          service: 'kube-system/snapshot-conversion-webhook',
        },
      ),
    ].slice(1) as never,
  },
  {
    slug: 'host-port-8080',
    what: 'A port on the host is in use.',
    parts: [
      eksNode,
      ...installation('karpenter/karpenter', {
        deployment: {
          replicas: 1,
          spec: { hostNetwork: true },
          pods: [
            notReady(
              'Get "http://10.0.12.7:8081/readyz": dial tcp 10.0.12.7:8081: connect: connection refused',
              { listens: 'nowhere' },
            ),
          ],
        },
        validating: {
          name: 'validation.webhook.karpenter.sh',
          rules: [rule('karpenter.sh/v1alpha5', 'provisioners')],
        },
      }),
    ],
    logs: log(
      'karpenter/karpenter',
      '2023-06-28T00:09:59.886Z\tERROR\twebhook\tError while running server\t{"commit": "26e2d35-dirty", "error": "listen tcp :8080: bind: address already in use"}\n2023-06-28T00:11:03.297Z        INFO    controller      Starting informers...   {"commit": "26e2d35-dirty"}',
    ),
  },
  {
    slug: 'crd-port',
    what: 'The Service port became 9443; the CRDs call 443.',
    parts: [
      namespace('azureoperator-system'),
      service('azureoperator-system/azureoperator-webhook-service', {
        ports: [{ port: 9443, targetPort: 9443 }],
      }),
      deployment('azureoperator-system/azureoperator-webhook-service', {
        replicas: 1,
        container: { ports: [{ containerPort: 9443 }] },
      }),
      customResource('azuresqlservers.azure.microsoft.com', 'AzureSqlServer', {
        service: 'azureoperator-system/azureoperator-webhook-service',
      }),
    ],
  },
  {
    slug: 'e2e-namespace',
    what: 'The Service of a conversion webhook is gone; the namespace is Terminating.',
    parts: [
      terminating(
        'webhook-7327',
        'Failed to delete all resource types, 1 remaining: conversion webhook for stable.example.com/v2, Kind=E2e-test-crd-webhook-7327-crd failed: Post "https://e2e-test-webhook.webhook-7327.svc:9443/crdconvert?timeout=30s": service "e2e-test-webhook" not found',
      ),
      customResource('e2e-test-webhook-7327-crds.stable.example.com', 'E2e-test-webhook-7327-crd', {
        service: 'webhook-7327/e2e-test-webhook',
        port: 9443,
      }),
    ],
  },
  {
    slug: 'own-namespace-deleted',
    what: 'The namespace of the operator is deleted.',
    parts: [
      terminating(
        'cloud-run-events',
        'Failed to delete all resource types, 1 remaining: Internal error occurred: failed calling webhook "validation.webhook.events.cloud.google.com": Post "https://webhook.cloud-run-events.svc:443/resource-validation?timeout=10s": service "webhook" not found',
      ),
      validating('validation.webhook.events.cloud.google.com', [
        webhook('validation.webhook.events.cloud.google.com', {
          service: 'cloud-run-events/webhook',
          timeoutSeconds: 10,
          rules: [
            rule('internal.events.cloud.google.com/v1alpha1', 'brokercells', 'CREATE', 'UPDATE', 'DELETE'),
          ],
        }),
      ]),
    ],
  },
  {
    slug: 'crd-names-other-service',
    what: 'The CRD names a Service that has another name here.',
    parts: [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-kubeaddons-webhook'),
      deployment('cert-manager/cert-manager-kubeaddons-webhook', { replicas: 1 }),
      customResource('issuers.cert-manager.io', 'Issuer', { service: 'cert-manager/cert-manager-webhook' }),
    ],
  },
  {
    slug: 'crd-names-other-namespace',
    what: 'The CRD names a Service in the default namespace of the product.',
    parts: [
      namespace('ingress'),
      service('ingress/cert-manager-webhook'),
      deployment('ingress/cert-manager-webhook', { replicas: 1 }),
      customResource('issuers.cert-manager.io', 'Issuer', { service: 'cert-manager/cert-manager-webhook' }),
    ],
  },
  {
    slug: 'eks-security-group',
    what: 'The security group of the nodes does not admit the target port.',
    parts: [
      eksNode,
      ...installation('ingress/ingress-private-ingress-nginx-controller-admission', {
        deployment: { pods: [running({ network: 'drops' })] },
        validating: {
          name: 'validate.nginx.ingress.kubernetes.io',
          timeoutSeconds: 10,
          rules: [rule('networking.k8s.io/v1', 'ingresses')],
        },
      }),
    ],
  },
  {
    slug: 'private-gke-ignore',
    what: 'The firewall of private GKE does not allow 9443; Ignore.',
    parts: [
      gkeNode,
      ...installation('monitoring/telegraf-operator', {
        service: { ports: [{ port: 443, targetPort: 9443 }] },
        deployment: {
          replicas: 1,
          container: { ports: [{ containerPort: 9443 }] },
          pods: [running({ network: 'drops' })],
        },
        mutating: {
          name: 'telegraf.influxdata.com',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: pods,
        },
      }),
    ],
  },
  {
    slug: 'eks-live',
    what: 'The security group admits few ports.',
    parts: [
      eksNode,
      ...installation('castai-agent/castai-live', {
        service: { ports: [{ port: 443, targetPort: 9091 }] },
        deployment: {
          replicas: 1,
          container: { ports: [{ containerPort: 9091 }] },
          pods: [running({ network: 'drops' })],
        },
        mutating: { name: 'live.cast.ai', failurePolicy: 'Ignore', rules: pods },
      }),
      ...installation('istio-system/istiod', {
        service: { ports: [{ port: 443, targetPort: 15017 }] },
        deployment: {
          replicas: 1,
          container: { ports: [{ containerPort: 15017 }] },
          pods: [running({ network: 'drops' })],
        },
        mutating: {
          name: 'namespace.sidecar-injector.istio.io',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
        },
      }),
    ],
  },
  {
    slug: 'generic-label',
    what: 'Another operator has Pods with the label of the Service.',
    parts: [
      namespace('openshift-operators'),
      service('openshift-operators/opendatahub-operator-webhook-service', {
        selector: { 'control-plane': 'controller-manager' },
        ports: [{ port: 443, targetPort: 9443 }],
      }),
      deployment('openshift-operators/opendatahub-operator-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: { ports: [{ containerPort: 9443 }] },
      }),
      deployment('openshift-operators/threescale-operator-controller-manager-v2', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: { ports: [{ containerPort: 8383 }] },
      }),
      validating('validating-webhook-configuration', [
        webhook('operator.opendatahub.io', {
          service: 'openshift-operators/opendatahub-operator-webhook-service',
          rules: [rule('datasciencecluster.opendatahub.io/v1', 'datascienceclusters')],
        }),
      ]),
    ],
  },
  {
    slug: 'registry-slow',
    what: 'Image verification takes longer than the timeout.',
    parts: installation('kyverno/kyverno-svc', {
      deployment: { replicas: 1, pods: [running({ delay: 7000 })] },
      mutating: { name: 'mutate.kyverno.svc-fail', rules: pods },
    }),
    logs: log(
      'kyverno/kyverno-svc',
      '{"level":"error","logger":"EngineVerifyImages","msg":"failed to verify image","error":"failed to fetch image descriptor: Get \\"https://registry.example.com/v2/\\": context deadline exceeded"}',
    ),
  },
];
