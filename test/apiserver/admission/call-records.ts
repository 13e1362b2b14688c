import { type CallEnd, consequenceOf } from '../../../src/apiserver/admission/failure-policy.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { webhookTypes } from '../../../src/facts/webhook-counts.ts';

/** The end of a call. `canceled`: the client closed the request. */
export type RecordedEnd = CallEnd & { readonly canceled?: boolean };

type CalledWebhook = Pick<AdmissionCallout, 'kind' | 'configuration' | 'webhook' | 'failurePolicy'>;

/** The position of a call in a request. */
interface CallPlace {
  /** Second round of mutating webhooks: 1. */
  readonly round: 0 | 1;
  /**
   * Mutating: index among all mutating webhooks of the cluster, in call order. Validating: index among the
   * webhooks that this request is sent to.
   */
  readonly index: number;
}

const at = ({ round, index }: CallPlace): string => `round_${round}_index_${index}`;

/** The audit annotation of a call that failed open; its value is the webhook's name (Metadata level). */
export const failedOpenKey = (kind: AdmissionCallout['kind'], place: CallPlace): string =>
  kind === 'mutating'
    ? `failed-open.mutation.webhook.admission.k8s.io/${at(place)}`
    : `failed-open.validating.webhook.admission.k8s.io/${at(place)}`;

/**
 * The audit annotation of every call of a mutating webhook; its value has the webhook's name, and whether it
 * changed the object.
 */
export const mutationKey = (place: CallPlace): string => `mutation.webhook.admission.k8s.io/${at(place)}`;

/** The value of `mutationKey`. */
const mutationValue = (
  { configuration, webhook }: Pick<AdmissionCallout, 'configuration' | 'webhook'>,
  mutated: boolean,
): string => JSON.stringify({ configuration, webhook, mutated });

/**
 * A counter of the API server that is incremented; names without the prefix `apiserver_admission_webhook_`.
 */
export interface CounterIncrement {
  readonly metric: 'request_total' | 'rejection_count' | 'fail_open_count';
  readonly labels: Readonly<Record<string, string>>;
}

const errorTypes = {
  denied: 'no_error',
  'call-failure': 'calling_webhook_error',
  'api-server-error': 'apiserver_internal_error',
} as const;

/** Codes above 600 are counted as 600. */
const codeOf = (end: RecordedEnd): string => {
  if (end.outcome === 'allowed') return '200';
  return end.outcome === 'api-server-error' ? '0' : String(Math.min(end.code, 600));
};

function counted(
  end: RecordedEnd,
  called: CalledWebhook,
  operation: string,
  open: boolean,
): readonly CounterIncrement[] {
  const type = webhookTypes[called.kind];
  const name = called.webhook;
  const rejected = end.outcome !== 'allowed' && !open;
  const canceled = end.canceled === true;
  const code = codeOf(end);
  const request: CounterIncrement = {
    metric: 'request_total',
    labels: { name, type, operation, code, rejected: String(rejected) },
  };
  if (canceled || end.outcome === 'allowed') return [request];
  if (open) return [request, { metric: 'fail_open_count', labels: { name, type } }];
  const labels = { name, type, operation, error_type: errorTypes[end.outcome], rejection_code: code };
  return [request, { metric: 'rejection_count', labels }];
}

function audited(
  end: RecordedEnd,
  called: CalledWebhook,
  place: CallPlace,
  open: boolean,
): Readonly<Record<string, string>> {
  const changed = end.outcome === 'allowed' && end.changed === true;
  const mutation = called.kind === 'mutating' ? { [mutationKey(place)]: mutationValue(called, changed) } : {};
  const canceled = end.canceled === true;
  return open && !canceled ? { ...mutation, [failedOpenKey(called.kind, place)]: called.webhook } : mutation;
}

function logged(end: RecordedEnd, { webhook }: CalledWebhook, open: boolean): string | undefined {
  if (end.outcome !== 'call-failure') return undefined;
  if (open && end.canceled) return `Context canceled when calling webhook ${webhook}`;
  return `Failed calling webhook, failing ${open ? 'open' : 'closed'} ${webhook}: ${end.text}`;
}

/** What the API server records about one call: in the audit log at its Metadata level, its metrics and its log. */
export function recordsOf(
  end: RecordedEnd,
  called: CalledWebhook,
  place: CallPlace,
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT',
) {
  const { failedOpen } = consequenceOf(end, called);
  return {
    audit: audited(end, called, place, failedOpen),
    metrics: counted(end, called, operation, failedOpen),
    log: logged(end, called, failedOpen),
  };
}
