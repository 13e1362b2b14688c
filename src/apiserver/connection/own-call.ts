import { type Callout, failsOpen, isAdmission, isReviewed } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import { conditionErrorsIn } from '../admission/match-conditions.ts';
import { closedApi, unavailableResponse } from '../aggregation/closed-api.ts';
import { storedObjectCause } from '../sentences/call-sentence.ts';
import { type CauseKind, linkOfCause } from '../sentences/cause-kind.ts';
import { parseCallError } from '../sentences/parse-call-error.ts';

/**
 * What a call that the API server made itself a moment ago says about one callout: a dry run, for a CRD the read of a
 * stored object, for an APIService a GET through the aggregator. `passes`: it was called and answered. `nothing`: none was made, the answer is about something
 * else, or failurePolicy hides it. `unfinished`: the request's own time was over before all webhooks had responded.
 */
export type OwnCallEnd =
  | { readonly outcome: 'passes' }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'unfinished'; readonly sentence: string }
  | {
      readonly outcome: 'fails';
      /** Without `Internal error occurred: `. */
      readonly sentence: string;
      readonly link: 'registration' | 'routing' | 'backend' | 'tls' | 'response' | 'network';
      /** Of its last words; for an APIService that is not Available, of its condition. */
      readonly kind?: CauseKind;
      /** Ends of a connection that the next attempt may not meet. */
      readonly sporadic: boolean;
      /** It ran out of time, which a busy moment may do to a call that otherwise ends in another way. */
      readonly late: boolean;
      /** Somebody is at the address, and nothing listens there. */
      readonly refused: boolean;
    };

const lateKinds: readonly CauseKind[] = ['deadline', 'connect-timeout', 'handshake-timeout'];

function failed(callout: Callout, message: string): boolean {
  switch (callout.kind) {
    case 'aggregated-api':
      return /^service unavailable$|^error trying to reach service: /.test(message);
    case 'conversion':
      return message.startsWith('conversion webhook for ');
    case 'validating':
    case 'mutating':
      return message.startsWith(`failed calling webhook "${callout.webhook}":`);
  }
}

/** What the API server said, as a sentence about a call. */
export const callErrorText = (message: string): string =>
  storedObjectCause(message.replace(/^\s+|\n+$/g, '')).replace(/^Internal error occurred: /, '');

/** How this callout fared in the API server's own call. */
export function ownCallEnd(callout: Callout, { dryRun, discovery }: CalloutProbes): OwnCallEnd {
  const call = isReviewed(callout) ? dryRun : discovery;
  if (call === undefined) return { outcome: 'nothing' };
  const sentence = callErrorText(call.message);
  if (isAdmission(callout) && !failsOpen(callout) && conditionErrorsIn(callout, sentence).length > 0) {
    return { outcome: 'fails', sentence, link: 'registration', sporadic: false, late: false, refused: false };
  }
  if (failed(callout, sentence)) {
    // Two words that name no reason; the condition that they stand for does.
    const closed =
      callout.kind === 'aggregated-api' && sentence === unavailableResponse ? closedApi(callout) : undefined;
    const kind = closed === undefined ? parseCallError(call.message)?.cause?.kind : closed.kind;
    return {
      outcome: 'fails',
      sentence,
      link: closed?.link ?? linkOfCause(kind),
      ...(kind === undefined ? {} : { kind }),
      sporadic: kind === 'connection-closed' || kind === 'canceled',
      refused: kind === 'connection-refused',
      late: kind !== undefined && lateKinds.includes(kind),
    };
  }
  if (
    isAdmission(callout) &&
    sentence.startsWith(`admission webhook "${callout.webhook}" denied the request`)
  ) {
    return { outcome: 'passes' };
  }
  if (isAdmission(callout) && call.status === 504) return { outcome: 'unfinished', sentence };
  const passed = call.status >= 200 && call.status < 300;
  return { outcome: passed && !failsOpen(callout) ? 'passes' : 'nothing' };
}

/** Ends of a call for which a proxy may be the reason, and as well a single backend. */
export const proxyLike: readonly (CauseKind | undefined)[] = [
  'connection-closed',
  'unauthorized',
  'unavailable',
  'http-error',
];

/** Its end may be the doing of an HTTP proxy: one that refused, or a certificate that was not trusted. */
export function mayBeProxyFailure(callout: Callout, probes: CalloutProbes): boolean {
  const end = ownCallEnd(callout, probes);
  if (end.outcome !== 'fails') return false;
  return end.link === 'tls' || end.kind === 'proxy' || proxyLike.includes(end.kind);
}
