import { beyondLimit } from '../../../apiserver/connection/predict-call-result.ts';
import { type Callout, calloutId } from '../../../facts/callout.ts';
import { type ConnectionFailure, type Dialogue, failureIn } from '../../../facts/probes.ts';
import type { AllowRule, Unread } from '../../../facts/unread.ts';
import type { Partner, Run } from '../run.ts';
import { connectionUnread, cutOff } from '../unread.ts';
import type { Peer } from './peer.ts';
import { type ConversationResult, converse } from './probe-peer.ts';

/**
 * Milliseconds: after a shorter timeout, a peer without response is tried again, because a machine on the
 * network path may have been busy.
 */
export const decisiveTimeout = 5_000;

/** True if a step of the conversation timed out. */
export const isSilent = (dialogue: Dialogue): boolean => failureIn(dialogue, 'timed-out') !== undefined;

/** True if a step ended in an unknown error, so that the API server's result cannot be predicted. */
export const isNameless = (dialogue: Dialogue): boolean => failureIn(dialogue, 'other') !== undefined;

const stages: Readonly<Record<ConnectionFailure['stage'], string>> = {
  connect: 'a TCP connection',
  tls: 'a TLS handshake',
  http: 'an HTTP response',
  body: 'an HTTP body',
};

/** Milliseconds: the longest timeout of the webhooks that call this peer. */
export const longest = (run: Run, key: string): number =>
  Math.max(...(run.partners.get(key) ?? []).map(({ timeout }) => timeout));

/**
 * The conversation of all webhooks and APIServices that call this peer in the same way; it is held once.
 *
 * @param extent `handshake`: no review is sent.
 */
export function talk(
  run: Run,
  key: string,
  peer: Peer,
  extent: 'whole' | 'handshake' = 'whole',
): Promise<ConversationResult> {
  const all = run.partners.get(key) ?? [];
  const partners =
    extent === 'whole'
      ? all
      : all.map(({ question: { callout }, timeout }) => ({ question: { callout }, timeout }));
  const timeout = longest(run, key);
  const wish = { timeout, version: run.facts.version, signal: run.signal, kept: run.kept };
  const hold = (some: readonly Partner[]): Promise<ConversationResult> =>
    run.slot(() =>
      converse(
        peer,
        some.map(({ question }) => question),
        wish,
      ),
    );
  return run.conversations(`${peer.way} ${extent} ${key}`, async () => {
    const first = await hold(partners);
    if (timeout >= decisiveTimeout || !('dialogues' in first)) return first;
    const { dialogues } = first;
    const unheard = partners.filter(({ question }) => {
      const dialogue = dialogues.get(question.callout);
      return dialogue !== undefined && isSilent(dialogue);
    });
    const again = unheard.length === 0 ? first : await hold(unheard);
    return 'dialogues' in again ? { dialogues: new Map([...dialogues, ...again.dialogues]) } : first;
  });
}

/**
 * The dialogue of a webhook or APIService in a conversation, and what is missing of it.
 *
 * @param what the connection, for messages; `asks`: a review should have been sent; `allow`: the rule that
 * permits it.
 */
export function partOf(
  run: Run,
  outcome: ConversationResult | Unread,
  callout: Callout,
  { what, asks, allow }: { readonly what: string; readonly asks: boolean; readonly allow: AllowRule },
): { readonly dialogues: readonly Dialogue[]; readonly notTried: readonly Unread[] } {
  if ('broken' in outcome) {
    const unread = connectionUnread(what, outcome.broken, allow);
    return { dialogues: [], notTried: [unread] };
  }
  if (!('dialogues' in outcome)) return { dialogues: [], notTried: [outcome] };
  const dialogue = outcome.dialogues.get(calloutId(callout));
  if (dialogue === undefined) return { dialogues: [], notTried: [cutOff(what, run.prober.ended)] };
  if (dialogue.cutShort)
    return { dialogues: [dialogue], notTried: [cutOff(`a review by ${what}`, run.prober.ended)] };
  const detail = beyondLimit(dialogue, callout, run.facts.version);
  if (detail !== undefined)
    return { dialogues: [dialogue], notTried: [{ what: `a review by ${what}`, why: 'too-large', detail }] };
  const nameless = failureIn(dialogue, 'other');
  if (nameless !== undefined) {
    const { stage, text } = nameless;
    const unread: Unread = { what: `${stages[stage]} by ${what}`, why: 'unreachable', detail: text };
    return { dialogues: [dialogue], notTried: [unread] };
  }
  const lost = asks && dialogue.reviews.length === 0 && dialogue.failure === undefined;
  const way: Unread = {
    what: `a review by ${what}`,
    why: 'unreachable',
    detail: 'the connection to it was not made',
  };
  return { dialogues: [dialogue], notTried: lost ? [way] : [] };
}
