import type { Callout } from './callout.ts';
import type { Lookup } from './lookup.ts';
import type { ServerMetrics } from './metrics.ts';
import type { CertManagerCertificate, Issuer } from './objects/cert-manager.ts';
import type { CertificateSecret } from './objects/certificate-secret.ts';
import type { EndpointSlice } from './objects/endpoint-slice.ts';
import type { Event } from './objects/event.ts';
import type { Lease } from './objects/lease.ts';
import type { Metadata } from './objects/metadata.ts';
import type { Namespace } from './objects/namespace.ts';
import type { Node } from './objects/node.ts';
import type { Pod, StartingPod } from './objects/pod.ts';
import type { Job, PodController } from './objects/pod-controller.ts';
import type { Autoscaler, DisruptionBudget } from './objects/scaling.ts';
import type { Service } from './objects/service.ts';
import type { Workload } from './objects/workload.ts';
import type { IngressPolicy } from './plugin-policies.ts';
import type { CalloutProbes, ClockReading } from './probes.ts';
import type { MissingConfiguration, RbacDenial } from './rbac-denial.ts';
import type { SampledObject } from './sample.ts';
import type { ServedResources } from './served-resources.ts';
import type { Unread } from './unread.ts';

/**
 * All facts that checks can use. Keys: a Service's key is `namespace/name`; "by namespace" means the
 * namespace's name. To add a fact, add it here; the compiler then requires its collector.
 */
export interface Facts {
  /** When the facts were observed, RFC 3339: the current time of every check. */
  readonly takenAt: string;
  /** `gitVersion` of the API server (`v1.35.4`) decides its behaviour; undefined if /version was not read. */
  readonly version: string | undefined;
  /** Every callout that could be listed. Lists that could not be read are in `notLookedAt`. */
  readonly callouts: readonly Callout[];
  /** Names of webhook configurations, including those without webhooks, by kind: `validating`, `mutating`. */
  readonly configurations: Lookup<readonly string[]>;
  /** By `namespace/name`. */
  readonly services: Lookup<Service>;
  /** Slices of a Service, by the Service's key; no entry means none. Those without its label: by `namespace/`. */
  readonly endpointSlices: Lookup<readonly EndpointSlice[]>;
  /** By name. */
  readonly namespaces: Lookup<Namespace>;
  /** Discovery under the key `served`. */
  readonly served: Lookup<ServedResources>;
  /** Pods that a Service's selector matches, by the Service's key. Read only for backends that require it. */
  readonly pods: Lookup<readonly Pod[]>;
  /** Single Pods by `namespace/name`: targets of endpoints that `pods` does not contain. */
  readonly endpointPods: Lookup<Pod>;
  /** Deployments, ReplicaSets, StatefulSets and DaemonSets of a namespace, by namespace. */
  readonly workloads: Lookup<readonly Workload[]>;
  /**
   * HorizontalPodAutoscalers, by namespace, if a backend is scaled to zero; under `*` those of all
   * namespaces, if no API serves their metrics.
   */
  readonly autoscalers: Lookup<readonly Autoscaler[]>;
  /** Warning events of a namespace, by namespace. */
  readonly events: Lookup<readonly Event[]>;
  /** By name: nodes of Pods of a broken backend that are not Ready; all, if one of these Pods has no node. */
  readonly nodes: Lookup<Node>;
  /** Leases of a namespace, by namespace. */
  readonly leases: Lookup<readonly Lease[]>;
  /** NetworkPolicies of a namespace, by namespace; only if a backend is named, or a probe of it failed. */
  readonly networkPolicies: Lookup<readonly IngressPolicy[]>;
  /** By `namespace/name`: Secrets that Pods of a broken backend mount; certificates only. */
  readonly secrets: Lookup<CertificateSecret>;
  /** By `namespace/name`: ConfigMaps with the serving certificate of replicas; certificates only. */
  readonly configMaps: Lookup<CertificateSecret>;
  /** By `namespace/name`: metadata of PersistentVolumeClaims that Pods of a broken backend wait for. */
  readonly persistentVolumeClaims: Lookup<Metadata>;
  /** Certificates of cert-manager, by namespace; only if a Pod waits for a Secret, or a certificate is examined. */
  readonly certificates: Lookup<readonly CertManagerCertificate[]>;
  /** By `Issuer namespace/name` or `ClusterIssuer name`: issuers of the Certificates of callouts. */
  readonly issuers: Lookup<Issuer>;
  /**
   * By `namespace/pod/container`: the lines of a log that explain why a container crashed, is not Ready, or runs and
   * does not serve requests; one container per backend.
   */
  readonly logs: Lookup<string>;
  /**
   * Events of all namespaces. `FailedCreate`: the API server rejected a Pod of a controller; read only if a callout that
   * blocks Pods may fail, or is examined. `Node`: warnings about Nodes, if the rules of a webhook match evictions.
   * `Preempted`: if a backend without a Ready Pod may have lost one to Pods with a higher priority.
   */
  readonly failedCreateEvents: Lookup<readonly Event[]>;
  /** Controllers with missing Pods by those Events, by `Kind namespace/name`. */
  readonly podControllers: Lookup<PodController>;
  /** Pods that have not started, by namespace of the backends; not if webhooks are named. */
  readonly startingPods: Lookup<readonly StartingPod[]>;
  /** Pods without a node, of all namespaces, under `Pending`; only for named webhooks, or with `--deep`. */
  readonly pendingPods: Lookup<readonly Pod[]>;
  /** All Pods of a namespace, by namespace: if an injector fails or has failed open, or a certificate is examined. */
  readonly namespacePods: Lookup<readonly Pod[]>;
  /**
   * Pods that request injection, or whose namespace does, under `Pods`, if there is an injector; of the first page of all
   * Pods.
   */
  readonly requestingPods: Lookup<readonly Pod[]>;
  /** Jobs of a namespace, by namespace; only if a certificate or a caBundle is examined. */
  readonly jobs: Lookup<readonly Job[]>;
  /**
   * Mirror Pods of kube-apiserver, under the key `kube-apiserver`; only if a backend seems broken or a call
   * fails as it can through a proxy.
   */
  readonly apiServerPods: Lookup<readonly Pod[]>;
  /** Pods of the network plugin, of all namespaces, by the label selector that found them; only if a backend is broken. */
  readonly networkPods: Lookup<readonly Pod[]>;
  /** ConfigMaps of a namespace whose owner is a Pod, by namespace: metadata only, read when Jobs are. */
  readonly podConfigMaps: Lookup<readonly Metadata[]>;
  /** ConfigMaps and Secrets that held Pods refer to, and ConfigMaps of crashed Pods, by `Kind namespace/name`: metadata only. */
  readonly podReferences: Lookup<Metadata>;
  /**
   * Forbidden requests and missing webhook configurations in logs of running Pods: by the Service's key for
   * backends, by namespace for Pods that write certificates.
   */
  readonly rbacDenials: Lookup<readonly (RbacDenial | MissingConfiguration)[]>;
  /** PodDisruptionBudgets of a namespace, by namespace; only for named backends, or with `--deep`. */
  readonly disruptionBudgets: Lookup<readonly DisruptionBudget[]>;
  /** Metrics of the API server, under the key `server`; only with `--deep`, or if callouts were named. */
  readonly metrics: Lookup<ServerMetrics>;
  /** Results of probes, by callout id; no entry if no probe was requested. */
  readonly probes: Lookup<CalloutProbes>;
  /** Real objects that webhooks were called with, by callout id; only if one was named, or all Pods deny. */
  readonly samples: Lookup<readonly SampledObject[]>;
  /** Undefined if no response had the time of the API server. */
  readonly clock: ClockReading | undefined;
  /** How this API server routes to Services, as far as is known. */
  readonly routing: RoutingEvidence;
}

/** The name of a fact; the time of the observation is none. */
export type FactName = Exclude<keyof Facts, 'takenAt'>;

/** Some facts, and the time at which they were observed: the input of a model, a check or a remedy. */
export type World<Name extends FactName> = Pick<Facts, Name | 'takenAt'>;

/** Waits until these facts are complete; the first call starts the reads. */
export type Known<Names extends FactName = FactName> = <K extends Names>(
  facts: readonly K[],
) => Promise<Pick<Facts, K>>;

/**
 * How the API server resolves a Service: `cluster-ip` (the default) or `endpoints`
 * (`--enable-aggregator-routing=true`; kube-aggregator resolvers.go). No API returns it: an error with an
 * address shows it, or the flags of the API server's mirror Pod.
 */
export type RoutingMode = 'cluster-ip' | 'endpoints';

/** The routing mode that an observation shows. */
export interface RoutingEvidence {
  /** Undefined if no observation shows it. */
  readonly mode: RoutingMode | undefined;
  /** The evidence: the quoted text and its place. */
  readonly because?: string;
}

/** The cluster, with the names of the kubeconfig. */
export interface ClusterInfo {
  readonly server: string;
  readonly context?: string;
  /** `gitVersion` of the API server, `v1.35.4`; undefined when /version could not be read. */
  readonly version?: string;
  /** If a run has several clusters: why this one could not be read. */
  readonly error?: string;
}

/** All facts at one moment. */
export interface Snapshot {
  readonly cluster: ClusterInfo;
  readonly facts: Facts;
  /** Failed reads, without duplicates. Never `not-requested`. */
  readonly notLookedAt: readonly Unread[];
}
