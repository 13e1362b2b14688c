import type { AdmissionRequest } from '../../apiserver/admission/admission-request.ts';
import type { DryRun, HttpResponse } from '../../facts/probes.ts';
import type { AllowRule, Unread } from '../../facts/unread.ts';
import type { ClusterProber } from '../cluster-prober.ts';
import { statusOf } from '../status.ts';
import { wayUnread } from './unread.ts';

/** Milliseconds beyond a webhook's own time: other webhooks are called for the request, too. */
const timeForOthers = 5_000;

/** Milliseconds for one request through all webhooks, whichever they are. */
const patience = 15_000;

/** Ends one request that no single webhook's time limits: with the run, or after 15 s. */
export const requestEnds = ({ ended }: ClusterProber): AbortSignal =>
  AbortSignal.any([ended, AbortSignal.timeout(patience)].filter((one) => one !== undefined));

/** An answer's body as the object that it is. Throws SyntaxError. */
export const jsonOf = <T>({ body }: { readonly body: Uint8Array }): T =>
  JSON.parse(Buffer.from(body).toString('utf8')) as T;

/** What the API server refused a request with; empty where it did not. */
export const refusalText = (answer: HttpResponse): string =>
  answer.status >= 200 && answer.status < 300 ? '' : (statusOf(answer)?.message ?? `HTTP ${answer.status}`);

/** What `call` comes to in the time that the webhook and others have, or why nothing does. Throws the signal's reason. */
export async function withinTime<T extends object>(
  what: string,
  allow: AllowRule,
  timeoutSeconds: number,
  signal: AbortSignal,
  call: (ends: AbortSignal) => Promise<T | Unread>,
): Promise<T | Unread> {
  const late = AbortSignal.timeout(timeoutSeconds * 1000 + timeForOthers);
  try {
    return await call(AbortSignal.any([signal, late]));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted) return { what, why: 'timeout', detail: 'the API server did not respond in time' };
    return wayUnread(what, error, allow);
  }
}

/** The first object of a list (its path, with the query); `none` where the list is empty. */
export async function firstObject(
  prober: ClusterProber,
  list: string,
  { what, allow, none }: { readonly what: string; readonly allow: AllowRule; readonly none: Unread },
  signal: AbortSignal,
  accept?: string,
): Promise<{ readonly name: string; readonly namespace?: string } | Unread> {
  const answer = await prober.get(list, signal, accept);
  if (answer.status !== 200) {
    const detail = refusalText(answer);
    if (answer.status !== 403) return { what, why: 'server-error', detail };
    return { what, why: 'forbidden', detail, allow };
  }
  // Of metadata alone the API server sends null for no items.
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

/** How the API server answered a dry run. */
export function asDryRun(
  { operation, group, resource, namespace }: AdmissionRequest,
  { namespaced }: { readonly namespaced: boolean },
  { answer, milliseconds }: { readonly answer: HttpResponse; readonly milliseconds: number },
): DryRun {
  return {
    operation,
    resource: group === '' ? resource : `${resource}.${group}`,
    ...(namespaced && namespace !== undefined ? { namespace } : {}),
    status: answer.status,
    message: refusalText(answer),
    milliseconds,
  };
}
