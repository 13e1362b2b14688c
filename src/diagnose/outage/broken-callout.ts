import { type Callout, failsOpen } from '../../facts/callout.ts';
import type { FindingReport, OutageReport } from '../report.ts';
import type { CalloutBeforeStory } from '../stories.ts';

/** A webhook or APIService whose next call fails, or fails for some. */
export interface BrokenCallout {
  readonly callout: Callout;
  readonly report: CalloutBeforeStory;
  /** Absent if the failure is assumed. */
  readonly findings?: readonly FindingReport[];
}

/** The same with its state changed from unknown to failing; empty for any other state. */
export const ifItFailed = ({ callout, report }: BrokenCallout): readonly BrokenCallout[] => {
  const { verdict } = report;
  if (verdict.state !== 'unknown') return [];
  const effect = failsOpen(callout) ? 'fails-open' : 'blocks';
  return [{ callout, report: { ...report, verdict: { ...verdict, state: 'failing', effect } } }];
};

/** What an outage stops, before its start is known. */
export interface OutageLine extends Omit<OutageReport, 'since' | 'sign'> {
  /** 0: Pods, which all workloads need, or any resource; 1: other built-in resources; 2: custom resources. */
  readonly weight: number;
}
