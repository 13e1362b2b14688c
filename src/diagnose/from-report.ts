import type { Trail, UnknownWebhook } from '../apiserver/admission/trail.ts';
import { calloutId } from '../facts/callout.ts';
import { refText } from '../facts/object-ref.ts';
import type { StatusMessage, StuckObject } from '../facts/stuck-object.ts';
import type { Unread } from '../facts/unread.ts';
import { listed } from '../phrases/lists.ts';
import { agreeing, counted, countedWebhooks } from '../phrases/numbers.ts';
import type { CalloutReport, FromReport } from './report.ts';

/** What is said of an object although no callout is named: as much as anyone reads. */
const shown = 3;

/** Each sentence once. */
const distinct = (words: readonly StatusMessage[]): readonly StatusMessage[] => [
  ...new Map(words.map((one) => [one.value, one])).values(),
];

const holds = ({ verdict: { state, effect } }: CalloutReport): boolean =>
  (state === 'failing' || state === 'degraded') && effect === 'blocks';

const onDisk = 'is in a static manifest on the disk of the API server; no API returns it';

const whence = ({ isStatic }: UnknownWebhook): string =>
  isStatic ? onDisk : 'is in no configuration that could be read; if it was deleted, the request is retried';

/** A webhook that words name and nobody can look at. */
export const hiddenFrom = ({ stranger }: Trail): readonly Unread[] =>
  stranger?.isStatic
    ? [{ what: `webhook ${stranger.webhook}`, why: 'not-served', detail: `it ${onDisk}` }]
    : [];

/** The answer in a sentence. */
function messageFor(
  victim: StuckObject,
  { by, stranger, leftOut = [] }: Trail,
  callouts: readonly CalloutReport[],
  inTheWay: readonly string[],
): string {
  const object = refText(victim.ref);
  const named = `Status or events of ${object} name`;
  const matching = countedWebhooks(callouts, ['matches', 'match']);
  const leaveOut =
    leftOut.length === 0
      ? ''
      : `; ${counted(leftOut.length, 'mutating webhook does', 'mutating webhooks do')} not select its Pods`;
  if (victim.unread !== undefined) return `${object} could not be read`;
  if (by === 'words') {
    return callouts.every(({ verdict }) => verdict.state === 'healthy')
      ? `${named} ${listed(inTheWay)}; its calls succeed now, and the request is retried`
      : `${named} ${listed(inTheWay)}`;
  }
  const fail = agreeing(inTheWay.length, 'fails', 'fail');
  if (stranger !== undefined) {
    const others = inTheWay.length === 0 ? '' : `; ${listed(inTheWay)} ${fail} as well`;
    return `${named} webhook ${stranger.webhook}, which ${whence(stranger)}${others}`;
  }
  if (inTheWay.length > 0)
    return `Status and events of ${object} name no webhook; ${matching} its requests, and ${listed(inTheWay)} ${fail}`;
  if (callouts.length === 0) return `No webhook blocks ${object}: none matches its requests${leaveOut}`;
  const unknown = callouts.filter(({ verdict }) => verdict.state === 'unknown').length;
  if (unknown > 0)
    return `No webhook is known to block ${object}: ${matching} its requests, and ${counted(unknown, 'verdict is', 'verdicts are')} unknown`;
  return `No webhook blocks ${object}: ${matching} its requests, and none of them blocks it${leaveOut}`;
}

/** From a stuck object to the callouts that may be why, as `--from` reports it. */
export function fromReport(
  { victim, trail }: { readonly victim: StuckObject; readonly trail: Trail },
  callouts: readonly CalloutReport[],
): FromReport {
  const inTheWay = callouts.filter((callout) => trail.by === 'words' || holds(callout)).map(calloutId);
  const telling = trail.stranger?.words ?? trail.words;
  const others = [inTheWay.length === 0 ? (trail.leftOut ?? []) : [], victim.words];
  const words = distinct(telling.length > 0 ? telling : others.flatMap((some) => some.slice(0, shown)));
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
