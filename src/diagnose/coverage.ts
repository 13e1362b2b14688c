import { groupBy } from '../basics/collections.ts';
import { type Callout, calloutId } from '../facts/callout.ts';
import { refText } from '../facts/object-ref.ts';
import type { Facts } from '../facts/snapshot.ts';
import { type NotLookedAt, type Unread, unreadText } from '../facts/unread.ts';
import { counted, listed } from '../phrases/lists.ts';
import type { CheckResult } from './findings/run-check.ts';
import type { CalloutReport, CoverageReport, NotTried } from './report.ts';
import type { CalloutBeforeStory } from './stories.ts';

const mostNamed = 3;

/** What probes omitted at a webhook or APIService, a line per reason; empty if none was requested. */
export function notTriedAt(callout: Callout, { probes }: Pick<Facts, 'probes'>): readonly NotTried[] {
  const id = calloutId(callout);
  const tried = probes.getIfKnown(id);
  if (tried === undefined) return [];
  const untried = [...tried.notTried, ...tried.replicas.flatMap(({ notTried }) => notTried)];
  const byReason = new Map<string, Set<string>>();
  for (const unread of untried.filter((one) => !(one.why === 'forbidden' || one.why === 'timeout'))) {
    const { why, detail = why } = unread;
    byReason.set(detail, (byReason.get(detail) ?? new Set()).add(unreadText(unread)));
  }
  return [...byReason].map(([why, whats]) => ({ what: listed([...whats], { most: mostNamed }), why }));
}

/** Counts the webhooks, APIServices and Pods that probes connected to. */
export function coverageOf(
  chosen: readonly Callout[],
  parts: readonly CalloutBeforeStory[],
  { probes }: Facts,
): CoverageReport {
  const endpoints = chosen.flatMap((callout) => {
    const { replicas = [], serverName = '', url } = probes.getIfKnown(calloutId(callout)) ?? {};
    const { namespace } = callout.client.service ?? {};
    return [
      ...replicas
        .filter(({ dialogues, proxy }) => dialogues.length > 0 || proxy !== undefined)
        .map(({ pod, endpoint }) => `${namespace}/${pod ?? endpoint}`),
      ...(url === undefined ? [] : [serverName]),
    ];
  });
  const notProbed = parts.filter(
    ({ verdict }) => verdict.state === 'healthy' && verdict.confidence === 'derived',
  );
  return { callouts: chosen.length, probed: new Set(endpoints).size, notProbed: notProbed.length };
}

/** Objects from the command line that no webhook was called with. */
export function notCalledWith(callouts: readonly Pick<CalloutReport, 'samples'>[]): readonly NotLookedAt[] {
  const given = callouts.flatMap(({ samples = [] }) => samples.filter(({ by }) => by === 'given'));
  return [...groupBy(given, ({ object }) => refText(object))].flatMap(([what, alike]) => {
    const detail = alike[0].notCalled;
    if (detail === undefined || alike.some(({ notCalled }) => notCalled === undefined)) return [];
    return [{ what, why: 'not called', detail }];
  });
}

/** The number of webhooks and APIServices that were not evaluated before the deadline. */
export const notEvaluated = (many: number): readonly NotLookedAt[] =>
  many === 0
    ? []
    : [{ what: counted(many, 'more webhook'), why: 'timeout', detail: 'the time limit was reached' }];

/** Checks that crashed, for `notLookedAt`. */
export const crashes = (results: readonly CheckResult[]): readonly NotLookedAt[] =>
  results.flatMap(({ checkId, subject, error }) =>
    error === undefined
      ? []
      : [
          {
            what: `check ${checkId}${subject === undefined ? '' : ` of ${refText(subject)}`}`,
            why: 'internal error',
            detail: error,
          },
        ],
  );

/** Checks that exceeded a limit, once for each reason. */
export function exceededLimits(
  results: readonly CheckResult[],
  known: readonly Unread[],
): readonly NotLookedAt[] {
  const reported = new Set(known.map(({ detail }) => detail));
  const found = results.flatMap(({ unread, subject }) =>
    unread?.why === 'too-large' && typeof unread.what === 'string' && !reported.has(unread.detail)
      ? { ...unread, what: subject === undefined ? unread.what : `${unread.what} of ${refText(subject)}` }
      : [],
  );
  return [...groupBy(found, ({ detail }) => detail)].map(([detail = '', alike]) => ({
    what: listed([...new Set(alike.map(({ what }) => what))], { most: mostNamed }),
    why: 'too-large',
    detail,
  }));
}
