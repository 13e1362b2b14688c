import { isDeepStrictEqual } from 'node:util';
import { targetPortOf } from '../apiserver/routing/backends.ts';
import { isServiceBacked } from '../facts/callout.ts';
import { firstResult } from '../facts/collections.ts';
import { keyOf, type Pod, type PodSpec, type Workload } from '../facts/objects.ts';
import { podContext } from '../facts/pod-context.ts';
import { podState } from '../facts/pod-state.ts';
import { pointerTo } from '../facts/pointer.ts';
import { replicaPods } from '../facts/replicas.ts';
import { refOfWorkload } from '../facts/workloads.ts';
import { isRestored } from '../products/of-metadata.ts';
import {
  declarationPlan,
  portBehind,
  refusedByItself,
  serviceBehind,
  workloadBehind,
  workloadName,
} from './backend.ts';
import { defineRemedy } from './remedy.ts';
import { type Correction, correctors } from './template-corrections.ts';

type Path = readonly (string | number)[];

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (of, name) => (of as Readonly<Record<string | number, unknown>> | undefined)?.[name],
    value,
  );

/** The deepest path whose parent exists, and the value for it: JSON Patch adds no parents. */
function creatable(spec: PodSpec, { at, after }: Correction['changes'][number]) {
  for (let path = at, value = after; ; ) {
    const parent = path.slice(0, -1);
    if (parent.length === 0 || valueAt(spec, parent) !== undefined) return { path, value };
    value = { [String(path.at(-1))]: value };
    path = parent;
  }
}

/** The keys by which a strategic merge finds the item of a list (core/v1 types.go, patchMergeKey). */
const mergeKeys = ['containerPort', 'name'];

/** A strategic merge patch of one field. */
function patchOf(value: unknown, [name, ...rest]: Path, after: unknown): unknown {
  if (name === undefined) return after ?? null;
  const inner = patchOf(
    (value as Readonly<Record<string | number, unknown>> | undefined)?.[name],
    rest,
    after,
  );
  if (typeof name === 'string') return { [name]: inner };
  const item = (value as readonly Readonly<Record<string, unknown>>[])[name] ?? {};
  const key = mergeKeys.find((one) => item[one] !== undefined) ?? 'name';
  return [{ [key]: item[key], ...(inner as object) }];
}

/** The part of the Pod that a template determines: an older Pod of another template shows nothing about this one. */
const isOf = ({ spec }: Pod, { containers }: PodSpec): boolean =>
  containers.every((container) => {
    const own = spec.containers.find(({ name }) => name === container.name);
    return (['image', 'command', 'args', 'readinessProbe', 'livenessProbe'] as const).every((field) =>
      isDeepStrictEqual(own?.[field], container[field]),
    );
  });

const editsOf = (workload: Workload, { changes }: Correction) =>
  changes.map((change) => {
    const { path, value } = creatable(workload.spec.template.spec, change);
    return {
      object: refOfWorkload(workload),
      operation: 'patch' as const,
      path: pointerTo(['spec', 'template', 'spec', ...path.map(String)]),
      expected: valueAt(workload.spec.template.spec, path),
      after: value,
    };
  });

const declaredBy = ({ kind, metadata: { name, namespace }, spec }: Workload, { changes }: Correction) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace },
  spec: { template: { spec: patchOf(spec.template.spec, changes[0].at, changes[0].after) } },
});

export const fixPodTemplate = defineRemedy({
  meta: {
    id: 'fix-pod-template',
    title: 'Correct a field of the Pod template',
    risk: 'careful',
    does: 'Corrects the one field of the Pod template that an error names, if there is one value for it: the scheme or the port of a probe, a startupProbe for a slow process, `automountServiceAccountToken`, `items` of a Secret volume, `fsGroup` for files that the process must not read, a `hostPort` that is in use, a `schedulerName` whose scheduler does not act, `runAsUser` for `runAsNonRoot`. All Pods of the workload are replaced. If GitOps or an operator would revert the change, the patch is printed instead.',
    leaves: 'Other faults of the program, which may show only when this one is corrected.',
    answers: Object.keys(correctors),
    touches: [{ operation: 'patch', kinds: ['Deployment', 'StatefulSet', 'DaemonSet'] }],
  },
  requires: [
    ...['services', 'workloads', 'pods', 'events', 'nodes', 'secrets', 'logs'],
    ...['namespaces', 'served', 'version'],
  ] as const,
  plan({ check, callout, breaks }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
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
    const refusal = breaks === true ? refusedByItself(callout, workload, service, facts) : undefined;
    if (refusal !== undefined) return refusal;
    const name = workloadName(workload);
    const { warning, unsure, result } = found;
    const plan = {
      summary: `${name}: ${result}`,
      warnings: [
        'All its Pods are replaced.',
        ...(warning === undefined ? [] : [warning]),
        ...(workload.kind === 'StatefulSet'
          ? [`${name} keeps waiting for a Pod that is not Ready: delete that Pod after the change.`]
          : []),
      ],
      ...(unsure === undefined ? {} : { unsure }),
    };
    const change = { edits: editsOf(workload, found), declared: declaredBy(workload, found) };
    return declarationPlan(plan, workload, change, isRestored(workload.metadata));
  },
});
