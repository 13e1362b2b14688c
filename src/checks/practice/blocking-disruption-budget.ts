import { type ObjectRef, refOf } from '../../facts/object-ref.ts';
import type { DisruptionBudget } from '../../facts/objects/scaling.ts';
import { wantedPods } from '../../facts/workloads/workloads.ts';
import { amount, backendsWithWorkload, budgetsOf, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

/** The number of Pods that a drain may evict while all of them are healthy (pkg/controller/disruption). */
function allowed({ spec }: DisruptionBudget, replicas: number): number {
  if (spec.maxUnavailable !== undefined) return amount(spec.maxUnavailable, replicas, 'up');
  return replicas - amount(spec.minAvailable ?? 1, replicas, 'up');
}

const refOfBudget = ({ metadata }: DisruptionBudget): ObjectRef => refOf('PodDisruptionBudget', metadata);

export const blockingDisruptionBudget = defineCheck({
  meta: {
    id: 'blocking-disruption-budget',
    title: 'PodDisruptionBudget blocks every drain',
    severity: 'warning',
    why: 'The budget allows no eviction even while every replica is healthy, or two budgets select the same Pod: the API server then returns an error. A drain waits or fails until a user deletes the Pods, often all at once.',
    advice:
      '[look] List the budgets: `kubectl -n {namespace} get poddisruptionbudgets`. [end] Keep one budget for each Pod, and set `maxUnavailable: 1`, or `minAvailable` below the number of replicas: `kubectl -n {namespace} edit poddisruptionbudgets`. [end] With one replica, add a second one first: else each drain interrupts the webhook.',
    noRemedy: 'needs-its-owners-figures',
    messages: {
      never: 'PodDisruptionBudget {budget} allows no eviction of a Pod of {workload} (replicas {replicas})',
      several: '{count} PodDisruptionBudgets select the same Pods of {workload}: every eviction fails',
    },
    references: [
      '/docs/tasks/run-application/configure-pdb/#specifying-a-poddisruptionbudget',
      '/docs/concepts/scheduling-eviction/api-eviction/#how-api-initiated-eviction-works',
    ],
  },
  requires: practiceFacts,
  subjects: backendsWithWorkload,
  run(kept, facts, find) {
    const { workload } = kept;
    const budgets = budgetsOf(kept, facts);
    const replicas = wantedPods(workload);
    if (budgets.length > 1) {
      return find(
        'several',
        { workload: workloadText(workload), count: budgets.length },
        budgets.map((budget) => ({ object: refOfBudget(budget), value: 'selects these Pods' })),
      );
    }
    const [budget] = budgets;
    if (budget === undefined || allowed(budget, replicas) > 0) return;
    const field = budget.spec.maxUnavailable === undefined ? 'minAvailable' : 'maxUnavailable';
    return find('never', { budget: budget.metadata.name, workload: workloadText(workload), replicas }, [
      { object: refOfBudget(budget), field: `spec.${field}`, value: String(budget.spec[field] ?? '') },
    ]);
  },
});
