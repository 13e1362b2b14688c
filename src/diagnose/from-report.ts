import type { Trail } from '../apiserver/trail.ts';
import { calloutId } from '../facts/callout.ts';
import { refText } from '../facts/object-ref.ts';
import type { Victim, Words } from '../facts/victim.ts';
import type { CalloutReport, EvidenceReport, FromReport } from './report.ts';

/** What is said of an object although no callout is named: as much as anyone reads. */
const shown = 3;

const evidence = ({ object, field, value }: Words): EvidenceReport => ({
  object: refText(object),
  field,
  value,
});

/** Each sentence once. */
const distinct = (words: readonly Words[]): readonly Words[] => [
  ...new Map(words.map((one) => [one.value, one])).values(),
];

const are = (count: number): string => (count === 1 ? '1 callout is' : `${count} callouts are`);

const holds = ({ verdict: { state, effect } }: CalloutReport): boolean =>
  (state === 'failing' || state === 'degraded') && effect === 'blocks';

/** The answer in a sentence. */
function messageFor(
  victim: Victim,
  { by }: Trail,
  callouts: readonly CalloutReport[],
  inTheWay: readonly string[],
): string {
  const object = refText(victim.ref);
  if (victim.unread !== undefined) return `${object} could not be looked at`;
  if (by === 'words') {
    const names = inTheWay.join(', ');
    return callouts.every(({ verdict }) => verdict.state === 'healthy')
      ? `What is said of ${object} names ${names}, which answers now: what failed is tried again`
      : `What is said of ${object} names ${names}`;
  }
  if (inTheWay.length > 0) {
    return `Nothing that is said of ${object} names a webhook; ${are(callouts.length)} asked about what it needs, and of those ${inTheWay.join(', ')} ${inTheWay.length === 1 ? 'fails' : 'fail'}`;
  }
  if (callouts.length === 0) return `No webhook stands in the way of ${object}: none is asked about it`;
  const unknown = callouts.filter(({ verdict }) => verdict.state === 'unknown').length;
  if (unknown > 0)
    return `No webhook is known to stand in the way of ${object}: ${are(callouts.length)} asked about it, and of ${unknown} nobody can tell whether calls succeed`;
  return `No webhook stands in the way of ${object}: ${are(callouts.length)} asked about it, and none of them stops it`;
}

/** From an object that does not get on to the callouts that may be why, as `--from` reports it. */
export function fromReport(
  { victim, trail }: { readonly victim: Victim; readonly trail: Trail },
  callouts: readonly CalloutReport[],
): FromReport {
  const inTheWay = callouts.filter((callout) => trail.by === 'words' || holds(callout)).map(calloutId);
  const words = distinct(trail.words.length > 0 ? trail.words : victim.words.slice(0, shown));
  return {
    victim: refText(victim.ref),
    ...(victim.missing === undefined ? {} : { missingPods: victim.missing }),
    by: trail.by,
    words: words.map(evidence),
    callouts: callouts.map(calloutId),
    inTheWay,
    message: messageFor(victim, trail, callouts, inTheWay),
  };
}
