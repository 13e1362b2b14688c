import type { AdmissionRequest, Operation, RequestUser } from '../apiserver/admission/admission-request.ts';
import type { Trace } from '../apiserver/trace/trace-request.ts';
import type { TraceStep } from '../apiserver/trace/trace-step.ts';
import type { ChainLink, Severity } from '../checks/chain.ts';
import type { Callout, CalloutKind, FailurePolicy, ServiceReference } from '../facts/callout.ts';
import type { ChangeNote } from '../facts/change-record.ts';
import type { Confidence, Evidence } from '../facts/evidence.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { SampleSource } from '../facts/sample.ts';
import type { ClusterInfo } from '../facts/snapshot.ts';
import type { NotLookedAt } from '../facts/unread.ts';
import type { Replica } from '../facts/workloads/replicas.ts';
import type { Command, FilledAdvice } from '../phrases/advice.ts';

/**
 * States of the next call, worst first: fails, fails at some replicas or for some requests, unknown,
 * succeeds. A known failure outranks an unknown state.
 */
export const calloutStates = ['failing', 'degraded', 'unknown', 'healthy'] as const;
export type CalloutState = (typeof calloutStates)[number];

/** Whether calls fail, all or some of them. */
export const isBroken = (state: CalloutState): boolean => state === 'failing' || state === 'degraded';

/** The effect of a failing backend on matching requests: refused, admitted unchecked, none (not called) */
export const effects = ['blocks', 'fails-open', 'none'] as const;
export type Effect = (typeof effects)[number];

/** The state of one link of a chain. `open`: calls end before it, or it was not examined. */
export type LinkState = 'good' | 'bad' | 'warning' | 'unknown' | 'open';

/** The prediction for the API server's next call over a new connection: whether it succeeds, and why not. */
export interface Verdict {
  readonly state: CalloutState;
  /** The link of the cause; absent if healthy or not known. */
  readonly link?: ChainLink;
  readonly confidence: Confidence;
  /** Check ids, the cause first. Empty when healthy. */
  readonly because: readonly string[];
  /** The error message of the API server, real or predicted; absent if healthy or not predictable. */
  readonly error?: string;
  /** `observed`: from this run, an Event, a condition or a log. `expected`: a prediction. */
  readonly errorFrom?: 'observed' | 'expected';
  readonly effect: Effect;
  /** The configuration excludes every call: no rules, or no second version to convert. */
  readonly neverCalled?: true;
}

/** An object that the Pods of a webhook were called with, as a dry run. */
export interface SampleReport {
  readonly object: ObjectRef;
  /** `made-up`: the test object. */
  readonly by: SampleSource | 'made-up';
  readonly operation: string;
  /** The reason why no Pod was called with it; absent if Pods were called. */
  readonly notCalled?: string;
  /** The response of the API server to a dry run of it: `message` is empty if it was admitted. */
  readonly dryRun?: { readonly status: number; readonly message: string };
}

/** The response of one replica to one of these objects. */
export interface ResponseReport {
  readonly object: ObjectRef;
  readonly operation: string;
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'unknown';
  readonly message?: string;
}

/** One Pod (or bare address) behind a webhook or APIService. */
export interface ReplicaReport extends Omit<Replica, 'state'> {
  /** `ready`, or the failing state in a word or two: `crash-looping`, `image-pull-failing`. */
  readonly state: string;
  readonly leader?: boolean;
  readonly latencyMs?: number;
  readonly error?: string;
  /** Log lines that explain why it does not serve; only for a failing backend. */
  readonly log?: LogReport;
  /** One per sample that the Pod was called with; absent if there are no samples. */
  readonly answers?: readonly ResponseReport[];
}

/** Lines of the log of a container. */
export interface LogReport {
  readonly container: string;
  readonly lines: readonly string[];
  /** The meaning of the last line that is known, and its index. */
  readonly means?: string;
  readonly meantLine?: number;
}

/** A probe that was omitted for a webhook or APIService. */
export interface NotTried {
  readonly what: string;
  /** The reason: text of this program, or an error of the cluster. */
  readonly why: string;
}

/** The backend of a webhook or APIService: a Service, or a URL. */
export interface BackendReport {
  readonly service?: ServiceReference;
  readonly url?: string;
}

/** Work of the cluster that a webhook's rules match. */
export interface StoppedWork {
  /** In words: `new Pods`. */
  readonly what: string;
  /** `CREATE pods`. */
  readonly request: string;
  /** `some`: labels or conditions decide. */
  readonly which: 'all' | 'some';
}

/** A workload whose Pods were refused. */
export interface BlockedWork {
  /** `Deployment shop/cart`. */
  readonly object: string;
  readonly missing: number;
  /** RFC 3339. */
  readonly since?: string;
}

/** The requests and namespaces that a webhook which fails closed blocks while it fails. */
export interface ImpactReport {
  /** Empty: none of the work that every cluster does. */
  readonly stops: readonly StoppedWork[];
  /** `covered`: known namespaces that its selector matches. */
  readonly namespaces: { readonly covered: number; readonly total: number };
  /**
   * Absent if Events were not read, or it does not stop the creation of Pods, or only denies them. Empty if no workload
   * has missing Pods because of it.
   */
  readonly blocked?: readonly BlockedWork[];
  /** Whether its own Pods can be created while it is down. Absent if its workload is not known. */
  readonly comesBack?: 'yes' | 'no' | 'unknown';
  /** Why its own Pods can be created: `its namespaceSelector excludes them`. */
  readonly comesBackBecause?: string;
}

/** Requests that are refused now, or admitted unchecked, and all webhooks and APIServices that cause it. */
export interface OutageReport {
  /** `system`: work of the cluster itself. `requests`: requests of its users. */
  readonly kind: 'system' | 'requests';
  /** `create or update Pods in all namespaces`, `nodes cannot report heartbeats`. */
  readonly what: string;
  /** Work of the cluster itself that cannot wait; deletions of namespaces and autoscalers can. Absent otherwise. */
  readonly urgent?: true;
  /** `some`: labels, conditions or the replica that is called decide. */
  readonly which: 'all' | 'some';
  /** Ids of all callouts that cause it, certain ones first. A fix of only one does not end it. */
  readonly callouts: readonly string[];
  /** Display names: `ConfigMaps`, `any resource`. */
  readonly resources?: readonly string[];
  /** The operations of the requests. Absent for APIServices and conversion webhooks. */
  readonly operations?: readonly Operation[];
  /** `all namespaces`, `namespace shop`; absent for cluster-scoped resources. */
  readonly extent?: string;
  readonly namespaces?: { readonly covered: number; readonly total: number };
  /** RFC 3339: the first sign of it; absent if not known. */
  readonly since?: string;
  /**
   * What `since` is the time of: an Event or a condition about refused requests, the last change of the Pods
   * to not Ready, the last change of EndpointSlices without a ready endpoint, the finding about the cause, or
   * the change that made the webhook fail open.
   */
  readonly sign?: 'seen' | 'pods-not-ready' | 'no-endpoint' | 'cause' | 'failed-open';
  /** The API server's calls just passed over connections that are already open; the next new one fails. */
  readonly notYet?: true;
}

/** A webhook that this program made fail open, according to its record in the cluster. */
export interface OpenedReport extends ChangeNote {
  readonly change: string;
  /** RFC 3339. */
  readonly at: string;
  /** RFC 3339: the planned end. */
  readonly until?: string;
  /** The command that ends it. */
  readonly undo: string;
}

/** The result of `--from`: a stuck object, and the webhooks and APIServices that may block it. */
export interface FromReport {
  /** `Deployment shop/cart`. */
  readonly victim: string;
  /** The number of missing Pods; absent if it creates none. */
  readonly missingPods?: number;
  /** `words`: its status or Events name the callouts. `requests`: their rules match its requests. */
  readonly by: 'words' | 'requests';
  /** The messages that name the webhooks and APIServices; if none does, other messages of the object. */
  readonly words: readonly Evidence[];
  /** Ids of the webhooks and APIServices that this report is about. */
  readonly callouts: readonly string[];
  /** Ids of the webhooks and APIServices that block it, as far as is known. */
  readonly inTheWay: readonly string[];
  /** One sentence. */
  readonly message: string;
  /** If no webhook blocks it: the command that shows the other reasons. */
  readonly next?: NextReport;
}

/** One webhook or APIService and its verdict. */
export interface CalloutReport
  extends Pick<Callout, 'kind' | 'configuration' | 'webhook' | 'index' | 'timeoutSeconds'> {
  /** Absent for conversion webhooks and APIServices: they have none and fail closed. */
  readonly failurePolicy?: FailurePolicy;
  readonly backend: BackendReport;
  readonly verdict: Verdict;
  /** The links that a call passes, in order; then the link of the cause, if it is not one of these. */
  readonly chain: Readonly<Partial<Record<ChainLink, LinkState>>>;
  /** Id of the finding about the cause; absent if healthy, not known, or left out by filters. */
  readonly cause?: string;
  /** Only for webhooks that block requests: those that fail, and those with one Pod left. */
  readonly impact?: ImpactReport;
  readonly opened?: OpenedReport;
  /** Known Pods: from the EndpointSlices, and from Pods if those were read. */
  readonly replicas: readonly ReplicaReport[];
  /** The test object and the real ones; absent if no real object was requested. */
  readonly samples?: readonly SampleReport[];
  /** What probes of the requested level omitted here; absent if nothing. */
  readonly notTried?: readonly NotTried[];
}

/** A remedy that has a plan for a finding. */
export interface RemedyReport {
  readonly id: string;
  readonly title: string;
  readonly command: Command;
  /** It mitigates and does not fix. */
  readonly firstAid?: true;
  /** The arguments of `failopen`, if that is the command: webhooks, or their configurations. */
  readonly opens?: readonly string[];
  /** Only with `opens`: it ends by itself after so many minutes. */
  readonly minutes?: number;
  /** It deletes an object. */
  readonly deletes?: true;
  /** The facts do not support it. */
  readonly unsure?: true;
  /** It only restarts or scales Pods: the cause can return. */
  readonly canRecur?: true;
  /** Calls succeed again, but the cause remains: the manual steps end it. */
  readonly leavesCause?: true;
  /** The flag that confirms a risk, and why the command needs it. */
  readonly flag?: string;
  readonly because?: string;
}

/** A command for a problem: the mitigation, or a fix. */
export interface NextCommand extends RemedyReport {
  readonly when: 'now' | 'fix';
}

/** A value in a message. */
export interface MessageValue {
  readonly text: string;
  /** It stands by itself: after a colon or in parentheses, such as the error of another program. */
  readonly isQuote: boolean;
}

/** One finding of a check, with all of its text. */
export interface FindingReport {
  /** `check:callout` or `check:Kind/namespace/name`; unique in a report. */
  readonly id: string;
  readonly check: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly link: ChainLink;
  readonly subject: ObjectRef;
  /** The id (`validating/CONFIGURATION/WEBHOOK`), if the subject is a webhook or APIService. */
  readonly callout?: string;
  readonly title: string;
  readonly message: string;
  /** The values in the message: what it quotes need not be printed again. In no document. */
  readonly values?: readonly MessageValue[];
  /** The title of the check, if this finding has another one. */
  readonly checkTitle?: string;
  /**
   * Only if the cause is outside of the backend: the sentence without the names of its Pods. Webhooks with an
   * equal one have the same cause.
   */
  readonly sharedMessage?: string;
  readonly why: string;
  readonly advice: FilledAdvice;
  readonly evidence: readonly Evidence[];
  /** RFC 3339: the reported state has existed since then, or longer; absent if no object records it. */
  readonly since?: string;
  /** Check id of the cause, if this finding is only its consequence. */
  readonly causedBy?: string;
  /** Requests are refused whatever the failurePolicy: failing open does not help. */
  readonly refusedAnyway?: true;
  /** While the webhook fails, its own Pods cannot be created. */
  readonly noWayBack?: true;
  /** Requests are admitted unchecked whatever the failurePolicy: the webhook is not called. */
  readonly admittedAnyway?: true;
  /** The remedies that `fix` offers for it, the best first. */
  readonly remedies: readonly RemedyReport[];
  /** Only for causes and errors: the mitigation, and the best fix of the finding or of its consequences. */
  readonly next?: readonly NextCommand[];
}

/** One problem: the webhooks and APIServices that share it, its cause, and its consequences. */
export interface StoryReport {
  readonly state: CalloutState;
  /** Ids; at least one, those that block requests first. */
  readonly callouts: readonly string[];
  /** Id of the finding about the cause, for the first of them; absent as in {@link CalloutReport}. */
  readonly cause?: string;
  /** The cause in a sentence that is true for all of them; absent as `cause`. */
  readonly message?: string;
  /** The mitigations of all of them, then the fixes, at most three of each; absent if there is none. */
  readonly next?: readonly NextCommand[];
  /** Ids of findings about further causes of the first of them. */
  readonly also: readonly string[];
  /** Check ids of consequences, over all of them. */
  readonly follows: readonly string[];
  readonly findings: readonly string[];
}

/** The extent of the examination. Omissions are in `notLookedAt`. */
export interface CoverageReport {
  readonly callouts: number;
  /** Pods, and addresses without one, that were connected to. */
  readonly probed: number;
  /** Webhooks and APIServices whose state no probe confirmed, although there is something to probe. */
  readonly notProbed: number;
}

/** A command to type, and what it does. */
export interface NextReport
  extends Pick<RemedyReport, 'command' | 'title' | 'firstAid' | 'minutes' | 'because'> {
  /** It is a fix: `title` is what the cluster has afterwards. */
  readonly fixes?: true;
}

/** The common part of all reports about a cluster. */
export interface ReportHead {
  readonly apiVersion: 'kubectl-webhook/v1';
  /** RFC 3339. */
  readonly takenAt: string;
  readonly cluster: ClusterInfo;
  readonly notLookedAt: readonly NotLookedAt[];
}

/** The common part of reports about callouts: states, findings, and what could not be read. */
export interface ReportCore<State extends string> extends ReportHead {
  readonly summary: {
    /** `hidden`: not healthy because of checks that filters leave out; counted in `total` only. */
    readonly callouts: Readonly<Record<State | 'total', number>> & { readonly hidden?: number };
    readonly findings: Readonly<Record<Severity, number>>;
  };
  readonly findings: readonly FindingReport[];
  /** Configurations that were named and contain no webhook. */
  readonly withoutWebhooks?: readonly string[];
  /** Number of webhooks and APIServices that flags (`-n`, `-l`) leave out; absent if none. */
  readonly leftOut?: number;
}

/**
 * The report of `doctor`: the contract that `-o json` prints (docs/schema). New keys may be added; existing
 * keys keep their meaning.
 */
export interface DoctorReport extends ReportCore<CalloutState> {
  readonly kind: 'DoctorReport';
  readonly callouts: readonly CalloutReport[];
  /** Problems and unknown states, worst first. */
  readonly stories: readonly StoryReport[];
  /** Requests that are refused now, the widest first. */
  readonly blocked: readonly OutageReport[];
  /** Requests that are admitted now without being checked or changed. */
  readonly unchecked: readonly OutageReport[];
  /** Requests that are refused if the webhooks and APIServices with state unknown fail. */
  readonly possiblyBlocked: readonly OutageReport[];
  readonly coverage: CoverageReport;
  /** The next command to run; absent if there is no error and no warning. */
  readonly next?: NextReport;
  /** Only with `--from`. */
  readonly from?: FromReport;
}

/** One webhook or APIService in `list`, without probes. */
export interface ListItem
  extends Pick<
    CalloutReport,
    'kind' | 'configuration' | 'webhook' | 'failurePolicy' | 'timeoutSeconds' | 'backend'
  > {
  /** Endpoints of the Service's port; absent for a URL, and if they could not be read. */
  readonly ready?: { readonly ready: number; readonly total: number };
  /** RFC 3339: the expiry of the last certificate of the caBundle. */
  readonly certificateExpires?: string;
  /** As in doctor, but only from the first lists of a run: no probes. */
  readonly verdict: Verdict;
  /** The resources and namespaces for which it is called, as text. */
  readonly intercepts: string;
  /** The number of rules; absent for APIServices and conversion webhooks. */
  readonly rules?: number;
  /** The position in which the API server calls it, from 1; others than mutating are called in parallel. */
  readonly order?: number;
  /** The controller that restores the object: `Helm shop/policy`. */
  readonly managedBy?: string;
  /** Only in a watch: it was deleted. The other fields have their last values. */
  readonly deleted?: true;
}

/** The document that `list -o json` prints. */
export interface WebhookList extends ReportHead {
  readonly kind: 'WebhookList';
  readonly items: readonly ListItem[];
  readonly leftOut?: number;
}

/** One webhook at one point of a request, in the form that `-o json` prints. */
export interface TraceStepReport extends Omit<TraceStep, 'callout' | 'end' | 'seconds' | 'after' | 'phase'> {
  readonly phase: Exclude<CalloutKind, 'aggregated-api'>;
  readonly configuration: string;
  readonly webhook: string;
  readonly latencyMs?: number;
}

/** The webhook that set the value of a field. */
export interface TracedField {
  /** In kubectl's JSONPath syntax: `spec.schedulerName`. */
  readonly path: string;
  readonly value?: unknown;
  /** The webhook whose patch was the last to change it; absent: none did. */
  readonly setBy?: { readonly configuration: string; readonly webhook: string; readonly round: 0 | 1 };
  /** Webhooks that were not called, or may not match: they may set it as well. */
  readonly unknown?: readonly { readonly configuration: string; readonly webhook: string }[];
  /** Mutating webhooks could not be listed: others may set it. */
  readonly unlisted?: boolean;
  /** The value in the stored object. */
  readonly stored?: unknown;
}

/** The response of the API server to a dry run of the same object. */
export interface TracedDryRun {
  readonly result: 'admitted' | 'refused';
  readonly message?: string;
  /** Absent if the trace is unknown. */
  readonly agrees?: boolean;
}

/** The document of `kubectl webhook trace -o json`. */
export interface RequestTrace extends ReportHead {
  readonly kind: 'RequestTrace';
  readonly request: Pick<
    AdmissionRequest,
    'operation' | 'group' | 'version' | 'resource' | 'namespace' | 'name'
  >;
  readonly user?: RequestUser;
  readonly steps: readonly TraceStepReport[];
  readonly budget: { readonly seconds?: number; readonly spent: number };
  readonly result: Trace['result'];
  /** The messages that the client can get; several if validating webhooks race. */
  readonly messages: readonly string[];
  readonly object?: object;
  /** The difference that patches made to the object, as YAML; absent if none. */
  readonly diff?: string;
  readonly field?: TracedField;
  readonly dryRun?: TracedDryRun;
  readonly noDryRun?: string;
}
