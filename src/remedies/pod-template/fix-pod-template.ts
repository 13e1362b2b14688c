import { isDeepStrictEqual } from 'node:util';
import { targetPortOf } from '../../apiserver/routing/backends.ts';
import { firstResult } from '../../basics/collections.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod, PodSpec } from '../../facts/objects/pod.ts';
import { podContext } from '../../facts/workloads/pod-context.ts';
import { podState } from '../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../facts/workloads/replicas.ts';
import { isRestored } from '../../products/of-metadata.ts';
import {
  declarationPlan,
  portBehind,
  refusedByItself,
  serviceBehind,
  workloadBehind,
  workloadName,
} from '../backend.ts';
import { defineRemedy } from '../remedy.ts';
import { templateChange } from './template-change.ts';
import { correctors } from './template-corrections.ts';

/** The part of the Pod that a template determines: an older Pod of another template shows nothing about this one. */
const isOf = ({ spec }: Pod, { containers }: PodSpec): boolean =>
  containers.every((container) => {
    const own = spec.containers.find(({ name }) => name === container.name);
    return (['image', 'command', 'args', 'readinessProbe', 'livenessProbe'] as const).every((field) =>
      isDeepStrictEqual(own?.[field], container[field]),
    );
  });

export const fixPodTemplate = defineRemedy({
  meta: {
    id: 'fix-pod-template',
    title: 'Correct a field of the Pod template',
    risk: 'careful',
    does: 'Corrects the one field of the Pod template that an error names, if there is one value for it. The field is that of a probe (scheme, port, or a startupProbe for a slow process), of a port (the number of a named port, or a `hostPort` that is in use), of a volume (`items` of a Secret, `fsGroup` for files that the process must not read), or `automountServiceAccountToken`, `schedulerName` or `runAsUser`. All Pods of the workload are replaced. If GitOps or an operator would revert the change, the patch is printed instead.',
    leaves: 'Other faults of the program, which may show only when this one is corrected.',
    answers: Object.keys(correctors),
    touches: [{ operation: 'patch', kinds: ['Deployment', 'StatefulSet', 'DaemonSet'] }],
  },
  about: 'service-backed',
  requires: [
    ...['services', 'workloads', 'pods', 'events', 'nodes', 'secrets', 'logs'],
    ...['configurations', 'namespaces', 'served', 'version'],
  ] as const,
  plan({ check, callout, breaks }, facts) {
    const service = serviceBehind(callout, facts);
    const servicePort = service && portBehind(callout, service);
    const workload = workloadBehind(callout, facts);
    if (service === undefined || servicePort === undefined || workload === undefined) return undefined;
    if (workload.kind === 'ReplicaSet') return undefined;
    const { spec } = workload.spec.template;
    const pods = replicaPods(facts.pods.get(keyOf(callout.client.service)) ?? []);
    const found = firstResult(correctors[check] ?? [], (correct) =>
      firstResult(pods, (pod) => {
        if (!isOf(pod, spec)) return undefined;
        const state = podState(pod, podContext(pod, facts));
        return correct({ pod, state, spec, port: targetPortOf(servicePort, pod), facts });
      }),
    );
    if (found === undefined) return undefined;
    const refusal = breaks === true ? refusedByItself(callout, workload, facts) : undefined;
    if (refusal !== undefined) return refusal;
    const name = workloadName(workload);
    const { warning, unsure, result } = found;
    const plan = {
      summary: `${name}: ${result}`,
      warnings: [
        'All its Pods are replaced.',
        warning,
        workload.kind === 'StatefulSet'
          ? `${name} keeps waiting for a Pod that is not Ready: delete that Pod after the change.`
          : undefined,
      ],
      unsure,
    };
    const change = templateChange(workload, found.changes);
    return declarationPlan(plan, workload, change, isRestored(workload.metadata));
  },
});
