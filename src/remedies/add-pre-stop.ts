import { workloadName } from './backend.ts';
import { containerEdit, containerPatch, declarationPlan } from './edits.ts';
import { defineRemedy, workloadKinds } from './remedy.ts';
import { servingBehind } from './serving-container.ts';

/** Seconds until every node has heard that the endpoint is gone. */
const seconds = 5;

export const addPreStop = defineRemedy({
  meta: {
    id: 'add-pre-stop',
    title: 'Keep serving until nobody calls any more',
    risk: 'careful',
    does: `Gives the container a preStop that sleeps ${seconds} s (Kubernetes 1.30 and later do it without a shell): it goes on answering while its address is taken out of the endpoints. The change of the template replaces all Pods. Where the workload is declared elsewhere, the patch is printed for that place.`,
    leaves: 'A server that drops open calls when it is told to end.',
    answers: ['no-drain-before-stop'],
    touches: [{ operation: 'patch', kinds: workloadKinds }],
  },
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    const behind = callout && servingBehind(callout, facts);
    if (callout === undefined || behind === undefined) return undefined;
    const { workload, serving } = behind;
    if (serving.container.lifecycle !== undefined) return undefined;
    const lifecycle = { preStop: { sleep: { seconds } } };
    const { terminationGracePeriodSeconds: grace = 30 } = workload.spec.template.spec;
    if (grace <= seconds) {
      return {
        refused: `Pods of ${workloadName(workload)} get ${grace} s to end: a preStop of ${seconds} s would leave none to finish. Raise terminationGracePeriodSeconds too.`,
      };
    }
    const plan = {
      summary: `${workloadName(workload)} serves ${seconds} s longer when a Pod ends`,
      warnings: ['All its Pods are replaced, one after the other.'],
    };
    const { index, container } = serving;
    return declarationPlan(
      plan,
      workload,
      containerPatch(workload, container.name, { lifecycle }),
      containerEdit(workload, index, 'lifecycle', lifecycle),
    );
  },
});
