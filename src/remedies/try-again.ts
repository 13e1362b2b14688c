import type { Plan } from '../change/plan.ts';
import { type Callout, calloutId } from '../facts/callout.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { refOfWorkload } from '../facts/workloads.ts';
import { workloadName } from './backend.ts';

/**
 * Has the controller make the Pods at once: after a few refusals it waits, in the end for a quarter of an hour. Not
 * possible before the webhook lets it through.
 */
export const tryAgain = (callout: Callout, workload: Workload): Plan => ({
  remedy: 'restart-workload',
  summary: `${workloadName(workload)} makes its Pods anew`,
  edits: [{ object: refOfWorkload(workload), operation: 'restart' }],
  mends: [calloutId(callout)],
  warnings: [],
});
