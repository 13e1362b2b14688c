import type { HeldPodFacts } from '../../apiserver/held-pods/held-by-webhook.ts';
import { heldPodOf, holdingWebhooksOf } from '../../apiserver/held-pods/holding-webhooks.ts';
import {
  defaultScheduler,
  domainOf,
  gatesOf,
  inactiveScheduler,
  previousScheduler,
} from '../../apiserver/held-pods/placeholder-scheduler.ts';
import { pointerTo } from '../../basics/json-pointer.ts';
import type { Edit } from '../../change/plan.ts';
import { keyOf, type ObjectRef, refOf, sameObject } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { PodController } from '../../facts/objects/pod-controller.ts';
import { workloadOfPod } from '../../facts/workloads/workloads.ts';
import { commandOf } from '../../phrases/advice.ts';
import { listed } from '../../phrases/lists.ts';
import { fieldEdit, isDeclaredElsewhere, whoReverts } from '../backend.ts';
import { defineGeneralRemedy, type Problem } from '../remedy.ts';

/** A workload whose template has a schedulerName without a running scheduler. */
interface HeldTemplate {
  readonly ref: ObjectRef;
  readonly maker: PodController;
  readonly scheduler: string;
}

/**
 * Pods that wait for a scheduler that does not run, or for scheduling gates; with a webhook in the problem,
 * those that it may have changed.
 */
const blamedPods = ({ callout }: Problem, facts: HeldPodFacts): readonly Pod[] =>
  (facts.pendingPods.get('Pending') ?? []).filter((pod) => {
    const held = heldPodOf(pod, facts);
    if (held === undefined || callout === undefined) return held !== undefined;
    return holdingWebhooksOf(held, facts).webhooks.some(({ ref }) => sameObject(ref, callout.ref));
  });

/** Workloads whose own template has this schedulerName, of the problem's webhook, namespace or object. */
function heldTemplates(
  { subject, callout, namespace }: Problem,
  pods: readonly Pod[],
  { podControllers }: HeldPodFacts,
): readonly HeldTemplate[] {
  const found = new Map<string, HeldTemplate>();
  for (const pod of pods) {
    const scheduler = inactiveScheduler(pod);
    const { kind, name } = workloadOfPod(pod);
    const key = `${kind} ${keyOf({ namespace: pod.metadata.namespace, name })}`;
    const maker = podControllers.getIfKnown(key);
    if (scheduler === undefined || maker?.spec.template.spec.schedulerName !== scheduler) continue;
    const ref = refOf(maker.kind, maker.metadata);
    if (namespace !== undefined && ref.namespace !== namespace) continue;
    if (callout === undefined && !sameObject(ref, subject)) continue;
    found.set(key, { ref, maker, scheduler });
  }
  return [...found.values()];
}

function editsOf(held: HeldTemplate): readonly Edit[] {
  const { ref: object, maker, scheduler } = held;
  const kept = previousScheduler(maker.metadata.annotations, domainOf(scheduler));
  const path = '/spec/template/spec/schedulerName';
  const restored = fieldEdit(object, path, scheduler, kept?.[1] ?? defaultScheduler);
  if (kept === undefined) return [restored];
  return [restored, fieldEdit(object, pointerTo(['metadata', 'annotations', kept[0]]), kept[1], undefined)];
}

const release =
  'kubectl -n {namespace} patch pod {pod} --type=json -p \'[{"op":"remove","path":"/spec/schedulingGates"}]\'';

/** The reason that nothing can be restored if no template has the schedulerName. */
function refusal(pods: readonly Pod[]): string | undefined {
  if (pods.some((pod) => inactiveScheduler(pod) !== undefined))
    return 'The schedulerName of an existing Pod cannot be changed. If its Pod template is correct, delete the Pod once the webhook does not hold it again: its controller creates another.';
  const gated = pods.find((pod) => gatesOf(pod).length > 0);
  if (gated === undefined) return undefined;
  const { namespace, name } = gated.metadata;
  const command = commandOf(release, { namespace, pod: name });
  return `A removed scheduling gate cannot be added again: \`${command.text}\` releases the Pod permanently.`;
}

/** It is for findings about objects, too, which need no webhook. */
export const restoreScheduler = defineGeneralRemedy({
  meta: {
    id: 'restore-scheduler',
    title: 'Restore the original schedulerName',
    risk: 'careful',
    does: 'Restores the schedulerName in the Pod template of each Deployment, StatefulSet or DaemonSet whose Pods are held in Pending. The value is the one that an annotation records, else default-scheduler. The workload then recreates its Pods, and the scheduler places them even if objects that they wait for are missing.',
    leaves: 'The webhook, which can hold new Pods again, and the controller that did not release them.',
    answers: ['pods-parked'],
    touches: [{ operation: 'patch', kinds: ['Deployment', 'StatefulSet', 'DaemonSet'] }],
  },
  requires: ['version', 'callouts', 'namespaces', 'served', 'pendingPods', 'podControllers'],
  plan(problem, facts) {
    const pods = blamedPods(problem, facts);
    const held = heldTemplates(problem, pods, facts);
    if (held.length === 0) return refusal(pods);
    const [job] = held.filter(({ ref }) => ref.kind === 'Job' || ref.kind === 'ReplicaSet');
    const able = held.filter(({ ref }) => ref.kind !== 'Job' && ref.kind !== 'ReplicaSet');
    if (able.length === 0 && job !== undefined)
      return `${job.ref.kind} ${keyOf(job.ref)} cannot be changed to recreate its Pods: delete it, and create it again when the webhook does not hold its Pods.`;
    const stateful = able.filter(({ ref }) => ref.kind === 'StatefulSet');
    return {
      summary: `${listed(able.map(({ ref }) => `${ref.kind} ${keyOf(ref)}`))}: Pods are scheduled again`,
      edits: able.flatMap(editsOf),
      fixes: [],
      warnings: [
        'The webhook is called for this change, too: if an input is still missing, it holds the Pods again.',
        ...stateful.map(
          ({ ref }) =>
            `StatefulSet ${keyOf(ref)} keeps waiting for its held Pod: delete that Pod after the change.`,
        ),
        ...new Set(
          able.flatMap(({ maker }) =>
            isDeclaredElsewhere(maker.metadata) ? whoReverts(maker.metadata) : [],
          ),
        ),
      ],
    };
  },
});
