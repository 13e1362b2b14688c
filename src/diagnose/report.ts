import type { AdmissionRequest, RequestUser } from '../apiserver/admission/admission-request.ts';
import type { Trace, TraceStep } from '../apiserver/trace/trace-request.ts';
import type { ChainLink, Severity } from '../checks/check.ts';
import type { Command, FilledAdvice } from '../facts/advice.ts';
import type { CalloutKind, FailurePolicy } from '../facts/callout.ts';
import type { ChangeNote } from '../facts/change-record.ts';
import type { Confidence } from '../facts/evidence.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { SampleSource } from '../facts/sample.ts';
import type { ClusterInfo } from '../facts/snapshot.ts';
import type { NotLookedAt } from '../facts/unread.ts';

export { severities } from '../checks/check.ts';

/**
 * What becomes of the next call: fails, fails at some replicas or for some requests, cannot be told, passes. Worst first:
 * an established break outranks a doubt, which can only make it worse.
 */
export const calloutStates = ['failing', 'degraded', 'unknown', 'healthy'] as const;
export type CalloutState = (typeof calloutStates)[number];
/** What a dead backend does to the requests that match: stops them, lets them pass unchecked, nothing (never called). */
export const effects = ['blocks', 'fails-open', 'none'] as const;
export type Effect = (typeof effects)[number];

/** What is known of one link of a chain. `open`: the call does not get there, or nobody looked. */
export type LinkState = 'good' | 'bad' | 'warning' | 'unknown' | 'open';

/** Would the API server's next call over a new connection succeed? */
export interface Verdict {
  readonly state: CalloutState;
  /** Where the cause lies; absent when healthy, or when nothing tells. */
  readonly link?: ChainLink;
  readonly confidence: Confidence;
  /** Check ids, the cause first. Empty when healthy. */
  readonly because: readonly string[];
  /** What the API server says or would say; absent when healthy or when no text can be predicted. */
  readonly error?: string;
  /** `observed`: it said so in this run, or in an Event, a condition or a log. `expected`: a prediction. */
  readonly errorFrom?: 'observed' | 'expected';
  readonly effect: Effect;
}

/** An object that a webhook was called with, in dry runs that only its replicas met. */
export interface SampleReport {
  readonly object: ObjectRef;
  /** `made-up`: the test object. */
  readonly by: SampleSource | 'made-up';
  readonly operation: string;
  /** Why no replica was called with it; absent where they were. */
  readonly notCalled?: string;
  /** What the API server itself said to a dry run of it: `message` is empty when it was admitted. */
  readonly dryRun?: { readonly status: number; readonly message: string };
}

/** What one replica responded to one of these objects. */
export interface ResponseReport {
  readonly object: ObjectRef;
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'unknown';
  readonly message?: string;
}

/** One Pod (or bare address) behind a callout. */
export interface ReplicaReport {
  /** Absent for an address without a Pod. */
  readonly pod?: string;
  /** `address:port` as the API server or kube-proxy would dial it; absent while the Pod has none. */
  readonly endpoint?: string;
  readonly ready: boolean;
  /** `ready`, or the failing state in one or two words: `crash-looping`, `image-pull-failing`, `terminating`. */
  readonly state: string;
  readonly leader?: boolean;
  readonly latencyMs?: number;
  readonly error?: string;
  /** What its container wrote that tells why it does not serve; only of a backend that is in trouble. */
  readonly log?: LogReport;
  /** One for each of the callout's samples that it was called with; absent where there are no samples. */
  readonly answers?: readonly ResponseReport[];
}

/** Lines of the log of a container. */
export interface LogReport {
  readonly container: string;
  readonly lines: readonly string[];
  /** What the last of them that is known means. */
  readonly means?: string;
}

/** What a probe did not try at a callout. */
export interface NotTried {
  readonly what: string;
  /** A sentence of ours, or of whoever stood in the way. */
  readonly why: string;
}

/** Where a callout is called: a Service, or a URL. */
export interface BackendReport {
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly port: number;
    readonly path?: string;
  };
  readonly url?: string;
}

/** Work of the cluster that a webhook's rules cover. */
export interface StoppedWork {
  /** In words: `new Pods`. */
  readonly what: string;
  /** `CREATE pods`. */
  readonly request: string;
  /** `some`: only objects of which labels or conditions tell. */
  readonly which: 'all' | 'some';
}

/** A workload that was refused Pods already. */
export interface BlockedWork {
  /** `Deployment shop/cart`. */
  readonly object: string;
  readonly missing: number;
  /** RFC 3339. */
  readonly since?: string;
}

/** What a webhook that fails closed stops while it fails. */
export interface ImpactReport {
  /** Empty: none of the work that every cluster does. */
  readonly stops: readonly StoppedWork[];
  /** Of the namespaces that are known, how many its selector lets in. */
  readonly namespaces: { readonly covered: number; readonly total: number };
  /** Absent: nobody looked, or could. Empty: no workload lacks a Pod because of it yet. */
  readonly blocked?: readonly BlockedWork[];
  /** If all its Pods went away at once, would admission let them be made again? Absent: it is not known what runs it. */
  readonly comesBack?: 'yes' | 'no' | 'unknown';
  /** What lets its own Pods pass, where it comes back: `its namespaceSelector excludes them`. */
  readonly comesBackBecause?: string;
}

/** Requests that are refused now, or pass unchecked, and everyone who has to answer again before they are not. */
export interface OutageReport {
  /** `system`: what the cluster itself cannot do. `requests`: what its users cannot. */
  readonly kind: 'system' | 'requests';
  /** `create or update Pods in every namespace`, `nodes cannot report heartbeats`. */
  readonly what: string;
  /** `some`: labels, conditions or the replica that is met decide. */
  readonly which: 'all' | 'some';
  /** Ids of all the callouts that do it, those that surely do first: one that is fixed alone changes nothing. */
  readonly callouts: readonly string[];
  /** As people call them: `ConfigMaps`, `any resource`. */
  readonly resources?: readonly string[];
  readonly namespaces?: { readonly covered: number; readonly total: number };
  /** RFC 3339: the first sign of it; absent: nothing tells. */
  readonly since?: string;
}

/** A webhook that this program made fail open, as its record in the cluster says. */
export interface OpenedReport extends ChangeNote {
  /** Id of the change. */
  readonly change: string;
  /** RFC 3339. */
  readonly at: string;
  /** RFC 3339: when it is meant to end. */
  readonly until?: string;
  /** The command that ends it. */
  readonly undo: string;
}

/** Where `--from` started, and where it led. */
export interface FromReport {
  /** `Deployment shop/cart`. */
  readonly victim: string;
  /** Pods that it lacks; absent where it makes none. */
  readonly missingPods?: number;
  /** `words`: what is said of it names the callouts. `requests`: they are asked about what it needs. */
  readonly by: 'words' | 'requests';
  /** What led to the callouts; where nothing did, what is said of it otherwise. */
  readonly words: readonly EvidenceReport[];
  /** Ids of the callouts that this report is about. */
  readonly callouts: readonly string[];
  /** Of those the ones that keep it from getting on, as far as anyone can tell. */
  readonly inTheWay: readonly string[];
  /** The answer, in a sentence. */
  readonly message: string;
}

/** One callout and its verdict. */
export interface CalloutReport {
  readonly kind: CalloutKind;
  readonly configuration: string;
  readonly webhook: string;
  readonly index: number;
  /** Absent for conversion webhooks and APIServices: they have none and fail closed. */
  readonly failurePolicy?: FailurePolicy;
  readonly timeoutSeconds: number;
  readonly backend: BackendReport;
  readonly verdict: Verdict;
  /** The links that a call passes, in order; behind them the one that the cause lies in, where it is none of these. */
  readonly chain: Readonly<Partial<Record<ChainLink, LinkState>>>;
  /** Id of the finding that tells the cause; absent when healthy, when nothing tells, or when it was not asked for. */
  readonly cause?: string;
  /** Only of webhooks that stop requests: those that fail, and those that one Pod stands between. */
  readonly impact?: ImpactReport;
  readonly opened?: OpenedReport;
  /** Known replicas: from the EndpointSlices, and from Pods where those were read. */
  readonly replicas: readonly ReplicaReport[];
  /** The test object and the real ones; absent where no real object was called for. */
  readonly samples?: readonly SampleReport[];
  /** What probes of the wanted level left out here; absent where that is nothing. */
  readonly notTried?: readonly NotTried[];
}

/** What anyone can look up to agree. */
export interface EvidenceReport {
  readonly object: ObjectRef;
  readonly field?: string;
  readonly value: string;
}

/** A known cure that plans something for a finding. */
export interface RemedyReport {
  readonly id: string;
  readonly title: string;
  readonly command: Command;
  /** It stops the damage and cures nothing. */
  readonly firstAid?: true;
  /** It deletes an object. */
  readonly deletes?: true;
  /** What the facts show speaks against it, or not for it. */
  readonly unsure?: true;
  /** Why the command has a flag that accepts something. */
  readonly because?: string;
}

/** One thing that a check found, with all of its text. */
export interface FindingReport {
  /** `check:callout` or `check:Kind/namespace/name`; unique in a report. */
  readonly id: string;
  readonly check: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly link: ChainLink;
  readonly subject: ObjectRef;
  /** The callout's id (`validating/CONFIGURATION/WEBHOOK`) where the subject is one. */
  readonly callout?: string;
  readonly title: string;
  readonly message: string;
  readonly why: string;
  readonly advice: FilledAdvice;
  readonly evidence: readonly EvidenceReport[];
  /** Check id of the cause, where this finding only follows from it. */
  readonly causedBy?: string;
  /** What `fix` offers for it, the best first. */
  readonly remedies: readonly RemedyReport[];
  /** Of causes and errors: what stops the damage now, and the best cure there is, of the finding or of what follows. */
  readonly next?: readonly (RemedyReport & { readonly when: 'now' | 'fix' })[];
}

/** One break, told once: the callouts that share it, what causes it, and what only follows. */
export interface StoryReport {
  readonly state: CalloutState;
  /** Ids; at least one, those that stop people first. */
  readonly callouts: readonly string[];
  /** Id of the finding that tells it, about the first callout; absent as in the callout. */
  readonly cause?: string;
  /** Ids of findings about further causes of the first callout. */
  readonly also: readonly string[];
  /** Check ids whose findings only follow, over all callouts. */
  readonly follows: readonly string[];
  /** Ids of all the findings that this tells. */
  readonly findings: readonly string[];
}

/** How much was looked at. What was not stands in `notLookedAt`. */
export interface CoverageReport {
  readonly callouts: number;
  /** Pods, and addresses without one, that were connected to. */
  readonly probed: number;
  /** Callouts whose state no probe confirmed, although there is something to probe. */
  readonly notProbed: number;
}

/** A command to type, and what it does. */
export interface NextReport {
  readonly command: Command;
  readonly title: string;
}

/** What every report about callouts says: in which states they are, what was found, and what nobody could look at. */
export interface ReportCore<State extends string> {
  readonly apiVersion: 'kubectl-webhook/v1';
  /** RFC 3339. */
  readonly takenAt: string;
  readonly cluster: ClusterInfo;
  readonly summary: {
    /** `hidden`: broken or unknown by checks that were not asked for; they are in `total` only. */
    readonly callouts: Readonly<Record<State | 'total', number>> & { readonly hidden?: number };
    readonly findings: Readonly<Record<Severity, number>>;
  };
  readonly findings: readonly FindingReport[];
  readonly notLookedAt: readonly NotLookedAt[];
  /** Configurations that were named and hold no webhook: nothing is called for them. */
  readonly withoutWebhooks?: readonly string[];
  /** Webhooks and APIServices that exist and that flags (`-n`, `-l`) left out; absent when none. */
  readonly leftOut?: number;
}

/** The report of `doctor`: the contract that `-o json` prints (docs/schema). New keys may come; these keep their meaning. */
export interface DoctorReport extends ReportCore<CalloutState> {
  readonly kind: 'DoctorReport';
  readonly callouts: readonly CalloutReport[];
  /** What is broken, or cannot be judged, worst first. */
  readonly stories: readonly StoryReport[];
  /** What cannot be done now, the widest first. */
  readonly blocked: readonly OutageReport[];
  /** What passes without being checked or changed now. */
  readonly unchecked: readonly OutageReport[];
  /** What is refused if the calls fail of which nobody knows whether they do. */
  readonly possiblyBlocked: readonly OutageReport[];
  readonly coverage: CoverageReport;
  /** The one command to type next; absent where there is no error and no warning. */
  readonly next?: NextReport;
  /** Only where the question was why an object does not get on. */
  readonly from?: FromReport;
}

/** One webhook or APIService, as objects alone show it. */
export interface ListItem
  extends Pick<
    CalloutReport,
    'kind' | 'configuration' | 'webhook' | 'failurePolicy' | 'timeoutSeconds' | 'backend'
  > {
  /** Endpoints of the Service's port; absent for a URL, and where they could not be read. */
  readonly ready?: { readonly ready: number; readonly total: number };
  /** RFC 3339: when the last certificate of the caBundle ends, and with it whatever it has signed. */
  readonly certificateExpires?: string;
  /** As in doctor, from the lists with which each run begins: nothing was connected to. */
  readonly verdict: Verdict;
  /** In words: what it is sent. */
  readonly intercepts: string;
  /** How many; absent for what has none. */
  readonly rules?: number;
  /** The position in which the API server calls it, from 1; only of mutating webhooks: the others are called at once. */
  readonly order?: number;
  /** What restores the object: `Helm shop/policy`. */
  readonly managedBy?: string;
  /** Of a watch: it was there, and is not any more. The rest is as it was last. */
  readonly deleted?: true;
}

/** The document that `list -o json` prints. */
export interface WebhookList {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'WebhookList';
  readonly takenAt: string;
  readonly cluster: ClusterInfo;
  readonly items: readonly ListItem[];
  readonly notLookedAt: readonly NotLookedAt[];
  readonly leftOut?: number;
}

/** One webhook at one point of a request, as documents have it. */
export interface TraceStepReport extends Omit<TraceStep, 'callout' | 'end' | 'seconds' | 'after' | 'phase'> {
  readonly phase: Exclude<CalloutKind, 'aggregated-api'>;
  readonly configuration: string;
  readonly webhook: string;
  readonly latencyMs?: number;
}

/** Who gave a field its value. */
export interface TracedField {
  /** As kubectl's JSONPath has it: `spec.schedulerName`. */
  readonly path: string;
  readonly value?: unknown;
  /** The webhook whose patch was the last to change it; absent: none did. */
  readonly setBy?: { readonly configuration: string; readonly webhook: string; readonly round: 0 | 1 };
  /** Webhooks that were not called, or may not match: they may set it as well. */
  readonly unknown?: readonly { readonly configuration: string; readonly webhook: string }[];
  /** Mutating webhooks could not be listed: others may set it. */
  readonly unlisted?: boolean;
  /** The value that the stored object has. */
  readonly stored?: unknown;
}

/** What the API server itself said to a dry run of the same object. */
export interface TracedDryRun {
  readonly result: 'admitted' | 'refused';
  readonly message?: string;
  /** Absent where the trace is unknown. */
  readonly agrees?: boolean;
}

/** The document of `kubectl webhook trace -o json`. */
export interface RequestTrace {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'RequestTrace';
  readonly takenAt: string;
  readonly cluster: ClusterInfo;
  readonly request: Pick<
    AdmissionRequest,
    'operation' | 'group' | 'version' | 'resource' | 'namespace' | 'name'
  >;
  readonly user?: RequestUser;
  readonly steps: readonly TraceStepReport[];
  readonly budget: { readonly seconds?: number; readonly spent: number };
  readonly result: Trace['result'];
  /** What the client is told; more than one where validating webhooks race. */
  readonly messages: readonly string[];
  readonly object?: object;
  /** What the patches changed of the object, as YAML; absent where they changed nothing. */
  readonly diff?: string;
  readonly field?: TracedField;
  readonly dryRun?: TracedDryRun;
  /** Why there is no dry run. */
  readonly noDryRun?: string;
  readonly notLookedAt: readonly NotLookedAt[];
}
