import type { JudgedResponse } from '../response/raw-response.ts';

/** Why a new connection of the API server to one replica ends in nothing. */
export const connectionFaults = [
  /** Nothing listens at the port. */
  'refused',
  /** Something listens, but only on the Pod's own loopback. */
  'loopback-only',
  /** What the control plane sends does not arrive, or is turned away; the process itself answers. */
  'unreachable',
  /** Accepts connections and says nothing until the deadline. */
  'hangs',
  /** Speaks HTTP where TLS is expected. */
  'plain-http',
  /** Speaks neither TLS nor HTTP. */
  'not-tls',
  /** Closes or resets the connection without a word. */
  'closed',
  /** A process between the API server and the one that listens closes it: the latter answers. */
  'intercepted',
  /** Ends the handshake with a TLS alert. */
  'alert',
  /** Presents a certificate that the API server refuses. */
  'certificate',
  /** Speaks something else than HTTP/1.1 inside TLS. */
  'malformed-http',
  /** URL only: the name has no address, as seen from here. */
  'unresolved',
] as const;

/** What is wrong with an answer in HTTP. */
export const responseFaults = [
  'path-not-found',
  'redirects',
  'unauthorized',
  'server-error',
  'empty',
  'not-a-review',
  'uid-mismatch',
  'version-mismatch',
  'patch-invalid',
] as const;

export type ConnectionFault = (typeof connectionFaults)[number];
export type ResponseFault = (typeof responseFaults)[number];
export type Fault = ConnectionFault | ResponseFault;

/** The link of the chain that a fault belongs to; the same words as the checks' links. */
export type FaultLink = 'routing' | 'replica' | 'tls' | 'response' | 'network';

/**
 * What a new connection of the API server to one replica (or URL) comes to, as probes saw.
 * `answers`: nothing that was looked at speaks against it. `denies`: it answers rightly, and says no to a harmless
 * object. `undecided`: what was tried does not tell.
 */
export type Meeting =
  | {
      readonly outcome: 'answers' | 'denies';
      /** Of a review; absent where the probe ended after TLS. */
      readonly answer?: JudgedResponse;
      readonly milliseconds: number;
      /** Only the API server's proxy was answered, which trusts any certificate: nobody saw which one it is. */
      readonly unshaken?: true;
    }
  | {
      readonly outcome: 'fails';
      readonly fault: Fault;
      readonly link: FaultLink;
      /** What was seen, in the words of whoever said it: cluster text. */
      readonly said: string;
      /** The API server's own sentence; absent where its words are not certain. */
      readonly sentence?: string;
      readonly answer?: JudgedResponse;
      /** It refuses a caller without credentials. The API server may have some for admission webhooks, which no API shows. */
      readonly asksWho?: true;
    }
  | { readonly outcome: 'undecided' };

export type FailedMeeting = Extract<Meeting, { outcome: 'fails' }>;

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

export const linkOfFault = (fault: Fault): FaultLink =>
  isConnectionFault(fault) ? links[fault] : 'response';

const ofTheWay: readonly Fault[] = ['refused', 'unreachable', 'hangs', 'closed', 'unresolved'];

/** Nothing was heard of the server itself: whoever stands elsewhere may hear more. */
export const isNetworkFault = (fault: Fault): boolean => ofTheWay.includes(fault);
