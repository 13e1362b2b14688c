import type { Unread } from './unread.ts';

/**
 * How far a probe goes. `none`: objects only. `connect`: TCP and TLS to every replica, GETs through the API server's
 * proxy. `review`: an AdmissionReview marked dryRun as well, and server-side dry runs.
 */
export type ProbeLevel = 'none' | 'connect' | 'review';

/**
 * `port-forward`: workstation → API server → kubelet → the Pod's own loopback; proves the process, not the network.
 * `direct`: from here to a URL, or, where this is a Pod of the cluster, to the Pod's address; proves the process and the
 * Pod network. What a success over each way proves is told in docs/probes.md.
 */
export type ConnectionRoute = 'port-forward' | 'direct';

/** Why a connection came to nothing. */
export interface ConnectionFailure {
  /** The last thing that was tried: a TCP connection, the TLS handshake, an HTTP answer, the rest of its body. */
  readonly stage: 'connect' | 'tls' | 'http' | 'body';
  readonly kind:
    | 'refused'
    | 'timed-out'
    | 'reset'
    /** Closed by the peer without a word. */
    | 'closed'
    /** An HTTP answer where TLS was expected. */
    | 'plain-http'
    /** Bytes that are neither TLS nor HTTP. */
    | 'not-tls'
    /** The peer ended the handshake with a TLS alert: see `alert`. */
    | 'alert'
    /** The name has no address here. */
    | 'unresolved'
    | 'unreachable'
    /** The TLS handshake succeeded, and the response is not HTTP/1.1. */
    | 'malformed-http'
    | 'other';
  /** The alert as Go names it: `protocol version not supported`, `certificate required`. */
  readonly alert?: string;
  /** The server had sent ServerHello: protocol and cipher suite were agreed. */
  readonly greeted?: true;
  /** The error of the kubelet, the API server or the operating system: cluster text. */
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

/** An HTTP answer, as it came. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Still compressed where a header says so. */
  readonly body: Uint8Array;
  /** The connection ended before the body did. */
  readonly cutShort?: boolean;
  /** More came than is taken, `is larger than 4 MiB`; the body is left out. */
  readonly tooLarge?: string;
}

/** One AdmissionReview (with dryRun) or ConversionReview, and its response. */
export interface ReviewExchange {
  /** `apiVersion` of the review: `v1` or `v1beta1`. */
  readonly version: 'v1' | 'v1beta1';
  readonly uid: string;
  readonly operation: string;
  /** Plural resource of the made-up object: `configmaps`, `deployments.apps`. */
  readonly resource: string;
  /** `request.object` as sent. */
  readonly object?: unknown;
  readonly answer?: HttpResponse;
  readonly failure?: ConnectionFailure;
  /** From the first byte of the request to the last of the answer. */
  readonly milliseconds: number;
}

/** One connection of our own to a server, as far as it went. */
export interface Dialogue {
  readonly way: ConnectionRoute;
  /** Absent when there was none. */
  readonly handshake?: Handshake;
  /** At most two: the second only where the first answers disagree between replicas. */
  readonly reviews: readonly ReviewExchange[];
  /** The failure of the connection; a failure of a review is in the review. */
  readonly failure?: ConnectionFailure;
  /** The run ended before a response to a review: the dialogue is incomplete. */
  readonly cutShort?: true;
}

/** The result of a GET through the API server's proxy to a Service or Pod: control plane → Pod, TLS not verified. */
export interface ProxyResponse {
  readonly way: 'service-proxy' | 'pod-proxy';
  /** Something answered in HTTP, whatever its status. */
  readonly reached: boolean;
  /** 0: the API server itself gave no answer in the time of a call. */
  readonly status: number;
  /** Not reached: Go's words after `error trying to reach service: `, or the API server's own sentence; else empty. */
  readonly text: string;
  readonly milliseconds: number;
}

/**
 * A server-side dry run of an object that the webhook's rules select: the real call by the real caller. Admitted says
 * nothing about a webhook with failurePolicy Ignore, and one kept connection to one replica of the others. For a CRD it
 * is the GET of a stored object in another version than the one in which it is stored.
 */
export interface DryRun {
  readonly operation: string;
  readonly resource: string;
  readonly namespace?: string;
  /** HTTP status of the API server's answer. */
  readonly status: number;
  /** `message` of its Status; empty when it was admitted. */
  readonly message: string;
  readonly milliseconds: number;
  /** Repeated dry runs, if the next connection may reach another address. */
  readonly again?: {
    /** One of them passed. */
    readonly passed: boolean;
    /** Of those that failed. */
    readonly messages: readonly string[];
  };
}

/** A GET of `/apis/GROUP/VERSION` through the aggregator: an APIService's real call by the real caller. */
export interface AggregatedDiscovery {
  /** HTTP status of the answer; 0: none in time. */
  readonly status: number;
  /** `message` of its Status, or the text; empty when it was answered. */
  readonly message: string;
  readonly milliseconds: number;
}

/** The probes of one replica. */
export interface ReplicaProbe {
  /** Name of the Pod, in the Service's namespace; absent for a bare address. */
  readonly pod?: string;
  /** The Pod's port behind the Service's port. */
  readonly port: number;
  /** `address:port` as in the EndpointSlice; absent for a Pod that is in none. */
  readonly endpoint?: string;
  /** Its endpoint takes calls. */
  readonly ready: boolean;
  readonly dialogues: readonly Dialogue[];
  readonly proxy?: ProxyResponse;
  /** The probes that were not possible, and why. */
  readonly notTried: readonly Unread[];
}

/** Everything that was tried at one callout. */
export interface CalloutProbes {
  readonly level: Exclude<ProbeLevel, 'none'>;
  /** The name in TLS: `svc.namespace.svc`, or the URL's host. */
  readonly serverName: string;
  readonly replicas: readonly ReplicaProbe[];
  /** Only for URLs: a connection from this computer, not from the API server. */
  readonly url?: Dialogue;
  readonly serviceProxy?: ProxyResponse;
  readonly dryRun?: DryRun;
  /** In place of `dryRun`: all webhooks let the object pass, and then the API server found it invalid (422). */
  readonly invalid?: DryRun;
  /** APIServices only. */
  readonly discovery?: AggregatedDiscovery;
  /** Probes of the requested level that were not possible for the callout as a whole. */
  readonly notTried: readonly Unread[];
  /** Those of them that connections to replicas only do not include: a review, a call of the API server itself. */
  readonly beyondReplicas?: readonly Unread[];
}

/** Two clocks read at one moment: the API server's `Date` header (whole seconds) and ours. */
export interface ClockReading {
  /** RFC 3339. */
  readonly server: string;
  readonly here: string;
}
