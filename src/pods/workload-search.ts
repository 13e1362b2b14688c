import type { Backend } from '../apiserver/routing/backends.ts';
import { derive } from '../basics/derive.ts';
import { serviceKeys } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Service } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { declaredTarget, isOwnWorkload, servicesSelecting } from '../facts/workloads/workloads.ts';
import { areAlike, resembles } from '../phrases/alike-names.ts';

type Labels = Readonly<Record<string, string>>;

/** The display name of a workload, for example `Deployment policy`. */
export const workloadText = ({ kind, metadata }: Workload): string => `${kind} ${metadata.name}`;

/** Pairs of a selector that labels do not have: the required value, and the actual one. */
export function differences(
  selector: Labels,
  labels: Labels,
): { readonly expected: string; readonly found: string } {
  const wrong = Object.entries(selector).filter(([key, value]) => labels[key] !== value);
  return {
    expected: wrong.map(([key, value]) => `${key}=${value}`).join(','),
    found: wrong
      .map(([key]) => (labels[key] === undefined ? `no label ${key}` : `${key}=${labels[key]}`))
      .join(', '),
  };
}

/** The score of a workload that only declares the port. */
const portAlone = 1;

/**
 * Scores how well a workload matches what a Service selects. 0: not at all. Equal labels have the most
 * weight, then a label with the same key and a similar value, the port, and the name. A label with another
 * value is of another component, unless the port or the whole name shows that both are of one component.
 */
function nearness(
  { metadata: { name }, spec }: Workload,
  { metadata, spec: { selector = {} } }: Service,
  hasPort: boolean,
): number {
  const labels = spec.template.metadata?.labels ?? {};
  const pairs = Object.entries(selector);
  const equal = pairs.filter(([key, value]) => labels[key] === value).length;
  const different = pairs.filter(([key, value]) => labels[key] !== undefined && labels[key] !== value);
  const similar = different.filter(([key, value]) => resembles(labels[key] ?? '', value)).length;
  if (similar < different.length && !hasPort && !areAlike(name, metadata.name)) return 0;
  const byName = resembles(name, metadata.name) ? 2 : 0;
  return equal * 4 + similar * 3 + (hasPort ? portAlone : 0) + byName;
}

type SearchFacts = Pick<Facts, 'callouts' | 'services' | 'workloads'>;

/** The Services that select the Pods of a workload. */
const servicesOf = derive(['services'], (facts: Pick<Facts, 'services'>, { spec, metadata }: Workload) =>
  servicesSelecting(spec.template.metadata?.labels, metadata.namespace, facts),
);

/** The Services that webhooks and APIServices name, by `namespace/name`. */
const namedServices = derive(
  ['callouts'],
  ({ callouts }: Pick<Facts, 'callouts'>): ReadonlySet<string> => serviceKeys(callouts),
);

/** The Services other than that of a backend that select the Pods of a workload. */
const otherServices = (workload: Workload, { key }: Pick<Backend, 'key'>, facts: SearchFacts) =>
  servicesOf(facts, workload).filter(({ metadata }) => keyOf(metadata) !== key);

/**
 * True for the workload of another revision: it is behind another Service that a webhook or APIService names,
 * and the two selectors differ in the value of one label beside equal ones.
 */
function isOtherRevision(workload: Workload, backend: Backend, facts: SearchFacts): boolean {
  const pairs = Object.entries(backend.service.spec.selector ?? {});
  return otherServices(workload, backend, facts).some(
    ({ metadata, spec: { selector = {} } }) =>
      namedServices(facts).has(keyOf(metadata)) &&
      pairs.some(([label, value]) => selector[label] === value) &&
      pairs.some(([label, value]) => selector[label] !== undefined && selector[label] !== value),
  );
}

/**
 * Returns the workload of the namespace whose Pods the Service of a backend probably should select. If several
 * workloads only declare the port, it is none of them: each may be another program.
 */
export function nearestWorkload(backend: Backend, facts: SearchFacts): Workload | undefined {
  const { service, port, namespace } = backend;
  const ranked = facts.workloads
    .get(namespace)
    ?.filter((workload) => isOwnWorkload(workload) && !isOtherRevision(workload, backend, facts))
    .map((workload) => {
      const target = declaredTarget(workload, port);
      // Another Service leads to the port: it serves the requests of that one.
      const isTaken = otherServices(workload, backend, facts).some(({ spec: { ports = [] } }) =>
        ports.some((one) => declaredTarget(workload, one) === target),
      );
      return { workload, near: nearness(workload, service, target !== undefined && !isTaken) };
    })
    .filter(({ near }) => near > 0)
    .sort((a, b) => b.near - a.near);
  const [first, second] = ranked ?? [];
  return first?.near === second?.near && first?.near === portAlone ? undefined : first?.workload;
}
