import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const keepAliveShorterThanApiServer = defineScenario({
  slug: 'keep-alive-shorter-than-api-server',
  story: [
    'The server runs on a framework that closes idle connections after five seconds.',
    'The API server keeps them for ninety, and does not send a request twice.',
    'Once in a while a call ends in EOF, and works when tried again.',
  ],
  parts: [
    namespace('flaky-calls'),
    service('flaky-calls/framework-policy'),
    deployment('flaky-calls/framework-policy', { pods: [running({ idleTimeout: 5000 })] }),
    validating('framework-policy', [
      webhook('framework-policy.example.com', { service: 'flaky-calls/framework-policy' }),
    ]),
  ],
  expect: [],
  also: ['keep-alive-shorter-than-api-server'],
});
