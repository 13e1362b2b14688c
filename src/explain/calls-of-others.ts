import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import { linkOfCause, type Symptom } from '../apiserver/sentences/call-error/cause-kind.ts';
import { startOfCause } from '../apiserver/sentences/call-error/find-cause.ts';
import { findComponentText } from '../apiserver/sentences/component-texts/component-texts.ts';

/** Wording of the API server, or of a component that reports its error. */
export const ofApiServer =
  /webhook|admission|injector|\bconver(?:t|sion)|api ?service|aggregat|Internal error occurred/i;
/** The API server only uses TLS; "delivered" webhooks are those of a Git server or an alert manager. */
const outgoing =
  /\b(?:Post|Get|Put):? \\?"?http:\/\/|\bhttp: proxy error: |\bwebhook deliver|\b(?:post|send)(?:ing)?(?: \w+){0,4} webhook|\bwebhook\W+\w+ (?:to )?(?:post|send)|\bdeliver\w* .{0,40}\b(?:webhook|payload)|\bnotif\w* .{0,40}\bwebhook|\bwebhook(?:s? to send)? notif|\betcd\b|\bwatch stream\b|authentication handshake failed: /i;
/** Errors of any proxy or decoder, unless the record names the API server or a review. */
const ofAnyServer: ReadonlySet<Symptom | undefined> = new Set(['no-upstream', 'undecodable-answer']);
/** Suffix of the API server's response in a client: `(get pods)`. */
const ofClient = /\((?:get|list|watch|post|create|put|update|patch|delete) [\w./-]+\)/;
/** The API server stores no larger timeout of a webhook; client-go uses one in discovery. */
const longestTimeout = 30;
/** Paths that the API server requests to check the availability of an aggregated API. */
const apiRoot = /^(?:\/apis\/[^/]+\/v\d\w*)?$/;
/** The port of the kubelet, to which the API server connects for `kubectl logs` and `exec`. */
const kubelet = 10250;
const address = /^(?:[\d.]+|\[.*\])$/;
/** Prose, with which no error of Go's network libraries starts. */
const sentence = /(?!(?:dial|read|write) )\b[a-z]{2,} [a-z]{2,}/i;

/** Whether a certificate was checked for a name or address that no Service has. */
const isOtherName = (cause: CallError['cause']): boolean =>
  cause?.wanted !== undefined &&
  !/\.svc\b/.test(cause.wanted) &&
  (/[a-z]/i.test(cause.wanted) || cause.names !== undefined);

/**
 * Whether another program made the failed call: the API server does not call such a URL (each call of a
 * webhook has a `timeout`), or only the end is given, and the text before it is about something else.
 */
export function isOfAnother(record: string, error: CallError): boolean {
  const { kind, text, webhook, service, host, path = '', timeoutSeconds, cause } = error;
  if (kind === 'internal') return cause === undefined && !/webhook|admission/i.test(record);
  if (kind !== 'call-failure' || webhook !== undefined) return false;
  if (findComponentText(record)?.kind === 'service-called-by-pod') return true;
  if (host !== undefined && /^\/apis?\//.test(path) && !apiRoot.test(path)) return true;
  if (timeoutSeconds !== undefined) return timeoutSeconds > longestTimeout;
  if (/failed (?:calling|to call)\W+(?:admission )?webhook/i.test(text)) return false;
  if (outgoing.test(record) || (cause?.port === kubelet && !ofApiServer.test(record))) return true;
  if (host !== undefined) return !address.test(host) || !apiRoot.test(path);
  if (ofAnyServer.has(cause?.symptom) && !ofApiServer.test(record)) return true;
  if (ofClient.test(record)) return true;
  if (service !== undefined && cause?.kind === 'dns') return true;
  if (ofApiServer.test(record)) return false;
  const link = cause && linkOfCause(cause.kind);
  return (
    service !== undefined ||
    isOtherName(cause) ||
    ((link === 'network' || link === 'response' || cause?.kind === 'dns' || link === 'tls') &&
      !/^Error from server .*x509/i.test(record) &&
      sentence.test(
        text
          .slice(0, startOfCause(text))
          .replace(/failed to verify certificate|x509: certificate (?:is|has)\b.*/, ''),
      ))
  );
}
