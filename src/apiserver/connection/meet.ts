import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { defined } from '../../facts/defined.ts';
import { remembered } from '../../facts/derive.ts';
import type {
  ConnectionFailure,
  Dialogue,
  Handshake,
  ReplicaProbe,
  ReviewExchange,
} from '../../facts/probes.ts';
import { isBlankBundle, isVerified } from '../certificate/anchors.ts';
import { verifyServerCertificate } from '../certificate/verify-server-certificate.ts';
import { judgeConversion } from '../conversion/conversion-answer.ts';
import type { JudgedResponse } from '../response/raw-response.ts';
import { judgeRepeated } from '../response/repeated.ts';
import { judgeResponse, secondsUntilRetry } from '../response/response.ts';
import { calloutUrl } from '../routing/callout-url.ts';
import { unreadBody } from '../sentences/call-sentence.ts';
import { connectionErrorText, sentenceOf } from './connection-error-text.ts';
import { demandsCertificate } from './handshake-alerts.ts';
import { type FailedMeeting, type Fault, linkOfFault, type Meeting } from './meeting.ts';
import { responseFault } from './response-fault.ts';
import { connectionLegsOf } from './sights.ts';
import { readingOf } from './triangulation.ts';

/** The call that would be made. */
export interface CallContext {
  readonly callout: Callout;
  /** The API server's; a current one when not known. */
  readonly version?: string;
  /** RFC 3339, the API server's clock. */
  readonly at: string;
  /** The name that TLS is asked for: `svc.namespace.svc`, or a URL's host. */
  readonly serverName: string;
  /** `ip:port` that the API server dials for this replica; undefined where it is not certain. */
  readonly address?: string;
}

const fails = (
  { callout, version }: CallContext,
  fault: Fault,
  said: string,
  words: string | undefined,
  answer?: JudgedResponse,
): Meeting => ({
  outcome: 'fails',
  fault,
  link: linkOfFault(fault),
  said,
  ...sentenceOf(callout, words, version),
  ...(answer === undefined ? {} : { answer }),
});

/** Of several connections the one that came furthest. */
const furthest = (dialogues: readonly Dialogue[]): Dialogue | undefined => {
  const reached = ({ handshake, reviews }: Dialogue): number =>
    reviews.some(({ answer }) => answer !== undefined) ? 2 : handshake === undefined ? 0 : 1;
  return dialogues.reduce<Dialogue | undefined>(
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
  unresolved: 'unresolved',
  unreachable: 'unreachable',
  'malformed-http': 'malformed-http',
  other: undefined,
};

/** What a connection that failed means for the API server's own. */
function failed(failure: ConnectionFailure, caller: CallContext): Meeting {
  const fault = faultOf[failure.kind];
  if (fault === undefined) return { outcome: 'undecided' };
  const { callout, address } = caller;
  const words = connectionErrorText(failure, callout.timeoutSeconds, address);
  const failing = fails(caller, fault, failure.text, words);
  if (failing.outcome !== 'fails') return failing;
  if (demandsCertificate(failure.alert ?? '', failure.greeted === true)) return asking(failing, callout);
  if (failure.stage !== 'body' || words === undefined) return failing;
  return { ...failing, sentence: unreadBody(callout, words) };
}

/**
 * To admission webhooks the API server can be given credentials (AdmissionConfiguration, KEP-6060), to an aggregated API
 * it presents the client certificate of its front proxy, to a conversion webhook none.
 */
const asking = (failing: FailedMeeting, callout: Callout): Meeting =>
  callout.kind === 'conversion' ? failing : { ...failing, asksWho: true };

/** TLS versions that Go's client does not speak. */
const tooOld = ['SSLv3', 'TLSv1', 'TLSv1.1'];

/** What the API server makes of a handshake that we completed; undefined: it goes on. */
function distrusts(handshake: Handshake, caller: CallContext): Meeting | undefined {
  const { callout, version, at, serverName } = caller;
  if (tooOld.includes(handshake.protocol)) {
    const alert = 'remote error: tls: protocol version not supported';
    return fails(caller, 'alert', `supports no TLS version above ${handshake.protocol}`, alert);
  }
  if (!isVerified(callout) || handshake.presented.length === 0) return undefined;
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
  // No public authority signs a name in `.svc`.
  return fails(caller, 'certificate', verdict.error, verdict.error);
}

/** Verdict and checks ask the same. */
const judged = remembered(
  (review: ReviewExchange, callout: Callout, version: string | undefined): JudgedResponse | undefined => {
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
        // The probe has repeated the review: the API server gets no other answer in its time.
        return url === undefined || secondsUntilRetry(answer) === undefined
          ? judgeResponse(answer, context)
          : judgeRepeated(answer, context, { url, timeoutSeconds });
      }
      case 'conversion':
        return judgeConversion(answer, review, callout, version);
      case 'aggregated-api':
        return undefined;
    }
  },
);

/** Which limit the response of a review went beyond, so that nobody here knows what the API server makes of it. */
export function beyondLimit(
  { reviews }: Dialogue,
  callout: Callout,
  version: string | undefined,
): string | undefined {
  const found = reviews.map((review) => judged(review, callout, version));
  return found.flatMap((answer) =>
    answer?.outcome === 'unknown' && answer.beyondLimit ? [answer.why] : [],
  )[0];
}

const status = ({ answer }: ReviewExchange): string => {
  const to = answer?.headers.location;
  return answer === undefined ? '' : `HTTP ${answer.status}${to === undefined ? '' : ` to ${to}`}`;
};

/** What the API server makes of one exchange. */
function exchanged(review: ReviewExchange, caller: CallContext): Meeting {
  if (review.failure !== undefined) return failed(review.failure, caller);
  const answer = judged(review, caller.callout, caller.version);
  if (review.answer === undefined || answer === undefined) return { outcome: 'undecided' };
  if (review.milliseconds > caller.callout.timeoutSeconds * 1000) {
    return failed({ ...slow, milliseconds: review.milliseconds }, caller);
  }
  const fault = responseFault(review.answer, answer);
  if (fault !== undefined) {
    const text = 'text' in answer ? answer.text : '';
    const certain = 'complete' in answer && answer.complete;
    const failing = {
      outcome: 'fails',
      fault,
      link: 'response',
      said: text === '' ? status(review) : text,
      ...(certain ? { sentence: text } : {}),
      answer,
    } as const;
    return fault === 'unauthorized' ? asking(failing, caller.callout) : failing;
  }
  if (answer.outcome === 'unknown') return { outcome: 'undecided' };
  const { milliseconds } = review;
  return { outcome: answer.outcome === 'denied' ? 'denies' : 'answers', answer, milliseconds };
}

const slow = { stage: 'http', kind: 'timed-out', text: 'answers after the deadline' } as const;

/** What the process itself shows over a connection that stands. */
function spoken(dialogue: Dialogue, caller: CallContext): Meeting {
  const { handshake, failure, reviews, cutShort } = dialogue;
  const distrusted = handshake && distrusts(handshake, caller);
  if (distrusted !== undefined) return distrusted;
  const met = reviews.map((review) => exchanged(review, caller));
  const decided =
    met.find(({ outcome }) => outcome === 'fails') ?? met.find(({ outcome }) => outcome !== 'undecided');
  if (decided !== undefined) return decided;
  if (failure !== undefined) return failed(failure, caller);
  if (reviews.length > 0 || handshake === undefined || cutShort) return { outcome: 'undecided' };
  return { outcome: 'answers', milliseconds: handshake.milliseconds };
}

/** A response that is wrong or missing over a connection that stands for us, whatever keeps a call from it. */
export function failedResponseBehind(
  { dialogues }: ReplicaProbe,
  caller: CallContext,
): FailedMeeting | undefined {
  const met = dialogues.flatMap(({ reviews }) => reviews.map((review) => exchanged(review, caller)));
  return met.find((one): one is FailedMeeting => one.outcome === 'fails');
}

/** A redirect that keeps the POST may lead to a right answer; nobody here can tell. */
export const meetUrl = (dialogue: Dialogue, caller: CallContext): Meeting => spoken(dialogue, caller);

/**
 * What a new connection of the API server to this replica comes to, from all that was tried at it: first which leg of
 * the way is broken, then what the process says.
 */
export function meetReplica(probe: ReplicaProbe, caller: CallContext): Meeting {
  const { proxy, dialogues } = probe;
  const sights = connectionLegsOf(probe);
  const { means } = readingOf(sights.inside, sights.outside);
  const dialogue = furthest(dialogues);
  const { timeoutSeconds } = caller.callout;
  const toldBy = proxy?.reached === false ? proxy.text : '';
  const atAddress = dialogues.find(({ way }) => way === 'direct') ?? dialogue;
  const said = toldBy !== '' ? toldBy : (atAddress?.failure?.text ?? '');
  switch (means) {
    case 'unknown':
      return { outcome: 'undecided' };
    case 'own': {
      const met = dialogue === undefined ? undefined : spoken(dialogue, caller);
      // It has answered the API server's proxy: what we met is the way to us.
      const reached = proxy?.reached === true && dialogue?.handshake === undefined;
      const stuck = met?.outcome === 'fails' && ['refused', 'hangs', 'closed'].includes(met.fault);
      if (met !== undefined && !(reached && stuck)) return met;
      if (proxy?.reached === true)
        return { outcome: 'answers', milliseconds: proxy.milliseconds, unshaken: true };
      return toldBy === '' ? { outcome: 'undecided' } : failedByProxy(toldBy, caller);
    }
    case 'refused':
    case 'loopback-only':
      return fails(
        caller,
        means,
        said,
        connectionErrorText({ kind: 'refused', stage: 'connect' }, timeoutSeconds, caller.address),
      );
    case 'hangs': {
      const met = dialogue === undefined ? undefined : spoken(dialogue, caller);
      return met?.outcome === 'fails' ? met : fails(caller, 'hangs', said, undefined);
    }
    case 'intercepted': {
      const met = dialogue === undefined ? undefined : spoken(dialogue, caller);
      if (met?.outcome === 'fails') return met;
      const words = toldBy === 'EOF' ? 'EOF' : undefined;
      return fails(caller, 'intercepted', said, words);
    }
    default: {
      const silent = sights.outside === 'silent';
      const met = silent && dialogue !== undefined ? spoken(dialogue, caller) : undefined;
      // Whoever hangs or is slow with us is so with the API server's proxy.
      if (met !== undefined && explainsSilence(met, timeoutSeconds)) return met;
      const words = silent
        ? connectionErrorText({ kind: 'timed-out', stage: 'connect' }, timeoutSeconds, caller.address)
        : undefined;
      const heard = toldBy !== '' ? toldBy : silent ? 'no answer' : said;
      return fails(caller, means, heard, words ?? (silent ? undefined : verbatim(toldBy)));
    }
  }
}

const explainsSilence = (met: Meeting, timeoutSeconds: number): boolean =>
  met.outcome === 'fails' || (met.outcome !== 'undecided' && met.milliseconds * 4 > timeoutSeconds * 1000);

/** Words that hold no address are the same whoever dials. */
const verbatim = (text: string): string | undefined =>
  text === '' || /dial tcp|->|\d+\.\d+\.\d+\.\d+/.test(text) ? undefined : text;

/** The proxy got through to the process, which then broke the rules of TLS or HTTP. */
function failedByProxy(text: string, caller: CallContext): Meeting {
  const alert = /remote error: tls: (?<alert>[a-zA-Z ]+)$/.exec(text)?.groups?.alert;
  if (alert !== undefined)
    return failed({ kind: 'alert', stage: 'tls', alert, text, milliseconds: 0 }, caller);
  if (/server gave HTTP response to HTTPS client/.test(text)) return fails(caller, 'plain-http', text, text);
  if (/first record does not look like a TLS handshake/.test(text))
    return fails(caller, 'not-tls', text, text);
  if (/malformed HTTP/.test(text)) return fails(caller, 'malformed-http', text, undefined);
  return fails(caller, 'closed', text, verbatim(text));
}
