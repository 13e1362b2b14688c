import type {
  CalloutState,
  Effect,
  FindingReport,
  ImpactReport,
  ReportCore,
  ReportHead,
} from '../diagnose/report.ts';

/** An assumption of the report. */
export interface AssumptionReport {
  readonly assume: 'down' | 'cold-start' | 'upgrade' | 'set' | 'delete';
  /** A description: `Deployment shop/policy has no Pods`. */
  readonly text: string;
}

/** The change of a webhook's or APIService's state. */
export interface StateChange {
  /** Id. */
  readonly callout: string;
  readonly from: CalloutState;
  /** `absent`: deleted. */
  readonly to: CalloutState | 'absent';
  /** The effect of its failure on requests, before and after. */
  readonly effect: { readonly from: Effect; readonly to: Effect };
  /** It blocks requests, or admits unchecked ones, that it did not before. */
  readonly worse: boolean;
  /** Check ids, the cause first. */
  readonly because: readonly string[];
  /** The API server's expected error; absent if it cannot be predicted. */
  readonly error?: string;
  /** Requests that are no longer possible: `create Pods in all namespaces`. */
  readonly blocks: readonly string[];
  /** Requests that are possible again. */
  readonly frees: readonly string[];
  /** Requests that are admitted without being checked or changed. */
  readonly unchecked: readonly string[];
  /** The facts on which the prediction is based. */
  readonly restsOn: readonly string[];
}

/** A link of a deadlock. */
export interface CycleStep {
  /** `Deployment shop/policy`. */
  readonly workload: string;
  /** The dependency: `CREATE pods`, with its webhook, if any; else what a workload of the system provides. */
  readonly needs: string;
  /** Id of the webhook. */
  readonly webhook?: string;
  /** The webhook fails whether or not its Pods run. */
  readonly fails?: true;
}

/** Workloads that only a manual change can start. */
export interface StuckReport {
  /** Each depends on the next one, the last on the first. */
  readonly cycle: readonly CycleStep[];
  /** Workloads that start after the cycle is broken. */
  readonly waiting: readonly string[];
  /** The command that breaks it; absent if no failurePolicy does. */
  readonly opens?: string;
}

/** The start-up of workloads after an outage. */
export interface RecoveryReport {
  /** Rounds of workloads that can start together. */
  readonly order: readonly (readonly string[])[];
  readonly stuck: readonly StuckReport[];
  /** They have no replicas, or no controller creates their Pods. */
  readonly notRecreated: readonly string[];
  /** Whether they start depends on facts that were not read. */
  readonly unknown: readonly {
    readonly workload: string;
    readonly needs?: string;
    readonly webhook?: string;
  }[];
  /** Dependencies between workloads, limited to some hundreds: for a picture. */
  readonly dependencies: readonly DependencyReport[];
}

/** A workload that must serve before another one's Pods start. */
export interface DependencyReport {
  readonly workload: string;
  readonly on: string;
  /** `CREATE pods`, or what a workload of the system provides. */
  readonly needs: string;
  /** Id of the webhook; absent for a workload of the system. */
  readonly webhook?: string;
}

/** The effects of the loss of one backend. */
export interface RankedLoss {
  readonly rank: number;
  /** `Service shop/policy`, or a URL. */
  readonly backend: string;
  /** `shop/policy`; absent for a URL. */
  readonly service?: string;
  /** Ids of the webhooks and APIServices that it serves. */
  readonly callouts: readonly string[];
  readonly effect: Effect;
  /** Number of endpoints that accept connections now; absent for a URL, or if not read. */
  readonly ready?: number;
  /** Its calls fail now. */
  readonly failing: boolean;
  readonly blocks: readonly string[];
  readonly unchecked: readonly string[];
  /** Of those webhooks that block. */
  readonly namespaces?: ImpactReport['namespaces'];
  /** Other workloads whose Pods cannot start meanwhile, as far as they were read. */
  readonly stops: readonly string[];
  /** Whether its own Pods can be recreated. */
  readonly comesBack: 'yes' | 'no' | 'unknown';
}

/** The document of `kubectl webhook what-if`. */
export interface WhatIfReport extends ReportHead {
  readonly kind: 'WhatIfReport';
  readonly assume: readonly AssumptionReport[];
  readonly before: ReportCore<CalloutState>['summary'];
  readonly after: ReportCore<CalloutState>['summary'];
  readonly changes: readonly StateChange[];
  /** New errors and warnings in doctor's report, without those that are only consequences. */
  readonly findings: readonly FindingReport[];
  /** Ids of errors and warnings that are no longer in doctor's report. */
  readonly resolved: readonly string[];
  readonly recovery?: RecoveryReport;
  /** The worst loss first. */
  readonly ranking?: readonly RankedLoss[];
}
