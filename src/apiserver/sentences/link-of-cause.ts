import type { CauseKind } from './cause-kind.ts';

const links: Partial<Record<CauseKind, 'routing' | 'backend' | 'tls' | 'response'>> = {
  'service-missing': 'routing',
  'port-missing': 'routing',
  headless: 'routing',
  'external-name': 'routing',
  dns: 'routing',
  'no-endpoints': 'backend',
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
  'response-invalid': 'response',
  'patch-invalid': 'response',
  'path-not-found': 'response',
  unauthorized: 'response',
  'http-error': 'response',
  unavailable: 'response',
  redirects: 'response',
};

/** The link of the chain at which a call ends that ends in such words. */
export const linkOfCause = (
  kind: CauseKind | undefined,
): 'routing' | 'backend' | 'tls' | 'response' | 'network' =>
  (kind === undefined ? undefined : links[kind]) ?? 'network';
