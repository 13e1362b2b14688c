import type { AdmissionRequest } from '../../../apiserver/admission/admission-request.ts';
import type { DryRun, HttpResponse } from '../../../facts/probes.ts';
import { groupResourceOf } from '../../../facts/resource.ts';
import type { AllowRule, Unread } from '../../../facts/unread.ts';
import type { ClusterProber } from '../../cluster.ts';
import { statusOf } from '../../status.ts';
import { connectionUnread } from '../unread.ts';

/** Milliseconds in addition to the timeout of a webhook: the request also calls other webhooks. */
const timeForOthers = 5_000;

/** Milliseconds for one request through all webhooks. */
const patience = 15_000;

/** The deadline of a request through all webhooks: the end of the run, or 15 s. */
export const requestEnds = ({ ended }: ClusterProber): AbortSignal =>
  AbortSignal.any([ended, AbortSignal.timeout(patience)].filter((one) => one !== undefined));

/** Parses the body of a response as JSON. Throws SyntaxError. */
export const jsonOf = <T>({ body }: { readonly body: Uint8Array }): T =>
  JSON.parse(Buffer.from(body).toString('utf8')) as T;

/** The error of a refused request; empty if it was not refused. */
export const refusalText = (answer: HttpResponse): string =>
  answer.status >= 200 && answer.status < 300 ? '' : (statusOf(answer)?.message ?? `HTTP ${answer.status}`);

/** A request through webhooks: its name and the rule that permits it, for messages, and its timeouts. */
export interface LimitedCall {
  readonly what: string;
  readonly allow: AllowRule;
  /** The timeout of the examined webhook. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/**
 * Returns the result of `call` if it completes within the timeouts of the webhook and of others; else the
 * reason. Throws the signal's reason.
 */
export async function withinTime<T extends object>(
  { what, allow, timeoutSeconds, signal }: LimitedCall,
  call: (ends: AbortSignal) => Promise<T | Unread>,
): Promise<T | Unread> {
  const late = AbortSignal.timeout(timeoutSeconds * 1000 + timeForOthers);
  try {
    return await call(AbortSignal.any([signal, late]));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted) return { what, why: 'timeout', detail: 'the API server did not respond in time' };
    return connectionUnread(what, error, allow);
  }
}

/** The first object of a list (its path, with the query); `none` if the list is empty. */
export async function firstObject(
  prober: ClusterProber,
  list: string,
  {
    what,
    allow,
    none,
    accept,
  }: { readonly what: string; readonly allow: AllowRule; readonly none: Unread; readonly accept?: string },
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly namespace?: string } | Unread> {
  const answer = await prober.get(list, signal, accept);
  if (answer.status !== 200) {
    const detail = refusalText(answer);
    if (answer.status !== 403) return { what, why: 'server-error', detail };
    return { what, why: 'forbidden', detail, allow };
  }
  // In metadata-only lists, the API server sends null instead of an empty list of items.
  const { items } = jsonOf<{
    readonly items?:
      | readonly {
          readonly metadata?: { readonly name?: string; readonly namespace?: string };
        }[]
      | null;
  }>(answer);
  const { name, namespace } = items?.[0]?.metadata ?? {};
  if (name === undefined) return none;
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Converts the API server's response to a dry run. */
export function asDryRun(
  { operation, group, resource, namespace }: AdmissionRequest,
  { namespaced }: { readonly namespaced: boolean },
  { answer, milliseconds }: { readonly answer: HttpResponse; readonly milliseconds: number },
): DryRun {
  return {
    operation,
    resource: groupResourceOf({ group, resource }),
    ...(namespaced && namespace !== undefined ? { namespace } : {}),
    status: answer.status,
    message: refusalText(answer),
    milliseconds,
  };
}
