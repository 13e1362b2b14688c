import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, ready, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import {
  lease,
  namespace,
  node,
  service,
  servingSecretManifest,
} from '../../../src/demo/cluster/manifests.ts';
import {
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import type { ClusterPart } from '../../../src/demo/cluster/workload-manifests.ts';
import { deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { type IncidentState, log, mount, pods, serviceAccount } from './parts.ts';

/** The Pod of an older revision that owns the lock of the operator. */
const formerPod = (status: object, deletionTimestamp?: string): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'op',
      name: 'op-webhook-7b8f-xyz12',
      uid: 'old-pod',
      labels: { app: 'op-webhook', 'pod-template-hash': '7b8f' },
      creationTimestamp: ago('9d'),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'op-webhook-7b8f',
          uid: 'rs-old',
          controller: true,
        },
      ],
    },
    spec: { nodeName: 'worker-3', containers: [{ name: 'webhook', image: 'op:v1' }] },
    status,
  }) as never;
const waiting = log(
  'op/op-webhook',
  '{"level":"info","logger":"leader","msg":"Found existing lock","LockOwner":"op-webhook-7b8f-xyz12"}\n{"level":"info","logger":"leader","msg":"Not the leader. Waiting."}',
);

/** The leader's node has failed; its lock is a ConfigMap. */
const lockOfFailedNode: readonly ClusterPart[] = [
  namespace('op'),
  node('worker-3', { ready: false }),
  service('op/op-webhook'),
  deployment('op/op-webhook', {
    replicas: 1,
    pods: [notReady('connect: connection refused', { listens: 'nowhere' })],
  }),
  formerPod({ phase: 'Running', podIP: '198.51.100.70' }, ago('1h')),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: 'op',
      name: 'op-lock',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'op-webhook-7b8f-xyz12', uid: 'old-pod' }],
    },
  } as never,
  validating('op-webhook', [webhook('v.op.example.com', { service: 'op/op-webhook' })]),
];

/** Leader elections without a winner, or that decide which Pod serves. */
export const leaders: readonly IncidentState[] = [
  {
    slug: 'lock-of-evicted-pod',
    what: 'The Pod that owns the lock was evicted; its object remains, and the new Pod waits for the lock.',
    parts: [
      namespace('op'),
      service('op/op-webhook'),
      deployment('op/op-webhook', {
        replicas: 1,
        pods: [notReady('connect: connection refused', { listens: 'nowhere' })],
      }),
      formerPod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }),
      validating('op-webhook', [webhook('v.op.example.com', { service: 'op/op-webhook' })]),
    ],
    logs: waiting,
  },
  {
    slug: 'two-locks-in-two-pods',
    what: 'Two Pods hold one lock each: one that of the certificate writer, the other that of the webhook. The one that may serve has no certificate and exits. The one with a certificate waits for the lock.',
    parts: [
      namespace('dynatrace'),
      service('dynatrace/oneagent-webhook'),
      deployment('dynatrace/oneagent-webhook', {
        pods: [
          notReady(
            'Get "https://198.51.100.10:8443/livez": dial tcp 198.51.100.10:8443: connect: connection refused',
            {
              listens: 'nowhere',
            },
          ),
          crashing(
            1,
            'unable to start manager: open /tmp/k8s-webhook-server/certs/tls.crt: no such file or directory',
          ),
        ],
      }),
      lease('dynatrace/oneagent-bootstrapper-lock', 'oneagent-webhook', 0),
      lease('dynatrace/oneagent-webhook-lock', 'oneagent-webhook', 1),
      mutating('oneagent-webhook', [
        webhook('webhook.oneagent.example.com', {
          service: 'dynatrace/oneagent-webhook',
          rules: pods,
          failurePolicy: 'Ignore',
        }),
      ]),
    ],
  },
  {
    slug: 'certificates-only-at-the-leader',
    what: 'The leader fills the Secret and restarts itself. The other replica looked at the empty Secret at its start and does not serve webhooks. Half of the calls are refused.',
    parts: [
      ...installation('capsule-system/capsule-controller-manager', {
        service: { ports: [{ port: 443, targetPort: 9443 }] },
        deployment: {
          ...mount('capsule-tls', {
            ports: [{ containerPort: 9443 }],
            args: ['--enable-leader-election'],
            readinessProbe: { httpGet: { path: '/readyz', port: 10080, scheme: 'HTTP' } },
          }),
          pods: [ready, running({ listens: 'nowhere' })],
        },
        validating: { rules: [rule('v1', 'namespaces')] },
      }),
      servingSecretManifest('capsule-system/capsule-tls', 'capsule-system/capsule-controller-manager'),
      lease('capsule-system/capsule-lease', 'capsule-controller-manager', 0),
    ],
  },
  {
    slug: 'lock-of-failed-node',
    what: 'node of the leader NotReady, Pod Terminating; new Pod waits for lock: leader-lease-stale',
    parts: lockOfFailedNode,
    logs: waiting,
  },
  {
    slug: 'lock-may-not-be-deleted',
    what: 'The node of the leader is off. The next leader may not delete the ConfigMap that is the lock.',
    parts: [...lockOfFailedNode, serviceAccount('op', 'default')],
    logs: log(
      'op/op-webhook',
      '{"@level":"info","@message":"Found existing lock","LockOwner":"op-webhook-7b8f-xyz12"}\n{"@level":"error","@message":"Leader pod could not be deleted","error":"configmaps \\"op-lock\\" is forbidden: User \\"system:serviceaccount:op:default\\" cannot delete resource \\"configmaps\\" in API group \\"\\" in the namespace \\"op\\""}',
    ),
  },
  {
    slug: 'writer-waits-for-former-leader',
    what: 'Secret writer waits for Lease held by a Pod that no longer exists: certificate-writer-not-leader / lease stale',
    parts: [
      namespace('knative-serving'),
      service('knative-serving/webhook'),
      deployment('knative-serving/webhook', {
        replicas: 1,
        ...mount('webhook-certs'),
        pods: [running({ certificate: 'expired' })],
      }),
      servingSecretManifest('knative-serving/webhook-certs', 'knative-serving/webhook', 'expired'),
      {
        ...lease('knative-serving/webhook.webhookcertificates.00-of-01', 'webhook', 0),
        spec: {
          holderIdentity: 'webhook-7d9f8c6b5-xkd7q_1f2e3d4c',
          leaseDurationSeconds: 60,
          acquireTime: ago('3h'),
          renewTime: ago('2h'),
          leaseTransitions: 3,
        },
      } as never,
      validating('config.webhook.serving.knative.dev', [
        webhook('config.webhook.serving.knative.dev', { service: 'knative-serving/webhook' }),
      ]),
    ],
  },
  {
    slug: 'conversion-path-only-at-the-leader',
    what: 'Both replicas listen. Only the leader has registered the path of the conversion webhook.',
    parts: [
      namespace('crossplane-system'),
      service('crossplane-system/provider-aws-s3'),
      deployment('crossplane-system/provider-aws-s3', {
        pods: [ready, running({ answer: 'raw', status: 404, body: '404 page not found\n' } as never)],
      }),
      lease('crossplane-system/crossplane-leader-election-provider-aws-s3', 'provider-aws-s3', 0),
      customResource('buckets.s3.aws.upbound.io', 'Bucket', { service: 'crossplane-system/provider-aws-s3' }),
    ],
  },
];
