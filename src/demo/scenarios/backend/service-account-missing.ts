import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const serviceAccountMissing = defineScenario({
  slug: 'service-account-missing',
  story: [
    'A clean-up deleted ServiceAccounts that looked unused.',
    'One of them belonged to a webhook whose Pods were being replaced.',
    'No Pod can be made without it.',
  ],
  parts: [
    namespace('certificates'),
    service('certificates/certificate-policy'),
    deployment('certificates/certificate-policy', { spec: { serviceAccountName: 'certificate-policy' } }),
    validating('certificate-policy', [
      webhook('certificate-policy.example.com', { service: 'certificates/certificate-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/certificate-policy/certificate-policy.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'workload-cannot-create-pods',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
