import type { Unread } from './unread.ts';

/**
 * The extent of probes. `none`: objects only. `connect`: TCP and TLS to every replica, GETs through the API
 * server's proxy. `review`: also an AdmissionReview with dryRun, and server-side dry runs.
 */
export type ProbeLevel = 'none' | 'connect' | 'review';

/**
 * `port-forward`: this computer → API server → kubelet → loopback of the Pod; tests the process, not the
 * network. `direct`: from here to a URL or, if this program runs in a Pod of the cluster, to the Pod's
 * address; tests the process and the Pod network. docs/probes.md has the conclusions from a success of each.
 */
export type ConnectionRoute = 'port-forward' | 'direct';

/** Why a connection failed. */
export interface ConnectionFailure {
  /** The stage that failed: TCP connection, TLS handshake, HTTP response, or the rest of its body. */
  readonly stage: 'connect' | 'tls' | 'http' | 'body';
  readonly kind:
    | 'refused'
    | 'timed-out'
    | 'reset'
    /** The peer closed the connection without sending anything. */
    | 'closed'
    /** An HTTP response instead of TLS. */
    | 'plain-http'
    /** Bytes that are neither TLS nor HTTP. */
    | 'not-tls'
    /** The peer ended the handshake with a TLS alert: see `alert`. */
    | 'alert'
    /** The signature of the server does not match the key of its certificate. */
    | 'foreign-key'
    /** The name does not resolve on this computer. */
    | 'unresolved'
    | 'unreachable'
    /** The TLS handshake succeeded, and the response is not HTTP/1.1. */
    | 'malformed-http'
    | 'other';
  /** The alert with Go's name: `protocol version not supported`, `certificate required`. */
  readonly alert?: string;
  /** The server had sent ServerHello: protocol and cipher suite were agreed. */
  readonly greeted?: true;
  /** The error of the kubelet, the API server or the operating system, unchanged. */
  readonly text: string;
  /** Milliseconds from the start of the connection. */
  readonly milliseconds: number;
}

/** A completed TLS handshake, without verification of the certificate. */
export interface Handshake {
  /** `TLSv1.3`, as node:tls names it. */
  readonly protocol: string;
  /** IANA name. */
  readonly cipher: string;
  /** DER, in the order in which the server sent them, the leaf first. */
  readonly presented: readonly Uint8Array[];
  readonly milliseconds: number;
}

/** An HTTP response, unchanged. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Still compressed if a header says so. */
  readonly body: Uint8Array;
  /** The connection ended before the body did. */
  readonly cutShort?: boolean;
  /** The response is above a limit, `is larger than 4 MiB`; the body is omitted. */
  readonly tooLarge?: string;
}

/** One AdmissionReview (with dryRun) or ConversionReview, and its response. */
export interface ReviewExchange {
  /** `apiVersion` of the review: `v1` or `v1beta1`. */
  readonly version: 'v1' | 'v1beta1';
  readonly uid: string;
  readonly operation: string;
  /** Plural resource of the test object: `configmaps`, `deployments.apps`. */
  readonly resource: string;
  /** `request.object` as sent. */
  readonly object?: unknown;
  /** The `apiVersion` that a conversion asks for, if it is not the only possible one. */
  readonly desired?: string;
  readonly answer?: HttpResponse;
  readonly failure?: ConnectionFailure;
  /**
   * The last response with a Retry-After (seconds) before this one: the API server repeats such a call. `waited`: the
   * seconds of all such responses; older snapshots do not have it.
   */
  readonly repeatedAfter?: { readonly status: number; readonly seconds: number; readonly waited?: number };
  /** From the first byte of the request to the last of the response, with all repetitions. */
  readonly milliseconds: number;
}

/** One connection of this program to a server, with all results. */
export interface ProbeConnection {
  readonly way: ConnectionRoute;
  /** Absent if the handshake was not completed. */
  readonly handshake?: Handshake;
  /** At most two: the second only if the first responses of the replicas differ. */
  readonly reviews: readonly ReviewExchange[];
  /** The failure of the connection; a failure of a review is in the review. */
  readonly failure?: ConnectionFailure;
  /** The run ended before a response to a review: the results are incomplete. */
  readonly cutShort?: true;
}

/** The first failure of this kind in a connection or its reviews. */
export const failureIn = (
  { failure, reviews }: ProbeConnection,
  kind: ConnectionFailure['kind'],
): ConnectionFailure | undefined =>
  [failure, ...reviews.map((review) => review.failure)].find((one) => one?.kind === kind);

/** The result of a GET through the API server's proxy to a Pod, without TLS verification. */
export interface ProxyResponse {
  /** True if an HTTP response came back, whatever its status. */
  readonly reached: boolean;
  /** 0: the API server itself did not respond within the timeout of a call. */
  readonly status: number;
  /** If not reached: Go's error after `error trying to reach service: `, or the API server's; else empty. */
  readonly text: string;
  readonly milliseconds: number;
}

/**
 * A server-side dry run of an object that the webhook's rules match: the API server calls the webhook itself.
 * If the object is admitted, this shows nothing about a webhook with failurePolicy Ignore, and for others one
 * (keep-alive) connection to one replica. For a CRD it is the GET of a stored object in another version than
 * the storage version.
 */
export interface DryRun {
  readonly operation: string;
  readonly resource: string;
  readonly namespace?: string;
  /** HTTP status of the API server's response. */
  readonly status: number;
  /** `message` of its Status; empty if the object was admitted. */
  readonly message: string;
  /** The stored object that a conversion webhook does not convert, if it converts the first one. */
  readonly object?: { readonly namespace?: string; readonly name: string };
  readonly milliseconds: number;
  /** Two more dry runs failed as well, each over a new connection: the next one may reach another address. */
  readonly failsAgain?: true;
  /** Digests of the values of the created object after all mutating webhooks; only for such a webhook. */
  readonly result?: readonly string[];
}

/** A GET of `/apis/GROUP/VERSION` through the aggregator: the API server calls the APIService itself. */
export interface AggregatedDiscovery {
  /** HTTP status of the response; 0: timeout. */
  readonly status: number;
  /** `message` of its Status, or the text; empty if it succeeded. */
  readonly message: string;
  /** It succeeded without a body: clients find no resources. */
  readonly isEmpty?: true;
  readonly milliseconds: number;
}

/** The probes of one replica. */
export interface ReplicaProbe {
  /** Name of the Pod, in the Service's namespace; absent for an address without a Pod. */
  readonly pod?: string;
  /** The Pod's port behind the Service's port. */
  readonly port: number;
  /** `address:port` as in the EndpointSlice; absent for a Pod without an endpoint. */
  readonly endpoint?: string;
  /** Its endpoint is ready. */
  readonly ready: boolean;
  readonly dialogues: readonly ProbeConnection[];
  readonly proxy?: ProxyResponse;
  /** The probes that were not possible, and why. */
  readonly notTried: readonly Unread[];
}

/** All probes of one callout. */
export interface CalloutProbes {
  readonly level: Exclude<ProbeLevel, 'none'>;
  /** The name in TLS: `svc.namespace.svc`, or the URL's host. */
  readonly serverName: string;
  readonly replicas: readonly ReplicaProbe[];
  /** Only for URLs: a connection from this computer, not from the API server. */
  readonly url?: ProbeConnection;
  readonly dryRun?: DryRun;
  /** Instead of `dryRun`: all webhooks admitted the object, and then its validation failed (422). */
  readonly invalid?: DryRun;
  /** APIServices only. */
  readonly discovery?: AggregatedDiscovery;
  /**
   * Go's error, `dial tcp …: connect: no route to host`, if the API server could not connect to the Service
   * port of this callout when it called another one of it in this run.
   */
  readonly dialError?: string;
  /** Probes of the requested level that were not possible for the callout in general. */
  readonly notTried: readonly Unread[];
  /** The part of `notTried` that is no connection to a replica: a review, a call of the API server itself. */
  readonly beyondReplicas?: readonly Unread[];
}

/** All connections of the probes of one callout. */
export const probeConnectionsOf = ({ replicas, url }: CalloutProbes): readonly ProbeConnection[] => [
  ...replicas.flatMap((replica) => replica.dialogues),
  ...(url === undefined ? [] : [url]),
];

/** The API server's `Date` header (whole seconds) and the clock of this computer at the same moment. */
export interface ClockReading {
  /** RFC 3339. */
  readonly server: string;
  readonly here: string;
}
