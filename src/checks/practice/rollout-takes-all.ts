import { refOfWorkload, wantedPods } from '../../facts/workloads/workloads.ts';
import { amount, backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const rolloutTakesAll = defineCheck({
  meta: {
    id: 'rollout-takes-all',
    title: 'Every rollout is an outage of the webhook',
    severity: 'warning',
    why: 'The rollout strategy allows all old Pods to stop before a new one is Ready. Until then the API server has no Pod to call.',
    advice:
      '[end] Use RollingUpdate with `maxUnavailable: 0` and `maxSurge: 1`: `kubectl -n {namespace} edit {workload}`. [end] If two versions must not run side by side, plan for the outage.',
    noRemedy: 'needs-its-owners-figures',
    messages: {
      recreate: '{workload} stops all its Pods before it creates new ones (strategy Recreate)',
      unavailable:
        '{workload} may have no available Pod during a rollout (replicas {replicas}, maxUnavailable {value})',
    },
    references: ['/docs/concepts/workloads/controllers/deployment/#strategy'],
  },
  requires: practiceFacts,
  subjects: backendsWithWorkload,
  run({ workload }, _, find) {
    if (workload.kind !== 'Deployment') return;
    const { type, rollingUpdate } = workload.spec.strategy ?? {};
    const object = refOfWorkload(workload);
    if (type === 'Recreate') {
      return find('recreate', { workload: workloadText(workload) }, [
        { object, field: 'spec.strategy.type', value: 'Recreate' },
      ]);
    }
    const replicas = wantedPods(workload);
    const value = rollingUpdate?.maxUnavailable ?? '25%';
    // Both cannot be zero: without surge, one Pod must be unavailable (pkg/controller/deployment/util
    // ResolveFenceposts).
    const surge = amount(rollingUpdate?.maxSurge ?? '25%', replicas, 'up');
    const unavailable = Math.max(amount(value, replicas, 'down'), surge === 0 ? 1 : 0);
    if (unavailable < replicas) return;
    return find('unavailable', { workload: workloadText(workload), replicas, value }, [
      { object, field: 'spec.strategy.rollingUpdate.maxUnavailable', value: String(value) },
    ]);
  },
});
