import { declarationPlan, servingBehind, workloadName } from '../backend.ts';
import { defineRemedy, workloadKinds } from '../remedy.ts';
import { templateChange } from './template-change.ts';

/** Seconds until every node has removed the endpoint. */
const seconds = 5;

export const addPreStop = defineRemedy({
  meta: {
    id: 'add-pre-stop',
    title: 'Add a preStop sleep, so that Pods drain before they stop',
    risk: 'careful',
    does: `Adds a preStop hook that sleeps ${seconds} s (without a shell from Kubernetes 1.30 on). The container continues to serve while its address is removed from the EndpointSlices. The Pod template changes, so all Pods are replaced. If the workload is declared elsewhere (Helm, GitOps, an operator), the patch is printed instead.`,
    leaves: 'A server that drops open connections on SIGTERM.',
    answers: ['no-drain-before-stop'],
    touches: [{ operation: 'patch', kinds: workloadKinds }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    const behind = servingBehind(callout, facts);
    if (behind === undefined) return undefined;
    const { workload, serving } = behind;
    if (serving.container.lifecycle !== undefined) return undefined;
    const lifecycle = { preStop: { sleep: { seconds } } };
    const { terminationGracePeriodSeconds: grace = 30 } = workload.spec.template.spec;
    if (grace <= seconds)
      return `Pods of ${workloadName(workload)} have ${grace} s to terminate, and a preStop of ${seconds} s would use all of it. Raise terminationGracePeriodSeconds first.`;
    const plan = {
      summary: `${workloadName(workload)} keeps serving for ${seconds} s while a Pod terminates`,
      warnings: ['All its Pods are replaced, one after another.'],
    };
    const at = ['containers', serving.index, 'lifecycle'];
    return declarationPlan(plan, workload, templateChange(workload, [{ at, after: lifecycle }]));
  },
});
