import { crashing, notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
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
import { trusting } from './certificates.ts';
import { type IncidentState, log, pods, policy, unschedulable } from './parts.ts';

const metricsServer = (over: object = {}) => [
  service('kube-system/metrics-server', { ports: [{ port: 443, targetPort: 4443 }] }),
  deployment('kube-system/metrics-server', {
    replicas: 1,
    container: { ports: [{ containerPort: 4443 }] },
    ...over,
  }),
];

const refusedBy = (name: string, url: string, end: string): string =>
  `Internal error occurred: failed calling webhook "${name}": failed to call webhook: Post "${url}": ${end}`;

/** What upgrades, restores and removals leave, and networks that hardening and tunnels change. */
export const upgradesAndLeftovers: readonly IncidentState[] = [
  {
    slug: 'hardened-policy-for-pods-only',
    what: 'A hardening guide allows only Pods into kube-system. The API server is on the host network, and does not reach metrics-server.',
    parts: [
      ...metricsServer({ pods: [running({ network: 'drops' })] }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://198.51.100.218:4443/apis/metrics.k8s.io/v1beta1: Get "https://198.51.100.218:4443/apis/metrics.k8s.io/v1beta1": context deadline exceeded',
      }),
      policy('kube-system/default-network-policy', {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: {} }] }],
      }),
    ],
  },
  {
    slug: 'policy-without-tunnel-agents',
    what: 'The API server reaches Pods through the agents of the tunnel. The policy of the webhook allows the address of the API server only.',
    parts: [
      ...installation('calico-system/calico-webhooks', {
        deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
        validating: { name: 'rbac.projectcalico.org', timeoutSeconds: 3 },
      }),
      daemonSet('kube-system/konnectivity-agent', {
        labels: { 'k8s-app': 'konnectivity-agent' },
        container: { name: 'konnectivity-agent', readinessProbe: {} },
      }),
      policy('calico-system/webhooks', {
        podSelector: { matchLabels: { app: 'calico-webhooks' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ ipBlock: { cidr: '203.0.113.1/32' } }], ports: [{ port: 8443 }] }],
      }),
    ],
  },
  {
    slug: 'restored-apiservice-of-removed-version',
    what: 'A restore writes an APIService of a version that this release does not serve.',
    parts: [
      ...installation('shop/policy'),
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1beta1.admissionregistration.k8s.io' },
        spec: {
          group: 'admissionregistration.k8s.io',
          version: 'v1beta1',
          groupPriorityMinimum: 16_700,
          versionPriority: 12,
        },
        status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
      } as never,
    ],
  },
  {
    slug: 'apiservice-of-replaced-metrics-server',
    what: 'Deployment and Service of metrics-server were deleted, its APIService was not. Another adapter does not overwrite it.',
    parts: [
      namespace('monitoring'),
      service('monitoring/prometheus-adapter'),
      deployment('monitoring/prometheus-adapter'),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'ServiceNotFound',
        message: 'service/metrics-server in "kube-system" is not present',
      }),
    ],
  },
  {
    slug: 'mutating-configuration-of-older-release',
    what: 'A new release has a validating configuration. The mutating one of the older release remains, and trusts another CA.',
    parts: [
      ...installation('pravega/bookkeeper-webhook-svc', {
        deployment: { replicas: 1 },
        validating: { name: 'bookkeeperwebhook.pravega.io' },
      }),
      ...trusting('of-another-authority', [
        mutating('bookkeeper-webhook-config', [
          webhook('bookkeeperwebhook.pravega.io', { service: 'pravega/bookkeeper-webhook-svc' }),
        ]),
      ]),
    ],
  },
  {
    slug: 'tunnel-behind-its-own-webhook',
    what: 'The Pods of the tunnel to the control plane are refused by a webhook that is called through the tunnel.',
    parts: [
      node('worker-3', { ready: false }),
      ...installation('linkerd/linkerd-proxy-injector', {
        deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
        mutating: {
          name: 'linkerd-proxy-injector.linkerd.io',
          timeoutSeconds: 3,
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'linkerd.io/is-control-plane', operator: 'DoesNotExist' }],
          },
        },
      }),
      deployment('kube-system/tunnelfront', {
        replicas: 1,
        container: { name: 'tunnel-front', readinessProbe: {} },
        pods: [],
        refused: refusedBy(
          'linkerd-proxy-injector.linkerd.io',
          'https://linkerd-proxy-injector.linkerd.svc:443/?timeout=3s',
          'context deadline exceeded',
        ),
      }),
    ],
  },
  {
    slug: 'reloader-names-other-configuration',
    what: 'The program updates the caBundle of a configuration with a fixed name. The chart gives it another name.',
    parts: installation('vpa/vpa-webhook', {
      deployment: { replicas: 1 },
      mutating: { name: 'vpa.k8s.io', caBundle: '', failurePolicy: 'Ignore', rules: pods },
    }),
    logs: log(
      'vpa/vpa-webhook',
      'E0618 08:12:44.120917 1 certs.go:157] "Failed to reload client CA" err="mutatingwebhookconfigurations.admissionregistration.k8s.io \\"vpa-webhook-config\\" not found"',
    ),
  },
  {
    slug: 'policy-denies-all-and-fails-open',
    what: 'A NetworkPolicy allows no ingress. The webhook fails open after 30 seconds, for every Pod.',
    parts: [
      ...installation('datadog-operator/datadog-admission-controller', {
        service: { ports: [{ port: 443, targetPort: 8000 }] },
        deployment: {
          replicas: 1,
          container: { ports: [{ containerPort: 8000 }] },
          pods: [running({ network: 'drops' })],
        },
        mutating: {
          name: 'datadog.webhook.tags',
          failurePolicy: 'Ignore',
          timeoutSeconds: 30,
          rules: pods,
        },
      }),
      policy('datadog-operator/deny', { podSelector: {}, policyTypes: ['Ingress'] }),
    ],
  },
  {
    slug: 'rotator-lists-what-it-must-convert',
    what: 'The process that renews the certificates lists its own resource first, and its conversion webhook has no valid certificate.',
    parts: [
      namespace('hnc-system'),
      service('hnc-system/hnc-webhook-service'),
      deployment('hnc-system/hnc-webhook-service', {
        replicas: 1,
        pods: [
          notReady('Get "http://198.51.100.10:8081/readyz": connection refused', { listens: 'nowhere' }),
        ],
      }),
      customResource('hierarchyconfigurations.hnc.x-k8s.io', 'HierarchyConfiguration', {
        service: 'hnc-system/hnc-webhook-service',
      }),
    ],
    logs: log(
      'hnc-system/hnc-webhook-service',
      'E1124 10:01:02.000000 1 reflector.go:127] Failed to watch *v1alpha2.HierarchyConfiguration: failed to list *v1alpha2.HierarchyConfiguration: conversion webhook for hnc.x-k8s.io/v1, Kind=HierarchyConfiguration failed: Post "https://hnc-webhook-service.hnc-system.svc:443/convert?timeout=30s": dial tcp 203.0.113.10:443: connect: connection refused',
    ),
  },
  {
    slug: 'caches-before-conversion-server',
    what: 'The program starts its webhook server after its caches. A cache waits for the conversion webhook.',
    parts: [
      namespace('capi-system'),
      service('capi-system/capi-webhook-service'),
      deployment('capi-system/capi-webhook-service', {
        replicas: 1,
        pods: [
          crashing(
            1,
            'E0505 09:00:00.000000 1 controller.go:203] "Could not wait for Cache to sync" err="failed to wait for machine caches to sync: timed out waiting for cache to be synced" controller="machine" controllerKind="Machine"',
          ),
        ],
      }),
      customResource('machines.cluster.x-k8s.io', 'Machine', { service: 'capi-system/capi-webhook-service' }),
    ],
  },
  {
    slug: 'configuration-of-another-namespace',
    what: 'The product was installed in another namespace before. Its configuration remains, and the new process exits because of it.',
    parts: [
      ...installation('kubevirt/virt-api', {
        deployment: {
          replicas: 1,
          pods: [
            crashing(
              2,
              'panic: ValidatingAdmissionWebhook [virt-api-validator] is already registered using services endpoints in a different namespace. Existing webhook registration must be deleted before virt-api can proceed.',
            ),
          ],
        },
        validating: { name: 'other.kubevirt.io' },
      }).filter((part) => !('webhooks' in part)),
      validating('virt-api-validator', [
        webhook('virtualmachine-validator.kubevirt.io', {
          service: 'kube-system/virt-api',
          rules: [rule('kubevirt.io/v1alpha3', 'virtualmachines')],
        }),
      ]),
    ],
  },
  {
    slug: 'network-pods-refused-for-days',
    what: 'The Pods of the network plugin are refused by a webhook whose Pod waits for a node with a network.',
    parts: [
      namespace('kubeflow'),
      node('worker-3', { ready: false }),
      service('kubeflow/kfserving-webhook-server-service'),
      ...unschedulable(
        'kubeflow/kfserving-webhook-server-service',
        '0/2 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.',
      ),
      mutating('inferenceservice.serving.kubeflow.org', [
        webhook('inferenceservice.kfserving-webhook-server.pod-mutator', {
          service: 'kubeflow/kfserving-webhook-server-service',
          rules: pods,
        }),
      ]),
      daemonSet('kube-system/aws-node', {
        container: { name: 'aws-node', readinessProbe: {} },
        pods: [],
        refused: refusedBy(
          'inferenceservice.kfserving-webhook-server.pod-mutator',
          'https://kfserving-webhook-server-service.kubeflow.svc:443/mutate-pods?timeout=30s',
          'no endpoints available for service "kfserving-webhook-server-service"',
        ),
      }),
    ],
  },
];
