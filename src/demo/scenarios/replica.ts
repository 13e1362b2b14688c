import {
  crashing,
  evicted,
  initFailing,
  notReady,
  outOfMemory,
  ready,
  running,
  stuckTerminating,
} from '../cluster/behaviour.ts';
import { installation } from '../cluster/installation.ts';
import { lease, namespace, node } from '../cluster/manifests.ts';
import { rule } from '../cluster/webhook-manifests.ts';
import { mounting } from '../cluster/workload-manifests.ts';
import type { Scenario } from './scenario.ts';

/** Failures at the link replica. */
export const replicaScenarios: readonly Scenario[] = [
  {
    slug: 'image-cannot-be-pulled',
    story:
      'A release was rolled out whose image was never pushed. The old ReplicaSet was already deleted. The Pods are in ImagePullBackOff.',
    parts: installation('catalog/catalog-policy', {
      deployment: { container: { image: 'registry.invalid/catalog-policy:2.0.0' } },
    }),
  },
  {
    slug: 'crash-loop',
    story:
      'The new version of a webhook needs a flag that is not set. It prints an error and exits. The last lines of its log name the reason.',
    parts: installation('payments/payments-policy', {
      deployment: {
        pods: [crashing(2, 'starting payments-policy 3.1.0\nerror: --cluster-name must be set\n')],
      },
    }),
  },
  {
    slug: 'memory-limit-too-small',
    story:
      'A policy engine caches the objects that it watches. The cluster grew, its memory limit did not. It is OOMKilled a few seconds after each start.',
    source: 'https://github.com/devantler-tech/platform/pull/2181',
    parts: installation('governance/governance', {
      deployment: { container: { resources: { limits: { memory: '64Mi' } } }, pods: [outOfMemory] },
    }),
  },
  {
    slug: 'evicted-for-good',
    story:
      'A node ran out of disk and evicted its Pods. The Pod of this webhook belongs to no workload. It is not recreated.',
    parts: installation('gateway/gateway-defaults', {
      barePod: {
        pods: [
          evicted(
            'The node was low on resource: ephemeral-storage. Threshold quantity: 2Gi, available: 1Gi. ',
          ),
        ],
      },
    }),
  },
  {
    slug: 'unschedulable',
    story:
      'The node pool that a webhook is bound to was renamed. Its Pods were deleted with the old nodes. The scheduler finds no node for the new ones, and says why.',
    source: 'https://github.com/kubernetes-sigs/jobset/pull/303',
    parts: installation('jobsets/jobset-controller', {
      deployment: { spec: { nodeSelector: { pool: 'controllers' } } },
    }),
  },
  {
    slug: 'serving-secret-missing',
    story:
      'The Secret with the serving certificate was never created: its issuer refused. The Pods cannot mount it. They wait in ContainerCreating, without a log.',
    source: 'https://github.com/kedacore/charts/issues/849',
    parts: installation('external-secrets/secret-store-policy', {
      deployment: mounting({ secret: { secretName: 'secret-store-policy-tls' } }),
    }),
  },
  {
    slug: 'config-map-missing',
    story:
      'The webhook takes its settings from a ConfigMap through its environment. The ConfigMap was renamed. The kubelet cannot create the container.',
    parts: installation('labels/label-policy', {
      deployment: { container: { envFrom: [{ configMapRef: { name: 'label-policy-settings' } }] } },
    }),
  },
  {
    slug: 'init-container-fails',
    story:
      'An init container waits for the certificate and gives up. It is restarted repeatedly. The container of the webhook never starts.',
    parts: installation('bootstrap/bootstrap-policy', {
      deployment: {
        spec: {
          initContainers: [{ name: 'wait-for-certificate', image: 'registry.example.com/wait:1.0.0' }],
        },
        pods: [initFailing(1, 'timed out after 60s waiting for /certificate/tls.crt\n')],
      },
    }),
  },
  {
    slug: 'readiness-failing',
    story:
      'The readiness probe checks a port that the program no longer uses. The webhook itself works. Its Pods run, are never Ready, and receive no requests.',
    parts: installation('routes/route-policy', {
      deployment: {
        pods: [
          notReady(
            'Get "https://198.51.100.10:8443/readyz": dial tcp 198.51.100.10:8443: connect: connection refused',
          ),
        ],
      },
    }),
  },
  {
    slug: 'node-not-ready',
    story:
      'The node with all replicas stopped reporting three minutes ago. Its Pods are no longer ready endpoints, and not yet replaced. They are replaced when their tolerations expire.',
    source: 'https://github.com/kyverno/kyverno/issues/2179',
    parts: [
      ...installation('topology/topology-policy', {
        deployment: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'worker-lost' } } },
      }),
      node('worker-lost', { ready: false }),
    ],
  },
  {
    slug: 'deleted-but-kept',
    story:
      'A node failed, and its Pods were deleted half an hour later. No kubelet confirms that they have ended, so they stay, and a StatefulSet creates no second Pod of the same name. The webhook waits for a node that does not return.',
    parts: [
      ...installation('ledger/ledger-policy', {
        statefulSet: {
          replicas: 1,
          spec: { nodeSelector: { 'kubernetes.io/hostname': 'worker-dead' } },
          pods: [stuckTerminating()],
        },
      }),
      node('worker-dead', { ready: false }),
    ],
  },
  {
    slug: 'kept-by-a-finalizer',
    story:
      'The Pod of a StatefulSet was deleted and has ended, but a finalizer keeps it. The controller that must remove the finalizer does not exist. Its name is taken, so no new Pod is created.',
    parts: installation('archive/archive-policy', {
      statefulSet: { replicas: 1, pods: [stuckTerminating('archive.example.com/flush')] },
    }),
  },
  {
    slug: 'fails-open-unseen',
    story:
      'A security injector crashes, and its webhook has failurePolicy Ignore. Nothing is refused, and no error is reported. Pods start without what the injector adds.',
    source: 'https://github.com/DataDog/datadog-agent/issues/26354',
    parts: installation('runtime-security/agent-injector', {
      deployment: { pods: [crashing(1, 'license expired\n')] },
      mutating: {
        name: 'inject.runtime-security.example.com',
        path: '/inject',
        failurePolicy: 'Ignore',
        rules: [rule('v1', 'pods', 'CREATE')],
      },
    }),
  },
  {
    slug: 'one-of-two-crashes',
    story:
      'One of two replicas crashes. The other is ready and gets all calls. Nothing fails, but there is no redundancy.',
    parts: installation('inventory/inventory-policy', {
      deployment: { pods: [ready, crashing(1, 'no space left on device\n')] },
    }),
  },
  {
    slug: 'parked-by-scheduler-name',
    story:
      'A webhook of a scheduler set schedulerName on the Pods of another webhook. The scheduler no longer runs. No scheduler handles them, and no Event reports it.',
    source: 'https://github.com/gardener/gardener/pull/6610',
    parts: installation('queueing/queue-policy', {
      deployment: { spec: { schedulerName: 'gang-scheduler' } },
    }),
  },
  {
    slug: 'replica-not-listening',
    story:
      'The container starts its metrics server and forgets the webhook server when a flag is off. Its readiness probe checks the metrics server, so both Pods are Ready. No process listens on the port of the calls.',
    parts: installation('flags/flag-policy', { deployment: { pods: [running({ listens: 'nowhere' })] } }),
  },
  {
    slug: 'replica-listens-on-loopback-only',
    story:
      'A webhook server listens on 127.0.0.1 only, because a sidecar forwarded requests to it. The sidecar was removed. The server runs, and responds inside the Pod only.',
    parts: installation('meshless/meshless-policy', {
      deployment: { pods: [running({ listens: 'on-loopback' })] },
    }),
  },
  {
    slug: 'replica-hangs',
    story:
      'Every handler waits for a cache that never fills. Connections and handshakes succeed, and the readiness probe calls no handler. Each request waits for the whole timeout, then fails.',
    parts: installation('caches/cache-policy', {
      deployment: { pods: [running({ fault: 'hang-http' })] },
      validating: { timeoutSeconds: 1 },
    }),
  },
  {
    slug: 'replica-speaks-plain-http',
    story:
      'TLS was switched off for a debugging session. The Service still uses the same port. A TLS client gets a response in plain HTTP.',
    parts: installation('debugging/debug-policy', {
      deployment: { pods: [running({ certificate: 'none' })] },
    }),
  },
  {
    slug: 'leader-gated-listener',
    story:
      'The webhook server starts as a part of the manager that only the leader runs. All three replicas are Ready, because their health port responds. Two of three new connections are refused.',
    source: 'https://github.com/kubernetes-sigs/controller-runtime/issues/356',
    parts: [
      ...installation('gangs/gang-policy', {
        deployment: {
          replicas: 3,
          container: {
            ports: [
              { name: 'webhook', containerPort: 8443 },
              { name: 'health', containerPort: 8081 },
            ],
            readinessProbe: { httpGet: { path: '/readyz', port: 8081 } },
          },
          pods: [running({ gate: 'listener' }), running({ gate: 'listener', leader: false })],
        },
      }),
      lease('gangs/gang-controller', 'gang-policy'),
    ],
  },
  {
    slug: 'leader-gated-answer',
    story:
      'All replicas serve the webhook, from a cache that only the leader fills. The others have an empty cache, and deny requests. Which response a user gets depends on the connection that the API server reuses.',
    source: 'https://github.com/kubernetes-retired/hierarchical-namespaces/pull/94',
    parts: [
      ...installation('fleet/fleet-policy', {
        deployment: {
          replicas: 3,
          pods: [running({}), running({ answer: 'deny', message: 'cluster "prod-1" not found' })],
        },
      }),
      lease('fleet/fleet-controller', 'fleet-policy'),
    ],
  },
  {
    slug: 'leader-gated-cache',
    story:
      'The webhook refuses objects of tenants that it does not know, and only the leader collects tenants. A test object names no tenant: every replica denies it, so no difference shows. A stored object names one: the leader allows it, and the other replicas deny it.',
    parts: [
      ...installation('tenancy/tenant-records', {
        deployment: {
          replicas: 3,
          pods: [running({ gate: 'tenants' }), running({ gate: 'tenants', leader: false })],
        },
        validating: {
          rules: [rule('v1', 'configmaps', 'CREATE')],
        },
      }),
      lease('tenancy/tenant-controller', 'tenant-records'),
      namespace('cart'),
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'cart-settings', namespace: 'cart', labels: { 'example.com/tenant': 'cart' } },
        data: { greeting: 'welcome to the cart' },
      },
    ],
  },
  {
    slug: 'leader-gated-readiness',
    story:
      'Only the leader passes its readiness probe. Calls succeed, because only the leader is an endpoint. The other two are no redundancy: when the leader changes, no Pod responds for a while.',
    parts: [
      ...installation('standby/standby-policy', {
        deployment: {
          replicas: 3,
          pods: [
            running({ gate: 'readiness' }),
            notReady('HTTP probe failed with statuscode: 503', { gate: 'readiness', leader: false }),
          ],
        },
      }),
      lease('standby/standby-controller', 'standby-policy'),
    ],
  },
  {
    slug: 'replicas-disagree',
    story:
      'A configuration was changed, and one replica has not reloaded it. It denies what the other one allows. The same request is allowed or denied by chance.',
    parts: installation('halfway/halfway-policy', {
      deployment: {
        pods: [running({}), running({ answer: 'deny', message: 'field spec.owner is required' })],
      },
    }),
  },
];
