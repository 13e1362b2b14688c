import {
  type CalloutReport,
  type CalloutState,
  calloutStates,
  type DoctorReport,
  type FindingReport,
  type StoryReport,
} from '../diagnose/report.ts';
import { type FilledAdvice, sharedAdvice } from '../facts/advice.ts';
import { calloutId } from '../facts/callout.ts';

/** A story with the callouts and findings that it names by id. */
export interface Story extends Pick<StoryReport, 'state' | 'follows'> {
  readonly callouts: readonly [CalloutReport, ...CalloutReport[]];
  readonly cause: FindingReport | undefined;
  /** The cause of each of its callouts. */
  readonly causes: readonly FindingReport[];
  readonly also: readonly FindingReport[];
}

/** Ids of all callouts, in the order in which they need someone: those of the stories, then the healthy ones. */
export function worstFirst({ callouts, stories }: DoctorReport): readonly string[] {
  const broken = new Set(stories.flatMap((story) => story.callouts));
  return [...broken, ...callouts.map(calloutId).filter((id) => !broken.has(id))];
}

/** The worst state of its webhooks; of a cluster that could not be read: unknown. */
export const worstState = ({ summary, cluster }: DoctorReport): CalloutState =>
  calloutStates.find((state) => summary.callouts[state] > 0) ??
  (cluster.error === undefined ? 'healthy' : 'unknown');

/** The stories of a report, and the findings that none of them tells. */
export function storiesOf({ callouts, findings, stories }: DoctorReport): {
  readonly stories: readonly Story[];
  readonly others: readonly FindingReport[];
} {
  const byId = new Map(callouts.map((callout) => [calloutId(callout), callout]));
  const found = new Map(findings.map((finding) => [finding.id, finding]));
  const named = (ids: readonly string[]) => ids.flatMap((id) => found.get(id) ?? []);
  const shown = new Set(stories.flatMap((story) => story.findings));
  return {
    stories: stories.flatMap((story): readonly Story[] => {
      const [first, ...others] = story.callouts.flatMap((id) => byId.get(id) ?? []);
      if (first === undefined) return [];
      const { state, follows, also } = story;
      const causes = named([first, ...others].map(({ cause = '' }) => cause));
      return [{ state, follows, callouts: [first, ...others], cause: causes[0], causes, also: named(also) }];
    }),
    others: findings.filter(({ id }) => !shown.has(id)),
  };
}

/** What to do about a cause, for all who share it. */
export const adviceOf = (cause: FindingReport, causes: readonly FindingReport[]): FilledAdvice =>
  sharedAdvice([
    cause.advice,
    ...causes.filter(({ check }) => check === cause.check).map(({ advice }) => advice),
  ]);
