import { type Callout, failsOpen, isAdmission, isReviewed } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import { conditionErrorsIn } from '../admission/match-conditions.ts';
import { closedApi, unavailableResponse } from '../aggregation/closed-api.ts';
import { type CauseKind, causesOfAddress, linkOfCause } from '../sentences/call-error/cause-kind.ts';
import { findCause } from '../sentences/call-error/find-cause.ts';
import { parseCallError } from '../sentences/call-error/parse-call-error.ts';
import { callSentence, storedObjectCause } from '../sentences/call-sentence.ts';

/**
 * The result of a call that the API server itself made in this run: a dry run, for a CRD the read of a stored
 * object, for an APIService a GET through the aggregator. `passes`: the callout was called and responded.
 * `nothing`: no call was made, the response is about something else, or failurePolicy hides it. `unfinished`:
 * the request timed out before all webhooks had responded.
 */
export type OwnCallEnd =
  | { readonly outcome: 'passes' }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'unfinished'; readonly sentence: string }
  | {
      readonly outcome: 'fails';
      /** Without `Internal error occurred: `. */
      readonly sentence: string;
      /** The error in the condition of an APIService that is not Available: its response has no reason. */
      readonly reason?: string;
      readonly link: 'registration' | 'routing' | 'backend' | 'tls' | 'response' | 'network';
      /** The cause in the error; for an APIService that is not Available, in its condition. */
      readonly kind?: CauseKind;
      /** The next attempt may succeed. */
      readonly mayPassOnRetry: boolean;
      /** It timed out. Under load, a call with another result can time out as well. */
      readonly isTimeout: boolean;
      /** The host refused the connection: nothing listens on the port. */
      readonly refused: boolean;
      /** The API server called another callout at the same address: the error is predicted. */
      readonly inferred?: true;
    };

const timeoutKinds: readonly CauseKind[] = ['deadline', 'connect-timeout', 'handshake-timeout'];

function isFailureOf(callout: Callout, message: string): boolean {
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

/** Whether a patch could not be applied to the object of a request: the error does not name the webhook. */
export function isPatchFailure(message: string): boolean {
  const { cause, webhook } = parseCallError(message) ?? {};
  return cause?.kind === 'patch-invalid' && webhook === undefined;
}

/** Whether a message of the API server is a denial by this webhook. */
export const isDenialBy = ({ webhook }: Callout, message: string): boolean =>
  message.startsWith(`admission webhook "${webhook}" denied the request`);

/** The error of a call in a message of the API server. */
export const callErrorText = (message: string): string =>
  storedObjectCause(message.replace(/^\s+|\n+$/g, '')).replace(/^Internal error occurred: /, '');

/** Go's error if the API server could not connect: the same for each callout of the Service port. */
export function dialErrorOf(callout: Callout, probes: CalloutProbes): string | undefined {
  const end = callAlone(callout, probes);
  if (end.outcome !== 'fails' || end.kind === undefined || !causesOfAddress.includes(end.kind))
    return undefined;
  return / (dial tcp .*)$/.exec(end.sentence)?.[1];
}

/**
 * The result of the API server's own call for this callout. If there is none, the failure to connect to its
 * Service port for another callout.
 */
export function ownCallEnd(callout: Callout, probes: CalloutProbes): OwnCallEnd {
  const end = callAlone(callout, probes);
  if (end.outcome !== 'nothing' || probes.dialError === undefined) return end;
  const kind = findCause(probes.dialError)?.kind;
  return {
    outcome: 'fails',
    sentence: callSentence(callout, probes.dialError),
    link: linkOfCause(kind),
    ...(kind === undefined ? {} : { kind }),
    mayPassOnRetry: false,
    isTimeout: kind === 'connect-timeout',
    refused: kind === 'connection-refused',
    inferred: true,
  };
}

/** True if the object that was read may be stored in the version of the read: then no webhook was called. */
const mayNeedNoConversion = (callout: Callout): boolean =>
  callout.kind === 'conversion' &&
  callout.storedVersions.some((version) =>
    callout.versions.some(({ name, storage }) => name === version && !storage),
  );

/** True if a call of the API server in this run certainly reached the callout, and succeeded. */
export const isCalledNow = (callout: Callout, probes: CalloutProbes): boolean =>
  !mayNeedNoConversion(callout) && ownCallEnd(callout, probes).outcome === 'passes';

function callAlone(callout: Callout, { dryRun, discovery }: CalloutProbes): OwnCallEnd {
  const call = isReviewed(callout) ? dryRun : discovery;
  if (call === undefined) return { outcome: 'nothing' };
  const sentence = callErrorText(call.message);
  if (isAdmission(callout) && !failsOpen(callout) && conditionErrorsIn(callout, sentence).length > 0) {
    return {
      outcome: 'fails',
      sentence,
      link: 'registration',
      mayPassOnRetry: false,
      isTimeout: false,
      refused: false,
    };
  }
  if (isFailureOf(callout, sentence) || (callout.kind === 'mutating' && isPatchFailure(call.message))) {
    // "service unavailable" has no reason; the condition of the APIService has one.
    const closed =
      callout.kind === 'aggregated-api' && sentence === unavailableResponse ? closedApi(callout) : undefined;
    const cause = closed === undefined ? parseCallError(call.message)?.cause : undefined;
    const kind = closed === undefined ? cause?.kind : closed.kind;
    return {
      outcome: 'fails',
      sentence,
      link: closed?.link ?? linkOfCause(kind, cause?.symptom),
      ...(kind === undefined ? {} : { kind }),
      ...(closed?.error === undefined ? {} : { reason: closed.error }),
      // Other objects may have what the patch needs.
      mayPassOnRetry: kind === 'connection-closed' || kind === 'canceled' || isPatchFailure(call.message),
      refused: kind === 'connection-refused',
      isTimeout: kind !== undefined && timeoutKinds.includes(kind),
    };
  }
  if (isAdmission(callout) && isDenialBy(callout, sentence)) return { outcome: 'passes' };
  if (isAdmission(callout) && call.status === 504) return { outcome: 'unfinished', sentence };
  const passed = call.status >= 200 && call.status < 300;
  return { outcome: passed && !failsOpen(callout) ? 'passes' : 'nothing' };
}

/** Causes of failure that a proxy or a single backend can have. */
export const proxyLike: readonly (CauseKind | undefined)[] = [
  'connection-closed',
  'unauthorized',
  'unavailable',
  'http-error',
];
