import { ago, lately } from '../../../src/demo/cluster/ago.ts';
import { notReady } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, node, service } from '../../../src/demo/cluster/manifests.ts';
import { customResource, mutating, rule, webhook } from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { failedCreate, type IncidentState, log, pods } from './parts.ts';

/** Pods of a webhook that cannot be created, bound or evicted. */
export const refusedPods: readonly IncidentState[] = [
  {
    slug: 'pod-security-restricted',
    what: 'The namespace enforces the Pod Security level restricted, which the Pods of the webhook violate.',
    parts: installation('cattle-system/rancher-webhook', {
      deployment: {
        replicas: 1,
        refused:
          'pods "rancher-webhook-656cd8b9f-h25xh" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "rancher-webhook" must set securityContext.allowPrivilegeEscalation=false)',
      },
    }),
  },
  {
    slug: 'status-patch-through-own-webhook',
    what: '*/* rule covers status patch of own CR: covers-own-configuration-path',
    parts: [
      ...installation('cert-manager/cert-manager-approver-policy', {
        deployment: {
          replicas: 1,
          pods: [notReady('HTTP probe failed with statuscode: 500', { listens: 'nowhere' })],
          container: { args: ['--tls-secret=approver-policy-tls'] },
        },
        validating: {
          name: 'policy.cert-manager.io',
          rules: [
            {
              apiGroups: ['policy.cert-manager.io'],
              apiVersions: ['*'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['*/*'],
            },
          ],
        },
      }),
      customResource('certificaterequestpolicies.policy.cert-manager.io', 'CertificateRequestPolicy'),
    ],
    logs: log(
      'cert-manager/cert-manager-approver-policy',
      'E1 "Reconciler error" err="failed to apply status: Internal error occurred: failed calling webhook \\"policy.cert-manager.io\\": failed to call webhook: Post \\"https://cert-manager-approver-policy.cert-manager.svc:443/validate?timeout=5s\\": dial tcp 10.0.0.1:443: connect: connection refused"',
    ),
  },
  {
    slug: 'scaled-down-and-up',
    what: 'own Pods covered, scaled 0 -> 1: bootstrap-deadlock',
    parts: [
      ...installation('demo-system/controller-manager', {
        deployment: {
          replicas: 1,
          refused:
            'Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: Post "https://webhook-service.demo-system.svc:443/mutate-v1-pod?timeout=10s": no endpoints available for service "webhook-service"',
        },
        mutating: { name: 'mpod.kb.io', rules: pods },
      }),
    ],
  },
  {
    slug: 'own-pod-cannot-be-bound',
    what: 'A webhook intercepts the binding of Pods to nodes. Its Pods were deleted together. The scheduler cannot bind the new ones without it.',
    parts: [
      namespace('webhook'),
      service('webhook/envars-webhook'),
      ...unbound(
        'webhook',
        'envars-webhook',
        'running Bind plugin "DefaultBinder": Internal error occurred: failed calling webhook "envars-webhook.webhook.svc": failed to call webhook: Post "https://envars-webhook.webhook.svc:443/mutate?timeout=30s": no endpoints available for service "envars-webhook"',
      ),
      mutating('envars-webhook', [
        webhook('envars-webhook.webhook.svc', {
          service: 'webhook/envars-webhook',
          timeoutSeconds: 30,
          rules: [rule('v1', 'pods/binding', 'CREATE')],
        }),
      ]),
    ],
  },
  {
    slug: 'own-pod-times-out',
    what: 'A demo webhook covers all Pods. The Pod that serves it is created after the configuration. Its creation times out.',
    parts: installation('webhook-demo/webhook-server', {
      deployment: {
        replicas: 1,
        refused: 'Timeout: request did not complete within requested timeout 30s',
      },
      mutating: { timeoutSeconds: 30, rules: pods },
    }),
  },
  {
    slug: 'exempting-label-missing',
    what: 'The chart creates the namespace with a label that exempts it; here it is created by hand. The webhook covers the Pods that serve it. None is ever created.',
    parts: [
      namespace('kruise-system'),
      service('kruise-system/kruise-webhook-service', {
        selector: { 'control-plane': 'controller-manager' },
        ports: [{ port: 443, targetPort: 9876 }],
      }),
      deployment('kruise-system/kruise-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: { ports: [{ containerPort: 9876 }] },
        refused:
          'Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: Post "https://kruise-webhook-service.kruise-system.svc:443/mutate-pod?timeout=10s": dial tcp 10.96.134.53:443: connect: connection refused',
      }),
      mutating('kruise-mutating-webhook-configuration', [
        webhook('mpod.kb.io', {
          service: 'kruise-system/kruise-webhook-service',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'control-plane', operator: 'NotIn', values: ['openkruise'] }],
          },
        }),
      ]),
    ],
  },
  {
    slug: 'network-plugin-needs-webhook',
    what: 'covers kube-system Pods; CNI Pods not created; own Pod has no network',
    parts: [
      namespace('iw'),
      node('worker-3', { ready: false }),
      service('iw/imageswap'),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'iw',
          name: 'imageswap-0',
          labels: { app: 'imageswap' },
          creationTimestamp: ago('1h'),
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'imageswap', uid: 'x', controller: true },
          ],
        },
        spec: {
          nodeName: 'worker-1',
          containers: [{ name: 'imageswap', image: 'imageswap:v1', ports: [{ containerPort: 8443 }] }],
        },
        status: {
          phase: 'Pending',
          conditions: [
            { type: 'PodScheduled', status: 'True' },
            { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
          ],
          containerStatuses: [
            {
              name: 'imageswap',
              image: '',
              ready: false,
              restartCount: 0,
              state: { waiting: { reason: 'ContainerCreating' } },
            },
          ],
        },
      } as never,
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { namespace: 'kube-system', name: 'aws-node', uid: 'ds-1', creationTimestamp: ago('9d') },
        spec: {
          selector: { matchLabels: { 'k8s-app': 'aws-node' } },
          template: {
            metadata: { labels: { 'k8s-app': 'aws-node' } },
            spec: {
              hostNetwork: true,
              containers: [{ name: 'aws-node', image: 'amazon-k8s-cni:v1.12' }],
              volumes: [{ name: 'cni-net-dir', hostPath: { path: '/etc/cni/net.d' } }],
            },
          },
        },
        status: { desiredNumberScheduled: 3, currentNumberScheduled: 0, numberReady: 0 },
      } as never,
      failedCreate(
        { kind: 'DaemonSet', namespace: 'kube-system', name: 'aws-node', uid: 'ds-1' },
        'Error creating: Internal error occurred: failed calling webhook "imageswap.webhook.k8s": failed to call webhook: Post "https://imageswap.iw.svc:443/?timeout=5s": no endpoints available for service "imageswap"',
        'apps/v1',
      ),
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'iw', name: 'sandbox' },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'iw', name: 'imageswap-0' },
        type: 'Warning',
        reason: 'FailedCreatePodSandBox',
        message:
          'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0a1b": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
        count: 30,
        firstTimestamp: ago('1h'),
        lastTimestamp: ago('1m'),
        source: { component: 'kubelet' },
      } as never,
      mutating('imageswap', [webhook('imageswap.webhook.k8s', { service: 'iw/imageswap', rules: pods })]),
    ],
  },
  {
    slug: 'two-webhooks-wait-for-each-other',
    what: 'deadlock-cycle',
    parts: [
      ...installation('istio-system/istiod', {
        deployment: {
          replicas: 1,
          refused:
            'Internal error occurred: failed calling webhook "k8s-image-availability.example.com": failed to call webhook: Post "https://image-policy.policy.svc:443/validate?timeout=5s": no endpoints available for service "image-policy"',
        },
        mutating: {
          name: 'sidecar-injector.istio.io',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['istio-system'] },
            ],
          },
        },
      }),
      ...installation('policy/image-policy', {
        deployment: {
          replicas: 1,
          refused:
            'Internal error occurred: failed calling webhook "sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=5s": no endpoints available for service "istiod"',
        },
        validating: {
          name: 'k8s-image-availability.example.com',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['policy'] }],
          },
        },
      }),
    ],
  },
  {
    slug: 'quota-requires-resources',
    what: 'quota needs limits that container lacks: workload-cannot-create-pods',
    parts: installation('tyk/tyk-operator', {
      deployment: {
        replicas: 1,
        refused:
          'pods "tyk-operator-6d5f-" is forbidden: failed quota: compute: must specify limits.cpu for: kube-rbac-proxy; limits.memory for: kube-rbac-proxy',
      },
    }),
  },
  {
    slug: 'limit-range',
    what: 'LimitRange forbids',
    parts: installation('infra/infra-webhook', {
      deployment: {
        replicas: 1,
        refused:
          'pods "infra-webhook-5f-" is forbidden: maximum memory usage per Container is 256Mi, but limit is 512Mi',
      },
    }),
  },
  {
    slug: 'budget-blocks-drain',
    what: 'PDB allows no eviction: blocking-disruption-budget (webhook healthy)',
    deep: true,
    parts: [
      ...installation('tekton-pipelines/tekton-pipelines-webhook', { deployment: { replicas: 1 } }),
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace: 'tekton-pipelines', name: 'tekton-pipelines-webhook' },
        spec: { minAvailable: '80%', selector: { matchLabels: { app: 'tekton-pipelines-webhook' } } },
        status: { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
      } as never,
    ],
  },
  {
    slug: 'no-security-context-constraints',
    what: 'The ServiceAccount may use no SecurityContextConstraints that allow the Pods of the webhook.',
    parts: installation('redis/admission', {
      deployment: {
        replicas: 1,
        refused:
          'pods "admission-0" is forbidden: unable to validate against any security context constraint: [provider "restricted": .containers[0].runAsUser: Invalid value: 1001: must be in the ranges: [1000650000, 1000659999]]',
      },
    }),
  },
];

/** A Pod that the scheduler cannot bind. */
function unbound(home: string, name: string, message: string): readonly ClusterPart[] {
  const pod = `${name}-6d56ff8dd9-xk2p4`;
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: home,
        name: pod,
        labels: { app: name, 'pod-template-hash': '6d56ff8dd9' },
        creationTimestamp: ago('1h'),
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: `${name}-6d56ff8dd9`,
            uid: 'rs',
            controller: true,
          },
        ],
      },
      spec: {
        schedulerName: 'default-scheduler',
        containers: [
          { name: 'webhook', image: 'registry.example/webhook:1', ports: [{ containerPort: 8443 }] },
        ],
      },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'SchedulerError',
            message: `binding rejected: ${message}`,
            lastTransitionTime: ago('1h'),
          },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: home, name: `${pod}.fs` },
      involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace: home, name: pod },
      type: 'Warning',
      reason: 'FailedScheduling',
      message: `binding rejected: ${message}`,
      count: 12,
      firstTimestamp: ago('1h'),
      lastTimestamp: lately('1m'),
      source: { component: 'default-scheduler' },
    },
  ] as unknown as readonly ClusterPart[];
}
