import { running } from '../../cluster/behaviour.ts';
import { namespace, service, servingSecret } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const servedCertificateDiffersFromSecret = defineScenario({
  slug: 'served-certificate-differs-from-secret',
  story: [
    'The certificate was renewed in its Secret.',
    'The processes loaded the old one when they started, and do not look again.',
    'All is well until the old certificate ends.',
  ],
  source: 'https://github.com/kubernetes-sigs/gateway-api/issues/2167',
  deep: true,
  parts: [
    namespace('reload'),
    service('reload/reload-policy'),
    deployment('reload/reload-policy', {
      container: { volumeMounts: [{ name: 'certificate', mountPath: '/certificate' }] },
      spec: { volumes: [{ name: 'certificate', secret: { secretName: 'reload-tls' } }] },
      pods: [running({})],
    }),
    servingSecret('reload/reload-tls', 'reload/reload-policy', 'trusted-renewed'),
    validating('reload-policy', [webhook('reload-policy.example.com', { service: 'reload/reload-policy' })]),
  ],
  expect: [],
  also: ['served-certificate-differs-from-secret'],
});
