import {
  type CalloutReport,
  type CalloutState,
  calloutStates,
  type DoctorReport,
  type FindingReport,
  type MessageValue,
  type NextCommand,
  type StoryReport,
} from '../diagnose/report.ts';
import { byId, calloutId } from '../facts/callout.ts';
import { type FilledAdvice, sharedAdvice } from '../phrases/advice.ts';
import { andMore } from '../phrases/lists.ts';

/** A story with the webhooks and findings behind its ids. */
export interface Story extends Pick<StoryReport, 'state' | 'follows' | 'message'> {
  readonly next: readonly NextCommand[];
  readonly callouts: readonly [CalloutReport, ...CalloutReport[]];
  readonly cause: FindingReport | undefined;
  /** The cause of each of its webhooks. */
  readonly causes: readonly FindingReport[];
  /** The values in its message. */
  readonly values: readonly MessageValue[];
  readonly also: readonly FindingReport[];
  /** Errors of its webhooks that break no call now, if they are part of its block. */
  readonly errors?: readonly FindingReport[];
  /** Warnings of its webhooks about requests that they must not intercept, each with a remedy. */
  readonly tooWide?: readonly FindingReport[];
  /** The moment of the report (RFC 3339). */
  readonly takenAt: string;
  /** Texts that are printed above it: its error is not repeated. */
  readonly above?: readonly string[];
  /** The command that is printed below it. */
  readonly below?: string | undefined;
}

/** Ids of all webhooks and APIServices, worst first: those of the stories, then the healthy ones. */
export function worstFirst({ callouts, stories }: DoctorReport): readonly string[] {
  const broken = new Set(stories.flatMap((story) => story.callouts));
  return [...broken, ...callouts.map(calloutId).filter((id) => !broken.has(id))];
}

/** The worst state of a cluster's webhooks; `unknown` if the cluster could not be read. */
export const worstState = ({ summary, cluster }: DoctorReport): CalloutState =>
  calloutStates.find((state) => summary.callouts[state] > 0) ??
  (cluster.error === undefined ? 'healthy' : 'unknown');

/**
 * The stories of a report, and the findings that are in none of them. An error is left out if a story has it about
 * another webhook of the same Service: a conversion webhook that is not called has the same faults.
 */
export function storiesOf({ callouts, findings, stories, takenAt }: DoctorReport): {
  readonly stories: readonly Story[];
  readonly others: readonly FindingReport[];
} {
  const reports = byId(callouts);
  const found = new Map(findings.map((finding) => [finding.id, finding]));
  const named = (ids: readonly string[]) => ids.flatMap((id) => found.get(id) ?? []);
  const shown = new Set(stories.flatMap((story) => story.findings));
  const fault = ({ check, message, callout = '' }: FindingReport): string => {
    const { namespace, name } = reports.get(callout)?.backend.service ?? {};
    return JSON.stringify([check, message, namespace ?? callout, name]);
  };
  const faults = new Set(named([...shown]).map(fault));
  return {
    stories: stories.flatMap((story): readonly Story[] => {
      const [first, ...others] = story.callouts.flatMap((id) => reports.get(id) ?? []);
      if (first === undefined) return [];
      const { also, next = [], ...told } = story;
      const causes = named([first, ...others].map(({ cause = '' }) => cause));
      const values = causes.flatMap((one) => one.values ?? []);
      const [cause] = causes;
      return [
        { ...told, takenAt, next, callouts: [first, ...others], cause, causes, values, also: named(also) },
      ];
    }),
    others: findings.filter(
      (one) => !shown.has(one.id) && !(one.severity === 'error' && faults.has(fault(one))),
    ),
  };
}

/** The advice of a cause, with the names of all webhooks that share it. */
export const adviceOf = (cause: FindingReport, causes: readonly FindingReport[]): FilledAdvice =>
  sharedAdvice([
    cause.advice,
    ...causes.filter(({ check }) => check === cause.check).map(({ advice }) => advice),
  ]);

/** The cause of a broken webhook in a table: a title; the id of a check without a finding; or why its state is unknown. */
export const causeText = (
  cause: FindingReport | undefined,
  { verdict, notTried = [] }: Pick<CalloutReport, 'verdict' | 'notTried'>,
): string =>
  cause?.title ??
  verdict.because[0] ??
  (verdict.state === 'unknown' && verdict.link === undefined && notTried.length > 0
    ? 'no probe was conclusive'
    : '-');

/** A row of a table of broken webhooks. */
export interface StoryRow {
  readonly callout: CalloutReport;
  readonly cause: FindingReport | undefined;
  /** ` and 4 more`, if the row stands for all webhooks of its cause; else empty. */
  readonly more: string;
}

/** A row for each broken webhook; if there are more than `most`, only for the first one of each cause. */
export function storyRows(stories: readonly Story[], most: number): readonly StoryRow[] {
  const perCause = stories.flatMap(({ callouts }) => callouts).length > most;
  return stories.flatMap(({ callouts, cause }) => {
    const [first, ...others] = callouts;
    if (!perCause) return callouts.map((callout) => ({ callout, cause, more: '' }));
    return { callout: first, cause, more: others.length === 0 ? '' : ` ${andMore(others.length)}` };
  });
}
