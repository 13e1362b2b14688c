import { refOfWorkload } from '../../facts/workloads/workloads.ts';
import { fieldEdit, refusedByItself, whoReverts, workloadBehind, workloadName } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';

export const resumeRollout = defineRemedy({
  meta: {
    id: 'resume-rollout',
    title: 'Resume the paused rollout',
    risk: 'careful',
    does: 'Does the same as `kubectl rollout resume`: it removes `spec.paused`, and the Deployment replaces its Pods by those of the current Pod template.',
    leaves:
      'The reason for the pause: someone may still change the Pod template. Pods of the current template may fail, too.',
    answers: ['rollout-paused'],
    touches: [{ operation: 'patch', kinds: ['Deployment'] }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads', 'namespaces', 'served', 'version'],
  plan({ callout, breaks }, facts) {
    const deployment = workloadBehind(callout, facts);
    if (deployment?.spec.paused !== true) return undefined;
    const refusal = breaks === true ? refusedByItself(callout, deployment, facts) : undefined;
    if (refusal !== undefined) return refusal;
    return {
      summary: `${workloadName(deployment)} rolls out its current Pod template`,
      edits: [fieldEdit(refOfWorkload(deployment), '/spec/paused', true, undefined)],
      warnings: [
        'Someone paused it: resume it only if the change of its Pod template is complete.',
        ...whoReverts(deployment.metadata),
      ],
    };
  },
});
