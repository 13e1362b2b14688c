import { nothingRead } from '../../facts/lookup.ts';
import type { Permission } from '../../facts/resource.ts';
import type { FactName, Facts } from '../../facts/snapshot.ts';
import { type Collector, isWanted, notRequested, type ReadOptions } from '../collector.ts';
import { metrics } from './api-server/metrics.ts';
import { jobs, podConfigMaps } from './certificates/certificate-writers.ts';
import { certificates, issuers } from './certificates/certificates.ts';
import { configMaps, secrets } from './certificates/secrets.ts';
import { events } from './cluster/events.ts';
import { leases } from './cluster/leases.ts';
import { nodes } from './cluster/nodes.ts';
import { apiServerPods, networkPods } from './cluster/system-pods.ts';
import { firstCollectors } from './first.ts';
import { networkPolicies } from './networking/network-policies.ts';
import { clock, probes, routing, samples } from './probes.ts';
import { failedCreateEvents } from './workloads/failed-create-events.ts';
import { logs } from './workloads/logs.ts';
import { namespacePods } from './workloads/namespace-pods.ts';
import {
  pendingPods,
  persistentVolumeClaims,
  podReferences,
  startingPods,
} from './workloads/pending-pods.ts';
import { podControllers } from './workloads/pod-controllers.ts';
import { endpointPods, pods } from './workloads/pods.ts';
import { rbacDenials } from './workloads/rbac-denials.ts';
import { requestingPods } from './workloads/requesting-pods.ts';
import { autoscalers, disruptionBudgets } from './workloads/scaling.ts';
import { workloads } from './workloads/workloads.ts';

/** One collector per fact, by the name of the fact. Generated roles list their permissions in this order. */
const all: { readonly [F in FactName]: Collector & { readonly fact: F } } = {
  ...firstCollectors,
  startingPods,
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
  requestingPods,
  jobs,
  podConfigMaps,
  apiServerPods,
  networkPods,
  configMaps,
  probes,
  clock,
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
