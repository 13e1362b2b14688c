import { newestFirst, secondsSince } from '../basics/time.ts';

/** A value in the cluster that proves a finding, and that plain kubectl shows. */
export interface Evidence {
  readonly object: ObjectRef;
  /** Path of the field in the object, as kubectl explain spells it; absent for the complete object. */
  readonly field?: string;
  /** The observed value, as text. */
  readonly value: string;
}

/** The name of the first object of this kind in the evidence, for commands. */
export const nameIn = (evidence: readonly Evidence[], kind: string): string | undefined =>
  evidence.find(({ object }) => object.kind === kind)?.object.name;

/** `observed`: confirmed by a probe or the API server. `derived`: inferred from objects. */
export type Confidence = 'observed' | 'derived';

/** Names one object of the cluster, or one webhook inside a webhook configuration. */
export interface ObjectRef {
  /** Kind as in the API: `Service`, `Pod`, `ValidatingWebhookConfiguration`. */
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  /** `webhooks[].name`, if the reference is to one webhook of a configuration. */
  readonly webhook?: string;
}

/** The reference to an object by its kind and metadata. */
export const refOf = (
  kind: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): ObjectRef => ({ kind, ...(namespace === undefined ? {} : { namespace }), name });

/** `namespace/name`, or `name` for cluster-scoped objects: the key of lookups by object. */
export const keyOf = (object: { readonly namespace?: string | undefined; readonly name: string }): string =>
  object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;

/** The namespace and name in a key of a namespaced object. */
export function ofKey(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

/** Text for messages: `Service shop/policy`, `ValidatingWebhookConfiguration policy (policy.example.com)`. */
export const refText = (ref: ObjectRef): string =>
  `${ref.kind} ${keyOf(ref)}${ref.webhook === undefined ? '' : ` (${ref.webhook})`}`;

/** True if both refer to the same object (and the same webhook of it). */
export const sameObject = (a: ObjectRef, b: ObjectRef): boolean =>
  a.kind === b.kind && a.namespace === b.namespace && a.name === b.name && a.webhook === b.webhook;

/** `metadata` of any object, as the API server sends it; only the fields that this program reads. */
export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Starts at 1 and counts changes of the spec; not every kind has it. */
  readonly generation?: number;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFields[];
}

/** An owner of an object; at most one has `controller: true` (meta/v1 types.go). */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Field managers with their fields and times (from server-side apply). */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  /** FieldsV1: nested `f:name` and `k:{…}` keys. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** `status.conditions[]` as most kinds have it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** One of `matchExpressions` (meta/v1 types.go). */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** `metadata.labels` of an object, or of a Pod template. */
export type Labels = Readonly<Record<string, string>>;

/** All requirements must match (meta/v1 types.go); an empty selector matches every object. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** `spec.ports[]` of a Service (core/v1 types.go). */
export interface ServicePort {
  readonly name?: string;
  /** Default: TCP. */
  readonly protocol?: string;
  readonly port: number;
  /** A number, or the name of a container port. The API server sets it to `port` by default. */
  readonly targetPort?: number | string;
}

/** core/v1 Service. */
export interface Service {
  readonly metadata: Metadata;
  readonly spec: {
    readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
    /** `None` for a headless Service. */
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ipFamilies?: readonly ('IPv4' | 'IPv6')[];
    readonly ports?: readonly ServicePort[];
    /** Absent or empty: endpoints are maintained manually or by another controller. */
    readonly selector?: Readonly<Record<string, string>>;
    readonly externalName?: string;
    readonly internalTrafficPolicy?: 'Cluster' | 'Local';
    readonly publishNotReadyAddresses?: boolean;
    readonly sessionAffinity?: string;
  };
}

/** The label with the name of the slice's Service (discovery/v1 well_known_labels.go). */
export const serviceNameLabel = 'kubernetes.io/service-name';

/** The conditions of an endpoint, which the EndpointSlice controller sets from the Pod. */
export interface EndpointConditions {
  /** Absent means true (discovery/v1 types.go). */
  readonly ready?: boolean;
  /** Absent means true. */
  readonly serving?: boolean;
  /** Absent means false. */
  readonly terminating?: boolean;
}

/** One endpoint of a slice; addresses after the first have no meaning (discovery/v1 types.go). */
export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly targetRef?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly nodeName?: string;
}

/** discovery.k8s.io/v1 EndpointSlice. Belongs to a Service by the label `kubernetes.io/service-name`. */
export interface EndpointSlice {
  readonly metadata: Metadata;
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  readonly ports?:
    | readonly { readonly name?: string; readonly protocol?: string; readonly port?: number }[]
    | null;
  readonly endpoints?: readonly Endpoint[] | null;
}

/** Written by the endpointslice controller (core/v1 EndpointsLastChangeTriggerTime). */
const lastChange = 'endpoints.kubernetes.io/last-change-trigger-time';

/** The last change of the Pods behind a Service, RFC 3339; undefined if not recorded. */
export function endpointsChangedAt(slices: readonly EndpointSlice[]): string | undefined {
  const times = slices.flatMap(({ metadata }) => metadata.annotations?.[lastChange] ?? []);
  return times.length < slices.length ? undefined : times.toSorted().at(-1);
}

interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly protocol?: string;
}

/** A probe of the kubelet. A port is a number or the name of a container port; times are in seconds. */
export interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port: number | string; readonly scheme?: string };
  readonly tcpSocket?: { readonly port: number | string };
  readonly exec?: { readonly command?: readonly string[] };
  readonly grpc?: { readonly port: number };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

/** The user and the group of processes: of a container, or of all containers of a Pod. */
interface RunAs {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
}

/** `spec.containers[]` and `spec.initContainers[]` of a Pod (core/v1 types.go). */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly ports?: readonly ContainerPort[];
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
  }[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly envFrom?: readonly unknown[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string>>;
    readonly requests?: Readonly<Record<string, string>>;
  };
  readonly lifecycle?: unknown;
  readonly securityContext?: RunAs;
  /** `Always` on an init container makes it a sidecar (KEP-753). */
  readonly restartPolicy?: string;
}

/** Maps a key of a Secret or ConfigMap to a file. */
export interface KeyToPath {
  readonly key: string;
  readonly path: string;
}

interface NamedSource {
  readonly name?: string;
  readonly optional?: boolean;
}

/** `spec.volumes[]` of a Pod; of the sources only those that checks use (core/v1 types.go). */
export interface Volume {
  readonly name: string;
  readonly secret?: Omit<NamedSource, 'name'> & {
    readonly secretName?: string;
    /** The file of each key; absent: every key, under its own name. */
    readonly items?: readonly KeyToPath[];
  };
  readonly configMap?: NamedSource;
  readonly projected?: {
    readonly sources?: readonly {
      readonly secret?: NamedSource;
      readonly configMap?: NamedSource;
      readonly serviceAccountToken?: { readonly audience?: string };
    }[];
  };
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly hostPath?: { readonly path: string };
  readonly csi?: { readonly driver: string };
}

/** `spec.affinity.podAntiAffinity` of a Pod: terms that exclude nodes with the selected Pods (core/v1 types.go). */
export interface PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly labelSelector?: LabelSelector;
  }[];
}

/** `spec` of a Pod or of a Pod template. */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly hostNetwork?: boolean;
  readonly dnsPolicy?: string;
  readonly tolerations?: readonly {
    readonly key?: string;
    readonly operator?: string;
    /** Absent: all effects. */
    readonly effect?: string;
  }[];
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: RunAs & { readonly fsGroup?: number };
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly priorityClassName?: string;
  readonly topologySpreadConstraints?: readonly {
    readonly topologyKey: string;
    readonly whenUnsatisfiable?: string;
  }[];
  readonly affinity?: { readonly podAntiAffinity?: PodAntiAffinity };
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
}

/** At most one of the three members is set; none means waiting (core/v1 types.go). Times are RFC 3339. */
export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly reason?: string;
    readonly message?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
  };
}

/** The kubelet's report about a container. `lastState`: the previous termination, if it has restarted. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly image?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

/** core/v1 Pod. */
export interface Pod {
  readonly metadata: Metadata;
  readonly spec: PodSpec;
  readonly status: {
    readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly hostIP?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** The Pod template of a workload. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}

/** The kinds of the group apps that create Pods. */
export type WorkloadKind = 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet';

/** How old Pods are replaced by new ones. */
interface RolloutStrategy {
  /** `Recreate`, `RollingUpdate`, `OnDelete`. */
  readonly type?: string;
  readonly rollingUpdate?: {
    readonly maxUnavailable?: number | string;
    readonly maxSurge?: number | string;
  } | null;
}

/** How a StatefulSet or DaemonSet replaces its Pods. */
interface UpdateStrategy {
  /** `RollingUpdate`, `OnDelete`. */
  readonly type?: string;
  /** `partition` of a StatefulSet: Pods with a lower ordinal keep the earlier template. */
  readonly rollingUpdate?: { readonly partition?: number } | null;
}

/** apps/v1 Deployment, ReplicaSet, StatefulSet or DaemonSet: creates Pods from a template. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly metadata: Metadata;
  readonly spec: {
    /** Desired Pods; default 1. A DaemonSet has none: it depends on the nodes. */
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly paused?: boolean;
    /** Deployment only. */
    readonly strategy?: RolloutStrategy;
    /** StatefulSet and DaemonSet. */
    readonly updateStrategy?: UpdateStrategy;
    /** StatefulSet only: `OrderedReady` by default. */
    readonly podManagementPolicy?: string;
  };
  readonly status: {
    /** `metadata.generation` of the state that the controller has processed. */
    readonly observedGeneration?: number;
    readonly replicas?: number;
    /** The Pods with the current template; of a Deployment or StatefulSet. */
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    /** StatefulSet only: the revisions of its earlier and its current template; the same after a rollout. */
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    /** DaemonSet only. */
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly currentNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly conditions?: readonly Condition[];
  };
}

/** Kinds whose controllers create Pods, and report FailedCreate in an Event if the API server rejects one. */
export const podControllerKinds = ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'] as const;
/** A Deployment creates Pods through its ReplicaSets. */
export type PodControllerKind = (typeof podControllerKinds)[number] | 'Deployment';

/** A Deployment, ReplicaSet, StatefulSet, DaemonSet or Job, with the number of Pods that it needs and has. */
export interface PodController {
  readonly kind: PodControllerKind;
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas?: number;
    /** Job only. */
    readonly parallelism?: number;
    readonly completions?: number;
    readonly suspend?: boolean;
    readonly template: PodTemplate;
  };
  readonly status?: {
    readonly replicas?: number;
    /** DaemonSet only. */
    readonly desiredNumberScheduled?: number;
    readonly currentNumberScheduled?: number;
    /** Job only: active Pods, and those that succeeded. */
    readonly active?: number;
    readonly succeeded?: number;
    readonly conditions?: readonly Condition[];
  };
}

const isOver = ({ status }: PodController): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );

/** The number of active Pods that a Job should have (pkg/controller/job manageJob). */
function wantedByJob({ spec, status }: PodController): number {
  const { parallelism = 1, completions, suspend = false } = spec;
  if (suspend) return 0;
  return completions === undefined
    ? parallelism
    : Math.min(parallelism, Math.max(completions - (status?.succeeded ?? 0), 0));
}

/** Pods that should exist and do not. */
export function missingPods(maker: PodController): number {
  const { kind, metadata, spec, status } = maker;
  if (metadata.deletionTimestamp !== undefined) return 0;
  switch (kind) {
    case 'DaemonSet':
      return Math.max((status?.desiredNumberScheduled ?? 0) - (status?.currentNumberScheduled ?? 0), 0);
    case 'Job':
      return isOver(maker) ? 0 : Math.max(wantedByJob(maker) - (status?.active ?? 0), 0);
    default:
      return Math.max((spec.replicas ?? 1) - (status?.replicas ?? 0), 0);
  }
}

/** batch/v1 Job. */
export interface Job {
  readonly metadata: Metadata;
  readonly spec: { readonly suspend?: boolean; readonly template: PodTemplate };
  readonly status?: {
    readonly active?: number;
    readonly failed?: number;
    readonly succeeded?: number;
    /** RFC 3339; absent until it has succeeded. */
    readonly completionTime?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** autoscaling/v2 HorizontalPodAutoscaler. */
export interface Autoscaler {
  readonly metadata: Metadata;
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    /** 1 when absent. */
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly metrics?: readonly { readonly type: string }[] | null;
  };
  readonly status?: {
    readonly conditions?:
      | readonly { readonly type: string; readonly status: string; readonly message?: string }[]
      | null;
  };
}

/** policy/v1 PodDisruptionBudget. */
export interface DisruptionBudget {
  readonly metadata: Metadata;
  readonly spec: {
    readonly selector?: LabelSelector;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
  };
}

/** The source or destination of a rule: Pods by their labels, or addresses. */
export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

/** The ports that a rule allows; `endPort`: the last one of a range from `port`. */
export interface NetworkPolicyPort {
  /** Default: TCP. */
  readonly protocol?: string;
  /** A container port, by number or name; absent: all ports. */
  readonly port?: number | string;
  readonly endPort?: number;
}

/** networking.k8s.io/v1 NetworkPolicy, for the traffic to and from Pods. */
export interface NetworkPolicy {
  readonly metadata: Metadata;
  readonly spec: {
    readonly podSelector: LabelSelector;
    /** Default: `Ingress` (and `Egress` if there are egress rules). */
    readonly policyTypes?: readonly string[];
    /**
     * Absent or empty: no traffic is allowed. Without `from` a rule allows all sources, without `ports` all
     * ports.
     */
    readonly ingress?: readonly {
      readonly from?: readonly NetworkPolicyPeer[];
      readonly ports?: readonly NetworkPolicyPort[];
    }[];
    /** Like `ingress`, for outgoing traffic. */
    readonly egress?: readonly {
      readonly to?: readonly NetworkPolicyPeer[];
      readonly ports?: readonly NetworkPolicyPort[];
    }[];
  };
}

/** core/v1 Node. */
export interface Node {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    /** What Pods can request, by resource. */
    readonly allocatable?: Readonly<Record<string, string>>;
  };
}

/** core/v1 Namespace. */
export interface Namespace {
  readonly metadata: Metadata;
  readonly status?: { readonly phase?: 'Active' | 'Terminating'; readonly conditions?: readonly Condition[] };
}

/** coordination.k8s.io/v1 Lease: its holder, and when it was last renewed. */
export interface Lease {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** RFC 3339 with microseconds. */
    readonly renewTime?: string;
    readonly acquireTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** core/v1 Event. Events of the old and the new API have their times in different fields. */
export interface Event {
  readonly metadata: Metadata;
  readonly involvedObject: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    /** The container that an event is about: `spec.containers{webhook}`. */
    readonly fieldPath?: string;
  };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string };
}

/** When the event was last observed, RFC 3339; undefined if it has no time. */
export const lastSeen = (event: Event): string | undefined =>
  event.series?.lastObservedTime ??
  event.lastTimestamp ??
  event.eventTime ??
  event.metadata.creationTimestamp;

/** The Events, by the last time that each was seen. */
export const newestEventsFirst = (events: readonly Event[]): Event[] => newestFirst(events, lastSeen);

/** The entries of `metadata.managedFields`, the last write first. */
export const lastWritersFirst = (entries: readonly ManagedFields[]): ManagedFields[] =>
  newestFirst(entries, ({ time }) => time);

/** Seconds after the creation of an object in which the rest of its installation may still follow. */
const installationSeconds = 120;

/** The age of an object in seconds, if the rest of its installation may still follow; otherwise undefined. */
export function ageIfRecent(
  { creationTimestamp }: { readonly creationTimestamp?: string },
  now: string,
): number | undefined {
  const age = secondsSince(creationTimestamp, now);
  // Clocks can differ.
  return age !== undefined && age < installationSeconds ? Math.max(age, 0) : undefined;
}

/** cert-manager.io/v1 Certificate: its issuer, its names and its Secret. */
export interface CertManagerCertificate {
  readonly metadata: Metadata;
  readonly spec: {
    readonly secretName?: string;
    readonly dnsNames?: readonly string[];
    readonly issuerRef?: { readonly group?: string; readonly kind?: string; readonly name?: string };
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    /** RFC 3339. */
    readonly notAfter?: string;
    readonly renewalTime?: string;
  };
}

/** cert-manager.io/v1 Issuer or ClusterIssuer, which signs Certificates. */
export interface Issuer {
  readonly metadata: Metadata;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The issuer in the spec of a Certificate. */
interface IssuerRef {
  readonly kind: 'Issuer' | 'ClusterIssuer';
  readonly name: string;
  /** Of an Issuer: the Certificate's namespace. */
  readonly namespace?: string;
}

/** The issuer of a Certificate; undefined if it has none, or one of another API group than cert-manager's. */
export function issuerOf({ metadata, spec }: CertManagerCertificate): IssuerRef | undefined {
  const { name, kind = 'Issuer', group = 'cert-manager.io' } = spec.issuerRef ?? {};
  if (name === undefined || name === '' || group !== 'cert-manager.io') return undefined;
  if (kind === 'ClusterIssuer') return { kind, name };
  const { namespace } = metadata;
  return kind === 'Issuer' ? { kind, name, ...(namespace === undefined ? {} : { namespace }) } : undefined;
}

/** `Issuer shop/ca`, `ClusterIssuer ca`: the text for messages, and the key of the fact. */
export const issuerKey = ({ kind, namespace, name }: IssuerRef): string =>
  namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;

/** A field manager of an object's data, and when it wrote (managedFields). */
export interface DataWriter {
  readonly manager: string;
  /** RFC 3339. */
  readonly at?: string;
}

/**
 * core/v1 Secret or ConfigMap without secret values: its keys, and the certificates in it (PEM). Private keys
 * and all other values are removed when the response is parsed.
 */
export interface CertificateSecret {
  /** Annotations include only those of cert-manager and of OpenShift's service CA. */
  readonly metadata: Metadata;
  readonly type?: string;
  readonly keys: readonly string[];
  /** Data key → the PEM certificates in its value, without other content; no entry if there is none. */
  readonly certificates: Readonly<Record<string, string>>;
  /** Field managers that own data of it, the latest writer first. */
  readonly writers?: readonly DataWriter[];
}
