import { ago } from '../../cluster/ago.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { customResource, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const certificateNotIssued = defineScenario({
  slug: 'certificate-not-issued',
  story: [
    'The serving certificate is ordered from cert-manager, from an Issuer that does not exist.',
    'The Secret is never written, so no replica starts.',
    "The reason stands in the Certificate's condition, two objects away from the Pods.",
  ],
  source: 'https://github.com/ai-dynamo/dynamo/pull/8848',
  parts: [
    customResource('certificates.cert-manager.io', 'Certificate'),
    customResource('issuers.cert-manager.io', 'Issuer'),
    namespace('inference'),
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { namespace: 'inference', name: 'model-policy' },
      spec: {
        secretName: 'model-policy-tls',
        dnsNames: ['model-policy.inference.svc'],
        issuerRef: { name: 'platform' },
      },
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'DoesNotExist',
            message: 'Issuing certificate as Secret does not exist',
            lastTransitionTime: ago('2h'),
          },
        ],
      },
    },
    service('inference/model-policy'),
    deployment('inference/model-policy', {
      container: { volumeMounts: [{ name: 'certificate', mountPath: '/certificate' }] },
      spec: { volumes: [{ name: 'certificate', secret: { secretName: 'model-policy-tls' } }] },
    }),
    validating('model-policy', [webhook('model-policy.example.com', { service: 'inference/model-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/model-policy/model-policy.example.com',
      state: 'failing',
      link: 'tls',
      cause: 'certificate-not-issued',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
