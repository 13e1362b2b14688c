import type { CalloutReport, CalloutState, DoctorReport, FindingReport } from '../diagnose/report.ts';
import { calloutId } from '../facts/callout.ts';
import { groupBy } from './group-by.ts';
import { effects, states } from './worst-first.ts';

/** One break, told once: the callouts that share it, what causes it, and what only follows. */
export interface Story {
  readonly state: CalloutState;
  /** At least one; those that stop people first. */
  readonly callouts: readonly [CalloutReport, ...CalloutReport[]];
  /** Of the first callout. Absent when nothing tells, or when the finding was not asked for. */
  readonly cause: FindingReport | undefined;
  /** Further causes of the first callout, told in one sentence each. */
  readonly also: readonly FindingReport[];
  /** Check ids whose findings only follow, over all callouts. */
  readonly follows: readonly string[];
  /** Every finding that this story tells, of all its callouts. */
  readonly told: ReadonlySet<FindingReport>;
}

interface Chapter {
  readonly callout: CalloutReport;
  readonly cause: FindingReport | undefined;
  readonly also: readonly FindingReport[];
  readonly follows: readonly FindingReport[];
}

function chapter(callout: CalloutReport, findings: readonly FindingReport[]): Chapter {
  const { because } = callout.verdict;
  const causes = findings.filter(({ check, causedBy }) => causedBy === undefined && because.includes(check));
  const cause = causes.find(({ check }) => check === because[0]) ?? causes[0];
  return {
    callout,
    cause,
    also: causes.filter((finding) => finding !== cause),
    follows: findings.filter(({ causedBy }) => causedBy !== undefined),
  };
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

const rank = ({ state, callouts }: Story): readonly number[] => [
  states.indexOf(state),
  Math.min(...callouts.map(({ verdict }) => effects.indexOf(verdict.effect))),
  -callouts.length,
];

function worstFirst(a: Story, b: Story): number {
  const [left, right] = [rank(a), rank(b)];
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

function story(chapters: readonly [Chapter, ...Chapter[]]): Story {
  const sorted = [...chapters].sort(
    (a, b) => effects.indexOf(a.callout.verdict.effect) - effects.indexOf(b.callout.verdict.effect),
  );
  const first = sorted[0] ?? chapters[0];
  const [, ...others] = sorted.map(({ callout }) => callout);
  return {
    state: first.callout.verdict.state,
    callouts: [first.callout, ...others],
    cause: first.cause,
    also: first.also,
    follows: [...new Set(chapters.flatMap(({ follows }) => follows.map(({ check }) => check)))],
    told: new Set(
      chapters.flatMap(({ cause, also, follows }) => [...(cause ? [cause] : []), ...also, ...follows]),
    ),
  };
}

/** The callouts that are not healthy, grouped by what is wrong with them, worst first. */
export function stories(report: DoctorReport): readonly Story[] {
  const findings = groupBy(report.findings, ({ callout }) => callout);
  const chapters = report.callouts
    .filter(({ verdict }) => verdict.state !== 'healthy')
    .map((callout) => chapter(callout, findings.get(calloutId(callout)) ?? []));
  return [...groupBy(chapters, identity).values()].map(story).sort(worstFirst);
}
