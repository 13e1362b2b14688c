import type { EvaluatedResponse } from '../response/raw-response.ts';

/** Reasons why a new connection of the API server to one replica fails. */
export const connectionFaults = [
  /** Nothing listens on the port. */
  'refused',
  /** The process listens on localhost of the Pod only. */
  'loopback-only',
  /** Packets of the control plane are dropped or rejected; the process itself responds. */
  'unreachable',
  /** Accepts connections and sends nothing until the timeout. */
  'hangs',
  'plain-http',
  /** Uses neither TLS nor HTTP. */
  'not-tls',
  /** Closes or resets the connection and sends nothing. */
  'closed',
  /** A sidecar or a device on the path closes the connection; the process itself responds. */
  'intercepted',
  /** Ends the handshake with a TLS alert. */
  'alert',
  /** Presents a certificate that the API server does not accept. */
  'certificate',
  /** Uses another protocol than HTTP/1.1 inside TLS. */
  'malformed-http',
  /** URL only: the name does not resolve on this computer. */
  'unresolved',
] as const;

/** Reasons why an HTTP response is not accepted. */
export const responseFaults = [
  'path-not-found',
  'redirects',
  'unauthorized',
  'server-error',
  'empty',
  'not-a-review',
  'uid-mismatch',
  'version-mismatch',
  /** A conversion webhook reports that it cannot convert, or returns other objects than requested. */
  'conversion-failed',
  'patch-invalid',
  /** A response after the timeout of the API server. */
  'late',
] as const;

export type ConnectionFault = (typeof connectionFaults)[number];
export type ResponseFault = (typeof responseFaults)[number];
/** Why a call to one replica fails: no connection, or no valid response. */
export type Fault = ConnectionFault | ResponseFault;

/** The link of the chain that a fault belongs to, named like the links of the checks. */
export type FaultLink = 'routing' | 'replica' | 'tls' | 'response' | 'network';

/**
 * The result of a new connection of the API server to one replica (or URL), from probes. `answers`: no probe
 * failed. `denies`: the response is valid, and denies a harmless object. `undecided`: probes do not decide.
 */
export type CallResult =
  | {
      readonly outcome: 'answers' | 'denies';
      /** The response to a review; absent if the probe ended after TLS. */
      readonly answer?: EvaluatedResponse;
      readonly milliseconds: number;
      /** Only the API server's proxy got a response. It accepts any certificate, so that one is unknown. */
      readonly withoutHandshake?: true;
    }
  | {
      readonly outcome: 'fails';
      readonly fault: Fault;
      readonly link: FaultLink;
      /** The error of the probe or of the API server's proxy, unchanged. */
      readonly detail: string;
      /** The error message of the API server; absent if not certain. */
      readonly sentence?: string;
      readonly answer?: EvaluatedResponse;
      /** Milliseconds until the response, for `late`. */
      readonly milliseconds?: number;
      /** The status of a response that is an HTTP error or a redirect. */
      readonly status?: number;
      /** A part of the response arrived before the failure. */
      readonly bodyStarted?: true;
      /** Other requests than the review of the probe pass, or can pass. */
      readonly partly?: 'dry-runs' | 'conversions-to-stored-version';
      /** It rejects a client without credentials. No API shows if the API server has some for webhooks. */
      readonly needsCredentials?: true;
    }
  | { readonly outcome: 'undecided' };

/** A call that fails. */
export type FailedCallResult = Extract<CallResult, { outcome: 'fails' }>;

const links: Readonly<Record<ConnectionFault, FaultLink>> = {
  refused: 'replica',
  'loopback-only': 'replica',
  unreachable: 'network',
  hangs: 'replica',
  'plain-http': 'replica',
  'not-tls': 'replica',
  closed: 'replica',
  intercepted: 'network',
  alert: 'tls',
  certificate: 'tls',
  'malformed-http': 'response',
  unresolved: 'routing',
};

const isConnectionFault = (fault: Fault): fault is ConnectionFault =>
  (connectionFaults as readonly string[]).includes(fault);

/** The link at which a call with this fault ends; `response` for all faults of responses. */
export const linkOfFault = (fault: Fault): FaultLink =>
  isConnectionFault(fault) ? links[fault] : 'response';

const networkFaults: readonly Fault[] = ['refused', 'unreachable', 'hangs', 'closed', 'unresolved'];

/** True for a fault on the network path: another client can get another result. */
export const isNetworkFault = (fault: Fault): boolean => networkFaults.includes(fault);
