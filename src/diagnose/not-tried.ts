import { type Callout, calloutId } from '../facts/callout.ts';
import type { Facts } from '../facts/snapshot.ts';
import { type Unread, unreadText } from '../facts/unread.ts';
import type { NotTried } from './report.ts';

/** What nobody had the right or the time for is told once for the whole run, in `notLookedAt`. */
const isToldElsewhere = ({ why }: Unread): boolean => why === 'forbidden' || why === 'timeout';

const mostNamed = 3;

const named = (things: readonly string[]): string => {
  const shown = things.slice(0, mostNamed).join(', ');
  const more = things.length - mostNamed;
  return more > 0 ? `${shown} and ${more} more` : shown;
};

/** What probes left out at a callout, one line per reason; empty where nothing was to be probed. */
export function notTriedAt(callout: Callout, { probes }: Pick<Facts, 'probes'>): readonly NotTried[] {
  const id = calloutId(callout);
  const tried = probes.getIfKnown(id);
  if (tried === undefined) return [];
  const left = [...tried.notTried, ...tried.replicas.flatMap(({ notTried }) => notTried)];
  const byReason = new Map<string, Set<string>>();
  for (const unread of left.filter((one) => !isToldElsewhere(one))) {
    const { why, detail = why } = unread;
    byReason.set(detail, (byReason.get(detail) ?? new Set()).add(unreadText(unread)));
  }
  return [...byReason].map(([why, whats]) => ({ what: named([...whats]), why }));
}
