import type { Lookup } from './lookup.ts';
import type { Facts } from './snapshot.ts';

/** Every lookup of a snapshot as `make` makes it: for whoever has read none of them, or few. */
export const everyLookup = (
  make: <V>() => Lookup<V>,
): Omit<Facts, 'version' | 'callouts' | 'clock' | 'routing'> => ({
  configurations: make(),
  services: make(),
  endpointSlices: make(),
  namespaces: make(),
  served: make(),
  pods: make(),
  endpointPods: make(),
  workloads: make(),
  autoscalers: make(),
  events: make(),
  nodes: make(),
  leases: make(),
  networkPolicies: make(),
  secrets: make(),
  configMaps: make(),
  claims: make(),
  certificates: make(),
  issuers: make(),
  logs: make(),
  refusals: make(),
  makers: make(),
  pendingPods: make(),
  namespacePods: make(),
  inputs: make(),
  denials: make(),
  parkingTrials: make(),
  disruptionBudgets: make(),
  metrics: make(),
  probes: make(),
});
