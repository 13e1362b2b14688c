import { type Callout, calloutId } from '../facts/callout.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { refOfWorkload } from '../facts/workloads.ts';
import { workloadName } from './backend.ts';
import type { PlanDraft } from './remedy.ts';

/**
 * The plan, and then the workload's controller makes its Pods at once: after a few refusals it waits, in the end for a
 * quarter of an hour. Not possible before the webhook lets it through.
 */
export const andTryAgain = (
  plan: PlanDraft & { readonly warnings: readonly string[] },
  callout: Callout,
  workload: Workload,
): PlanDraft => ({
  ...plan,
  summary: `${plan.summary}, and ${workloadName(workload)} tries again at once`,
  edits: [...plan.edits, { object: refOfWorkload(workload), operation: 'restart', inTurn: true }],
  mends: [calloutId(callout)],
  warnings: [
    ...plan.warnings,
    `Whether ${workloadName(workload)} can be restarted shows only then: until then the webhook stands before it.`,
  ],
});
