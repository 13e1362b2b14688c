import type { Callout } from './callout.ts';
import type { HoldTrial } from './hold-trial.ts';
import type { Lookup } from './lookup.ts';
import type { ServerMetrics } from './metrics.ts';
import type { Autoscaler } from './objects/autoscaler.ts';
import type { CertManagerCertificate } from './objects/certificate.ts';
import type { DisruptionBudget } from './objects/disruption-budget.ts';
import type { EndpointSlice } from './objects/endpoint-slice.ts';
import type { Event } from './objects/event.ts';
import type { Issuer } from './objects/issuer.ts';
import type { Job } from './objects/job.ts';
import type { Lease } from './objects/lease.ts';
import type { Metadata } from './objects/metadata.ts';
import type { Namespace } from './objects/namespace.ts';
import type { NetworkPolicy } from './objects/network-policy.ts';
import type { Node } from './objects/node.ts';
import type { Pod } from './objects/pod.ts';
import type { PodController } from './objects/pod-controller.ts';
import type { CertificateSecret } from './objects/secret.ts';
import type { Service } from './objects/service.ts';
import type { Workload } from './objects/workload.ts';
import type { CalloutProbes, ClockReading } from './probes.ts';
import type { RbacDenial } from './rbac-denial.ts';
import type { SampledObject } from './sample.ts';
import type { ServedResources } from './served-resources.ts';
import type { Unread } from './unread.ts';

/**
 * Everything that a check may read. Keys: a Service's key is `namespace/name`; "by namespace" means the namespace's
 * name. Adding a fact starts here; the compiler then asks for its collector.
 */
export interface Facts {
  /** When they were observed, RFC 3339: the only clock of everything that judges them. */
  readonly takenAt: string;
  /** `gitVersion` of the API server, `v1.35.4`: what it does depends on it. Undefined when /version could not be read. */
  readonly version: string | undefined;
  /** Every callout that could be listed. Lists that could not be read stand in `notLookedAt`. */
  readonly callouts: readonly Callout[];
  /** Names of webhook configurations, those that hold no webhook among them, by kind: `validating`, `mutating`. */
  readonly configurations: Lookup<readonly string[]>;
  /** By `namespace/name`. */
  readonly services: Lookup<Service>;
  /** Slices of a Service, by the Service's key; no entry means none. */
  readonly endpointSlices: Lookup<readonly EndpointSlice[]>;
  /** By name. */
  readonly namespaces: Lookup<Namespace>;
  /** Discovery under the key `served`. */
  readonly served: Lookup<ServedResources>;
  /** Pods that a Service's selector selects, by the Service's key. Read only for backends that call for it. */
  readonly pods: Lookup<readonly Pod[]>;
  /** Single Pods by `namespace/name`: those that endpoints name by targetRef and `pods` does not hold. */
  readonly endpointPods: Lookup<Pod>;
  /** Deployments, ReplicaSets, StatefulSets and DaemonSets of a namespace, by namespace. */
  readonly workloads: Lookup<readonly Workload[]>;
  /** HorizontalPodAutoscalers, by namespace, where a backend is scaled to zero; under `*` those of all, where no API serves their metrics. */
  readonly autoscalers: Lookup<readonly Autoscaler[]>;
  /** Warning events of a namespace, by namespace. */
  readonly events: Lookup<readonly Event[]>;
  /** By name; only nodes that a replica of a broken backend runs on. */
  readonly nodes: Lookup<Node>;
  /** Leases of a namespace, by namespace. */
  readonly leases: Lookup<readonly Lease[]>;
  /** NetworkPolicies of a namespace, by namespace; only where a backend is named, or did not answer as it should. */
  readonly networkPolicies: Lookup<readonly NetworkPolicy[]>;
  /** By `namespace/name`: Secrets that Pods of a broken backend mount; certificates only. */
  readonly secrets: Lookup<CertificateSecret>;
  /** By `namespace/name`: ConfigMaps from which replicas take their serving certificate; certificates only. */
  readonly configMaps: Lookup<CertificateSecret>;
  /** By `namespace/name`: metadata of PersistentVolumeClaims that Pods of a broken backend wait for. */
  readonly persistentVolumeClaims: Lookup<Metadata>;
  /** Certificates of cert-manager in a namespace, by namespace; only where a replica waits for a Secret. */
  readonly certificates: Lookup<readonly CertManagerCertificate[]>;
  /** By `Issuer namespace/name` or `ClusterIssuer name`: those that Certificates of callouts name. */
  readonly issuers: Lookup<Issuer>;
  /** Last lines of a container that crashed, by `namespace/pod/container`. */
  readonly logs: Lookup<string>;
  /**
   * FailedCreate events of all namespaces under the key `FailedCreate`: controllers that the API server refused a Pod.
   * Read only where a callout that stops Pods fails, or was asked about closely. Under `Node` the warnings about Nodes,
   * read only where the rules of a webhook name evictions.
   */
  readonly failedCreateEvents: Lookup<readonly Event[]>;
  /** Controllers that lack Pods by those Events, by `Kind namespace/name`. */
  readonly podControllers: Lookup<PodController>;
  /** Pods that are not scheduled, of all namespaces, under the key `Pending`; only if webhooks are named, or with `--deep`. */
  readonly pendingPods: Lookup<readonly Pod[]>;
  /** All Pods of a namespace, by namespace; where an injector has failed open, or a certificate is in question. */
  readonly namespacePods: Lookup<readonly Pod[]>;
  /** Jobs of a namespace, by namespace; only where a certificate or a caBundle is in question. */
  readonly jobs: Lookup<readonly Job[]>;
  /** Mirror Pods of kube-apiserver, under the key `kube-apiserver`; only where a backend looks broken or a call ends as it may through a proxy. */
  readonly apiServerPods: Lookup<readonly Pod[]>;
  /** ConfigMaps of a namespace whose owner is a Pod, by namespace: metadata alone, read as the Jobs are. */
  readonly podConfigMaps: Lookup<readonly Metadata[]>;
  /** ConfigMaps and Secrets that held Pods refer to, by `Kind namespace/name`: metadata, never content. */
  readonly podReferences: Lookup<Metadata>;
  /** What running Pods behind a Service log that they may not do, by the Service's key; only where Pods are held. */
  readonly rbacDenials: Lookup<readonly RbacDenial[]>;
  /** What held such a Pod, tried out, by its workload's `Kind namespace/name`; only where several webhooks may have. */
  readonly parkingTrials: Lookup<HoldTrial>;
  /** PodDisruptionBudgets of a namespace, by namespace; only for named backends, or with `--deep`. */
  readonly disruptionBudgets: Lookup<readonly DisruptionBudget[]>;
  /** Metrics of the API server, under the key `server`; only with `--deep`, or if callouts were named. */
  readonly metrics: Lookup<ServerMetrics>;
  /** Results of probes, by callout id; no entry if no probe was requested. */
  readonly probes: Lookup<CalloutProbes>;
  /** Real objects that webhooks were called with, by callout id; only where one was named, or all its replicas deny. */
  readonly samples: Lookup<readonly SampledObject[]>;
  /** Undefined if no response had the time of the API server. */
  readonly clock: ClockReading | undefined;
  /** How this API server routes to Services, as far as is known. */
  readonly routing: RoutingEvidence;
}

export type FactName = Exclude<keyof Facts, 'takenAt'>;

/** Some facts, and the moment at which they were observed: all that a model, a check or a remedy sees of a cluster. */
export type World<Name extends FactName> = Pick<Facts, Name | 'takenAt'>;

/** Waits until these facts are complete; the first call starts the reads. */
export type Known<Names extends FactName = FactName> = <K extends Names>(
  facts: readonly K[],
) => Promise<Pick<Facts, K>>;

/**
 * How the API server finds an address for a Service: `cluster-ip` (the default) or `endpoints`
 * (`--enable-aggregator-routing=true`; kube-aggregator resolvers.go). No API serves it: an error text that names an
 * address tells, or the flags of the API server's mirror Pod.
 */
export type RoutingMode = 'cluster-ip' | 'endpoints';

/** The routing mode that an observation shows. */
export interface RoutingEvidence {
  /** Undefined if no observation shows it. */
  readonly mode: RoutingMode | undefined;
  /** The evidence: the quoted text and its place. */
  readonly because?: string;
}

/** The cluster that was looked at, as the kubeconfig names it. */
export interface ClusterInfo {
  readonly server: string;
  readonly context?: string;
  /** `gitVersion` of the API server, `v1.35.4`; undefined when /version could not be read. */
  readonly version?: string;
  /** Of several clusters in one run: why this one could not be read at all. */
  readonly error?: string;
}

/** All facts at one moment. */
export interface Snapshot {
  readonly cluster: ClusterInfo;
  readonly facts: Facts;
  /** Failed reads, once each. Never `not-requested`. */
  readonly notLookedAt: readonly Unread[];
}
