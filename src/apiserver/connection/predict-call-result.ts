import { defined } from '../../basics/collections.ts';
import { remembered } from '../../basics/derive.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import type {
  ConnectionFailure,
  Handshake,
  HttpResponse,
  ProbeConnection,
  ReplicaProbe,
  ReviewExchange,
} from '../../facts/probes.ts';
import { isBlankBundle, isVerified } from '../certificate/anchors.ts';
import { verifyServerCertificate } from '../certificate/verify/verify-server-certificate.ts';
import { evaluateConversion } from '../conversion/conversion-answer.ts';
import type { EvaluatedResponse } from '../response/raw-response.ts';
import { evaluateRepeated } from '../response/repeated.ts';
import { evaluateResponse, isSuccess, secondsUntilRetry } from '../response/response.ts';
import { calloutUrl } from '../routing/callout-url.ts';
import { unreadBody } from '../sentences/call-sentence.ts';
import { type CallResult, type FailedCallResult, type Fault, linkOfFault } from './call-result.ts';
import { connectionErrorText, sentenceOf } from './connection-error-text.ts';
import { connectionLegsOf } from './connection-legs.ts';
import { demandsCertificate } from './handshake-alerts.ts';
import { responseFault } from './response-fault.ts';
import { readingOf } from './triangulation.ts';

/** The call to predict: the callout, and the name and address that the API server uses. */
export interface CallContext {
  readonly callout: Callout;
  /** The API server's; a current one when not known. */
  readonly version?: string;
  /** RFC 3339, the API server's clock. */
  readonly at: string;
  /** The name in TLS: `svc.namespace.svc`, or a URL's host. */
  readonly serverName: string;
  /** `ip:port` that the API server connects to for this replica; undefined if not certain. */
  readonly address?: string;
  /** The API server read a stored object of the CRD in another version; reviews of probes convert to the stored one. */
  readonly readsConverted?: true;
}

const fails = (
  { callout, version }: CallContext,
  fault: Fault,
  detail: string,
  words: string | undefined,
): CallResult => ({
  outcome: 'fails',
  fault,
  link: linkOfFault(fault),
  detail,
  ...sentenceOf(callout, words, version),
});

/** The connection that reached the latest stage. */
const furthest = (connections: readonly ProbeConnection[]): ProbeConnection | undefined => {
  const reached = ({ handshake, reviews }: ProbeConnection): number =>
    reviews.some(({ answer }) => answer !== undefined) ? 2 : Number(handshake !== undefined);
  return connections.reduce<ProbeConnection | undefined>(
    (best, one) => (best === undefined || reached(one) > reached(best) ? one : best),
    undefined,
  );
};

const faultOf: Readonly<Record<ConnectionFailure['kind'], Fault | undefined>> = {
  refused: 'refused',
  'timed-out': 'hangs',
  reset: 'closed',
  closed: 'closed',
  'plain-http': 'plain-http',
  'not-tls': 'not-tls',
  alert: 'alert',
  'foreign-key': 'certificate',
  unresolved: 'unresolved',
  unreachable: 'unreachable',
  'malformed-http': 'malformed-http',
  other: undefined,
};

function resultOfFailure(failure: ConnectionFailure, caller: CallContext): CallResult {
  const fault = faultOf[failure.kind];
  if (fault === undefined) return { outcome: 'undecided' };
  const { callout, address } = caller;
  const words = connectionErrorText(failure, callout.timeoutSeconds, address);
  const failing = fails(caller, fault, failure.text, words);
  if (failing.outcome !== 'fails') return failing;
  if (demandsCertificate(failure.alert ?? '', failure.greeted === true))
    return withCredentialsUnknown(failing, callout);
  if (failure.stage !== 'body') return failing;
  return {
    ...failing,
    bodyStarted: true,
    ...(words === undefined ? {} : { sentence: unreadBody(callout, words, caller.version) }),
  };
}

/**
 * Marks a failure that credentials of the API server can avoid. For admission webhooks it can have some
 * (AdmissionConfiguration, KEP-6060), for an APIService it has the client certificate of its front proxy, for
 * a conversion webhook none.
 */
const withCredentialsUnknown = (failing: FailedCallResult, callout: Callout): CallResult =>
  callout.kind === 'conversion' ? failing : { ...failing, needsCredentials: true };

/** TLS versions that Go's client does not support. */
const tooOld = ['SSLv3', 'TLSv1', 'TLSv1.1'];

/** The API server's failure at a handshake that a probe completed; undefined if the certificate is valid. */
function handshakeFailure(handshake: Handshake, caller: CallContext): CallResult | undefined {
  const { callout, version, at, serverName } = caller;
  if (tooOld.includes(handshake.protocol)) {
    const alert = 'remote error: tls: protocol version not supported';
    return fails(caller, 'alert', `supports no TLS version above ${handshake.protocol}`, alert);
  }
  if (!isVerified(callout) || handshake.presented.length === 0) return undefined;
  // Releases of Go differ in their alert, and in TLS 1.3 it is a certificate that cannot be parsed.
  if (handshake.protocol === 'TLSv1.2' && handshake.presented.some(({ length }) => length === 0))
    return fails(caller, 'certificate', 'empty certificate', undefined);
  const verdict = verifyServerCertificate({
    presented: handshake.presented,
    caBundle: isBlankBundle(callout, version) ? undefined : (callout.client.caBundle ?? ''),
    host: serverName,
    now: new Date(at),
    serverVersion: version,
  });
  if (verdict.outcome === 'accepted') return undefined;
  if (verdict.outcome === 'rejected') {
    return fails(caller, 'certificate', verdict.faults[0].text, verdict.error);
  }
  if (!isServiceBacked(callout)) return undefined;
  // No public CA signs a name in `.svc`.
  return fails(caller, 'certificate', verdict.error, verdict.error);
}

/** Caches the evaluated response: the verdict and several checks need it. */
const evaluated = remembered(
  (review: ReviewExchange, callout: Callout, version: string | undefined): EvaluatedResponse | undefined => {
    const { answer } = review;
    if (answer === undefined) return undefined;
    switch (callout.kind) {
      case 'validating':
      case 'mutating': {
        const context = {
          webhook: callout.webhook,
          kind: callout.kind,
          version: review.version,
          uid: review.uid,
          ...defined({ object: review.object, server: version }),
        };
        const { timeoutSeconds } = callout;
        const url = calloutUrl(callout);
        // The probe has repeated the review: the API server gets the same response until its timeout.
        return url === undefined || secondsUntilRetry(answer) === undefined
          ? evaluateResponse(answer, context)
          : evaluateRepeated(answer, context, { url, timeoutSeconds });
      }
      case 'conversion':
        return evaluateConversion(answer, review, callout, version);
      case 'aggregated-api':
        return undefined;
    }
  },
);

/** The limit of this program that the response to a review exceeded, so that its result is unknown. */
export function beyondLimit(
  { reviews }: ProbeConnection,
  callout: Callout,
  version: string | undefined,
): string | undefined {
  const found = reviews.map((review) => evaluated(review, callout, version));
  return found.flatMap((answer) =>
    answer?.outcome === 'unknown' && answer.beyondLimit ? [answer.why] : [],
  )[0];
}

const status = ({ answer }: ReviewExchange): string => {
  const to = answer?.headers.location;
  return answer === undefined ? '' : `HTTP ${answer.status}${to === undefined ? '' : ` to ${to}`}`;
};

/** The cause of an error: that of a call that is repeated until its timeout is the status that asks for it. */
const detailOf = (review: ReviewExchange, text: string): string => {
  if (text === '') return status(review);
  return text.endsWith(': context deadline exceeded')
    ? `${status(review)} with Retry-After, so the API server repeats the call until its timeout`
    : text;
};

/** A refusal of dry runs; the field `dryRun` is in every review that an error repeats. */
const unsupported =
  /(?:\bnot|n't|\bcannot|\bun)\s?(?:support|implement|allow|handle)\w*[^{}"]{0,40}\bdry[- ]?runs?\b|\bdry[- ]?runs?\b[^{}":]{0,40}\b(?:not |un)(?:supported|implemented|allowed|handled)/i;

/** True for an HTTP error of a handler that does not support dry runs. */
const refusesDryRuns = ({ status, body }: HttpResponse): boolean =>
  status >= 400 && unsupported.test(Buffer.from(body).toString('utf8'));

function resultOfReview(review: ReviewExchange, caller: CallContext): CallResult {
  const result = resultOfAnyReview(review, caller);
  if (result.outcome !== 'fails') return result;
  // Any other failure is one of every conversion: the read may have used an older connection.
  if (caller.readsConverted && result.fault === 'conversion-failed')
    return { ...result, partly: 'conversions-to-stored-version' };
  return review.answer && refusesDryRuns(review.answer) ? { ...result, partly: 'dry-runs' } : result;
}

function resultOfAnyReview(review: ReviewExchange, caller: CallContext): CallResult {
  if (review.failure !== undefined) return resultOfFailure(review.failure, caller);
  const answer = evaluated(review, caller.callout, caller.version);
  if (review.answer === undefined || answer === undefined) return { outcome: 'undecided' };
  if (review.milliseconds > caller.callout.timeoutSeconds * 1000) {
    const { milliseconds } = review;
    const failing = resultOfFailure({ ...afterDeadline, milliseconds }, caller);
    return failing.outcome === 'fails'
      ? { ...failing, fault: 'late', link: 'response', milliseconds }
      : failing;
  }
  const fault = responseFault(review.answer, answer);
  if (fault !== undefined) {
    const text = 'text' in answer ? answer.text : '';
    const certain = 'complete' in answer && answer.complete;
    const failing = {
      outcome: 'fails',
      fault,
      link: 'response',
      detail: detailOf(review, text),
      ...(certain ? { sentence: text } : {}),
      ...(isSuccess(review.answer.status) ? {} : { status: review.answer.status }),
      answer,
    } as const;
    return fault === 'unauthorized' ? withCredentialsUnknown(failing, caller.callout) : failing;
  }
  if (answer.outcome === 'unknown') return { outcome: 'undecided' };
  const { milliseconds } = review;
  return { outcome: answer.outcome === 'denied' ? 'denies' : 'answers', answer, milliseconds };
}

const afterDeadline = { stage: 'http', kind: 'timed-out', text: 'responds after the deadline' } as const;

/** The result of a call over an established connection: TLS, then the reviews. */
export function resultOfConnection(connection: ProbeConnection, caller: CallContext): CallResult {
  const { handshake, failure, reviews, cutShort } = connection;
  const rejected = handshake && handshakeFailure(handshake, caller);
  if (rejected !== undefined) return rejected;
  const results = reviews.map((review) => resultOfReview(review, caller));
  const decided =
    results.find(({ outcome }) => outcome === 'fails') ??
    results.find(({ outcome }) => outcome !== 'undecided');
  if (decided !== undefined) return decided;
  if (failure !== undefined) return resultOfFailure(failure, caller);
  if (reviews.length > 0 || handshake === undefined || cutShort) return { outcome: 'undecided' };
  return { outcome: 'answers', milliseconds: handshake.milliseconds };
}

/** A wrong or missing response to the probe, even if calls of the API server fail earlier. */
export function failedResponseBehind(
  { dialogues }: ReplicaProbe,
  caller: CallContext,
): FailedCallResult | undefined {
  const results = dialogues.flatMap(({ reviews }) => reviews.map((review) => resultOfReview(review, caller)));
  return results.find((one): one is FailedCallResult => one.outcome === 'fails');
}

/** What the probes of a replica show, for the errors of the API server. */
interface ReplicaEvidence {
  /** The result by the connection that came furthest; undefined if there was none. */
  readonly result: CallResult | undefined;
  readonly proxy: ReplicaProbe['proxy'];
  /** The error of the API server's proxy; empty if it has none. */
  readonly proxyError: string;
  readonly hasHandshake: boolean;
}

/** The result if the replica itself decides it. */
function ownResult(
  { result, proxy, proxyError, hasHandshake }: ReplicaEvidence,
  caller: CallContext,
): CallResult {
  // It responded to the API server's proxy: the failure of the probe is on the path to this computer.
  const reached = proxy?.reached === true && !hasHandshake;
  const failedOnPath = result?.outcome === 'fails' && ['refused', 'hangs', 'closed'].includes(result.fault);
  if (result !== undefined && !(reached && failedOnPath)) return result;
  if (proxy?.reached === true)
    return { outcome: 'answers', milliseconds: proxy.milliseconds, withoutHandshake: true };
  return proxyError === '' ? { outcome: 'undecided' } : failedByProxy(proxyError, caller);
}

/**
 * The result of a new connection of the API server to this replica: combines all probes of it. The network
 * path decides first, then the response of the process.
 */
export function callResultAtReplica(probe: ReplicaProbe, caller: CallContext): CallResult {
  const { proxy, dialogues } = probe;
  const { timeoutSeconds } = caller.callout;
  const legs = connectionLegsOf(probe);
  const { means } = readingOf(legs.inside, legs.outside);
  const connection = furthest(dialogues);
  const result = connection && resultOfConnection(connection, caller);
  const proxyError = proxy?.reached === false ? proxy.text : '';
  const atAddress = dialogues.find(({ way }) => way === 'direct') ?? connection;
  const detail = proxyError !== '' ? proxyError : (atAddress?.failure?.text ?? '');
  const errorOf = (kind: 'refused' | 'timed-out') =>
    connectionErrorText({ kind, stage: 'connect' }, timeoutSeconds, caller.address);
  switch (means) {
    case 'unknown':
      return { outcome: 'undecided' };
    case 'own':
      return ownResult(
        { result, proxy, proxyError, hasHandshake: connection?.handshake !== undefined },
        caller,
      );
    case 'refused':
    case 'loopback-only':
      return fails(caller, means, detail, errorOf('refused'));
    case 'hangs':
      return result?.outcome === 'fails' ? result : fails(caller, 'hangs', detail, undefined);
    case 'intercepted':
      if (result?.outcome === 'fails') return result;
      return fails(caller, 'intercepted', detail, proxyError === 'EOF' ? 'EOF' : undefined);
    default:
      if (legs.outside !== 'silent') return fails(caller, means, detail, withoutAddress(proxyError));
      // A process that hangs or is slow for the probe is so for the API server's proxy.
      if (result !== undefined && explainsSilence(result, timeoutSeconds)) return result;
      return fails(caller, means, proxyError === '' ? 'no response' : proxyError, errorOf('timed-out'));
  }
}

const explainsSilence = (result: CallResult, timeoutSeconds: number): boolean =>
  result.outcome === 'fails' ||
  (result.outcome !== 'undecided' && result.milliseconds * 4 > timeoutSeconds * 1000);

/** The error, if it contains no address: then it is the same for every client. */
const withoutAddress = (text: string): string | undefined =>
  text === '' || /dial tcp|->|\d+\.\d+\.\d+\.\d+/.test(text) ? undefined : text;

/** The failure if the API server's proxy connected to the process, and TLS or HTTP failed. */
function failedByProxy(text: string, caller: CallContext): CallResult {
  const alert = /remote error: tls: (?<alert>[a-zA-Z ]+)$/.exec(text)?.groups?.alert;
  if (alert !== undefined)
    return resultOfFailure({ kind: 'alert', stage: 'tls', alert, text, milliseconds: 0 }, caller);
  if (/server gave HTTP response to HTTPS client/.test(text)) return fails(caller, 'plain-http', text, text);
  if (/first record does not look like a TLS handshake/.test(text))
    return fails(caller, 'not-tls', text, text);
  if (/malformed HTTP/.test(text)) return fails(caller, 'malformed-http', text, undefined);
  return fails(caller, 'closed', text, withoutAddress(text));
}
