import type { CalloutState, Effect, FindingReport, ImpactReport, ReportCore } from '../diagnose/report.ts';
import type { ClusterInfo } from '../facts/snapshot.ts';
import type { NotLookedAt } from '../facts/unread.ts';

/** One thing that was assumed. */
export interface AssumptionReport {
  readonly assume: 'down' | 'cold-start' | 'upgrade' | 'set' | 'delete';
  /** In words: `Deployment shop/policy has no Pods`. */
  readonly text: string;
}

/** What becomes of one webhook or APIService. */
export interface StateChange {
  /** Id. */
  readonly callout: string;
  readonly from: CalloutState;
  /** `absent`: deleted. */
  readonly to: CalloutState | 'absent';
  /** What its failure does to requests, before and after. */
  readonly effect: { readonly from: Effect; readonly to: Effect };
  /** It blocks, or lets pass unchecked, what it did not before. */
  readonly worse: boolean;
  /** Check ids, the cause first. */
  readonly because: readonly string[];
  /** What the API server would say; absent where no text can be predicted. */
  readonly error?: string;
  /** What cannot be done any more: `create Pods in every namespace`. */
  readonly blocks: readonly string[];
  /** What can be done again. */
  readonly frees: readonly string[];
  /** What passes without being checked or changed. */
  readonly unchecked: readonly string[];
  /** The facts that the prediction rests on. */
  readonly restsOn: readonly string[];
}

/** One link of a deadlock. */
export interface CycleStep {
  /** `Deployment shop/policy`. */
  readonly workload: string;
  /** `CREATE pods`, which must pass the webhook; without one, what a workload of the system provides. */
  readonly needs: string;
  /** Id. */
  readonly webhook?: string;
  /** The webhook fails whether or not its Pods run. */
  readonly fails?: true;
}

/** Workloads that nothing but a person can start. */
export interface StuckReport {
  /** Each needs the next one, the last needs the first. */
  readonly cycle: readonly CycleStep[];
  /** What starts as soon as the cycle is open. */
  readonly waiting: readonly string[];
  /** The command that opens it; absent where no failurePolicy does. */
  readonly opens?: string;
}

/** The start-up of workloads after an outage. */
export interface RecoveryReport {
  /** Workloads that can start together, round by round. */
  readonly order: readonly (readonly string[])[];
  readonly stuck: readonly StuckReport[];
  /** No Pod of them is wanted, or no controller makes them. */
  readonly notRecreated: readonly string[];
  /** Whether they start depends on what was not looked at. */
  readonly unknown: readonly {
    readonly workload: string;
    readonly needs?: string;
    readonly webhook?: string;
  }[];
  /** What must serve before what, the first hundreds: for a picture. */
  readonly dependencies: readonly DependencyReport[];
}

/** A workload that must serve before Pods of another one start. */
export interface DependencyReport {
  readonly workload: string;
  readonly on: string;
  /** `CREATE pods`, or what a workload of the system provides. */
  readonly needs: string;
  /** Id; absent of what the system provides. */
  readonly webhook?: string;
}

/** What the loss of one backend would do. */
export interface RankedLoss {
  readonly rank: number;
  /** `Service shop/policy`, or a URL. */
  readonly backend: string;
  /** Ids of the webhooks and APIServices that it serves. */
  readonly callouts: readonly string[];
  readonly effect: Effect;
  /** Endpoints that can be called now; absent for a URL, or if not read. */
  readonly ready?: number;
  /** It fails now. */
  readonly failing: boolean;
  readonly blocks: readonly string[];
  readonly unchecked: readonly string[];
  /** Of webhooks that block. */
  readonly namespaces?: ImpactReport['namespaces'];
  /** Other workloads whose Pods cannot start meanwhile, of those that were read. */
  readonly stops: readonly string[];
  /** Whether its own Pods can be recreated. */
  readonly comesBack: 'yes' | 'no' | 'unknown';
}

/** The document of `kubectl webhook what-if`. */
export interface WhatIfReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'WhatIfReport';
  readonly takenAt: string;
  readonly cluster: ClusterInfo;
  readonly assume: readonly AssumptionReport[];
  readonly before: ReportCore<CalloutState>['summary'];
  readonly after: ReportCore<CalloutState>['summary'];
  readonly changes: readonly StateChange[];
  /** Errors and warnings that doctor would report afterwards, and does not now; without those that only follow. */
  readonly findings: readonly FindingReport[];
  /** Ids of errors and warnings that doctor would not report any more. */
  readonly resolved: readonly string[];
  readonly recovery?: RecoveryReport;
  /** The widest loss first. */
  readonly ranking?: readonly RankedLoss[];
  readonly notLookedAt: readonly NotLookedAt[];
}
