import { autoscalersAndOwnObjects } from './autoscalers-and-own-objects.ts';
import { bundlesAndInjectors } from './bundles-and-injectors.ts';
import { busyBackends } from './busy-backends.ts';
import { busyCalls } from './busy-calls.ts';
import { busyRegistrations } from './busy-registrations.ts';
import { busyRemovals } from './busy-removals.ts';
import { busyStarts } from './busy-starts.ts';
import { busyUpgrades } from './busy-upgrades.ts';
import { certificateWriters } from './certificate-writers.ts';
import { certificates } from './certificates.ts';
import { clusterEnvironment } from './cluster-environment.ts';
import { lateAndDeniedReviews } from './late-and-denied-reviews.ts';
import { leaders } from './leaders.ts';
import { managedClusters } from './managed-clusters.ts';
import { objectsThatDisagree } from './objects-that-disagree.ts';
import { outagesInOrder } from './outages-in-order.ts';
import type { IncidentState } from './parts.ts';
import { policiesAndOwnPods } from './policies-and-own-pods.ts';
import { processes } from './processes.ts';
import { reachAndScope } from './reach-and-scope.ts';
import { refusedPods } from './refused-pods.ts';
import { removedAndWrong } from './removed-and-wrong.ts';
import { renewalsAndRefusals } from './renewals-and-refusals.ts';
import { sampledAgain } from './sampled-again.ts';
import { sampledBySearch } from './sampled-by-search.ts';
import { sampledInOrder } from './sampled-in-order.ts';
import { sampledOperators } from './sampled-operators.ts';
import { sampledProducts } from './sampled-products.ts';
import { sampledSilent } from './sampled-silent.ts';
import { sampledVendors } from './sampled-vendors.ts';
import { selectionAndOrder } from './selection-and-order.ts';
import { servicesAndNetworks } from './services-and-networks.ts';
import { startsAndOwnApis } from './starts-and-own-apis.ts';
import { upgradesAndLeftovers } from './upgrades-and-leftovers.ts';
import { writersAndRestarts } from './writers-and-restarts.ts';

/** States of public incidents that no scenario of the demo has. Files with states that wait for timeouts come first. */
export const states: readonly IncidentState[] = [
  ...clusterEnvironment,
  ...servicesAndNetworks,
  ...reachAndScope,
  ...selectionAndOrder,
  ...upgradesAndLeftovers,
  ...startsAndOwnApis,
  ...writersAndRestarts,
  ...renewalsAndRefusals,
  ...busyCalls,
  ...lateAndDeniedReviews,
  ...busyStarts,
  ...busyBackends,
  ...policiesAndOwnPods,
  ...processes,
  ...certificates,
  ...certificateWriters,
  ...leaders,
  ...refusedPods,
  ...bundlesAndInjectors,
  ...objectsThatDisagree,
  ...autoscalersAndOwnObjects,
  ...removedAndWrong,
  ...busyUpgrades,
  ...busyRegistrations,
  ...busyRemovals,
  ...sampledInOrder,
  ...sampledBySearch,
  ...sampledAgain,
  ...sampledOperators,
  ...managedClusters,
  ...sampledVendors,
  ...sampledProducts,
  ...outagesInOrder,
  ...sampledSilent,
];
