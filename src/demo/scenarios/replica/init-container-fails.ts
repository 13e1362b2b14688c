import { initFailing } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const initContainerFails = defineScenario({
  slug: 'init-container-fails',
  story: [
    'An init container waits for the certificate and gives up.',
    'It is started again and again.',
    "The webhook's own container never gets its turn.",
  ],
  parts: [
    namespace('bootstrap'),
    service('bootstrap/bootstrap-policy'),
    deployment('bootstrap/bootstrap-policy', {
      spec: { initContainers: [{ name: 'wait-for-certificate', image: 'registry.example.com/wait:1.0.0' }] },
      pods: [initFailing(1, 'timed out after 60s waiting for /certificate/tls.crt\n')],
    }),
    validating('bootstrap-policy', [
      webhook('bootstrap-policy.example.com', { service: 'bootstrap/bootstrap-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/bootstrap-policy/bootstrap-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-init-stuck',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
