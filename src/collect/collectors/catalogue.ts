import { nothingRead } from '../../facts/lookup.ts';
import type { Permission } from '../../facts/resource.ts';
import type { FactName, Facts } from '../../facts/snapshot.ts';
import { type Collector, isWanted, notRequested, type ReadOptions } from '../collector.ts';
import { apiServerPods } from './api-server-pods.ts';
import { autoscalers } from './autoscalers.ts';
import { jobs, podConfigMaps } from './certificate-writers.ts';
import { certificates, issuers } from './certificates.ts';
import { disruptionBudgets } from './disruption-budgets.ts';
import { events } from './events.ts';
import { failedCreateEvents } from './failed-create-events.ts';
import { firstCollectors } from './first.ts';
import { leases } from './leases.ts';
import { logs } from './logs.ts';
import { metrics } from './metrics.ts';
import { namespacePods } from './namespace-pods.ts';
import { networkPods } from './network-pods.ts';
import { networkPolicies } from './network-policies.ts';
import { nodes } from './nodes.ts';
import { pendingPods, podReferences } from './pending-pods.ts';
import { persistentVolumeClaims } from './persistent-volume-claims.ts';
import { podControllers } from './pod-controllers.ts';
import { endpointPods, pods } from './pods.ts';
import { clock, parkingTrials, probes, routing, samples } from './probes.ts';
import { rbacDenials } from './rbac-denials.ts';
import { configMaps, secrets } from './secrets.ts';
import { workloads } from './workloads.ts';

/** One collector per fact, by the name of the fact. Generated roles list their permissions in this order. */
const all: { readonly [F in FactName]: Collector & { readonly fact: F } } = {
  ...firstCollectors,
  pods,
  endpointPods,
  workloads,
  autoscalers,
  events,
  nodes,
  leases,
  networkPolicies,
  secrets,
  persistentVolumeClaims,
  certificates,
  issuers,
  logs,
  failedCreateEvents,
  podControllers,
  pendingPods,
  podReferences,
  rbacDenials,
  disruptionBudgets,
  namespacePods,
  jobs,
  podConfigMaps,
  apiServerPods,
  networkPods,
  configMaps,
  probes,
  clock,
  parkingTrials,
  samples,
  routing,
  metrics,
};

/** All collectors, in this order. */
export const collectors: readonly Collector[] = Object.values(all);

/** Returns the collectors of these facts, and of all facts that their keys depend on. */
function withNeeds(facts: readonly FactName[]): readonly Collector[] {
  const names = new Set(facts);
  for (const fact of names) {
    const { needs, grows = [] } = all[fact] as Collector;
    for (const need of [...needs, ...grows]) names.add(need);
  }
  return collectors.filter(({ fact }) => names.has(fact));
}

/** The maximum permissions that are required to read these facts, and those that their keys depend on. */
export const permissionsToRead = (
  facts: readonly FactName[],
  readOptions: ReadOptions,
): readonly Permission[] =>
  withNeeds(facts)
    .filter((collector) => isWanted(collector, readOptions))
    .flatMap(({ permissions }) =>
      typeof permissions === 'function' ? permissions(readOptions) : permissions,
    );

/** The initial facts of a run: each is marked as not requested. */
export const nothingRequested = (): Omit<Facts, 'takenAt'> =>
  Object.fromEntries(
    collectors.map(({ fact, otherwise }) => [
      fact,
      typeof otherwise === 'string' ? nothingRead(notRequested(otherwise)) : otherwise,
    ]),
  ) as unknown as Omit<Facts, 'takenAt'>;
