import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const replicaListensOnLoopbackOnly = defineScenario({
  slug: 'replica-listens-on-loopback-only',
  story: [
    'A sidecar used to stand before the webhook server, which therefore binds to 127.0.0.1.',
    'The sidecar was removed.',
    'The server runs, answers whoever asks from within the Pod, and nobody else.',
  ],
  parts: [
    namespace('meshless'),
    service('meshless/meshless-policy'),
    deployment('meshless/meshless-policy', { pods: [running({ listens: 'on-loopback' })] }),
    validating('meshless-policy', [
      webhook('meshless-policy.example.com', { service: 'meshless/meshless-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/meshless-policy/meshless-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-listens-on-loopback-only',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
