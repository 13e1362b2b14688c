import type { Callout } from '../../facts/callout.ts';
import type { CalloutProbes, ProxyResponse } from '../../facts/probes.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import type { ClusterProber } from '../cluster.ts';
import type { DryRunResult } from './api-server/dry-run.ts';
import type { BodyBytes } from './connection/post-review.ts';
import type { PeerResult, ProbePayload } from './connection/probe-peer.ts';
import type { CalloutPayload } from './payload.ts';
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
  readonly payload?: (callout: Callout) => CalloutPayload;
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
  'takenAt' | 'version' | 'callouts' | 'services' | 'endpointSlices' | 'namespaces' | 'served'
>;

/** The state that all parts of one run of probes share. */
export interface ProbeRun {
  readonly prober: ClusterProber;
  readonly facts: ProbePlanFacts;
  readonly plan: ProbePlan;
  readonly signal: AbortSignal;
  readonly refused: Refusals;
  readonly kept: BodyBytes;
  readonly slot: <T>(task: () => Promise<T>) => Promise<T>;
  readonly connections: (key: string, make: () => Promise<PeerResult>) => Promise<PeerResult>;
  readonly proxies: (
    key: string,
    make: () => Promise<ProxyResponse | Unread>,
  ) => Promise<ProxyResponse | Unread>;
  /** The first GET to a Pod of each Service, by namespace and name of the Service. */
  readonly firstGets: Map<string, Promise<ProxyResponse | Unread>>;
  /** Whether Services have other ready endpoints than those in `facts`, by namespace and name of the Service. */
  readonly replaced: Map<string, Promise<boolean>>;
  readonly dryRuns: (key: string, make: () => Promise<DryRunResult>) => Promise<DryRunResult>;
  /** The webhooks and APIServices of each peer, by its key. */
  readonly payloads: ReadonlyMap<string, readonly TimedPayload[]>;
}

/** The part of one webhook or APIService at a peer. */
export interface TimedPayload {
  readonly payload: ProbePayload;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A reason instead of a value. */
export const isUnread = (value: object): value is Unread => 'why' in value && 'what' in value;

/** Returns `value`, or a reason if the run ended. Other errors are bugs and are thrown. */
export async function orCutOff<T>(run: ProbeRun, what: string, task: () => Promise<T>): Promise<T | Unread> {
  if (run.signal.aborted) return cutOff(what, run.prober.ended);
  try {
    return await task();
  } catch (error) {
    if (run.signal.aborted) return cutOff(what, run.prober.ended);
    throw error;
  }
}
