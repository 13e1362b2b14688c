import { type Backend, backends } from '../apiserver/routing/backends.ts';
import { derive } from '../basics/derive.ts';
import { selects } from '../facts/objects/label-selector.ts';
import type { Container } from '../facts/objects/pod.ts';
import type { DisruptionBudget } from '../facts/objects/scaling.ts';
import type { ServicePort } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { wantedPods, workloadsMaking } from '../facts/workloads/workloads.ts';

/** The facts that checks of good practice require. */
export const practiceFacts = ['callouts', 'services', 'workloads', 'disruptionBudgets'] as const;
type PracticeFacts = Pick<Facts, (typeof practiceFacts)[number]>;

/** The container behind a Service port, its index, and its port number. */
export interface ServingContainer {
  readonly container: Container;
  readonly index: number;
  readonly port: number;
}

/** The container that declares the port; undefined if none or several do, or if an init container does. */
export function servingContainer({ spec }: Workload, service: ServicePort): ServingContainer | undefined {
  const wanted = service.targetPort ?? service.port;
  const found = spec.template.spec.containers.flatMap((container, index) =>
    (container.ports ?? [])
      .filter(({ name, containerPort }) => name === wanted || containerPort === wanted)
      .map(({ containerPort }) => ({ container, index, port: containerPort })),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** A backend that is examined, and the only workload that creates its Pods. */
export interface ExaminedBackend extends Backend {
  readonly workload: Workload;
  /** The container that declares the target port of the Service; undefined if none or several do. */
  readonly container: Container | undefined;
  readonly containerPort: number | undefined;
}

/** Examined backends that have exactly one workload. */
export const backendsWithWorkload = derive(
  practiceFacts,
  (facts: PracticeFacts): readonly ExaminedBackend[] =>
    backends(facts).flatMap((backend) => {
      const { namespace, service } = backend;
      if (facts.disruptionBudgets.why(namespace)?.why === 'not-requested') return [];
      if (!facts.workloads.known(namespace)) return [];
      const [workload, ...others] = workloadsMaking(
        service.spec.selector,
        facts.workloads.get(namespace) ?? [],
      );
      if (workload === undefined || others.length > 0 || wantedPods(workload) === 0) return [];
      const { container, port: containerPort } = servingContainer(workload, backend.port) ?? {};
      return [{ ...backend, workload, container, containerPort }];
    }),
);

/**
 * PodDisruptionBudgets that select the Pods of the workload. An empty selector of policy/v1 selects all in
 * the namespace.
 */
export const budgetsOf = (
  { namespace, workload }: ExaminedBackend,
  { disruptionBudgets }: Pick<Facts, 'disruptionBudgets'>,
): readonly DisruptionBudget[] =>
  (disruptionBudgets.get(namespace) ?? []).filter(
    ({ spec }) =>
      spec.selector !== undefined && selects(spec.selector, workload.spec.template.metadata?.labels ?? {}),
  );

/** `3` or `50%` of a total; a percentage is rounded as the field says (apimachinery util/intstr). */
export function amount(value: number | string, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const exact = (Number.parseInt(value, 10) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
