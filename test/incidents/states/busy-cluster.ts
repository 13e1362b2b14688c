import type { ApiObject } from '../../../src/demo/api-server/object-store.ts';
import { ago, lately } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { lease, namespace, service } from '../../../src/demo/cluster/manifests.ts';
import { apiService, customResource, rule } from '../../../src/demo/cluster/webhook-manifests.ts';
import {
  type ClusterPart,
  daemonSet,
  deployment,
  isWorkloadPart,
  job,
  type WorkloadOver,
} from '../../../src/demo/cluster/workload-manifests.ts';
import { policy, warning } from './parts.ts';

const certificates: readonly ClusterPart[] = [
  customResource('certificates.cert-manager.io', 'Certificate'),
  customResource('issuers.cert-manager.io', 'Issuer'),
  customResource('certificaterequests.cert-manager.io', 'CertificateRequest'),
  ...installation('cert-manager/cert-manager-webhook', {
    deployment: { replicas: 1 },
    validating: {
      name: 'webhook.cert-manager.io',
      rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
    },
  }),
  deployment('cert-manager/cert-manager', { replicas: 1 }),
  deployment('cert-manager/cert-manager-cainjector', { replicas: 1 }),
  lease('kube-system/cert-manager-cainjector-leader-election', 'cert-manager-cainjector'),
];

const ingresses: readonly ClusterPart[] = [
  ...installation('ingress-nginx/ingress-nginx-controller-admission', {
    deployment: { replicas: 1 },
    validating: {
      name: 'validate.nginx.ingress.kubernetes.io',
      rules: [rule('networking.k8s.io/v1', 'ingresses')],
    },
  }),
  job('ingress-nginx/ingress-nginx-admission-create'),
  job('ingress-nginx/ingress-nginx-admission-patch'),
];

const system: readonly ClusterPart[] = [
  daemonSet('kube-system/calico-node'),
  deployment('kube-system/coredns'),
  service('kube-system/metrics-server'),
  deployment('kube-system/metrics-server', {
    replicas: 1,
    pods: [running({ api: 'metrics.k8s.io/v1beta1' })],
  }),
  apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server'),
];

/** Products that are healthy, by namespace: their webhooks, an API, Jobs that have completed, the network plugin. */
const products: Readonly<Record<string, readonly ClusterPart[]>> = {
  'cert-manager': certificates,
  'ingress-nginx': ingresses,
  'kube-system': system,
};

/** A Pod without a webhook that crashes in the namespace, an old Event about it, and objects of the application. */
const neighbours = (home: string): readonly ClusterPart[] => [
  deployment(`${home}/report-exporter`, {
    replicas: 1,
    pods: [crashing(1, 'panic: dial tcp 203.0.113.90:5432: connect: connection refused')],
  }),
  deployment(`${home}/dashboard`, { replicas: 1 }),
  policy(`${home}/database`, {
    podSelector: { matchLabels: { app: 'database' } },
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: {} }] }],
  }),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: home, name: 'registry-credentials' },
    type: 'kubernetes.io/dockerconfigjson',
    data: {},
  } as never,
  warning(
    { kind: 'Pod', namespace: home, name: 'dashboard-old', uid: 'uid-of-dashboard-old', apiVersion: 'v1' },
    'FailedScheduling',
    '0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
    'default-scheduler',
  ),
];

const objectOf = (part: ClusterPart): ApiObject => (isWorkloadPart(part) ? part.manifest : part);
const identity = (part: ClusterPart): string => {
  const { kind, metadata } = objectOf(part);
  return [kind, metadata.namespace, metadata.name].join('/');
};

/** The CRDs of the custom resources that rules of these webhooks name, as far as the parts do not hold them. */
function namedResources(parts: readonly ClusterPart[]): readonly ClusterPart[] {
  const webhooks = parts.flatMap((part) => (objectOf(part).webhooks ?? []) as readonly Rules[]);
  const rules = webhooks.flatMap((one) => one.rules).filter(({ apiGroups: [group = ''] }) => ownGroup(group));
  return rules.flatMap(({ apiGroups: [group = ''], apiVersions: [version = ''], resources }) =>
    resources
      .filter((resource) => /^[a-z0-9]+$/.test(resource))
      .map((plural) => {
        const { spec, ...crd } = customResource(
          `${plural}.${group}`,
          plural.replace(/^./, (first) => first.toUpperCase()),
        );
        const {
          versions: [first],
          ...rest
        } = spec as { versions: readonly object[] };
        return {
          ...crd,
          spec: { ...rest, versions: [{ ...first, name: version === '*' ? 'v1' : version }] },
        };
      }),
  );
}
type Rules = {
  readonly rules: readonly { apiGroups: string[]; apiVersions: string[]; resources: string[] }[];
};
const ownGroup = (group: string): boolean =>
  group.includes('.') && !group.includes('*') && group !== 'networking.k8s.io';

/** These parts in a cluster with other products, and with a sick Pod of another user in the same namespace. */
export function inBusyCluster(home: string, parts: readonly ClusterPart[]): readonly ClusterPart[] {
  const known = new Set<string>();
  const others = Object.entries(products).flatMap(([where, made]) => (where === home ? [] : made));
  return [
    ...parts,
    ...namedResources(parts),
    ...(home === 'kube-system' ? [] : [namespace(home)]),
    ...others,
    ...neighbours(home),
  ].filter((part) => {
    const isNew = !known.has(identity(part));
    known.add(identity(part));
    return isNew;
  });
}

/** What a product installs beside its webhook: Deployments that work, and the Lease of the first one. */
export const besides = (home: string, ...names: readonly string[]): readonly ClusterPart[] => [
  ...names.map((name) => deployment(`${home}/${name}`, { replicas: 1 })),
  ...names.slice(0, 1).map((name) => lease(`${home}/${name}`, name)),
];

/** A Deployment `namespace/name` with one Pod of this status, and Events about this Pod. */
export function withStatus(
  key: string,
  status: object,
  events: readonly (readonly [reason: string, message: string])[],
  over: WorkloadOver = {},
): readonly ClusterPart[] {
  const [home = '', name = ''] = key.split('/');
  const { manifest } = deployment(key, { replicas: 1, ...over });
  const { template, selector } = manifest.spec as { template: { spec: object }; selector: object };
  const owned = (suffix: string, kind: string, owner: string) => ({
    namespace: home,
    name: `${name}${suffix}`,
    uid: `uid-of-${name}${suffix}`,
    labels: { app: name, 'pod-template-hash': '6f9d' },
    creationTimestamp: ago('2h'),
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, uid: `uid-of-${owner}`, controller: true }],
  });
  const counts = { replicas: 1, unavailableReplicas: 1, updatedReplicas: 1 };
  const pod = `${name}-6f9d-x2x4z`;
  return [
    { ...manifest, metadata: { ...manifest.metadata, uid: `uid-of-${name}` }, status: counts },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: owned('-6f9d', 'Deployment', name),
      spec: { replicas: 1, selector, template },
      status: { replicas: 1 },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: owned('-6f9d-x2x4z', 'ReplicaSet', `${name}-6f9d`),
      spec: { nodeName: 'worker-1', ...template.spec },
      status: {
        phase: 'Running',
        podIP: '198.51.100.77',
        podIPs: [{ ip: '198.51.100.77' }],
        conditions: [
          { type: 'PodScheduled', status: 'True', lastTransitionTime: ago('2h') },
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            message: 'containers with unready status: [webhook]',
            lastTransitionTime: ago('2h'),
          },
        ],
        ...status,
      },
    },
    ...events.map(([reason, message]) =>
      warning(
        { kind: 'Pod', namespace: home, name: pod, uid: `uid-of-${pod}`, apiVersion: 'v1' },
        reason,
        message,
        'kubelet',
      ),
    ),
  ] as never;
}

/** The status of a Pod that the kubelet has not started yet: `kubectl get` shows ContainerCreating. */
export const creating = () => ({
  phase: 'Pending',
  podIP: undefined,
  podIPs: undefined,
  containerStatuses: [
    {
      name: 'webhook',
      image: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: 'ContainerCreating' } },
    },
  ],
});

/** The status of a container that the kubelet has restarted several times, and that runs at the moment. */
export const restarted = (exitCode: number, reason: string, name = 'webhook') => ({
  containerStatuses: [
    {
      name,
      image: 'webhook:v1',
      ready: false,
      started: false,
      restartCount: 14,
      state: { running: { startedAt: lately('20s') } },
      lastState: {
        terminated: { exitCode, reason, startedAt: lately('2m'), finishedAt: lately('30s') },
      },
    },
  ],
});
