import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const responseServerError = defineScenario({
  slug: 'response-server-error',
  story: [
    'The handler panics on every request.',
    'The server turns that into a 500 and lives on.',
    'Liveness and readiness see nothing of it.',
  ],
  parts: [
    namespace('panics'),
    service('panics/panic-policy'),
    deployment('panics/panic-policy', {
      pods: [running({ answer: 'raw', status: 500, body: 'runtime error: invalid memory address' })],
    }),
    validating('panic-policy', [webhook('panic-policy.example.com', { service: 'panics/panic-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/panic-policy/panic-policy.example.com',
      state: 'failing',
      link: 'response',
      cause: 'response-server-error',
      effect: 'blocks',
      error:
        'an error on the server ("runtime error: invalid memory address") has prevented the request from succeeding',
    },
  ],
});
