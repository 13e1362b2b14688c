import type { AdmissionCallout } from '../../facts/callout.ts';

/**
 * Maximum seconds for all admission calls of one write: create, update, patch or delete of one object
 * (apiserver/pkg/endpoints/handlers/rest.go requestTimeoutUpperBound). A request that exceeds it fails with a
 * 504.
 */
export const writeSeconds = 34;

/** Timeout in seconds of the HTTP client, whatever timeoutSeconds is (util/webhook/authentication.go). */
export const clientSeconds = 30;

/** Default of `--request-timeout` in seconds; the only timeout of a deletecollection request. */
const requestSeconds = 60;

/** The timeouts that limit a complete request. */
export interface RequestLimits {
  /** The client's `?timeout=`, in seconds; 0 or absent: no limit. */
  readonly clientTimeout?: number;
  /** `--request-timeout` of the API server, in seconds. */
  readonly serverTimeout?: number;
  /** `collection`: the 34 s do not apply. `long-running` (exec, attach, portforward, proxy): no limit. */
  readonly request?: 'write' | 'collection' | 'long-running';
}

/** Seconds after which the API server ends a request; undefined for long-running requests. */
export function requestBound(limits: RequestLimits): number | undefined {
  const { clientTimeout = 0, serverTimeout = requestSeconds, request = 'write' } = limits;
  if (request === 'long-running') return undefined;
  const shorter = clientTimeout > 0 && clientTimeout < serverTimeout ? clientTimeout : serverTimeout;
  return request === 'collection' ? shorter : Math.min(shorter, writeSeconds);
}

/** Timeout of one call in seconds. */
export const callSeconds = ({ timeoutSeconds }: AdmissionCallout): number =>
  Math.min(timeoutSeconds, clientSeconds);
