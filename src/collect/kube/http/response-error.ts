import { ReadError, type ReadErrorReason } from '../../cluster.ts';
import { type Status, statusOf } from '../../status.ts';
import { maskSecrets } from '../credentials/mask-secrets.ts';
import type { ExchangedResponse } from './exchange.ts';

/** True if the API server reports that the resource is served but the object does not exist. */
export function isAbsent(answer: ExchangedResponse): boolean {
  if (answer.status !== 404) return false;
  const status = statusOf(answer);
  return status?.reason === 'NotFound' && status.details?.name !== undefined;
}

/**
 * Converts an unsuccessful response to an error. `server` is how the API server is shown; `hide` removes
 * credentials from a text: a server may return what it received.
 */
export function refusalError(
  answer: ExchangedResponse,
  path: string,
  server: string,
  hide: (text: string) => string,
): ReadError {
  const status = statusOf(answer);
  const text = status ? hide(String(status.message ?? '')) : plainText(answer, hide);
  const details = {
    path,
    status: answer.status,
    byApiServer: status !== undefined,
    ...(text === '' ? {} : { serverMessage: text }),
  };
  if (answer.status >= 300 && answer.status < 400)
    return new ReadError(
      `${server} redirects requests${hide(redirectTarget(answer))}: it is not the API server itself, or a login page is in front of it`,
      { reason: 'not-kubernetes', ...details },
    );
  if (!status && isForeign(answer))
    return new ReadError(
      `${server} does not respond like a Kubernetes API server: ${what(answer)} (HTTP ${answer.status})`,
      { reason: 'not-kubernetes', ...details },
    );
  const reason = reasonOf(answer.status, status);
  return new ReadError(`${sentence(reason, answer.status, path, server)}${text === '' ? '' : `: ${text}`}`, {
    reason,
    ...details,
  });
}

/** The error for a successful response that does not match the API. */
export function unreadableBody(
  answer: ExchangedResponse,
  path: string,
  server: string,
  sent = what(answer),
): ReadError {
  return new ReadError(`${server} does not respond like a Kubernetes API server: ${sent} for ${path}`, {
    reason: 'not-kubernetes',
    path,
    status: answer.status,
  });
}

function reasonOf(code: number, status: Status | undefined): ReadErrorReason {
  if (code === 401) return 'unauthorized';
  if (code === 403) return 'forbidden';
  if (code === 404) return 'not-served';
  if (code === 429) return 'rate-limited';
  return code === 408 || status?.reason === 'Timeout' ? 'timeout' : 'server-error';
}

function sentence(reason: ReadErrorReason, code: number, path: string, server: string): string {
  switch (reason) {
    case 'unauthorized':
      return `${server} did not accept the credentials (401): they are missing, wrong or expired`;
    case 'forbidden':
      return `reading ${path} is forbidden`;
    case 'not-served':
      return `the API server does not serve ${path}`;
    case 'rate-limited':
      return `the API server is too busy for ${path} (429)`;
    case 'timeout':
      return `the API server ran out of time for ${path} (${code})`;
    default:
      return `the API server failed on ${path} (${code})`;
  }
}

/**
 * True if the response is not from an API server, which writes JSON or one line of plain text (`404 page not
 * found`, `service unavailable`).
 */
function isForeign(answer: ExchangedResponse): boolean {
  const type = answer.headers['content-type'] ?? '';
  return type.includes('html') || startsLikeMarkup(answer) || isTlsOnly(answer);
}

function what(answer: ExchangedResponse): string {
  if (isTlsOnly(answer)) return 'it expects TLS; write its address with https://';
  const type = answer.headers['content-type'] ?? '';
  if (type.includes('html') || startsLikeMarkup(answer)) return 'it sent an HTML page';
  return answer.body.length === 0 ? 'it sent an empty response' : 'it sent something that is not JSON';
}

function startsLikeMarkup({ body }: ExchangedResponse): boolean {
  return body.subarray(0, 200).toString('latin1').trimStart().startsWith('<');
}

/** True for the response of Go's server to plain HTTP on a TLS port. Source: net/http/server.go. */
function isTlsOnly({ status, body }: ExchangedResponse): boolean {
  return status === 400 && body.toString('latin1', 0, 100).includes('HTTP request to an HTTPS server');
}

/** The target of a redirect without path and query, which may contain a secret. */
function redirectTarget({ headers: { location } }: ExchangedResponse): string {
  return location && URL.canParse(location) ? ` (to ${new URL(location).origin})` : '';
}

function plainText(answer: ExchangedResponse, hide: (text: string) => string): string {
  if (isForeign(answer)) return '';
  return maskSecrets(hide(answer.body.subarray(0, 20_000).toString('utf8')))
    .trim()
    .slice(0, 300);
}
