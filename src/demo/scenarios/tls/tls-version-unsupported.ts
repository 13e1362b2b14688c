import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const tlsVersionUnsupported = defineScenario({
  slug: 'tls-version-unsupported',
  story: [
    'An old runtime offers TLS 1.1 at most.',
    'The API server speaks 1.2 and later.',
    'It did until its last upgrade, which is when the calls began to fail.',
  ],
  source: 'https://github.com/prometheus-community/helm-charts/pull/407',
  parts: [
    namespace('legacy-tls'),
    service('legacy-tls/legacy-policy'),
    deployment('legacy-tls/legacy-policy', { pods: [running({ minTls: 'TLSv1', maxTls: 'TLSv1.1' })] }),
    validating('legacy-policy', [
      webhook('legacy-policy.example.com', { service: 'legacy-tls/legacy-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/legacy-policy/legacy-policy.example.com',
      state: 'failing',
      link: 'tls',
      cause: 'tls-version-unsupported',
      effect: 'blocks',
      error: 'remote error: tls: protocol version not supported',
    },
  ],
});
