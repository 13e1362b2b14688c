import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const servingCertificateNameMismatch = defineScenario({
  slug: 'serving-certificate-name-mismatch',
  story: [
    'The certificate was made for a developer machine.',
    'It is valid, and signed by the right CA.',
    'It does not hold the name of the Service.',
  ],
  source: 'https://github.com/redhat-cop/vault-config-operator/issues/185',
  parts: [
    namespace('laptop'),
    service('laptop/laptop-policy'),
    deployment('laptop/laptop-policy', { pods: [running({ certificate: 'for-another-name' })] }),
    validating('laptop-policy', [webhook('laptop-policy.example.com', { service: 'laptop/laptop-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/laptop-policy/laptop-policy.example.com',
      state: 'failing',
      link: 'tls',
      cause: 'serving-certificate-name-mismatch',
      effect: 'blocks',
      error: 'x509: certificate is valid for localhost, not laptop-policy.laptop.svc',
    },
  ],
});
