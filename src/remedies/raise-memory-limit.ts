import { isServiceBacked } from '../facts/callout.ts';
import { keyOf, type Workload } from '../facts/objects.ts';
import { podContext } from '../facts/pod-context.ts';
import { podState } from '../facts/pod-state.ts';
import { replicaPods } from '../facts/replicas.ts';
import type { World } from '../facts/snapshot.ts';
import {
  containerEdit,
  containerPatch,
  declarationPlan,
  isRestored,
  workloadBehind,
  workloadName,
} from './backend.ts';
import { defineRemedy } from './remedy.ts';

/** Twice a quantity as the API writes it: `96Mi`, `1.5Gi`, `128e6`. Undefined if it has another form. */
function doubled(quantity: string): string | undefined {
  const [, number, suffix = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*|[eE]\d+)$/.exec(quantity) ?? [];
  return number === undefined ? undefined : `${Number((Number(number) * 2).toFixed(3))}${suffix}`;
}

type Read = World<'pods' | 'events' | 'nodes' | 'secrets'>;

/** The container that is killed in Pods of the Service, as the workload declares it, and its memory limit. */
function killedContainer({ spec }: Workload, service: string, facts: Read) {
  const states = replicaPods(facts.pods.get(service) ?? []).map((pod) =>
    podState(pod, podContext(pod, facts)),
  );
  const killed = states.find(({ state }) => state === 'out-of-memory')?.container?.name;
  const index = spec.template.spec.containers.findIndex(({ name }) => name === killed);
  const limit = spec.template.spec.containers[index]?.resources?.limits?.memory;
  return killed === undefined || limit === undefined ? undefined : { name: killed, index, limit };
}

export const raiseMemoryLimit = defineRemedy({
  meta: {
    id: 'raise-memory-limit',
    title: 'Double the memory limit of the container',
    risk: 'careful',
    does: 'Doubles the memory limit of the container that was OOMKilled, in the Pod template of its workload: its Pods are replaced. The memory request stays as it is; a container without one requests its limit. If GitOps or an operator would revert the change, the patch is printed instead.',
    leaves:
      'The reason for the usage. Twice the limit may still be too little, and memory that is never freed exceeds every limit.',
    answers: ['replica-out-of-memory'],
    touches: [{ operation: 'patch', kinds: ['Deployment', 'StatefulSet', 'DaemonSet'] }],
  },
  requires: ['services', 'workloads', 'pods', 'events', 'nodes', 'secrets'],
  plan({ callout }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || workload.kind === 'ReplicaSet') return undefined;
    const container = killedContainer(workload, keyOf(callout.client.service), facts);
    const after = container && doubled(container.limit);
    if (container === undefined || after === undefined) return undefined;
    const { name, index, limit } = container;
    return declarationPlan(
      {
        summary: `The memory limit of container ${name} of ${workloadName(workload)} is ${after} (was ${limit})`,
        warnings: ['Its Pods are replaced. A node must have this memory, or the container is killed again.'],
      },
      workload,
      {
        edit: containerEdit(workload, index, 'resources/limits/memory', { expected: limit, after }),
        declared: containerPatch(workload, name, { resources: { limits: { memory: after } } }),
      },
      isRestored(workload.metadata),
    );
  },
});
