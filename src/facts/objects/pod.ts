import type { LabelSelector } from './label-selector.ts';
import type { Condition, Metadata } from './metadata.ts';

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
  readonly dnsConfig?: { readonly nameservers?: readonly string[] };
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

/** What decides whether a Service waits for a Pod that has not started. */
export interface StartingPod {
  readonly metadata: Pick<Metadata, 'name' | 'namespace' | 'labels' | 'creationTimestamp'>;
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
