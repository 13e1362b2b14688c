import { keyOf } from '../../facts/object-ref.ts';
import type { Container } from '../../facts/objects/pod.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { World } from '../../facts/snapshot.ts';
import { podContext } from '../../facts/workloads/pod-context.ts';
import { podState } from '../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../facts/workloads/replicas.ts';
import { isRestored } from '../../products/of-metadata.ts';
import { declarationPlan, workloadBehind, workloadName } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';
import { templateChange } from './template-change.ts';

/** The suffixes of quantities, each a thousand times, or 1024 times, the one before. */
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The suffix after this one, and its factor; undefined if it is the last, or not that of a quantity. */
function larger(suffix: string): { readonly suffix: string; readonly factor: bigint } | undefined {
  const [, exponent] = /^e(\d+)$/.exec(suffix) ?? [];
  if (exponent !== undefined) return { suffix: `e${Number(exponent) + 3}`, factor: 1000n };
  const [series, factor] = binary.includes(suffix) ? [binary, 1024n] : [decimal, 1000n];
  const next = series[series.indexOf(suffix) + 1];
  return next === undefined || !series.includes(suffix) ? undefined : { suffix: next, factor };
}

/**
 * Twice a quantity, in the form in which the API server stores it: a whole number with the largest suffix, `1Gi` for
 * `1024Mi` (apimachinery pkg/api/resource). Undefined if it is zero, which is no limit, or has another form.
 */
function doubled(quantity: string): string | undefined {
  const [, number, suffix = ''] = /^([1-9]\d*)([A-Za-z]*|e\d+)$/.exec(quantity) ?? [];
  if (number === undefined) return undefined;
  let twice = { number: BigInt(number) * 2n, suffix };
  for (let next = larger(suffix); next !== undefined; next = larger(next.suffix)) {
    if (twice.number % next.factor !== 0n) break;
    twice = { number: twice.number / next.factor, suffix: next.suffix };
  }
  return `${twice.number}${twice.suffix}`;
}

type Read = World<'pods' | 'events' | 'nodes' | 'secrets'>;

/**
 * The container that is killed in Pods of the Service, as the workload declares it, and its memory limit. A Pod with
 * another limit was created before the last change, or changed at its creation: it shows nothing about this limit.
 */
function killedContainer({ spec }: Workload, service: string, facts: Read) {
  const { containers } = spec.template.spec;
  for (const pod of replicaPods(facts.pods.get(service) ?? [])) {
    const { state, container } = podState(pod, podContext(pod, facts));
    const index = containers.findIndex(({ name }) => name === container?.name);
    const name = containers[index]?.name;
    const limit = memoryLimit(containers, name);
    if (state !== 'out-of-memory' || name === undefined || limit === undefined) continue;
    if (memoryLimit(pod.spec.containers, name) === limit) return { name, index, limit };
  }
  return undefined;
}

const memoryLimit = (containers: readonly Container[], name: string | undefined): string | undefined =>
  containers.find((one) => one.name === name)?.resources?.limits?.memory;

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
  about: 'service-backed',
  requires: ['services', 'workloads', 'pods', 'events', 'nodes', 'secrets'],
  plan({ callout }, facts) {
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || workload.kind === 'ReplicaSet') return undefined;
    const container = killedContainer(workload, keyOf(callout.client.service), facts);
    const after = container && doubled(container.limit);
    if (container === undefined || after === undefined) return undefined;
    const { name, index, limit } = container;
    return declarationPlan(
      {
        summary: `The memory limit of container ${name} of ${workloadName(workload)} is ${after} instead of ${limit}`,
        warnings: [
          'Its Pods are replaced. If no node has this memory, they stay Pending, or the container is killed again.',
        ],
      },
      workload,
      templateChange(workload, [{ at: ['containers', index, 'resources', 'limits', 'memory'], after }]),
      isRestored(workload.metadata),
    );
  },
});
