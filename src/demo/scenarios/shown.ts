import { scenarios } from './catalogue.ts';
import type { Scenario } from './scenario.ts';

/** What the demo shows unless a scenario is named: one break for each link and effect, and some that only look odd. */
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

/** The scenarios of the default demo, which share one cluster: no two of them have anything in common. */
export const shownScenarios: readonly Scenario[] = shown.flatMap((slug) =>
  scenarios.filter((scenario) => scenario.slug === slug),
);
