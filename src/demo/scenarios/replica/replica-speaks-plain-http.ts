import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const replicaSpeaksPlainHttp = defineScenario({
  slug: 'replica-speaks-plain-http',
  story: [
    'TLS was switched off for a debugging session.',
    'The Service still leads to the same port.',
    'A TLS client gets an answer in plain HTTP.',
  ],
  parts: [
    namespace('debugging'),
    service('debugging/debug-policy'),
    deployment('debugging/debug-policy', { pods: [running({ certificate: 'none' })] }),
    validating('debug-policy', [webhook('debug-policy.example.com', { service: 'debugging/debug-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/debug-policy/debug-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-speaks-plain-http',
      effect: 'blocks',
      error: 'http: server gave HTTP response to HTTPS client',
    },
  ],
});
