import type { FindingReport } from '../../diagnose/report.ts';
import type { FilledAdvice } from '../../phrases/advice.ts';

type Severity = FindingReport['severity'];
/** A link of the chain, as in reports. */
export type Link = FindingReport['link'];

/** A message of a check, and its consequence for the next call. */
export interface CheckMessage {
  readonly id: string;
  /** With `{placeholders}`. */
  readonly text: string;
  readonly severity: Severity;
  /** Absent: the next call is not affected. */
  readonly consequence?: 'failing' | 'degraded' | 'unknown';
  /** The steps for this message, instead of those of the check. */
  readonly advice?: FilledAdvice;
}

/** The complete documentation of a check. */
export interface CheckEntry {
  readonly id: string;
  readonly link: Link;
  readonly title: string;
  readonly severity: Severity;
  readonly why: string;
  readonly advice: FilledAdvice;
  readonly messages: readonly CheckMessage[];
  /** Checks whose finding is the cause of this check's finding. */
  readonly explainedBy: readonly string[];
  /** Checks whose finding is a consequence of this check's finding. */
  readonly explains: readonly string[];
  /** Names of the facts that it reads. */
  readonly reads: readonly string[];
  readonly references: readonly string[];
  /** Former ids. */
  readonly aliases: readonly string[];
}

/** What `kubectl webhook checks -o json` prints. */
export interface CheckList {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'CheckList';
  readonly checks: readonly CheckEntry[];
}

/** What `kubectl webhook checks ID -o json` prints. */
export interface CheckDocument extends CheckEntry {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'Check';
}

/** Names of the links of the chain, in the order of a call. */
export const linkTitles: Readonly<Record<Link, string>> = {
  registration: 'the configuration object',
  routing: 'from clientConfig to a Service port',
  backend: 'from the Service to its Pods',
  replica: 'one Pod',
  tls: 'caBundle and certificates',
  response: 'HTTP and the review',
  network: 'packets between control plane and Pod',
  scope: 'which requests it can block',
  'failure-policy': 'what happens when it fails',
  effect: 'effects on the cluster',
  ownership: 'who manages the configuration',
  practice: 'practices that prevent outages',
};

/** The page of the Kubernetes documentation about each link of the chain. */
export const linkPages: Readonly<Record<Link, string>> = {
  registration: '/docs/reference/access-authn-authz/extensible-admission-controllers/#webhook-configuration',
  routing: '/docs/reference/access-authn-authz/extensible-admission-controllers/#service-reference',
  backend: '/docs/tasks/debug/debug-application/debug-service/',
  replica: '/docs/tasks/debug/debug-application/debug-pods/',
  tls: '/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook',
  response: '/docs/reference/access-authn-authz/extensible-admission-controllers/#response',
  network: '/docs/concepts/architecture/control-plane-node-communication/',
  scope: '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#request-filtering',
  'failure-policy': '/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy',
  effect: '/docs/reference/instrumentation/metrics/',
  ownership: '/docs/reference/using-api/server-side-apply/#field-management',
  practice: '/docs/concepts/cluster-administration/admission-webhooks-good-practices/',
};
