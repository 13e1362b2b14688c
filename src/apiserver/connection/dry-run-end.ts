import { type Callout, failsOpen, isAdmission } from '../../facts/callout.ts';
import type { DryRun } from '../../facts/probes.ts';
import type { CauseKind } from '../call-error/cause-kind.ts';
import { parseCallError } from '../call-error/parse-call-error.ts';

/**
 * What the API server's own dry run says about one callout. `passes`: it was called and answered. `nothing`: the answer
 * is about something else, or failurePolicy hides it.
 */
export type DryRunEnd =
  | { readonly outcome: 'passes' }
  | { readonly outcome: 'nothing' }
  | {
      readonly outcome: 'fails';
      /** Without `Internal error occurred: `. */
      readonly sentence: string;
      readonly link: 'routing' | 'backend' | 'tls' | 'response' | 'network';
      /** Ends of a connection that the next attempt may not meet. */
      readonly sporadic: boolean;
    };

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

/** How this callout fared in a dry run. */
export function dryRunEnd(callout: Callout, { status, message }: DryRun): DryRunEnd {
  const text = message.replace(/^Internal error occurred: /, '');
  const failure = isAdmission(callout)
    ? text.startsWith(`failed calling webhook "${callout.webhook}":`)
    : callout.kind === 'conversion' && text.startsWith('conversion webhook for ');
  if (failure) {
    const kind = parseCallError(message)?.cause?.kind;
    return {
      outcome: 'fails',
      sentence: text,
      link: (kind && links[kind]) ?? 'network',
      sporadic: kind === 'connection-closed' || kind === 'canceled',
    };
  }
  if (isAdmission(callout) && text.startsWith(`admission webhook "${callout.webhook}" denied the request`)) {
    return { outcome: 'passes' };
  }
  const passed = status >= 200 && status < 300;
  return { outcome: passed && !failsOpen(callout) ? 'passes' : 'nothing' };
}
