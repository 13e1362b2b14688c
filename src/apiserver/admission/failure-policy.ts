import type { AdmissionCallout } from '../../facts/callout.ts';
import { behaves } from '../../facts/server-version.ts';
import { webhookTypes } from '../../facts/webhook-counts.ts';
import { internalError } from '../sentences/call-sentence.ts';

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

/** How a call ended. */
export type CallEnd =
  | { readonly outcome: 'allowed'; readonly changed?: boolean }
  | { readonly outcome: 'denied'; readonly code: number; readonly reason: string; readonly message: string }
  /** `code`: the inner status that metrics count. `canceled`: the client closed the request. */
  | {
      readonly outcome: 'call-failure';
      readonly text: string;
      readonly code: number;
      readonly canceled?: boolean;
    }
  /** `code` 400 for a dry run that the webhook does not support, otherwise 500. */
  | { readonly outcome: 'api-server-error'; readonly text: string; readonly code?: number };

/**
 * A counter of the API server that is incremented; names without the prefix `apiserver_admission_webhook_`.
 */
export interface CounterIncrement {
  readonly metric: 'request_total' | 'rejection_count' | 'fail_open_count';
  readonly labels: Readonly<Record<string, string>>;
}

/** The consequences of the end of a call. */
interface CallConsequence {
  readonly request: 'continues' | 'stops';
  /** The webhook is skipped, and the client gets no warning. */
  readonly failedOpen: boolean;
  /** The response to the client if the request stops here. */
  readonly answer?: { readonly code: number; readonly reason: string; readonly message: string };
  /** Annotations in the audit log, at its Metadata level. */
  readonly audit: Readonly<Record<string, string>>;
  readonly metrics: readonly CounterIncrement[];
  /** The line in the API server's log. */
  readonly log?: string;
}

type CalledWebhook = Pick<AdmissionCallout, 'kind' | 'configuration' | 'webhook' | 'failurePolicy'>;

/** Whether the end of a call obeys failurePolicy: only a call failure does. */
export const obeysFailurePolicy = ({ outcome }: CallEnd): boolean => outcome === 'call-failure';

const reasons: Readonly<Record<number, string>> = { 400: 'BadRequest', 422: 'Invalid' };

function answerOf(end: CallEnd): CallConsequence['answer'] {
  switch (end.outcome) {
    case 'allowed':
      return undefined;
    case 'denied':
      return { code: end.code, reason: end.reason, message: end.message };
    case 'call-failure':
      return { code: 500, reason: 'InternalError', message: internalError(end.text) };
    default: {
      const code = end.code ?? 500;
      return { code, reason: reasons[code] ?? 'InternalError', message: end.text };
    }
  }
}

const errorTypes = {
  denied: 'no_error',
  'call-failure': 'calling_webhook_error',
  'api-server-error': 'apiserver_internal_error',
} as const;

/** Codes above 600 are counted as 600. */
const codeOf = (end: CallEnd): string => {
  if (end.outcome === 'allowed') return '200';
  return end.outcome === 'api-server-error' ? '0' : String(Math.min(end.code, 600));
};

function counted(
  end: CallEnd,
  called: CalledWebhook,
  operation: string,
  open: boolean,
): readonly CounterIncrement[] {
  const type = webhookTypes[called.kind];
  const name = called.webhook;
  const rejected = end.outcome !== 'allowed' && !open;
  const canceled = end.outcome === 'call-failure' && end.canceled === true;
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
  end: CallEnd,
  called: CalledWebhook,
  place: CallPlace,
  open: boolean,
): Readonly<Record<string, string>> {
  const changed = end.outcome === 'allowed' && end.changed === true;
  const mutation = called.kind === 'mutating' ? { [mutationKey(place)]: mutationValue(called, changed) } : {};
  const canceled = end.outcome === 'call-failure' && end.canceled === true;
  return open && !canceled ? { ...mutation, [failedOpenKey(called.kind, place)]: called.webhook } : mutation;
}

function logged(end: CallEnd, { webhook }: CalledWebhook, open: boolean): string | undefined {
  if (end.outcome !== 'call-failure') return undefined;
  if (open && end.canceled) return `Context canceled when calling webhook ${webhook}`;
  return `Failed calling webhook, failing ${open ? 'open' : 'closed'} ${webhook}: ${end.text}`;
}

/**
 * The consequences of one call for the request, the client, the audit log and the metrics
 * (mutating/dispatcher.go, validating/dispatcher.go). failurePolicy applies to call failures only; if it is
 * not set, it counts as Fail.
 */
export function consequenceOf(
  end: CallEnd,
  called: CalledWebhook,
  place: CallPlace,
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT',
): CallConsequence {
  const open = obeysFailurePolicy(end) && called.failurePolicy === 'Ignore';
  const answer = open ? undefined : answerOf(end);
  const log = logged(end, called, open);
  return {
    request: answer === undefined ? 'continues' : 'stops',
    failedOpen: open,
    ...(answer === undefined ? {} : { answer }),
    audit: audited(end, called, place, open),
    metrics: counted(end, called, operation, open),
    ...(log === undefined ? {} : { log }),
  };
}

/** The inner status of a call failure without one of its own: 503, up to 1.33 a 400. */
export const unavailableCode = (version: string | undefined): number =>
  behaves(version, 'unavailable-503') ? 503 : 400;
