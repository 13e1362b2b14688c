import { enforcedBy } from '../../products/of-webhook.ts';
import { andTryAgain, webhookEdit, whoRevertsField, workloadBehind } from '../backend.ts';
import { configurationKinds, defineRemedy, workloadKinds } from '../remedy.ts';

/** Checks whose Pods wait in a controller's back-off, which increases to a quarter of an hour. */
const waiting: ReadonlySet<string> = new Set(['bootstrap-deadlock', 'deadlock-cycle']);

export const flipFailurePolicy = defineRemedy({
  meta: {
    id: 'flip-failure-policy',
    title: 'Fail open: admit requests while the webhook fails',
    risk: 'dangerous',
    does: 'Sets failurePolicy to Ignore: matching requests are no longer refused while the call fails. They still wait until the call has failed, and are then admitted unchecked and unchanged. If Pods of the backend itself were refused, its workload is restarted, so that its controller retries at once.',
    leaves:
      'The cause of the failing calls. Set it back to Fail when the webhook responds; objects that were admitted until then stay as they are.',
    answers: ['bootstrap-deadlock', 'deadlock-cycle', 'timeout-budget-exceeded'],
    touches: [
      { operation: 'patch', kinds: configurationKinds },
      { operation: 'restart', kinds: workloadKinds },
    ],
    firstAid: 'all-requests',
  },
  about: 'fails-closed',
  requires: ['services', 'workloads'],
  plan({ check, callout, breaks, refusedAnyway }, facts) {
    // A webhook that responds, or is never called, refuses no request by its failurePolicy; nor does a patch that cannot be applied.
    if (breaks !== true || refusedAnyway === true || callout.rules.length === 0) return undefined;
    const enforced = enforcedBy(callout.webhook);
    const stuck = waiting.has(check) ? workloadBehind(callout, facts) : undefined;
    const unseen =
      callout.kind === 'mutating'
        ? 'Objects created until then permanently lack the changes of the webhook.'
        : 'Objects created until then are admitted unchecked, and stay.';
    const plan = {
      summary: `${callout.webhook} fails open: matching requests are admitted while it does not respond`,
      edits: [webhookEdit(callout, 'failurePolicy', 'Ignore')],
      fixes: [],
      warnings: [unseen, ...whoRevertsField(callout, 'failurePolicy')],
      ...(enforced === undefined
        ? {}
        : {
            needsFlag: {
              flag: '--i-accept-unchecked-admission',
              because: `${enforced.product} does not enforce ${enforced.what} while this webhook fails open`,
            },
          }),
    };
    return stuck === undefined ? plan : andTryAgain(plan, callout, stuck);
  },
});
