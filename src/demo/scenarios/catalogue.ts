import { backend } from './backend.ts';
import { healthy } from './healthy.ts';
import { network } from './network.ts';
import { policy } from './policy.ts';
import { registration } from './registration.ts';
import { replica } from './replica.ts';
import { response } from './response.ts';
import { routing } from './routing.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { tls } from './tls.ts';

/** Every scenario: what breaks along the chain first, then what looks odd and works. */
export const scenarios: readonly Scenario[] = [
  ...registration,
  ...routing,
  ...backend,
  ...replica,
  ...tls,
  ...response,
  ...network,
  ...policy,
  ...healthy,
].map(scenarioOf);

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
