import type { CallCause, CallError, CallErrorKind } from './call-error.ts';
import { findCause } from './find-cause.ts';

/** Quotes that a logger escaped, and line ends, are not part of the API server's sentence. */
const plain = (text: string): string => text.replaceAll('\\"', '"').replace(/\s+/g, ' ').trim();

const webhookName =
  /(?:failed calling|Failed calling|panic calling) (?:admission )?webhook:? "?(?<name>[A-Za-z0-9][\w./-]*)"?/i;
const sentenceStart = /failed calling (?:admission )?webhook/g;

/** The host of a webhook URL in an error; quotes and the scheme's case may be lost, the end may be cut. */
const url =
  /https:\/\/(?<host>[^\s"/:?]+|\[[^\]]+\])(?::(?<port>\d+))?(?<path>\/[^\s"?]*)?(?:\?timeout=(?<timeout>[0-9hms.]+[hms]))?/;
const serviceHost = /^(?<name>[^.]+)\.(?<namespace>[^.]+)\.svc$/;

/** Go's duration text, as far as a webhook's timeout uses it. */
function seconds(duration: string | undefined): number | undefined {
  const match = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration ?? '');
  if (match === null || duration === '') return undefined;
  return Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0);
}

type Target = Pick<CallError, 'service' | 'host' | 'port' | 'path' | 'timeoutSeconds'>;

function targetOf(text: string): Target {
  const groups = url.exec(text)?.groups;
  if (groups?.host === undefined) return {};
  const service = serviceHost.exec(groups.host)?.groups;
  const timeoutSeconds = groups.timeout === undefined ? undefined : seconds(groups.timeout);
  return {
    ...(service?.name === undefined || service.namespace === undefined
      ? { host: groups.host }
      : { service: { namespace: service.namespace, name: service.name } }),
    ...(groups.port === undefined ? {} : { port: Number(groups.port) }),
    ...(groups.path === undefined ? {} : { path: groups.path }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}

/** `Post "URL": ` and everything before it: what follows are the last words. */
const upToTheCause =
  /^.*?(?:(?:Post|Get|Put):? "?https:\/\/[^\s"]+"?\s?: |failed to call webhook: |webhook "[^"]*": |could not get REST client: )/i;

const other = (text: string): CallCause => ({ kind: 'other', text });

function withCause(rest: string): Pick<CallError, 'cause' | 'candidates'> {
  let words = rest;
  for (let prefix = upToTheCause.exec(words); prefix !== null; prefix = upToTheCause.exec(words)) {
    words = words.slice(prefix[0].length);
  }
  const found = findCause(words) ?? findCause(rest);
  if (found !== undefined) return found;
  const said = words.replace(/^[":;,.\s]+$/, '');
  const unfinished = said === '' || /^(?:Post|Get)?\s*"?https:\/\/\S*$/i.test(said) || said === rest;
  return unfinished ? { candidates: [] } : { cause: other(said), candidates: [] };
}

/** From the last `failed calling webhook` on: the log writes the name before it once more. */
function callFailure(text: string): CallError | undefined {
  const starts = [...text.matchAll(sentenceStart)];
  const from =
    starts.at(-1)?.index ?? /failed to call webhook|failed calling (?:admission )?webhook/i.exec(text)?.index;
  if (from === undefined) return undefined;
  const sentence = text.slice(from);
  const name = webhookName.exec(sentence)?.groups?.name;
  const failedOpen = /Failed calling webhook, failing (?<way>open|closed)/.exec(text)?.groups?.way;
  const rest = name === undefined ? sentence : sentence.slice(sentence.indexOf(name) + name.length);
  return {
    kind: 'call-failure',
    text: sentence,
    ...(name === undefined ? {} : { webhook: name }),
    ...(failedOpen === undefined ? {} : { failedOpen: failedOpen === 'open' }),
    ...targetOf(sentence),
    ...withCause(rest.replace(/^"?\s*[:;]?\s*/, '')),
  };
}

interface Shape {
  readonly kind: CallErrorKind;
  readonly pattern: RegExp;
}

/** Sentences that are told from their own words; named groups become fields, `rest` is searched for the cause. */
const shapes: readonly Shape[] = [
  // admission webhook "policy.example.com" does not support dry run
  { kind: 'dry-run-refused', pattern: /admission webhook "?(?<webhook>[^\s"]+)"? does not support dry run/ },
  // admission webhook "policy.example.com" denied the request: no
  {
    kind: 'denial',
    pattern:
      /admission webhook (?:"?(?<webhook>[^\s"]+)"? )?denied the request(?:: (?<message>.*)| without explanation)?/,
  },
  // admission webhook "policy.example.com" attempted to modify the object, which is not supported for this operation
  {
    kind: 'internal',
    pattern: /admission webhook "?(?<webhook>[^\s"]+)"? attempted to modify the object(?<message>.*)/,
  },
  // ValidatingAdmissionWebhook/policy.example.com has panicked: …; Panic calling webhook, failing open …: …
  { kind: 'internal', pattern: /(?<rest>ValidatingAdmissionWebhook\/(?<webhook>\S+) has panicked.*)/ },
  {
    kind: 'internal',
    pattern: /(?<rest>Panic calling webhook, failing (?:open|closed) (?<webhook>[^\s:]+).*)/,
  },
  // conversion webhook for example.com/v1, Kind=Widget failed: Post "https://…/convert?timeout=30s": …
  {
    kind: 'conversion',
    pattern:
      /conversion webhook for (?<groupVersion>[^\s,]+), Kind=(?<objectKind>\w+)(?: List)? (?:failed:? ?)?(?<rest>.*)/,
  },
  // configmaps "probe" is forbidden: expression '…' resulted in error: no such key: metadata
  { kind: 'match-condition', pattern: /is forbidden: \[?(?<message>expression '.+' resulted in error: .*)/ },
  // Timeout: request did not complete within requested timeout - context deadline exceeded
  {
    kind: 'timeout-504',
    pattern:
      /Timeout: request did not complete within (?:the allotted |requested |allowed )(?:timeout|duration)/,
  },
  // failing or missing response from https://203.0.113.9:443/apis/g/v1: Get "https://…": dial tcp …: …
  {
    kind: 'apiservice',
    pattern:
      /(?<rest>(?:failing or missing response from|bad status from|timed out waiting for) https:\/\/\S+?\/apis\/(?<groupVersion>[^\s:"/]+\/[^\s:"/]+).*)/,
  },
  // service/metrics in "shop" is not present
  {
    kind: 'apiservice',
    pattern:
      /(?<message>service\/\S+ in "?[a-z0-9-]+"? (?:is not present|is not listening on port \d+|cannot be checked due to: .*))/,
  },
  {
    kind: 'apiservice',
    pattern: /(?<message>(?:cannot find endpoint(?:slice)?s for|endpoint(?:slice)?s for) service\/\S+ in .*)/,
  },
  // unable to retrieve the complete list of server APIs: g/v1: the server is currently unable to handle the request
  {
    kind: 'apiservice',
    pattern: /unable to retrieve the complete list of server APIs: (?<groupVersion>[^\s:]+): (?<rest>.*)/,
  },
  { kind: 'apiservice', pattern: /error trying to reach service: (?<rest>.*)/ },
];

function shaped(text: string): CallError | undefined {
  for (const { kind, pattern } of shapes) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const { webhook, message, groupVersion, objectKind, rest } = found.groups ?? {};
    return {
      kind,
      text: found[0],
      ...(webhook === undefined ? {} : { webhook }),
      ...(message === undefined ? {} : { message }),
      ...(groupVersion === undefined ? {} : { groupVersion }),
      ...(objectKind === undefined ? {} : { objectKind }),
      ...(rest === undefined ? { candidates: [] } : { ...targetOf(rest), ...withCause(rest) }),
    };
  }
  return undefined;
}

/** A line of a webhook's own log is about somebody else's connection. */
const backendLog = /http: (?:TLS handshake error from|panic serving)/;

function bare(text: string): CallError | undefined {
  if (backendLog.test(text)) return undefined;
  const target = targetOf(text);
  const found = withCause(text);
  if (
    found.cause !== undefined &&
    found.cause.kind !== 'other' &&
    (target.service !== undefined || text.length < 300)
  ) {
    return { kind: 'call-failure', text, ...target, ...found };
  }
  const internal = /Internal error occurred: (?<message>.*)/.exec(text)?.groups?.message;
  return internal === undefined ? undefined : { kind: 'internal', text, message: internal, candidates: [] };
}

/**
 * Takes an error text apart, from wherever it comes: kubectl, an Event, a condition, a controller's log, the API
 * server's log, a report that lost its quotes, any version since 1.9. undefined: no error of the API server's calls.
 */
export function parseCallError(text: string): CallError | undefined {
  const line = plain(text);
  return shaped(line) ?? callFailure(line) ?? bare(line);
}
