import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const servicePortMissing = defineScenario({
  slug: 'service-port-missing',
  story: [
    'The Service of an injector listens on 8443 only.',
    'The webhook configuration names no port, which means 443.',
    'The API server finds no such port on the Service.',
  ],
  source: 'https://github.com/microcumulus/ca-injector/pull/4',
  parts: [
    namespace('injector'),
    service('injector/ca-injector', { ports: [{ name: 'https', port: 8443, targetPort: 8443 }] }),
    deployment('injector/ca-injector'),
    mutating('ca-injector', [webhook('inject.ca-injector.example.com', { service: 'injector/ca-injector' })]),
  ],
  expect: [
    {
      callout: 'mutating/ca-injector/inject.ca-injector.example.com',
      state: 'failing',
      link: 'routing',
      cause: 'service-port-missing',
      effect: 'blocks',
      error: 'no service port 443 found for service "ca-injector"',
    },
  ],
});
