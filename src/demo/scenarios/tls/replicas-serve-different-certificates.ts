import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const replicasServeDifferentCertificates = defineScenario({
  slug: 'replicas-serve-different-certificates',
  story: [
    'The certificate was renewed by another CA, and one replica has restarted since.',
    'The other one serves what it loaded when it started.',
    'A share of the new connections fails.',
  ],
  source: 'https://github.com/open-policy-agent/gatekeeper/issues/3014',
  parts: [
    namespace('uneven'),
    service('uneven/uneven-policy'),
    deployment('uneven/uneven-policy', {
      pods: [running({}), running({ certificate: 'of-another-authority' })],
    }),
    validating('uneven-policy', [webhook('uneven-policy.example.com', { service: 'uneven/uneven-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/uneven-policy/uneven-policy.example.com',
      state: 'degraded',
      link: 'tls',
      cause: 'replicas-serve-different-certificates',
      effect: 'blocks',
      error: 'x509: certificate signed by unknown authority',
    },
  ],
});
