import { isDeepStrictEqual } from 'node:util';
import { ChangeRefused } from './change-refused.ts';
import { type ClusterWriter, dryRun, WriteError } from './cluster-writer.ts';
import { valueAt } from './document-value.ts';
import type { KubeObject, Step } from './plan.ts';
import { type PreparedPlan, pathNow } from './prepare.ts';
import { type ChangeRequest, requestsFor } from './requests.ts';
import { type ClusterAccess, whyRefused } from './send.ts';

/** A request that the API server accepts, and the resulting object. */
interface Passing {
  readonly request: ChangeRequest;
  /** The request is the alternative to the first. */
  readonly instead?: true;
  readonly kept?: KubeObject;
}

/**
 * Sends server-side dry runs: the API server checks permissions, validation, webhooks and preconditions. Returns
 * the change with the accepted requests, and with the values as they would be stored, including defaults.
 * Throws ChangeRefused with the API server's message.
 */
export async function tryOut({ reader, writer }: ClusterAccess, change: PreparedPlan): Promise<PreparedPlan> {
  const tried = await Promise.all(
    change.requests.map(async (request, at): Promise<Passing> => {
      if (at > 0 && request.afterPrevious) {
        const early = await dryRun(writer, request, earlyTimeout);
        if (early instanceof WriteError && isFinal(early)) throw new ChangeRefused(early.message);
        return { request };
      }
      const first = await dryRun(writer, request);
      if (!(first instanceof WriteError)) return { request, kept: first };
      const { instead } = request;
      const second = instead && (await dryRun(writer, instead));
      if (instead !== undefined && second !== undefined && !(second instanceof WriteError))
        return { request: instead, instead: true, kept: second };
      const passing = first.failure === 'unknown' || first.status === 429;
      throw new ChangeRefused(await whyRefused(reader, request, first), passing);
    }),
  );
  const steps = change.steps.map((step) => asStored(step, tried));
  const requests = isDeepStrictEqual(steps, change.steps)
    ? tried.map(({ request }) => request)
    : requestsFor(steps, change.objects, change.marking).map((request, at) =>
        tried[at]?.instead === true && request.instead !== undefined ? request.instead : request,
      );
  const inOrder = await Promise.all(requests.map((request) => withRecord(writer, request)));
  return { ...change, steps, requests: inOrder.flat() };
}

/** Puts the request that writes the record elsewhere before this one; omits it if it would be rejected. */
async function withRecord(
  writer: ClusterWriter,
  { ahead, ...request }: ChangeRequest,
): Promise<readonly ChangeRequest[]> {
  if (ahead === undefined || (await dryRun(writer, ahead)) instanceof WriteError) return [request];
  return [ahead, { ...request, ahead }];
}

/** Returns the step with the value that the API server would store; unchanged if that is unknown. */
function asStored(step: Step, tried: readonly Passing[]): Step {
  if (step.operation !== 'patch' || step.path === undefined || step.after === undefined) return step;
  const kept = tried.find(({ request }) => request.steps.includes(step))?.kept;
  if (kept === undefined) return step;
  const after = valueAt(kept, pathNow(step.object, step.path, kept));
  // A webhook that reverts the change is detected after it is applied.
  return after === undefined || isDeepStrictEqual(after, step.before) ? step : { ...step, after };
}

/** Timeout in milliseconds for requests that depend on earlier ones: what those fix may block it now. */
const earlyTimeout = 4000;

/**
 * True for a rejection that the previous requests cannot resolve: permissions, quotas, a missing namespace. A
 * webhook that denies the request may no longer match it by then.
 */
const isFinal = ({ status, message }: WriteError): boolean =>
  status === 403 ? !/^admission webhook "/.test(message) : status === 404 && /^namespaces "/.test(message);
