import type { Trail, UnknownWebhook } from '../apiserver/admission/trail.ts';
import { calloutId } from '../facts/callout.ts';
import { refText } from '../facts/object-ref.ts';
import { groupResourceOf } from '../facts/resource.ts';
import type { StatusMessage, StuckObject, StuckObjectName } from '../facts/stuck-object.ts';
import type { Unread } from '../facts/unread.ts';
import { runnable, shellWord } from '../phrases/advice.ts';
import { agreeing, counted, countedWebhooks, listed } from '../phrases/lists.ts';
import { type CalloutReport, type FromReport, isBroken, type NextReport } from './report.ts';

/** The maximum number of messages of an object if none of them names a webhook or APIService. */
const mostMessages = 3;

const distinct = (messages: readonly StatusMessage[]): readonly StatusMessage[] => [
  ...new Map(messages.map((one) => [one.value, one])).values(),
];

const blocksRequests = ({ verdict: { state, effect } }: CalloutReport): boolean =>
  isBroken(state) && effect === 'blocks';

const onDisk = 'is in a static manifest on the disk of the API server; no API returns it';

const locationText = ({ isStatic }: UnknownWebhook): string =>
  isStatic ? onDisk : 'is in no configuration that could be read; if it was deleted, the request is retried';

/** A webhook that an error names and that no API returns, for `notLookedAt`. */
export const hiddenFrom = ({ unknownWebhook }: Trail): readonly Unread[] =>
  unknownWebhook?.isStatic
    ? [{ what: `webhook ${unknownWebhook.webhook}`, why: 'not-served', detail: `it ${onDisk}` }]
    : [];

/** The report lists all of them below the sentence. */
const mostNamed = 3;

function messageFor(
  stuck: StuckObject,
  { by, unknownWebhook, leftOut = [], misplaced: [misplaced] = [] }: Trail,
  callouts: readonly CalloutReport[],
  inTheWay: readonly string[],
): string {
  const object = refText(stuck.ref);
  const source = stuck.unread === undefined ? 'its status or Events' : 'the response to a read of it';
  const reported = `${object}, according to ${source}`;
  const matching = countedWebhooks(callouts, ['matches', 'match']);
  const leaveOut =
    leftOut.length === 0
      ? ''
      : `; ${counted(leftOut.length, 'mutating webhook does', 'mutating webhooks do')} not select its Pods`;
  const inVain =
    misplaced === undefined
      ? ''
      : `; its ${misplaced.field} must be in its Pod template, under spec.template`;
  const names = listed(inTheWay, { most: mostNamed });
  if (by === 'words') {
    return callouts.every(({ verdict }) => verdict.state === 'healthy')
      ? `${names} blocked ${reported}; calls succeed now, and the request is retried`
      : `${names} ${agreeing(inTheWay.length, 'blocks', 'block')} ${reported}`;
  }
  if (stuck.unread !== undefined) return `${object} could not be read`;
  const fail = agreeing(inTheWay.length, 'fails', 'fail');
  if (unknownWebhook !== undefined) {
    const others = inTheWay.length === 0 ? '' : `; ${names} ${fail} as well`;
    return `Webhook ${unknownWebhook.webhook} blocks ${reported}; it ${locationText(unknownWebhook)}${others}`;
  }
  if (inTheWay.length > 0)
    return `The status and Events of ${object} name no webhook; ${matching} its requests, and ${names} ${fail}`;
  if (callouts.length === 0)
    return `No webhook blocks ${object}: none matches its requests${inVain}${leaveOut}`;
  const unknown = callouts.filter(({ verdict }) => verdict.state === 'unknown').length;
  if (unknown > 0)
    return `No webhook is known to block ${object}: ${matching} its requests, and ${counted(unknown, 'verdict is', 'verdicts are')} unknown`;
  return `No webhook blocks ${object}: ${matching} its requests, and none of them blocks it${inVain}${leaveOut}`;
}

const describing = (
  { kind, resource, namespace, name }: StuckObjectName,
  sameCluster: string,
): NextReport => {
  const flag = namespace === undefined ? '' : ` -n ${shellWord(namespace)}`;
  const text = `kubectl${sameCluster}${flag} describe ${resource === undefined ? kind.toLowerCase() : groupResourceOf({ ...resource, resource: resource.plural })}/${shellWord(name)}`;
  return { command: runnable(text), title: 'Its status and Events' };
};

/** Builds the report of `--from`: a stuck object, and the webhooks and APIServices that may block it. */
export function fromReport(
  { stuckObject: stuck, trail }: { readonly stuckObject: StuckObject; readonly trail: Trail },
  callouts: readonly CalloutReport[],
  sameCluster = '',
): FromReport {
  const inTheWay = callouts
    .filter((callout) => trail.by === 'words' || blocksRequests(callout))
    .map(calloutId);
  const decisive = trail.unknownWebhook?.words ?? trail.words;
  const others = [
    ...(inTheWay.length === 0 ? [trail.misplaced ?? [], trail.leftOut ?? []] : []),
    stuck.words,
  ];
  const isFree = inTheWay.length === 0 && trail.unknownWebhook === undefined && stuck.unread === undefined;
  const messages = distinct(
    decisive.length > 0 ? decisive : others.flatMap((some) => some.slice(0, mostMessages)),
  );
  return {
    victim: refText(stuck.ref),
    ...(stuck.missing === undefined ? {} : { missingPods: stuck.missing }),
    by: trail.by,
    words: messages,
    callouts: callouts.map(calloutId),
    inTheWay,
    message: messageFor(stuck, trail, callouts, inTheWay),
    ...(isFree ? { next: describing(stuck.ref, sameCluster) } : {}),
  };
}
