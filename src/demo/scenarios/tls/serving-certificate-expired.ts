import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const servingCertificateExpired = defineScenario({
  slug: 'serving-certificate-expired',
  story: [
    'The serving certificate was made once, by a script, for a year.',
    'The year is over.',
    'All else is as it was on the day when it worked.',
  ],
  source: 'https://github.com/percona/percona-xtradb-cluster-operator/issues/2548',
  parts: [
    namespace('yearly'),
    service('yearly/yearly-policy'),
    deployment('yearly/yearly-policy', { pods: [running({ certificate: 'expired' })] }),
    validating('yearly-policy', [webhook('yearly-policy.example.com', { service: 'yearly/yearly-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/yearly-policy/yearly-policy.example.com',
      state: 'failing',
      link: 'tls',
      cause: 'serving-certificate-expired',
      effect: 'blocks',
      error: 'x509: certificate has expired or is not yet valid',
    },
  ],
});
