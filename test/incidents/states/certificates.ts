import type { ApiObject } from '../../../src/demo/api-server/object-store.ts';
import { servingCertificate } from '../../../src/demo/certificate/demo-certificates.ts';
import { crashing, ready, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { lease, namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { annotated, certManager, type IncidentState, mount, pods, withBundle } from './parts.ts';

type Certificate = Parameters<typeof servingCertificate>[0];

/** The parts, with the CA behind a certificate of this kind in every caBundle. */
export function trusting(kind: Certificate, parts: readonly ClusterPart[]): readonly ClusterPart[] {
  const { authority } = servingCertificate(kind, [], new Date());
  const caBundle = Buffer.from(authority).toString('base64');
  return parts.map((part) =>
    'webhooks' in part && Array.isArray(part.webhooks)
      ? {
          ...part,
          webhooks: part.webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } })),
        }
      : part,
  );
}

/** A process that serves one certificate while the Secret that it mounts holds another, which the caBundle trusts. */
const notReloaded = (served: Certificate, kept: Certificate): readonly ClusterPart[] =>
  trusting(kept, [
    ...installation('mesh/injector', {
      deployment: {
        container: { volumeMounts: [{ name: 'certificate', mountPath: '/certificate' }] },
        spec: { volumes: [{ name: 'certificate', secret: { secretName: 'injector-tls' } }] },
        pods: [running({ certificate: served })],
      },
    }),
    servingSecretManifest('mesh/injector-tls', 'mesh/injector', kept),
  ]);

const withoutBundle = (service: ApiObject): ApiObject => {
  const { caBundle: _bundle, ...spec } = service.spec as Readonly<Record<string, unknown>>;
  return { ...service, spec };
};

/** Certificates and caBundles that do not match, are missing or expired. */
export const certificates: readonly IncidentState[] = [
  {
    slug: 'regenerated-not-reloaded',
    what: 'An upgrade makes a new CA. Secret and caBundle hold it. The process serves the old one.',
    parts: notReloaded('trusted', 'of-renewed-authority'),
  },
  {
    slug: 'expired-not-reloaded',
    what: 'The certificate was renewed in time. The process did not read it again. It has expired.',
    parts: notReloaded('expired', 'trusted-renewed'),
  },
  {
    slug: 'certificate-object-left-out',
    what: 'A manifest mounts the Secret of a certificate. The object that would order the certificate is only in another manifest. The Pod waits for the Secret.',
    parts: [
      ...installation('sgx-system/sgx-webhook-service', {
        deployment: { replicas: 1, ...mount('webhook-server-cert') },
        mutating: { caBundle: '', rules: pods },
      }),
      customResource('certificates.cert-manager.io', 'Certificate'),
    ],
  },
  {
    slug: 'certificate-object-missing',
    what: 'Secret not found, cert-manager installed, Certificate never made',
    parts: [
      ...certManager,
      ...annotated(
        installation('milvus-operator/milvus-operator-webhook-service', {
          deployment: { replicas: 1, ...mount('milvus-operator-webhook-cert') },
          validating: { name: 'vmilvus.kb.io', caBundle: '', rules: [rule('milvus.io/v1beta1', 'milvuses')] },
        }),
        { 'cert-manager.io/inject-ca-from': 'milvus-operator/milvus-operator-serving-cert' },
      ),
    ],
  },
  {
    slug: 'ca-injector-runs-another-program',
    what: 'Images come from a private registry; the one of the CA injector is that of the controller. Its Pod runs, and holds no Lease of an injector. No caBundle is written.',
    parts: [
      ...installation('cert-manager/cert-manager-webhook', {
        validating: {
          name: 'webhook.cert-manager.io',
          caBundle: '',
          rules: [rule('cert-manager.io/v1', 'certificates')],
        },
      }).map((part) =>
        'webhooks' in part
          ? {
              ...part,
              metadata: {
                ...part.metadata,
                annotations: {
                  'cert-manager.io/inject-ca-from-secret': 'cert-manager/cert-manager-webhook-ca',
                },
              },
            }
          : part,
      ),
      {
        ...servingSecretManifest('cert-manager/cert-manager-webhook-ca', 'cert-manager/cert-manager-webhook'),
        metadata: {
          namespace: 'cert-manager',
          name: 'cert-manager-webhook-ca',
          annotations: { 'cert-manager.io/allow-direct-injection': 'true' },
        },
      },
      customResource('certificates.cert-manager.io', 'Certificate'),
      deployment('cert-manager/cert-manager', {
        replicas: 1,
        container: {
          name: 'cert-manager-controller',
          image: 'registry.example/jetstack/cert-manager-controller:v1.13.3',
          ports: [],
        },
      }),
      deployment('cert-manager/cert-manager-cainjector', {
        replicas: 1,
        container: {
          name: 'cert-manager-cainjector',
          image: 'registry.example/jetstack/cert-manager-controller:v1.13.3',
          ports: [],
        },
      }),
      lease('kube-system/cert-manager-controller', 'cert-manager', 0),
    ],
  },
  {
    slug: 'own-certificate-expired',
    what: 'A program signs its own certificate and keeps it in a Secret. It does not renew it. It has expired.',
    parts: [
      ...installation('cattle-system/rancher-webhook', {
        deployment: {
          replicas: 1,
          container: { image: 'rancher/rancher-webhook:v0.1.1' },
          pods: [running({ certificate: 'expired' })],
        },
        validating: { name: 'rancherauth.cattle.io', rules: [rule('management.cattle.io/v3', 'clusters')] },
      }),
      servingSecretManifest('cattle-system/cattle-webhook-tls', 'cattle-system/rancher-webhook', 'expired'),
    ],
  },
  {
    slug: 'apiservice-name-mismatch',
    what: 'cert does not name the Service of the APIService',
    parts: [
      namespace('keda'),
      service('keda/my-keda-metrics-apiserver'),
      deployment('keda/my-keda-metrics-apiserver', {
        replicas: 1,
        pods: [running({ certificate: 'for-another-name' })],
      }),
      apiService('v1beta1.external.metrics.k8s.io', 'keda/my-keda-metrics-apiserver', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://203.0.113.9:443/apis/external.metrics.k8s.io/v1beta1: Get "https://203.0.113.9:443/apis/external.metrics.k8s.io/v1beta1": tls: failed to verify certificate: x509: certificate is valid for localhost, not my-keda-metrics-apiserver.keda.svc',
      }),
    ],
  },
  {
    slug: 'apiservice-ca-bundle-empty',
    what: 'caBundle of APIService empty',
    parts: [
      namespace('keda'),
      service('keda/keda-metrics'),
      deployment('keda/keda-metrics', { replicas: 1 }),
      withoutBundle(
        apiService('v1beta1.external.metrics.k8s.io', 'keda/keda-metrics', {
          reason: 'FailedDiscoveryCheck',
          message:
            'failing or missing response from https://203.0.113.9:443/apis/external.metrics.k8s.io/v1beta1: Get "https://203.0.113.9:443/apis/external.metrics.k8s.io/v1beta1": tls: failed to verify certificate: x509: certificate signed by unknown authority',
        }),
      ),
    ],
  },
  {
    slug: 'annotation-names-other-namespace',
    what: 'inject annotation names Certificate in another namespace',
    parts: [
      ...certManager,
      ...annotated(
        installation('aso/azureserviceoperator-webhook-service', {
          deployment: { replicas: 1 },
          validating: { caBundle: '' },
        }),
        { 'cert-manager.io/inject-ca-from': 'azureserviceoperator-system/azureserviceoperator-serving-cert' },
      ),
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { namespace: 'aso', name: 'azureserviceoperator-serving-cert' },
        spec: {
          secretName: 'webhook-server-cert',
          dnsNames: ['azureserviceoperator-webhook-service.aso.svc'],
          issuerRef: { kind: 'Issuer', name: 'self' },
        },
        status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'up to date' }] },
      } as never,
    ],
  },
  {
    slug: 'placeholder-bundle',
    what: 'caBundle Cg==',
    parts: withBundle(
      installation('capi-system/capi-webhook-service', { deployment: { replicas: 1 } }),
      'Cg==',
    ),
  },
  {
    slug: 'writer-of-secret-crashes',
    what: 'The operator should create the Secret, but its rotation is not enabled and it exits without the files. The webhook cannot mount the Secret.',
    parts: [
      ...installation('keda/keda-admission-webhooks', {
        deployment: { replicas: 1, ...mount('kedaorg-certs') },
        validating: { name: 'vscaledobject.kb.io', rules: [rule('keda.sh/v1alpha1', 'scaledobjects')] },
      }),
      deployment('keda/keda-operator', {
        replicas: 1,
        container: { name: 'keda-operator', ports: [] },
        pods: [
          crashing(
            1,
            'ERROR setup unable to start gRPC server {"error": "open /certs/ca.crt: no such file or directory"}',
          ),
        ],
      }),
    ],
  },
  {
    slug: 'bundle-lost-in-downgrade',
    what: 'The operator was upgraded and downgraded. Its configuration has no caBundle.',
    parts: installation('cnpg-system/cnpg-webhook-service', {
      deployment: { replicas: 1 },
      mutating: {
        name: 'mcluster.kb.io',
        caBundle: '',
        rules: [rule('postgresql.cnpg.io/v1', 'clusters')],
      },
    }),
  },
  {
    slug: 'one-api-server-serves-for-localhost',
    what: 'One of two extension API servers does not find its certificate and serves one that it made for localhost.',
    parts: [
      namespace('keda'),
      service('keda/keda-operator-metrics-apiserver'),
      deployment('keda/keda-operator-metrics-apiserver', {
        pods: [ready, running({ certificate: 'for-another-name' })],
      }),
      apiService('v1beta1.external.metrics.k8s.io', 'keda/keda-operator-metrics-apiserver'),
    ],
  },
  {
    slug: 'conversion-without-bundle',
    what: 'The certificate controller writes the caBundle of the webhook configurations, but not that of the CRDs.',
    parts: [
      namespace('kueue-system'),
      service('kueue-system/kueue-webhook-service'),
      deployment('kueue-system/kueue-webhook-service', { replicas: 1 }),
      customResource('clusterqueues.kueue.x-k8s.io', 'ClusterQueue', {
        service: 'kueue-system/kueue-webhook-service',
        caBundle: '',
      }),
    ],
  },
  {
    slug: 'conversion-certificate-not-created',
    what: 'The CRD requests the CA of a Certificate that does not exist.',
    parts: [
      ...certManager,
      namespace('kube-amd-gpu'),
      service('kube-amd-gpu/amd-gpu-operator-kmm-webhook-service'),
      deployment('kube-amd-gpu/amd-gpu-operator-kmm-webhook-service', { replicas: 1 }),
      customResource('modules.kmm.sigs.x-k8s.io', 'Module', {
        service: 'kube-amd-gpu/amd-gpu-operator-kmm-webhook-service',
        caBundle: '',
        metadata: {
          annotations: { 'cert-manager.io/inject-ca-from': 'kube-amd-gpu/amd-gpu-operator-kmm-serving-cert' },
        },
      }),
    ],
  },
  {
    slug: 'configuration-of-earlier-release',
    what: 'OLM leaves the configuration of an earlier release, which names the same Service and trusts the CA of that release.',
    parts: [
      ...installation('vault-config-operator/webhook-service', { deployment: { replicas: 1 } }),
      ...trusting('of-another-authority', [
        validating('earlier-release', [
          webhook('webhook-service.example.com', { service: 'vault-config-operator/webhook-service' }),
        ]),
      ]),
    ],
  },
];
