import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const clientCertificateDemanded = defineScenario({
  slug: 'client-certificate-demanded',
  story: [
    'The webhook server was hardened to demand client certificates.',
    'The API server has none to show, unless its operator configured one.',
    'Each handshake ends in an alert.',
  ],
  parts: [
    namespace('demanding'),
    service('demanding/hardened-policy'),
    deployment('demanding/hardened-policy', { pods: [running({ demandsClientCertificate: true })] }),
    validating('hardened-policy', [
      webhook('hardened-policy.example.com', { service: 'demanding/hardened-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/hardened-policy/hardened-policy.example.com',
      state: 'failing',
      link: 'tls',
      cause: 'client-certificate-demanded',
      effect: 'blocks',
      error: 'remote error: tls: certificate required',
    },
  ],
});
