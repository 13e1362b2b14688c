import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const targetPortClosed = defineScenario({
  slug: 'target-port-closed',
  story: [
    'The webhook server moved to another port.',
    'The Service still leads to the old one.',
    'Its endpoints look whole, for nobody asks the port to make one.',
  ],
  parts: [
    namespace('moved-port'),
    service('moved-port/port-policy', { ports: [{ port: 443, targetPort: 9443 }] }),
    deployment('moved-port/port-policy', { pods: [running({})] }),
    validating('port-policy', [webhook('port-policy.example.com', { service: 'moved-port/port-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/port-policy/port-policy.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'target-port-closed',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
