import { defined } from '../../../basics/collections.ts';
import type { CallError } from './call-error.ts';
import { type CauseKind, linkOfCause, type Symptom } from './cause-kind.ts';
import { errorTexts } from './error-texts.ts';
import { findCause, startOfCause } from './find-cause.ts';
import { shapes } from './shapes.ts';

/** The URL of a call in an error; quotes may be missing, and the end may be cut. */
const url =
  /https:\/\/(?<host>[^\s"/:?]+|\[[^\]]+\])(?::(?<port>\d+))?(?<path>\/[^\s"?]*)?(?:\?timeout=(?<timeout>[0-9hms.]+[hms]))?/;
const serviceHost = /^(?<name>[^.]+)\.(?<namespace>[^.]+)\.svc$/;

/** Parses a Go duration as far as a webhook's timeout uses it. */
function seconds(duration: string): number | undefined {
  const match = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration);
  return match === null ? undefined : Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0);
}

type CallTarget = Pick<CallError, 'service' | 'host' | 'port' | 'path' | 'timeoutSeconds'>;

/** The target in the first URL of a text; empty if there is none. */
function targetOf(text: string): CallTarget {
  const groups = url.exec(text)?.groups;
  if (groups?.host === undefined) return {};
  const service = serviceHost.exec(groups.host)?.groups;
  const timeoutSeconds = groups.timeout === undefined ? undefined : seconds(groups.timeout);
  return {
    ...(service?.name === undefined || service.namespace === undefined
      ? { host: groups.host }
      : { service: { namespace: service.namespace, name: service.name } }),
    ...(groups.port === undefined ? {} : { port: Number(groups.port) }),
    ...defined({ path: groups.path, timeoutSeconds }),
  };
}

/** `Post "URL": ` and everything before it. */
const beforeTheCause =
  /^.*?(?:(?<sent>(?:(?:Post|Get|Put):? )?"?https:\/\/[^\s"]+"?\s?: )|failed to call webhook: |webhook "[^"]*": |could not get REST client: )/i;

/**
 * Text of a logger or controller after an error: `" controller="x"`, `. Retrying attempt #5`, the end of a table row,
 * the rest of a JSON document.
 */
const after = String.raw`(?:(?:["']\s*[}\],]|,\s*"\w+":).*|\W*(?:["']?\s+\w+=.*|\.\s+[A-Z].*|\|.*)?)$`;
/** The rest of a text that was cut before its cause. */
const cut = new RegExp(
  String.raw`^(?:fa?i?l?e?d?|failed to call webhook|failing or missing response from)?\s*(?:P(?:o(?:st?)?)?|G(?:et?)?)?\s*(?:"?(?:h(?:t{1,2}(?:ps?:?\/?)?)?|https:\/\/[^\s"]*)?)?${after}`,
  'i',
);

/** A status text after the URL is no response of a webhook (no `Post "…"`): a proxy rejected the tunnel. */
const refusedTunnel =
  /^(?:[A-Z]\w+(?: \w+){1,3} )?(?:Forbidden|Service Unavailable|Bad Gateway|Gateway Time-?out|Proxy Authentication Required)\b/;
/** Another reason phrase of a proxy: Go's own errors start with a lower-case letter and contain a colon. */
const reasonPhrase = new RegExp(`^[A-Z][a-z]+(?: [A-Za-z]+){0,5}${after}`);

/** Constant parts of known errors, and their causes; the first one counts if several start alike. */
const sentences: ReadonlyMap<string, CauseKind & Symptom> = new Map(
  Object.entries(errorTexts)
    .toReversed()
    .flatMap(([kind, { says }]) =>
      says
        .split(/(?<!connect): | ?"/)
        .filter((part) => /^[^\d]{15,}$/.test(part))
        .map((part) => [part, kind as CauseKind & Symptom] as const),
    ),
);
const cutInName = /(?:^|: )service "[a-z0-9.-]+$/;

/** Minimum number of characters that identify an error. */
const shortestBeginning = 11;

/** The cause in a text that is cut, as in titles and Events, if all known errors that start like that agree. */
function causeOfCut(words: string): CallError['cause'] {
  const text = words.replace(/(?:…|\.{2,})?["']?$/, '');
  // From the last occurrence of its first characters on, the text equals the error, and ends before it. In
  // another sentence the same words do not follow a colon or a quote.
  const isBeginningOf = (one: string): boolean => {
    const at = text.lastIndexOf(one.slice(0, shortestBeginning));
    if (at < 0 || !/(?:^|[:"'] ?)$/.test(text.slice(0, at))) return false;
    return text.length - at < one.length && one.startsWith(text.slice(at));
  };
  const possible = cutInName.test(text)
    ? (['service-missing'] as const)
    : [...new Set([...sentences].flatMap(([part, kind]) => (isBeginningOf(part) ? [kind] : [])))];
  const [kind] = possible;
  if (kind === undefined) return undefined;
  if (possible.length === 1) return { kind, symptom: kind, text };
  const isTrust = possible.every((one) => linkOfCause(one) === 'tls');
  return isTrust ? { kind: 'certificate-other', symptom: 'trust-cut', text } : undefined;
}

/** The cause of a failed call, from the text after the webhook's name or the URL. */
function causeAtEnd(rest: string): Pick<CallError, 'cause'> {
  let words = rest;
  let sent = false;
  for (let prefix = beforeTheCause.exec(words); prefix !== null; prefix = beforeTheCause.exec(words)) {
    sent = prefix.groups?.sent !== undefined;
    words = words.slice(prefix[0].length);
  }
  if (sent && refusedTunnel.test(words)) return { cause: { kind: 'proxy', symptom: 'proxy', text: words } };
  const found = findCause(words) ?? findCause(rest);
  if (found === undefined && cut.test(words)) return {};
  const cause =
    found === undefined || found.kind === 'certificate-other' ? (causeOfCut(words) ?? found) : found;
  if (cause !== undefined) return { cause };
  if ([...sentences.keys(), 'failed to call webhook'].some((one) => one.startsWith(words))) return {};
  if (sent && reasonPhrase.test(words)) return { cause: { kind: 'proxy', symptom: 'proxy', text: words } };
  return { cause: { kind: 'other', symptom: 'other', text: words } };
}

/** Messages of converters for a version that they do not implement. */
const unsupported =
  /\b(?:unexpected|unsupported|unknown) (?:conversion\b|version:? ["']?(?:[\w.-]+\/)?v\d+(?:(?:alpha|beta)\d+)?(?![\w.]))|is not convertible to|conversion not supported for|\bno kind "\w+" is registered for version\b/i;

/** True if a conversion fails because the program does not know the version, and not because of the object. */
export const isVersionUnsupported = (text: string): boolean =>
  unsupported.test(text) || /\binvalid groupVersion \(expected /.test(text);

/** Without the URL of a call, an unknown text is `result.message` of the conversion webhook's response. */
function ofConverter(reported: Pick<CallError, 'cause'>, rest = ''): Pick<CallError, 'cause'> {
  if (reported.cause?.kind !== 'other' || rest.includes('://')) return reported;
  const symptom = unsupported.test(rest) ? 'conversion-unsupported' : 'conversion-refused';
  return { cause: { ...reported.cause, kind: 'response-invalid', symptom } };
}

/** Longer than any error of the API server; the rest is another part of a log. */
const longest = 8_192;

/** People write `timeout` for what Go reports as an exceeded deadline; in a URL it is a parameter. */
const orTimeout = (reported: Pick<CallError, 'cause'>): Pick<CallError, 'cause'> =>
  reported.cause?.kind === 'other' && /(?<!\?)\btimed?[ -]?out\b/i.test(reported.cause.text)
    ? { cause: { ...reported.cause, kind: 'deadline', symptom: 'deadline' } }
    : reported;

/** Removes escaped quotes and line ends, which are not part of the API server's error. */
const plain = (text: string): string =>
  text.slice(0, longest).replaceAll('\\"', '"').replace(/\s+/g, ' ').trim();

/** A parsed error, and its offset in the text: the outermost error counts, and can quote others. */
interface Found {
  readonly at: number;
  readonly error: CallError;
}

function shaped(text: string): Found | undefined {
  for (const { kind, pattern } of shapes) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const { webhook, message, group, version, objectKind, rest } = found.groups ?? {};
    const groupVersion = found.groups?.groupVersion ?? (group && `${group}/${version}`);
    const reported = rest === undefined ? {} : orTimeout(causeAtEnd(rest));
    const error = {
      kind,
      text: found[0],
      ...defined({ webhook, message }),
      ...(groupVersion === undefined ? {} : { groupVersion: groupVersion.replaceAll(' ', '') }),
      ...(objectKind === undefined ? {} : { objectKind }),
      ...(rest === undefined ? {} : targetOf(rest)),
      ...(kind === 'conversion' ? ofConverter(reported, rest) : reported),
    };
    return { at: found.index, error };
  }
  return undefined;
}

/** The API server's log: `Failed calling webhook, failing open N: failed calling webhook "N": …`. */
const logged = /Failed calling webhook, failing (?<way>open|closed) [^\s:]+: /;
/** Before 1.12 `failed calling admission webhook`. If a colon follows directly, the name is missing. */
const failed =
  /failed (?:calling|to call|to connect to) (?:admission )?webhook(?: "?(?<webhook>[A-Za-z0-9][^\s":;,]*)"?)?/i;

function callFailure(text: string): Found | undefined {
  const log = logged.exec(text);
  const sentence = log === null ? text : text.slice(log.index + log[0].length);
  const found = failed.exec(sentence);
  if (found === null) return undefined;
  const failedTo = /^failed to call/i.test(found[0]);
  const webhook = failedTo ? undefined : found.groups?.webhook;
  const rest = sentence.slice(found.index + (failedTo ? 'failed to call webhook'.length : found[0].length));
  // In a title, the cause may come first: `Address is not allowed, failed calling webhook "…"`.
  const before = /^\W*$/.test(rest) && /(?:^|: )([^:]+),\s$/.exec(sentence.slice(0, found.index))?.[1];
  const error: CallError = {
    kind: 'call-failure',
    text: sentence.slice(found.index),
    ...(webhook === undefined ? {} : { webhook }),
    ...(log === null ? {} : { failedOpen: log.groups?.way === 'open' }),
    ...targetOf(rest),
    ...orTimeout(causeAtEnd(before || rest.replace(/^[\s"]*[:;-]?\s*/, ''))),
  };
  return { at: log?.index ?? found.index, error };
}

/** An address or a complete name that is not a Service's; users may write `policy...svc` or `policy.XXX`. */
const ofUrl =
  /^(?:localhost|[\d.]+|\[.+\]|(?!.*\.svc\b)(?!(?:.*\.)?[A-Z_-]+(?:\.|$))[A-Za-z\d_-]+(?:\.[A-Za-z\d_-]+)+)$/;
/** Causes of calls that fail before they connect. */
const notConnected: ReadonlySet<CauseKind | undefined> = new Set([
  'connection-refused',
  'no-route',
  'connect-timeout',
]);

/**
 * A call to a URL has no Service. A port other than that of the URL is a Pod's port: this API server resolves
 * the Service to endpoints.
 */
const directly = (error: CallError): CallError =>
  error.kind !== 'apiservice' &&
  ofUrl.test(error.host ?? '') &&
  error.cause &&
  notConnected.has(error.cause.kind)
    ? { ...error, cause: { ...error.cause, symptom: 'url-not-reached' } }
    : ofPod(error);
const ofPod = (error: CallError): CallError =>
  error.cause?.kind === 'connection-refused' &&
  error.service !== undefined &&
  error.cause.port !== undefined &&
  error.cause.port !== (error.port ?? 443)
    ? { ...error, cause: { ...error.cause, symptom: 'endpoint-refused' } }
    : error;

/** Causes that identify the error of a call without other text, because only the API server writes them. */
const specificCauses: ReadonlySet<CauseKind> = new Set([
  'service-missing',
  'port-missing',
  'no-endpoints',
  'headless',
  'external-name',
  'address-not-allowed',
]);

/** Parses a text with only the end of an error, or its URL. Image pulls and probes have the same errors. */
function bare(text: string): CallError | undefined {
  const target = targetOf(text);
  const { cause } = causeAtEnd(text);
  const reported =
    cause !== undefined &&
    cause.kind !== 'other' &&
    (target.service !== undefined ||
      (target.host === undefined &&
        (specificCauses.has(cause.kind) || cause.wanted?.endsWith('.svc') === true)));
  if (reported) return { kind: 'call-failure', text, ...target, cause };
  const message = /Internal error occurred: (?<message>.*)/.exec(text)?.groups?.message;
  return message === undefined ? undefined : { kind: 'internal', text, message };
}

/**
 * Parses an error from any source: kubectl, an Event, a condition, a controller's log, the API server's log,
 * a text without its quotes, any version since 1.9. Undefined if it is not the error of a call of the API
 * server.
 */
export function parseCallError(text: string): CallError | undefined {
  const line = plain(text);
  const shape = shaped(line);
  const failure = callFailure(line);
  const outermost = failure !== undefined && failure.at < (shape?.at ?? line.length) ? failure : shape;
  const error = outermost?.error ?? bare(line);
  return error && directly(error);
}

/** A line of a webhook's own log is about a client's connection, and the client sent the TLS alerts in it. */
const backendLog = /TLS handshake error|http: panic serving/;

/**
 * Parses a text that is known to be about a failed call although it contains only the end of the error:
 * `x509: certificate signed by unknown authority`, `EOF`. Undefined if it contains no known error.
 */
export function parseErrorEnding(text: string): CallError | undefined {
  const line = plain(text);
  const parsed = parseCallError(line);
  if (parsed !== undefined || backendLog.test(line)) return parsed;
  const { cause } = causeAtEnd(line);
  if (cause === undefined || cause.kind === 'other') return undefined;
  // An address after the reason is one to read about it.
  return { kind: 'call-failure', text: line, ...targetOf(line.slice(0, startOfCause(line))), cause };
}

/** True if the API server reports that a conversion webhook responded and did not convert an object. */
export function isConversionRefusal(text: string): boolean {
  const { symptom } = parseCallError(text)?.cause ?? {};
  return symptom === 'conversion-refused' || symptom === 'conversion-unsupported';
}
