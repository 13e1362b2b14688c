import { isDeepStrictEqual } from 'node:util';
import { ChangeRefused } from './change-refused.ts';
import { type ClusterWriter, dryRun, WriteError } from './cluster-writer.ts';
import type { KubeObject } from './kube-object.ts';
import type { Step } from './plan.ts';
import { valueAt } from './pointer.ts';
import { pathNow, type Ready } from './prepare.ts';
import { type ChangeRequest, requestsFor } from './requests.ts';
import { type ClusterAccess, whyRefused } from './send.ts';

/** A way that the API server would let through, and the object as it would be then. */
interface Passing {
  readonly request: ChangeRequest;
  /** The request is the one that stands in for the first. */
  readonly instead?: true;
  readonly kept?: KubeObject;
}

/**
 * Asks the API server to do everything but store it: rights, validation, webhooks and the preconditions all answer.
 * Returns the change with the ways that were let through, and with the values as they would be kept: the API server
 * fills in what is left open. Throws ChangeRefused with the API server's own sentence.
 */
export async function tryOut({ reader, writer }: ClusterAccess, change: Ready): Promise<Ready> {
  const tried = await Promise.all(
    change.requests.map(async (request, at): Promise<Passing> => {
      if (at > 0 && request.inTurn) {
        const early = await dryRun(writer, request, earlyPatience);
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
  const steps = change.steps.map((step) => asKept(step, tried));
  const requests = isDeepStrictEqual(steps, change.steps)
    ? tried.map(({ request }) => request)
    : requestsFor(steps, change.objects, change.marking).map((request, at) =>
        tried[at]?.instead === true && request.instead !== undefined ? request.instead : request,
      );
  const inOrder = await Promise.all(requests.map((request) => withRecord(writer, request)));
  return { ...change, steps, requests: inOrder.flat() };
}

/** The request behind the one that writes its record elsewhere; alone where that would be refused. */
async function withRecord(
  writer: ClusterWriter,
  { ahead, ...request }: ChangeRequest,
): Promise<readonly ChangeRequest[]> {
  if (ahead === undefined || (await dryRun(writer, ahead)) instanceof WriteError) return [request];
  return [ahead, { ...request, ahead }];
}

/** The step with the value that the API server would keep; as it is where that is not known. */
function asKept(step: Step, tried: readonly Passing[]): Step {
  if (step.operation !== 'patch' || step.path === undefined || step.after === undefined) return step;
  const kept = tried.find(({ request }) => request.steps.includes(step))?.kept;
  if (kept === undefined) return step;
  const after = valueAt(kept, pathNow(step.object, step.path, kept));
  // Somebody who takes it back on its way is found out afterwards.
  return after === undefined || isDeepStrictEqual(after, step.before) ? step : { ...step, after };
}

/** Milliseconds for a request whose turn is not yet: what stands before it may be what lets it hang. */
const earlyPatience = 4000;

/**
 * True for a no that the requests in front cannot turn into a yes: rights, quotas, a namespace that is not there. A
 * webhook that denies may be asked no more by then.
 */
const isFinal = ({ status, message }: WriteError): boolean =>
  status === 403 ? !/^admission webhook "/.test(message) : status === 404 && /^namespaces "/.test(message);
