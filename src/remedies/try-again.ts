import type { Plan } from '../change/plan.ts';
import { type Callout, calloutId } from '../facts/callout.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { refOfWorkload } from '../facts/workloads.ts';
import { workloadName } from './backend.ts';

/**
 * The plan, and then the workload's controller makes its Pods at once: after a few refusals it waits, in the end for a
 * quarter of an hour. Not possible before the webhook lets it through.
 */
export const andTryAgain = (plan: Plan, callout: Callout, workload: Workload): Plan => ({
  ...plan,
  summary: `${plan.summary}, and ${workloadName(workload)} tries again at once`,
  edits: [...plan.edits, { object: refOfWorkload(workload), operation: 'restart', inTurn: true }],
  mends: [calloutId(callout)],
  warnings: [
    ...plan.warnings,
    `Whether ${workloadName(workload)} can be restarted shows only then: until then the webhook stands before it.`,
  ],
});
