import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const servingSecretMissing = defineScenario({
  slug: 'serving-secret-missing',
  story: [
    'The Secret with the serving certificate was never made: its issuer refused.',
    'The Pods cannot mount it.',
    'They wait in ContainerCreating, without a line of log.',
  ],
  source: 'https://github.com/kedacore/charts/issues/849',
  parts: [
    namespace('external-secrets'),
    service('external-secrets/secret-store-policy'),
    deployment('external-secrets/secret-store-policy', {
      container: { volumeMounts: [{ name: 'certificate', mountPath: '/certificate' }] },
      spec: { volumes: [{ name: 'certificate', secret: { secretName: 'secret-store-policy-tls' } }] },
    }),
    validating('secret-store-policy', [
      webhook('secret-store-policy.example.com', { service: 'external-secrets/secret-store-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/secret-store-policy/secret-store-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-volume-missing',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
