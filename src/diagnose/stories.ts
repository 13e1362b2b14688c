import { calloutId } from '../facts/callout.ts';
import { groupBy } from '../facts/group-by.ts';
import { byRank } from './cause.ts';
import { chainStates, unreadLinks } from './chain.ts';
import { isUrgent } from './outage.ts';
import {
  type CalloutReport,
  calloutStates,
  type DoctorReport,
  effects,
  type FindingReport,
  type StoryReport,
} from './report.ts';

/** A callout that is not healthy, and the findings that tell why. */
interface Chapter {
  readonly callout: CalloutReport;
  readonly cause: FindingReport | undefined;
  readonly also: readonly FindingReport[];
  readonly follows: readonly FindingReport[];
}

/** A callout before it is known what is told of it. */
export type CalloutBeforeStory = Omit<CalloutReport, 'chain' | 'cause'>;

/** What the callouts of a report refuse and let pass. */
type Outages = Pick<DoctorReport, 'blocked' | 'unchecked'>;

/** Causes of a callout's state, first the one that its verdict names first. */
function causesOf({ verdict: { because } }: CalloutBeforeStory, findings: readonly FindingReport[]) {
  const causes = findings.filter(({ check, causedBy }) => causedBy === undefined && because.includes(check));
  const cause = causes.find(({ check }) => check === because[0]) ?? causes[0];
  return { cause, also: causes.filter((finding) => finding !== cause) };
}

const backendOf = ({ backend: { service, url } }: CalloutReport): string =>
  service === undefined ? (url ?? '') : `${service.namespace}/${service.name}`;

/**
 * Same words, same cause; the callout's own (dotted) name in them makes no difference. Words that do not say which
 * backend they are about are only the same for the same backend.
 */
function identity({ callout, cause }: Chapter): string {
  const { state, link, because } = callout.verdict;
  if (cause === undefined)
    return JSON.stringify([state, link, because, state === 'unknown' ? '' : backendOf(callout)]);
  const { webhook, backend } = callout;
  const message = webhook.includes('.') ? cause.message.replaceAll(webhook, '{}') : cause.message;
  const saysWhere = backend.service !== undefined && message.includes(backend.service.namespace);
  return JSON.stringify([state, cause.check, message, saysWhere ? '' : backendOf(callout)]);
}

type Rank = (chapter: Chapter) => readonly number[];

/**
 * Blast radius: requests are refused before they pass unchecked, the cluster itself cannot work (deletions of namespaces can
 * wait) before its users cannot,
 * all requests fail before some, then in how many namespaces; else in the order of the outages.
 */
function blastRadius({ blocked, unchecked }: Outages): Rank {
  const of = new Map<string, { first: number; system: boolean; namespaces: number; lines: number }>();
  for (const [at, outage] of [...blocked, ...unchecked].entries()) {
    const { callouts, namespaces, which } = outage;
    for (const id of callouts) {
      const before = of.get(id) ?? { first: at, system: false, namespaces: 0, lines: 0 };
      of.set(id, {
        first: before.first,
        system: before.system || isUrgent(outage),
        namespaces: Math.max(before.namespaces, which === 'all' ? (namespaces?.covered ?? 0) : 0),
        lines: before.lines + 1,
      });
    }
  }
  return ({ callout }) => {
    const { state, effect } = callout.verdict;
    const found = of.get(calloutId(callout));
    return [
      state === 'unknown' ? 1 : 0,
      effects.indexOf(effect),
      found?.system ? 0 : 1,
      calloutStates.indexOf(state),
      -(found?.namespaces ?? 0),
      -(found?.lines ?? 0),
      found?.first ?? 0,
    ];
  };
}

const ids = (findings: readonly FindingReport[]): readonly string[] => findings.map(({ id }) => id);

function story(chapters: readonly [Chapter, ...Chapter[]]): StoryReport {
  const [{ callout, cause, also }] = chapters;
  const findings = chapters.flatMap((one) => [
    ...(one.cause ? [one.cause] : []),
    ...one.also,
    ...one.follows,
  ]);
  return {
    state: callout.verdict.state,
    callouts: chapters.map((chapter) => calloutId(chapter.callout)),
    ...(cause === undefined ? {} : { cause: cause.id }),
    also: ids(also),
    follows: [...new Set(chapters.flatMap(({ follows }) => follows.map(({ check }) => check)))],
    findings: ids(findings),
  };
}

/**
 * The report with what a reader is told: how far a call to each callout gets, what causes its state, and the callouts that
 * are not healthy, grouped by what is wrong with them.
 *
 * @param hidden ids of those whose state only checks explain that were not asked for.
 */
export function withStories(
  report: Omit<DoctorReport, 'callouts' | 'stories'> & { readonly callouts: readonly CalloutBeforeStory[] },
  hidden: ReadonlySet<string> = new Set(),
): DoctorReport {
  const about = groupBy(report.findings, ({ callout }) => callout);
  const isUnread = unreadLinks(report.notLookedAt);
  const chapters = report.callouts.map((reported): Chapter => {
    const found = about.get(calloutId(reported)) ?? [];
    const { cause, also } = causesOf(reported, found);
    const chain = chainStates(reported, found, isUnread);
    const callout = { ...reported, chain, ...(cause === undefined ? {} : { cause: cause.id }) };
    return { callout, cause, also, follows: found.filter(({ causedBy }) => causedBy !== undefined) };
  });
  const broken = chapters.filter(
    ({ callout }) => callout.verdict.state !== 'healthy' && !hidden.has(calloutId(callout)),
  );
  const rank = blastRadius(report);
  const { notLookedAt, ...rest } = report;
  return {
    ...rest,
    callouts: chapters.map(({ callout }) => callout),
    stories: [...groupBy(broken, identity).values()]
      .map((group) => [...group].sort(byRank(rank)) as [Chapter, ...Chapter[]])
      .sort(byRank((group) => [...rank(group[0]), -group.length]))
      .map(story),
    notLookedAt,
  };
}
