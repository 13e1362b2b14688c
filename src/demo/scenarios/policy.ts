import { installation } from '../cluster/installation.ts';
import type { Scenario } from './scenario.ts';

/** Calls that succeed now, and a configuration that is a risk. */
export const policyScenarios: readonly Scenario[] = [
  {
    slug: 'single-replica',
    story:
      'A webhook that fails closed has one replica. It works today. During the next drain of its node, every matching request is refused.',
    source: 'https://github.com/DataDog/helm-charts/issues/438',
    parts: installation('lonely/lonely-policy', { deployment: { replicas: 1 } }),
  },
  {
    slug: 'timeout-too-long',
    story:
      'A webhook waits for up to thirty seconds. One hanging replica then delays every request that long. Clients time out first, and report the API server.',
    parts: installation('patience/patient-policy', { validating: { timeoutSeconds: 30 } }),
  },
];
