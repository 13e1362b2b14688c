import type { Callout } from '../../facts/callout.ts';
import type { CalloutProbes, ProxyResponse } from '../../facts/probes.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import type { ClusterProber } from '../cluster-prober.ts';
import type { ConversationResult, ProbeQuestion } from './conversation.ts';
import type { Sent } from './dry-run.ts';
import type { KeptBytes } from './post-review.ts';
import type { CalloutQuestion } from './question.ts';
import type { Refusals } from './refusals.ts';
import { cutOff } from './unread.ts';

/** Options of a run of probes. */
export interface ProbePlan {
  readonly level: CalloutProbes['level'];
  /** Connect to replicas only: no proxies, no dry runs, no discovery. */
  readonly replicasOnly?: boolean;
  /** Results of earlier runs, used again while they are recent and the replicas are the same. */
  readonly remembered?: RememberedProbes;
  /** Replaces the review of the test object. */
  readonly question?: (callout: Callout) => CalloutQuestion;
  readonly onStage?: (stage: string) => void;
}

/** A cache of the results of each callout, for repeated runs. */
export interface RememberedProbes {
  /** `about`: everything that decides what is connected to. */
  recall(id: string, about: string): CalloutProbes | undefined;
  remember(id: string, about: string, probes: CalloutProbes): void;
}

/** The facts that decide which servers are probed, and how. */
export type ProbePlanFacts = Pick<
  Facts,
  'version' | 'callouts' | 'services' | 'endpointSlices' | 'namespaces' | 'served'
>;

/** What all parts of one run of probes share. */
export interface Run {
  readonly prober: ClusterProber;
  readonly facts: ProbePlanFacts;
  readonly plan: ProbePlan;
  readonly signal: AbortSignal;
  readonly refused: Refusals;
  readonly kept: KeptBytes;
  readonly slot: <T>(task: () => Promise<T>) => Promise<T>;
  readonly conversations: (
    key: string,
    make: () => Promise<ConversationResult>,
  ) => Promise<ConversationResult>;
  readonly proxies: (
    key: string,
    make: () => Promise<ProxyResponse | Unread>,
  ) => Promise<ProxyResponse | Unread>;
  readonly dryRuns: (key: string, make: () => Promise<Sent>) => Promise<Sent>;
  /** Who talks to whom, by the conversation's key. */
  readonly partners: ReadonlyMap<string, readonly Partner[]>;
}

/** One callout's part at a peer. */
export interface Partner {
  readonly question: ProbeQuestion;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A reason instead of a value. */
export const isUnread = (value: object): value is Unread => 'why' in value && 'what' in value;

/** `value`, or why there is none because everything ended. Other errors are ours. */
export async function orCutOff<T>(run: Run, what: string, task: () => Promise<T>): Promise<T | Unread> {
  if (run.signal.aborted) return cutOff(what, run.prober.ended);
  try {
    return await task();
  } catch (error) {
    if (run.signal.aborted) return cutOff(what, run.prober.ended);
    throw error;
  }
}
