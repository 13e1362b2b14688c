import { ReadError, type ReadErrorReason } from '../cluster-reader.ts';
import { type Status, statusOf } from '../status.ts';
import type { ExchangedResponse } from './exchange.ts';
import { maskSecrets } from './mask-secrets.ts';

/** True for the API server's word that the resource is there and the object is not. */
export function isAbsent(answer: ExchangedResponse): boolean {
  if (answer.status !== 404) return false;
  const status = statusOf(answer);
  return status?.reason === 'NotFound' && status.details?.name !== undefined;
}

/**
 * An answer that is no success, as an error. `server` is how the API server is shown; `hide` takes credentials out of a
 * text: a server may send back what it was sent.
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
      `${server} does not answer like a Kubernetes API server: ${what(answer)} (HTTP ${answer.status})`,
      { reason: 'not-kubernetes', ...details },
    );
  const reason = reasonOf(answer.status, status);
  return new ReadError(`${sentence(reason, answer.status, path, server)}${text === '' ? '' : `: ${text}`}`, {
    reason,
    ...details,
  });
}

/** An answer that came with success and is not what the API sends. */
export function unreadable(
  answer: ExchangedResponse,
  path: string,
  server: string,
  sent = what(answer),
): ReadError {
  return new ReadError(`${server} does not answer like a Kubernetes API server: ${sent} for ${path}`, {
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

/** The API server itself writes JSON, or one line of plain text (`404 page not found`, `service unavailable`). */
function isForeign(answer: ExchangedResponse): boolean {
  const type = answer.headers['content-type'] ?? '';
  return type.includes('html') || startsLikeMarkup(answer) || isTlsOnly(answer);
}

function what(answer: ExchangedResponse): string {
  if (isTlsOnly(answer)) return 'it expects TLS; write its address with https://';
  const type = answer.headers['content-type'] ?? '';
  if (type.includes('html') || startsLikeMarkup(answer)) return 'it sent an HTML page';
  return answer.body.length === 0 ? 'it sent an empty answer' : 'it sent something that is not JSON';
}

function startsLikeMarkup({ body }: ExchangedResponse): boolean {
  return body.subarray(0, 200).toString('latin1').trimStart().startsWith('<');
}

/** What Go's server says to plain HTTP on a TLS port. Source: net/http/server.go. */
function isTlsOnly({ status, body }: ExchangedResponse): boolean {
  return status === 400 && body.toString('latin1', 0, 100).includes('HTTP request to an HTTPS server');
}

/** Where a redirect points, without its path and query: they may hold a secret. */
function redirectTarget({ headers: { location } }: ExchangedResponse): string {
  return location && URL.canParse(location) ? ` (to ${new URL(location).origin})` : '';
}

function plainText(answer: ExchangedResponse, hide: (text: string) => string): string {
  if (isForeign(answer)) return '';
  return maskSecrets(hide(answer.body.subarray(0, 20_000).toString('utf8')))
    .trim()
    .slice(0, 300);
}
