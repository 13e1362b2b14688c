/** The kinds of causes, and the link of the chain of each. */
const links = {
  'service-missing': 'routing',
  'port-missing': 'routing',
  'no-endpoints': 'backend',
  headless: 'routing',
  'external-name': 'routing',
  'connection-refused': 'network',
  'no-route': 'network',
  'not-permitted': 'network',
  'network-unreachable': 'network',
  'connect-timeout': 'network',
  dns: 'routing',
  deadline: 'network',
  canceled: 'network',
  'handshake-timeout': 'network',
  'connection-closed': 'network',
  'plain-http': 'network',
  'not-tls': 'network',
  'not-http': 'network',
  proxy: 'network',
  'address-not-allowed': 'network',
  tunnel: 'network',
  redirects: 'response',
  expired: 'tls',
  'not-yet-valid': 'tls',
  'unknown-authority': 'tls',
  'name-mismatch': 'tls',
  'legacy-common-name': 'tls',
  'wrong-usage': 'tls',
  'ca-not-allowed': 'tls',
  'name-constraint': 'tls',
  'critical-extension': 'tls',
  'weak-key': 'tls',
  'certificate-malformed': 'tls',
  'no-system-roots': 'tls',
  'certificate-other': 'tls',
  'tls-alert': 'tls',
  'ca-bundle-invalid': 'tls',
  'own-certificate-invalid': 'tls',
  'review-versions': 'network',
  'side-effects': 'network',
  'response-invalid': 'response',
  'patch-invalid': 'response',
  'path-not-found': 'response',
  unauthorized: 'response',
  'http-error': 'response',
  unavailable: 'response',
  panic: 'network',
  other: 'network',
} as const;

/** The kind of cause that ends an error of the API server about a call. */
export type CauseKind = keyof typeof links;

/**
 * The symptom of a failed call: its kind, or a more specific one that the text shows, such as 405 and 403
 * among HTTP errors, or another CA with the same name.
 */
export type Symptom =
  | CauseKind
  | 'method-not-allowed'
  | 'forbidden'
  | 'extension-server-refuses'
  | 'gateway-timeout'
  | 'undecodable-answer'
  | 'empty-answer'
  | 'answer-of-other-version'
  | 'answer-with-other-uid'
  | 'conversion-refused'
  | 'conversion-unsupported'
  | 'sha1-signature'
  | 'response-timeout'
  | 'body-timeout'
  | 'body-not-decompressed'
  | 'endpoint-refused'
  | 'tunnel-timeout'
  | 'tunnel-refused'
  | 'backend-not-authorized'
  | 'backend-request-failed'
  | 'connection-reset'
  | 'url-host-unknown'
  | 'url-not-reached'
  | 'alert-of-version'
  | 'alert-of-client-certificate'
  | 'alert-of-server-name'
  | 'alert-of-server'
  | 'alert-of-parameters'
  | 'authority-cannot-sign'
  | 'patch-not-allowed'
  | 'denied-by-mesh'
  | 'patched-object-unreadable'
  | 'patched-namespace'
  | 'no-upstream'
  | 'certificate-of-other-server'
  | 'certificate-of-other-service'
  | 'certificate-without-names'
  | 'trust-cut'
  | 'regenerated-authority';

/** The link of the chain at which a call with this cause ends; a timeout after the first bytes is the server's. */
export function linkOfCause(kind: CauseKind | undefined, symptom?: Symptom): (typeof links)[CauseKind] {
  if (kind === undefined) return 'network';
  return symptom === 'body-timeout' ? 'response' : links[kind];
}

/** True for a timeout that shows a connection: the server accepted it, and did not respond in time. */
export const timesOutConnected = (symptom: Symptom | undefined): boolean =>
  symptom === 'response-timeout' || symptom === 'body-timeout';

/** Causes that depend only on the address. */
export const causesOfAddress: readonly CauseKind[] = [
  'no-route',
  'network-unreachable',
  'connect-timeout',
  'connection-refused',
];
