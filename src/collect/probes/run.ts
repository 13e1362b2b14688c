import type { Callout } from '../../facts/callout.ts';
import type { CalloutProbes, ProxyResponse } from '../../facts/probes.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import type { ClusterProber } from '../cluster.ts';
import type { Sent } from './api-server/dry-run.ts';
import type { BodyBytes } from './connection/post-review.ts';
import type { ConversationResult, ProbeQuestion } from './connection/probe-peer.ts';
import type { CalloutQuestion } from './question.ts';
import type { Refusals } from './refusals.ts';
import { cutOff } from './unread.ts';

/** Options of a run of probes. */
export interface ProbePlan {
  readonly level: CalloutProbes['level'];
  /** Connect to Pods only: no proxies, no dry runs, no discovery. */
  readonly replicasOnly?: boolean;
  /** Results of earlier runs, which are reused while they are recent and the Pods are the same. */
  readonly remembered?: RememberedProbes;
  /** Replaces the review of the test object. */
  readonly question?: (callout: Callout) => CalloutQuestion;
  readonly onStage?: (stage: string) => void;
}

/** A cache of the results of each webhook or APIService, for repeated runs. */
export interface RememberedProbes {
  /** `about`: everything that decides where probes connect to. */
  recall(id: string, about: string): CalloutProbes | undefined;
  remember(id: string, about: string, probes: CalloutProbes): void;
}

/** The facts that decide which servers are probed, and how. */
export type ProbePlanFacts = Pick<
  Facts,
  'version' | 'callouts' | 'services' | 'endpointSlices' | 'namespaces' | 'served'
>;

/** The state that all parts of one run of probes share. */
export interface Run {
  readonly prober: ClusterProber;
  readonly facts: ProbePlanFacts;
  readonly plan: ProbePlan;
  readonly signal: AbortSignal;
  readonly refused: Refusals;
  readonly kept: BodyBytes;
  readonly slot: <T>(task: () => Promise<T>) => Promise<T>;
  readonly conversations: (
    key: string,
    make: () => Promise<ConversationResult>,
  ) => Promise<ConversationResult>;
  readonly proxies: (
    key: string,
    make: () => Promise<ProxyResponse | Unread>,
  ) => Promise<ProxyResponse | Unread>;
  /** The first GET to a Pod of each Service, by namespace and name of the Service. */
  readonly firstGets: Map<string, Promise<ProxyResponse | Unread>>;
  readonly dryRuns: (key: string, make: () => Promise<Sent>) => Promise<Sent>;
  /** The webhooks and APIServices of each conversation, by its key. */
  readonly partners: ReadonlyMap<string, readonly Partner[]>;
}

/** The part of one webhook or APIService at a peer. */
export interface Partner {
  readonly question: ProbeQuestion;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A reason instead of a value. */
export const isUnread = (value: object): value is Unread => 'why' in value && 'what' in value;

/** Returns `value`, or a reason if the run ended. Other errors are bugs and are thrown. */
export async function orCutOff<T>(run: Run, what: string, task: () => Promise<T>): Promise<T | Unread> {
  if (run.signal.aborted) return cutOff(what, run.prober.ended);
  try {
    return await task();
  } catch (error) {
    if (run.signal.aborted) return cutOff(what, run.prober.ended);
    throw error;
  }
}
