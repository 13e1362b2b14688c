import { closestMatch } from 'leven';
import type { Backend } from '../apiserver/routing/backends.ts';
import { serviceSelects } from '../facts/label-selector.ts';
import { keyOf, type Service, type ServicePort, type Workload } from '../facts/objects.ts';
import type { Facts } from '../facts/snapshot.ts';
import { declaresPort, isOwnWorkload } from '../facts/workloads.ts';

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

const resembles = (a: string, b: string): boolean =>
  a.includes(b) || b.includes(a) || closestMatch(a, [b], { maxDistance: 2 }) !== undefined;

/**
 * Scores how well a workload matches what a Service selects. 0: not at all. Equal labels have the most
 * weight, then a label with the same key and a similar value, the port, and the name.
 */
function nearness(workload: Workload, service: Service, port: ServicePort): number {
  const { metadata, spec } = workload;
  const labels = spec.template.metadata?.labels ?? {};
  const pairs = Object.entries(service.spec.selector ?? {});
  const equal = pairs.filter(([key, value]) => labels[key] === value).length;
  const similar = pairs.filter(
    ([key, value]) => labels[key] !== value && resembles(labels[key] ?? '\0', value),
  ).length;
  const byPort = declaresPort(workload, port) ? 2 : 0;
  const byName = resembles(metadata.name, service.metadata.name) ? 2 : 0;
  return equal * 4 + similar * 3 + byPort + byName;
}

/**
 * True for the workload of another revision: it is behind another Service that a webhook or APIService names,
 * and the two selectors differ in the value of one label beside equal ones.
 */
function isOtherRevision(
  { spec }: Workload,
  { namespace, key, service: { spec: own } }: Pick<Backend, 'namespace' | 'key' | 'service'>,
  { callouts, services }: Pick<Facts, 'callouts' | 'services'>,
): boolean {
  const pairs = Object.entries(own.selector ?? {});
  return callouts.some(({ client: { service } }) => {
    if (service === undefined || service.namespace !== namespace || keyOf(service) === key) return false;
    const { selector = {} } = services.getIfKnown(keyOf(service))?.spec ?? {};
    return (
      serviceSelects(selector, spec.template.metadata?.labels) &&
      pairs.some(([label, value]) => selector[label] === value) &&
      pairs.some(([label, value]) => selector[label] !== undefined && selector[label] !== value)
    );
  });
}

/** Returns the workload of the namespace whose Pods the Service of a backend probably should select. */
export function nearestWorkload(
  backend: Backend,
  facts: Pick<Facts, 'callouts' | 'services' | 'workloads'>,
): Workload | undefined {
  const { service, port, namespace } = backend;
  const ranked = facts.workloads
    .get(namespace)
    ?.filter((workload) => isOwnWorkload(workload) && !isOtherRevision(workload, backend, facts))
    .map((workload) => ({ workload, near: nearness(workload, service, port) }))
    .filter(({ near }) => near > 0)
    .sort((a, b) => b.near - a.near);
  return ranked?.[0]?.workload;
}
