import { ago } from '../../../src/demo/cluster/ago.ts';
import { replicaName, replicaSetName } from '../../../src/demo/cluster/generated-name.ts';
import { lease, namespace } from '../../../src/demo/cluster/manifests.ts';
import { customResource, rule } from '../../../src/demo/cluster/webhook-manifests.ts';
import type { ClusterPart } from '../../../src/demo/cluster/workload-manifests.ts';
import { deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import type { Scenario } from '../../../src/demo/scenarios/scenario.ts';

/** A state that a thread reports: objects, the behavior of Pods, and logs by `namespace/pod/container`. */
export interface IncidentState extends Pick<Scenario, 'slug' | 'parts' | 'deep' | 'probe'> {
  readonly what: string;
  readonly logs?: Readonly<Record<string, string>>;
  /** Of the API server: `v1.33.5-eks-3cfe0ce`. */
  readonly version?: string;
}

/** The port 443 of a Service, to this port of the Pods. */
export const to = (port: number) => ({ ports: [{ port: 443, targetPort: port }] });
/** A container with this port. */
export const at = (port: number, over: object = {}) => ({
  container: { ports: [{ containerPort: port }], ...over },
});

export const pods = [rule('v1', 'pods', 'CREATE')];
export const mount = (secretName: string, container: object = {}) => ({
  container: { volumeMounts: [{ name: 'cert', mountPath: '/certs' }], ...container },
  spec: { volumes: [{ name: 'cert', secret: { secretName } }] },
});

/** A Job with the state of its only Pod's container. */
export const jobWith = (
  key: string,
  container: object,
  state: object,
  over: { readonly status?: object; readonly annotations?: Readonly<Record<string, string>> } = {},
): readonly ClusterPart[] => {
  const [home = '', name = ''] = key.split('/');
  const spec = { restartPolicy: 'OnFailure', containers: [container] };
  return [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        namespace: home,
        name,
        creationTimestamp: ago('2h'),
        ...(over.annotations && { annotations: over.annotations }),
      },
      spec: { template: { spec } },
      status: { active: 1, ...over.status },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: home,
        name: `${name}-jz4wk`,
        creationTimestamp: ago('2h'),
        labels: { 'job-name': name },
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name, controller: true, uid: `uid-of-${name}` },
        ],
      },
      spec: { ...spec, nodeName: 'worker-1' },
      status: {
        phase: JSON.stringify(state).includes('CrashLoop') ? 'Running' : 'Pending',
        containerStatuses: [
          { name: (container as { name: string }).name, image: '', ready: false, restartCount: 0, ...state },
        ],
      },
    },
  ] as unknown as readonly ClusterPart[];
};

/** The log of a container of all Pods of the Deployment `namespace/name`. */
export const log = (key: string, text: string, container = 'webhook', replicas = 1) => {
  const [home = '', name = ''] = key.split('/');
  return Object.fromEntries(
    Array.from({ length: replicas }, (_, at) => [
      `${home}/${replicaName(replicaSetName(home, name, 1), at)}/${container}`,
      text,
    ]),
  );
};

/** The webhook configurations with this caBundle. */
export const withBundle = (parts: readonly ClusterPart[], caBundle: string) =>
  parts.map((part) =>
    'webhooks' in part && Array.isArray(part.webhooks)
      ? {
          ...part,
          webhooks: part.webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } })),
        }
      : part,
  );

/** The NetworkPolicy `namespace/name`. */
export const policy = (key: string, spec: object): ClusterPart => {
  const [home = '', name = ''] = key.split('/');
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { namespace: home, name },
    spec,
  } as never;
};

export const failedCreate = (
  about: { kind: string; namespace: string; name: string; uid?: string },
  message: string,
  apiVersion = 'batch/v1',
): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: about.namespace, name: `${about.name}.fc` },
    involvedObject: { apiVersion, ...about },
    type: 'Warning',
    reason: 'FailedCreate',
    message,
    count: 9,
    firstTimestamp: ago('1h'),
    lastTimestamp: ago('2m'),
    source: { component: 'job-controller' },
  }) as never;

/** The webhook configurations with these annotations. */
export const annotated = (parts: readonly ClusterPart[], annotations: Readonly<Record<string, string>>) =>
  parts.map((part) => ('webhooks' in part ? { ...part, metadata: { ...part.metadata, annotations } } : part));
/** Without the namespace, which every cluster has. */
export const withoutNamespace = (parts: readonly ClusterPart[]): readonly ClusterPart[] =>
  parts.filter((part) => !('kind' in part && part.kind === 'Namespace'));
/** cert-manager with its CA injector. */
export const certManager: readonly ClusterPart[] = [
  customResource('certificates.cert-manager.io', 'Certificate'),
  customResource('issuers.cert-manager.io', 'Issuer'),
  customResource('certificaterequests.cert-manager.io', 'CertificateRequest'),
  namespace('cert-manager'),
  deployment('cert-manager/cert-manager-cainjector', {
    replicas: 1,
    container: {
      name: 'cert-manager-cainjector',
      image: 'quay.io/jetstack/cert-manager-cainjector:v1.17.0',
      ports: [],
    },
  }),
  lease('kube-system/cert-manager-cainjector-leader-election', 'cert-manager-cainjector', 0),
];

/** A warning about an object. */
export const warning = (
  about: { kind: string; namespace: string; name: string; uid: string; apiVersion: string },
  reason: string,
  message: string,
  component: string,
): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: about.namespace, name: `${about.name}.${reason.toLowerCase()}` },
    involvedObject: about,
    type: 'Warning',
    reason,
    message,
    count: 9,
    firstTimestamp: ago('1h'),
    lastTimestamp: ago('2m'),
    source: { component },
  }) as never;

/** A ServiceAccount. */
export const serviceAccount = (namespace: string, name: string): ClusterPart =>
  ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } }) as never;

/** A Deployment `namespace/name` whose only Pod the scheduler cannot place, with its message. */
export const unschedulable = (key: string, message: string): readonly ClusterPart[] =>
  pendingPod(key, {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message,
        lastTransitionTime: ago('1h'),
      },
    ],
  });

/** A Deployment `namespace/name` and its only Pod, which is Pending. */
function pendingPod(key: string, status: object): readonly ClusterPart[] {
  const [home = '', name = ''] = key.split('/');
  const metadata = (suffix: string, kind?: string, owner = '') => ({
    namespace: home,
    name: `${name}${suffix}`,
    uid: `uid-of-${name}${suffix}`,
    labels: { app: name, ...(kind && { 'pod-template-hash': '6f9d' }) },
    creationTimestamp: ago('1h'),
    ...(kind === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: 'apps/v1', kind, name: owner, uid: `uid-of-${owner}`, controller: true },
          ],
        }),
  });
  const pod = { containers: [{ name: 'webhook', image: 'webhook:v1', ports: [{ containerPort: 8443 }] }] };
  const spec = {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: pod },
  };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadata(''), spec, status: { replicas: 1 } },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: metadata('-6f9d', 'Deployment', name),
      spec,
      status: { replicas: 1 },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: metadata('-6f9d-x2x4z', 'ReplicaSet', `${name}-6f9d`),
      spec: pod,
      status: { phase: 'Pending', ...status },
    },
  ] as never;
}

/** The mirror Pod of kube-apiserver on a control plane node, with these flags and variables. */
export const apiServerPod = (
  node: string,
  flags: readonly string[] = [],
  env: readonly { readonly name: string; readonly value: string }[] = [],
): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'kube-system',
      name: `kube-apiserver-${node}`,
      labels: { component: 'kube-apiserver', tier: 'control-plane' },
      annotations: { 'kubernetes.io/config.mirror': '0f7c2b1a' },
      creationTimestamp: ago('30d'),
    },
    spec: {
      nodeName: node,
      hostNetwork: true,
      containers: [
        {
          name: 'kube-apiserver',
          image: 'registry.k8s.io/kube-apiserver:v1.35.4',
          command: ['kube-apiserver', ...flags],
          ...(env.length > 0 && { env }),
        },
      ],
    },
    status: {
      phase: 'Running',
      podIP: '203.0.113.10',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        {
          name: 'kube-apiserver',
          image: 'registry.k8s.io/kube-apiserver:v1.35.4',
          ready: true,
          restartCount: 0,
          state: { running: { startedAt: ago('30d') } },
        },
      ],
    },
  }) as never;
