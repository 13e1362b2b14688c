import type { Trail, UnknownWebhook } from '../apiserver/admission/trail.ts';
import { calloutId } from '../facts/callout.ts';
import { refText } from '../facts/object-ref.ts';
import type { StatusMessage, StuckObject } from '../facts/stuck-object.ts';
import type { Unread } from '../facts/unread.ts';
import type { CalloutReport, FromReport } from './report.ts';

/** What is said of an object although no callout is named: as much as anyone reads. */
const shown = 3;

/** Each sentence once. */
const distinct = (words: readonly StatusMessage[]): readonly StatusMessage[] => [
  ...new Map(words.map((one) => [one.value, one])).values(),
];

const are = (count: number): string => (count === 1 ? '1 callout is' : `${count} callouts are`);

const holds = ({ verdict: { state, effect } }: CalloutReport): boolean =>
  (state === 'failing' || state === 'degraded') && effect === 'blocks';

const onDisk = 'stands in a manifest on the disk of the API server, where no API shows it';

const whence = ({ isStatic }: UnknownWebhook): string =>
  isStatic
    ? onDisk
    : 'is in no configuration that could be read; if it was removed, what it stopped is tried again';

/** A webhook that words name and nobody can look at. */
export const hiddenFrom = ({ stranger }: Trail): readonly Unread[] =>
  stranger?.isStatic
    ? [{ what: `webhook ${stranger.webhook}`, why: 'not-served', detail: `it ${onDisk}` }]
    : [];

/** The answer in a sentence. */
function messageFor(
  victim: StuckObject,
  { by, stranger }: Trail,
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
  const fails = inTheWay.length === 1 ? 'fails' : 'fail';
  if (stranger !== undefined) {
    const others = inTheWay.length === 0 ? '' : `; ${inTheWay.join(', ')} ${fails} as well`;
    return `What is said of ${object} names webhook ${stranger.webhook}, which ${whence(stranger)}${others}`;
  }
  if (inTheWay.length > 0) {
    return `Nothing that is said of ${object} names a webhook; ${are(callouts.length)} asked about what it needs, and of those ${inTheWay.join(', ')} ${fails}`;
  }
  if (callouts.length === 0) return `No webhook stands in the way of ${object}: none is asked about it`;
  const unknown = callouts.filter(({ verdict }) => verdict.state === 'unknown').length;
  if (unknown > 0)
    return `No webhook is known to stand in the way of ${object}: ${are(callouts.length)} asked about it, and of ${unknown} nobody can tell whether calls succeed`;
  return `No webhook stands in the way of ${object}: ${are(callouts.length)} asked about it, and none of them stops it`;
}

/** From an object that does not get on to the callouts that may be why, as `--from` reports it. */
export function fromReport(
  { victim, trail }: { readonly victim: StuckObject; readonly trail: Trail },
  callouts: readonly CalloutReport[],
): FromReport {
  const inTheWay = callouts.filter((callout) => trail.by === 'words' || holds(callout)).map(calloutId);
  const telling = trail.stranger?.words ?? trail.words;
  const words = distinct(telling.length > 0 ? telling : victim.words.slice(0, shown));
  return {
    victim: refText(victim.ref),
    ...(victim.missing === undefined ? {} : { missingPods: victim.missing }),
    by: trail.by,
    words,
    callouts: callouts.map(calloutId),
    inTheWay,
    message: messageFor(victim, trail, callouts, inTheWay),
  };
}
