import type { AdmissionCallout } from '../../facts/callout.ts';

/**
 * Seconds that all admission of one write may take together: create, update, patch and delete of one object
 * (apiserver/pkg/endpoints/handlers/rest.go requestTimeoutUpperBound). What is not through by then ends in a 504.
 */
export const writeSeconds = 34;

/** Seconds of the HTTP client that makes the call, whatever timeoutSeconds says (util/webhook/authentication.go). */
export const clientSeconds = 30;

/** `--request-timeout` unless told; the only bound of a deletion of a collection. */
const requestSeconds = 60;

/** What bounds a request as a whole. */
export interface RequestLimits {
  /** The client's `?timeout=`, in seconds; 0 or none: it sets no bound. */
  readonly clientTimeout?: number;
  /** `--request-timeout` of the API server, in seconds. */
  readonly serverTimeout?: number;
  /** `collection`: no 34 s. `long-running` (exec, attach, portforward, proxy): no bound at all. */
  readonly request?: 'write' | 'collection' | 'long-running';
}

/** Seconds after which the API server gives a request up; undefined for one that runs as long as it likes. */
export function requestBound(limits: RequestLimits = {}): number | undefined {
  const { clientTimeout = 0, serverTimeout = requestSeconds, request = 'write' } = limits;
  if (request === 'long-running') return undefined;
  const shorter = clientTimeout > 0 && clientTimeout < serverTimeout ? clientTimeout : serverTimeout;
  return request === 'collection' ? shorter : Math.min(shorter, writeSeconds);
}

/** Seconds that one call may take by itself. */
export const callSeconds = ({ timeoutSeconds }: AdmissionCallout): number =>
  Math.min(timeoutSeconds, clientSeconds);
