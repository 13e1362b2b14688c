import { matchRequest } from '../../apiserver/admission/match.ts';
import { withoutSideEffects } from '../../apiserver/admission/review.ts';
import type { ClusterProber } from '../../collect/cluster.ts';
import type { FirstFacts } from '../../collect/planner.ts';
import type { RequestTrace, TracedDryRun } from '../../diagnose/report.ts';
import { calloutId, isAdmission } from '../../facts/callout.ts';
import type { TracedRequest } from './traced-request.ts';

/** HTTP statuses of requests that the API server refuses before admission. */
const beforeAdmission: readonly number[] = [401, 404, 405, 406, 415, 429, 501, 502, 503];

/** Matches an error of the authorizer. */
export const refusedByAuthorizer = /^[\w.-]+(?: "[^"]*")? is forbidden: User "/;

/** Matches an error about impersonation, from 1.36 on in the form of constrained impersonation (KEP-5284). */
const impersonation = / is forbidden: User "[^"]*" cannot impersonate(?:-on:([\w-]+):)?/;

/** Sends a dry run of the same object to the API server, and compares the result with the trace. */
export async function comparedDryRun(
  { request, served, sent }: TracedRequest,
  { result, messages }: Pick<RequestTrace, 'result' | 'messages'>,
  prober: ClusterProber,
): Promise<TracedDryRun | { readonly why: string }> {
  const { ownDryRun } = await import('../../collect/probes/samples/send-samples.ts');
  const { isStoppedByAdmission } = await import('../../collect/probes/api-server/stopped-by-admission.ts');
  const object = sent ?? request.object;
  const first = await ownDryRun(prober, { ...request, ...(object && { object }) }, served);
  // A user without permission to patch may have permission to update.
  const mayPatch =
    sent === undefined || first === undefined || !refusedByAuthorizer.test(first.dryRun.message);
  const own = mayPatch ? first : await ownDryRun(prober, request, served, 'update');
  if (own === undefined) return { why: 'the API server did not respond in time' };
  const { status, message } = own.dryRun;
  const [mayNotBe, mode] = impersonation.exec(message) ?? [];
  if (mayNotBe !== undefined) {
    const more = mode && `. --as needs this together with impersonate:${mode}, or the verb impersonate alone`;
    return { why: `${message}${more ?? ''}` };
  }
  const refusedBefore = beforeAdmission.includes(status) || refusedByAuthorizer.test(message);
  if (refusedBefore && !messages.includes(message) && !isStoppedByAdmission(message)) {
    return refusedByAuthorizer.test(message)
      ? { result: 'refused', message, agrees: true }
      : { why: message };
  }
  // The API server checks for a stored object of this name last, after all webhooks.
  const admitted = status < 300 || (status === 409 && request.operation === 'CREATE');
  const outcome = { result: admitted ? 'admitted' : 'refused', ...(admitted ? {} : { message }) } as const;
  if (result === 'unknown') return outcome;
  const agrees = admitted
    ? result === 'admitted'
    : messages.some((one) => message.startsWith(one) || one.startsWith(message));
  return { ...outcome, agrees };
}

/** The reason for no dry run of the same object; undefined if it is sent. */
export function whyNoDryRun({ request }: TracedRequest, facts: FirstFacts): string | undefined {
  if (request.operation === 'DELETE') return 'deletions are not sent as dry runs';
  const harmful = facts.callouts
    .filter(isAdmission)
    .filter(({ sideEffects }) => !withoutSideEffects.includes(sideEffects))
    .find((callout) => matchRequest(callout, request, facts).outcome !== 'skipped');
  return harmful && `${calloutId(harmful)} does not declare that a dry run has no side effects`;
}
