import { ago } from '../../cluster/ago.ts';
import { crashing } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment, statefulSet } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const headlessWithEndpointRouting = defineScenario({
  slug: 'headless-with-endpoint-routing',
  story: [
    'The Service is headless, which cannot be routed by default.',
    "An error in the cluster names an endpoint's address: this API server routes to endpoints.",
    'So it works here.',
  ],
  parts: [
    namespace('direct'),
    service('direct/direct-policy', { clusterIP: 'None' }),
    statefulSet('direct/direct-policy'),
    validating('direct-policy', [webhook('direct-policy.example.com', { service: 'direct/direct-policy' })]),
    service('direct/flaky'),
    deployment('direct/flaky', { pods: [crashing(1, 'bye')] }),
    mutating('flaky', [webhook('flaky.example.com', { service: 'direct/flaky', failurePolicy: 'Ignore' })]),
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'direct', name: 'direct-policy.refused' },
      involvedObject: {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        namespace: 'direct',
        name: 'something-else',
      },
      type: 'Warning',
      reason: 'FailedCreate',
      message:
        'Error creating: Internal error occurred: failed calling webhook "flaky.example.com": failed to call webhook: Post "https://flaky.direct.svc:443/validate?timeout=5s": no endpoints available for service "flaky"',
      count: 3,
      lastTimestamp: ago('5m'),
    },
  ],
  expect: [
    {
      callout: 'mutating/flaky/flaky.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-crash-looping',
      effect: 'fails-open',
      error: 'no endpoints available for service "flaky"',
    },
  ],
});
