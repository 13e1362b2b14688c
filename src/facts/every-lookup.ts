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
  persistentVolumeClaims: make(),
  certificates: make(),
  issuers: make(),
  logs: make(),
  failedCreateEvents: make(),
  podControllers: make(),
  pendingPods: make(),
  namespacePods: make(),
  podReferences: make(),
  rbacDenials: make(),
  parkingTrials: make(),
  disruptionBudgets: make(),
  metrics: make(),
  probes: make(),
});
