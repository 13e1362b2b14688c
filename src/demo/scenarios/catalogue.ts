import { backendScenarios } from './backend.ts';
import { healthyScenarios } from './healthy.ts';
import { networkScenarios } from './network.ts';
import { policyScenarios } from './policy.ts';
import { registrationScenarios } from './registration.ts';
import { replicaScenarios } from './replica.ts';
import { responseScenarios } from './response.ts';
import { routingScenarios } from './routing.ts';
import type { Scenario } from './scenario.ts';
import { tlsScenarios } from './tls.ts';

/** All scenarios: failures in the order of the chain, then unusual configurations that work. */
export const scenarios: readonly Scenario[] = [
  ...registrationScenarios,
  ...routingScenarios,
  ...backendScenarios,
  ...replicaScenarios,
  ...tlsScenarios,
  ...responseScenarios,
  ...networkScenarios,
  ...policyScenarios,
  ...healthyScenarios,
];

/** Scenarios of the default demo: a failure for each link and effect, and unusual ones that work. */
const shown: readonly string[] = [
  'service-missing',
  'orphaned-after-uninstall',
  'service-port-missing',
  'selector-matches-no-pod',
  'quota-exhausted',
  'crash-loop',
  'serving-secret-missing',
  'leader-gated-listener',
  'stale-ca-bundle',
  'unreachable-from-control-plane',
  'fails-open-unseen',
  'conversion-service-in-other-namespace',
  'apiservice-service-missing',
  'one-of-two-crashes',
  'named-target-port',
  'host-network',
  'dual-stack',
  'own-namespace-excluded',
  'many-webhooks-one-service',
  'available-apiservice',
];

/** The scenarios of the default demo in one cluster: they share no object. */
export const shownScenarios: readonly Scenario[] = shown.flatMap((slug) =>
  scenarios.filter((scenario) => scenario.slug === slug),
);
