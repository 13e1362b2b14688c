import { nothingRead } from '../../facts/lookup.ts';
import type { Right } from '../../facts/right.ts';
import type { FactName, Facts } from '../../facts/snapshot.ts';
import { type Collector, isWanted, notRequested, type Wishes } from '../collector.ts';
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

/** One collector for each fact, under its name; roles list what they need in this order. */
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
  configMaps,
  probes,
  clock,
  parkingTrials,
  samples,
  routing,
  metrics,
};

/** The same, in this order. */
export const collectors: readonly Collector[] = Object.values(all);

/** These facts, and all that they are chosen by. */
function withNeeds(facts: readonly FactName[]): readonly Collector[] {
  const names = new Set(facts);
  for (const fact of names) {
    const { needs, grows = [] } = all[fact] as Collector;
    for (const need of [...needs, ...grows]) names.add(need);
  }
  return collectors.filter(({ fact }) => names.has(fact));
}

/** What reading these facts, and all that they are chosen by, takes at most. */
export const rightsToRead = (facts: readonly FactName[], wishes: Wishes): readonly Right[] =>
  withNeeds(facts)
    .filter((collector) => isWanted(collector, wishes))
    .flatMap(({ rights }) => (typeof rights === 'function' ? rights(wishes) : rights));

/** The facts of a run that asked for none of them. */
export const nothingRequested = (): Omit<Facts, 'takenAt'> =>
  Object.fromEntries(
    collectors.map(({ fact, otherwise }) => [
      fact,
      typeof otherwise === 'string' ? nothingRead(notRequested(otherwise)) : otherwise,
    ]),
  ) as unknown as Omit<Facts, 'takenAt'>;
