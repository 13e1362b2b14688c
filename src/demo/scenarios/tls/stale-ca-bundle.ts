import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const staleCaBundle = defineScenario({
  slug: 'stale-ca-bundle',
  story: [
    'The CA was made anew, under the same name.',
    'Replicas serve what it signed; the configuration still holds the old one.',
    'The error speaks of a candidate of the right name, which is all that fits.',
  ],
  source: 'https://github.com/kgateway-dev/kgateway/issues/5672',
  parts: [
    namespace('rotated'),
    service('rotated/rotated-policy'),
    deployment('rotated/rotated-policy', { pods: [running({ certificate: 'of-renewed-authority' })] }),
    validating('rotated-policy', [
      webhook('rotated-policy.example.com', { service: 'rotated/rotated-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/rotated-policy/rotated-policy.example.com',
      state: 'failing',
      link: 'tls',
      cause: 'stale-ca-bundle',
      effect: 'blocks',
      error: 'x509: certificate signed by unknown authority (possibly because of',
    },
  ],
});
