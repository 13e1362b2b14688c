import { ago } from '../cluster/ago.ts';
import { running } from '../cluster/behaviour.ts';
import { installation } from '../cluster/installation.ts';
import { servingConfigMap, servingSecretManifest } from '../cluster/manifests.ts';
import { customResource } from '../cluster/webhook-manifests.ts';
import { mounting } from '../cluster/workload-manifests.ts';
import type { Scenario } from './scenario.ts';

/** Failures at the link TLS. */
export const tlsScenarios: readonly Scenario[] = [
  {
    slug: 'certificate-not-issued',
    story:
      'The serving certificate is requested from a cert-manager Issuer that does not exist. The Secret is never written, so no replica starts. The condition of the Certificate contains the reason.',
    source: 'https://github.com/ai-dynamo/dynamo/pull/8848',
    parts: [
      ...installation('inference/model-policy', {
        deployment: mounting({ secret: { secretName: 'model-policy-tls' } }),
      }),
      customResource('certificates.cert-manager.io', 'Certificate'),
      customResource('issuers.cert-manager.io', 'Issuer'),
      customResource('clusterissuers.cert-manager.io', 'ClusterIssuer'),
      customResource('certificaterequests.cert-manager.io', 'CertificateRequest'),
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
    ],
  },
  {
    slug: 'certificate-job-failed',
    story:
      'A Job of the chart patches the CA into the configuration. It requests an API version that is no longer served, and fails. The caBundle remains empty, and each call fails.',
    source: 'https://github.com/kubernetes-sigs/gateway-api/issues/990',
    parts: [
      ...installation('ingress-edge/edge-policy', { validating: { caBundle: '' } }),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          namespace: 'ingress-edge',
          name: 'edge-policy-admission-patch',
          creationTimestamp: ago('2h'),
        },
        spec: {
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [
                {
                  name: 'patch',
                  image: 'registry.example/webhook-certgen:v1.5.1',
                  args: ['patch', '--webhook-name=edge-policy', '--patch-failure-policy=Fail'],
                },
              ],
            },
          },
        },
        status: {
          failed: 7,
          conditions: [
            {
              type: 'Failed',
              status: 'True',
              reason: 'BackoffLimitExceeded',
              message: 'Job has reached the specified backoff limit',
            },
          ],
        },
      },
    ],
  },
  {
    slug: 'client-certificate-demanded',
    story:
      'The webhook server was configured to require client certificates. The API server presents none unless one is configured. Each TLS handshake fails with an alert.',
    parts: installation('demanding/hardened-policy', {
      deployment: { pods: [running({ demandsClientCertificate: true })] },
    }),
  },
  {
    slug: 'tls-version-unsupported',
    story:
      'An old runtime offers TLS 1.1 at most. The API server uses 1.2 and later. Calls have failed since its last upgrade.',
    source: 'https://github.com/prometheus-community/helm-charts/pull/407',
    parts: installation('legacy-tls/legacy-policy', {
      deployment: { pods: [running({ minTls: 'TLSv1', maxTls: 'TLSv1.1' })] },
    }),
  },
  {
    slug: 'stale-ca-bundle',
    story:
      'The CA was created again, with the same name. Replicas serve what it signed; the configuration still holds the old one. The error names a CA with the same name and another key.',
    source: 'https://github.com/kgateway-dev/kgateway/issues/5672',
    parts: installation('rotated/rotated-policy', {
      deployment: { pods: [running({ certificate: 'of-renewed-authority' })] },
    }),
  },
  {
    slug: 'serving-certificate-expired',
    story:
      'A script created the serving certificate once, for a year. The certificate has expired. Nothing else has changed.',
    source: 'https://github.com/percona/percona-xtradb-cluster-operator/issues/2548',
    parts: installation('yearly/yearly-policy', {
      deployment: { pods: [running({ certificate: 'expired' })] },
    }),
  },
  {
    slug: 'serving-certificate-name-mismatch',
    story:
      'The certificate was created for a developer machine. It is valid, and signed by the right CA. It does not contain the name of the Service.',
    source: 'https://github.com/redhat-cop/vault-config-operator/issues/185',
    parts: installation('laptop/laptop-policy', {
      deployment: { pods: [running({ certificate: 'for-another-name' })] },
    }),
  },
  {
    slug: 'replicas-serve-different-certificates',
    story:
      'The certificate was renewed by another CA, and one replica has restarted since. The other one serves what it loaded when it started. A share of the new connections fails.',
    source: 'https://github.com/open-policy-agent/gatekeeper/issues/3014',
    parts: installation('uneven/uneven-policy', {
      deployment: { pods: [running({}), running({ certificate: 'of-another-authority' })] },
    }),
  },
  {
    slug: 'served-certificate-differs-from-secret',
    story:
      'The certificate was renewed in its Secret. The processes loaded the old one when they started, and do not reload it. Calls succeed until the old certificate expires.',
    source: 'https://github.com/kubernetes-sigs/gateway-api/issues/2167',
    deep: true,
    parts: [
      ...installation('reload/reload-policy', {
        deployment: mounting({ secret: { secretName: 'reload-tls' } }, { pods: [running({})] }),
      }),
      servingSecretManifest('reload/reload-tls', 'reload/reload-policy', 'trusted-renewed'),
    ],
  },
  {
    slug: 'certificate-renewed-not-reloaded',
    story:
      'cert-manager renewed the CA: Secret and caBundle hold the new one. The processes serve the certificate that they loaded when they started. Each call fails until they are restarted.',
    source: 'https://github.com/kubernetes-sigs/gateway-api/issues/2167',
    parts: [
      ...installation('renewal/renewal-policy', {
        deployment: mounting(
          { secret: { secretName: 'renewal-tls' } },
          { pods: [running({ certificate: 'of-another-authority' })] },
        ),
      }),
      servingSecretManifest('renewal/renewal-tls', 'renewal/renewal-policy', 'trusted-renewed'),
    ],
  },
  {
    slug: 'served-certificate-differs-from-config-map',
    story:
      'The certificate is kept in a ConfigMap, its private key elsewhere. A user stored the next certificate there. No process has loaded it; the next restart will.',
    deep: true,
    parts: [
      ...installation('mapped/mapped-policy', {
        deployment: mounting(
          { configMap: { name: 'mapped-tls' } },
          { pods: [running({})] },
          '/tmp/k8s-webhook-server/serving-certs',
        ),
      }),
      servingConfigMap('mapped/mapped-tls', 'mapped/mapped-policy', 'trusted-renewed'),
    ],
  },
];
