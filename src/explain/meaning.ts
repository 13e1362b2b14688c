import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import { linkOfCause } from '../apiserver/sentences/call-error/cause-kind.ts';
import { meaningOf } from '../apiserver/sentences/call-error/error-texts.ts';
import type { TextClass } from '../apiserver/sentences/component-texts/component-texts.ts';
import { deniedByWebhook } from '../apiserver/sentences/component-texts/denial-reasons.ts';
import type { RecognisedRecord } from './recognised-record.ts';

const classes: Partial<Record<CallError['kind'], TextClass>> = {
  denial: 'denial',
  conversion: 'conversion',
  apiservice: 'aggregated-api',
};

/** The class of a recognised text; calls that end without a response are `call-failure`. */
export const classOf = (found: RecognisedRecord): TextClass =>
  found.of === 'component' ? found.component.class : (classes[found.error.kind] ?? 'call-failure');

/** Texts without a cause. */
const kinds: Partial<Record<CallError['kind'], { readonly means: string; readonly link: string }>> = {
  denial: {
    link: 'response',
    means: `${deniedByWebhook} If the message names a policy, change the object or the policy; otherwise the program may be faulty.`,
  },
  'dry-run-refused': {
    link: 'registration',
    means:
      'The request is a dry run, and the webhook does not declare `sideEffects: None` or `NoneOnDryRun`.',
  },
  'match-condition': {
    link: 'registration',
    means:
      'A matchCondition of the webhook fails, so the API server refuses the request (failurePolicy: Fail).',
  },
  'timeout-504': {
    link: 'response',
    means:
      'The request exceeded its time limit. Mutating webhooks are called one after another, so their response times add up; validating webhooks are called at the same time. The text names no webhook; `kubectl webhook doctor` finds those that are slow or do not respond. If there are none, etcd or the API server is slow.',
  },
};

/** Whether calls of this kind have a meaning without a cause. */
export const hasOwnMeaning = (kind: CallError['kind']): boolean => kinds[kind] !== undefined;

/** The link of the chain at which the call failed; `unknown` if the text ends before that. */
export function linkOf(found: RecognisedRecord): string {
  if (found.of === 'component') return found.component.link;
  const { kind, cause } = found.error;
  return (
    kinds[kind]?.link ??
    (cause === undefined || cause.kind === 'other' ? 'unknown' : linkOfCause(cause.kind, cause.symptom))
  );
}

/** Of a call that failed open; the API server may log the same failure without this. */
export const admitted = 'The request was admitted without this webhook (failurePolicy: Ignore).';

const throughApi =
  'The text names no Service of the webhook: an aggregated API may serve this webhook, and its APIService is not available. Otherwise the webhook server, or a proxy before it, returned 503 or 504.';

/** Whether an aggregated API may serve the webhook: the call has no URL (old releases omit it), or that of the API server. */
export const isThroughApi = ({ kind, cause, service, host }: CallError): boolean =>
  kind === 'call-failure' &&
  cause?.kind === 'unavailable' &&
  host === undefined &&
  (service === undefined || service.name === 'kubernetes');

/** The meaning, in one to four sentences. */
export function meansOf(found: RecognisedRecord): string {
  if (found.of === 'component') return found.component.means;
  const { kind, cause } = found.error;
  if (found.reason !== undefined) return found.reason.means;
  if (found.context === 'backend-replaced')
    return 'One connection to this backend was closed, and another was refused or found no endpoint. Its Pod may have ended between them, by a rollout or a crash.';
  if (found.context === 'denies-several')
    return 'The webhook refused several times with the same message. `failurePolicy` has no effect on a denial. If it refuses requests of every kind, its program or its policy is at fault.';
  if (kind === 'denial' && (found.error.message ?? '').trim() === '')
    return 'The webhook was called, responded, and refused this request without a message; `failurePolicy` has no effect on that. A response without `allowed: true` is a denial. The log of the webhook may contain the reason.';
  const known = kinds[kind]?.means;
  if (known !== undefined) return known;
  if (cause === undefined && kind !== 'internal')
    return 'The call failed. The text ends before the cause: find the complete message. Any causes below are the usual ones.';
  const meaning = isThroughApi(found.error) ? throughApi : cause && meaningOf(cause);
  if (meaning === undefined)
    return 'The call failed. The end of the message contains the reason, which this program does not know.';
  return [
    found.isFragment &&
      'The message does not show which program made this call. The explanation applies to the API server.',
    meaning,
    found.context === 'several-backends' &&
      'Calls to several backends fail like this: examine first what they share.',
    found.nearby !== undefined &&
      'The text also shows a Pod that does not run. If it belongs to this Service, it is the cause.',
    found.error.failedOpen && admitted,
  ]
    .filter(Boolean)
    .join(' ');
}
