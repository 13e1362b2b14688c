import { running } from '../../cluster/behaviour.ts';
import { namespace, service, servingConfigMap } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const servedCertificateDiffersFromConfigMap = defineScenario({
  slug: 'served-certificate-differs-from-config-map',
  story: [
    'The certificate is kept in a ConfigMap, its private key elsewhere.',
    'Somebody put the next certificate there.',
    'No process has taken it up: the next restart would.',
  ],
  deep: true,
  parts: [
    namespace('mapped'),
    service('mapped/mapped-policy'),
    deployment('mapped/mapped-policy', {
      container: {
        volumeMounts: [{ name: 'certificate', mountPath: '/tmp/k8s-webhook-server/serving-certs' }],
      },
      spec: { volumes: [{ name: 'certificate', configMap: { name: 'mapped-tls' } }] },
      pods: [running({})],
    }),
    servingConfigMap('mapped/mapped-tls', 'mapped/mapped-policy', 'trusted-renewed'),
    validating('mapped-policy', [webhook('mapped-policy.example.com', { service: 'mapped/mapped-policy' })]),
  ],
  expect: [],
  also: ['covers-own-configuration-path', 'served-certificate-differs-from-secret'],
});
