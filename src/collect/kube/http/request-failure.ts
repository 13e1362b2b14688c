import { largerThan, limits } from '../../../basics/limits.ts';
import { ReadError, type ReadErrorReason } from '../../cluster.ts';
import { maskSecrets } from '../credentials/mask-secrets.ts';
import { LimitExceeded } from './limits.ts';
import { ProxyError } from './tunnel.ts';

/** The context in which an error without a response is interpreted. */
export interface RequestContext {
  readonly path: string;
  /** The display name of the API server. */
  readonly server: string;
  /** `HOST:PORT` of the API server. */
  readonly host: string;
  /** Aborted at the end of the run, or by Ctrl-C. */
  readonly runEnded: AbortSignal | undefined;
  /** Aborted at the end of this request. */
  readonly requestEnded: AbortSignal | undefined;
  /** Milliseconds of `--request-timeout`. */
  readonly requestTimeout: number | undefined;
}

/** Explains in one sentence why a request has no usable response. */
export function requestFailure(error: unknown, at: RequestContext): ReadError {
  const [reason, message] = explain(error, at);
  return new ReadError(
    message,
    { reason, path: at.path },
    error instanceof LimitExceeded ? error : undefined,
  );
}

function explain(error: unknown, at: RequestContext): [ReadErrorReason, string] {
  if (at.runEnded?.aborted) return ending(at.runEnded, at.path);
  if (at.requestEnded?.aborted)
    return ['timeout', `no response for ${at.path} within --request-timeout (${seconds(at.requestTimeout)})`];
  if (error instanceof LimitExceeded) return ['too-large', `the response for ${at.path} ${error.message}`];
  if (error instanceof ProxyError) return ['unreachable', `${at.server} cannot be reached: ${error.message}`];
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const { code = '', message = String(first) } = first as NodeJS.ErrnoException;
  if (code === 'HPE_HEADER_OVERFLOW')
    return ['too-large', `the response for ${at.path} has headers whose size ${largerThan(limits.headers)}`];
  if (code.startsWith('HPE_'))
    return [
      'not-kubernetes',
      `${at.server} does not use HTTP: this may not be the address of the API server`,
    ];
  if (code.startsWith('Z_'))
    return ['not-kubernetes', `${at.server} sent a response for ${at.path} that cannot be decompressed`];
  return ['unreachable', `${at.server} cannot be reached: ${cause(code, maskSecrets(message), at.host)}`];
}

/** The reason why a run ends: its deadline (AbortSignal.timeout) or the user. */
export function ending(signal: AbortSignal, path: string): [ReadErrorReason, string] {
  const timedOut = (signal.reason as { name?: unknown } | undefined)?.name === 'TimeoutError';
  return timedOut
    ? ['timeout', `the time limit of the run was reached before ${path} was read`]
    : ['interrupted', `interrupted while reading ${path}`];
}

function cause(code: string, message: string, host: string): string {
  const tls = tlsCause(code, message);
  if (tls !== undefined) return tls;
  switch (code) {
    case 'ECONNREFUSED':
      return `connection refused by ${host}; nothing listens there`;
    case 'ENOTFOUND':
      return `no such host: ${host}`;
    case 'EAI_AGAIN':
      return `no name server responds for ${host}`;
    case 'ETIMEDOUT':
      return `${host} does not respond in time`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no route to ${host}`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} closed the connection without a response`;
    default:
      return message;
  }
}

/** Translates codes of OpenSSL's verification (X509_V_ERR_…) and of its TLS alerts, as Node spells them. */
function tlsCause(code: string, message: string): string | undefined {
  switch (code) {
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'CERT_SIGNATURE_FAILURE':
      return 'its certificate is signed by a CA that the kubeconfig does not name (certificate-authority)';
    case 'CERT_HAS_EXPIRED':
      return "its certificate, or the certificate of a CA, has expired (or this machine's clock is wrong)";
    case 'CERT_NOT_YET_VALID':
      return "its certificate, or the certificate of a CA, is not valid yet (or this machine's clock is wrong)";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `its ${message} (tls-server-name sets another name)`;
    case 'INVALID_PURPOSE':
      return 'its certificate does not allow server authentication (extended key usage)';
  }
  if (/wrong version number|packet length too long/i.test(message) || code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return 'it does not use TLS: its address may have to start with http://';
  if (/^ERR_SSL_\w*ALERT/.test(code) && /CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED/.test(code))
    return `it does not accept the client certificate (${alertName(code)})`;
  return code.startsWith('ERR_SSL_') ? `the TLS handshake failed (${alertName(code)})` : undefined;
}

function alertName(code: string): string {
  return code
    .replace(/^ERR_SSL_(TLSV1[0-3]*|SSLV3)?_?/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
}

function seconds(milliseconds: number | undefined): string {
  return `${(milliseconds ?? 0) / 1000}s`;
}
