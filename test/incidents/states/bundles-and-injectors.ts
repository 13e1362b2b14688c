import { servingCertificate } from '../../../src/demo/certificate/demo-certificates.ts';
import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, outOfMemory, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { lease, namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import { customResource, mutating, rule, webhook } from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import {
  annotated,
  certManager,
  failedCreate,
  type IncidentState,
  log,
  mount,
  pods,
  serviceAccount,
  withBundle,
} from './parts.ts';

/** A caBundle with the CA behind a certificate of this kind. */
const bundleOf = (kind: Parameters<typeof servingCertificate>[0]): string =>
  Buffer.from(servingCertificate(kind, [], new Date()).authority).toString('base64');

/** A CRD with this caBundle. */
const crdWith = (
  part: ReturnType<typeof customResource>,
  caBundle: string,
  metadata: object = {},
): ClusterPart => {
  const spec = part.spec as { conversion: { webhook: { clientConfig: object } } };
  return {
    ...part,
    metadata: { ...part.metadata, ...metadata },
    spec: {
      ...spec,
      conversion: {
        ...spec.conversion,
        webhook: {
          ...spec.conversion.webhook,
          clientConfig: { ...spec.conversion.webhook.clientConfig, caBundle },
        },
      },
    },
  } as never;
};

/** A Certificate of cert-manager that is Ready, and its Issuer. */
const issued = (home: string, name: string, secretName: string, dnsName: string): readonly ClusterPart[] =>
  [
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { namespace: home, name },
      spec: { secretName, dnsNames: [dnsName], issuerRef: { kind: 'Issuer', name: 'selfsigned' } },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'up to date' }] },
    },
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Issuer',
      metadata: { namespace: home, name: 'selfsigned' },
      spec: { selfSigned: {} },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'IsReady', message: '' }] },
    },
  ] as never;

const tlsVolume = (secretName: string, container: object = {}) => mount(secretName, container);

/** States in which a CA, a caBundle or its writer is at fault. */
export const bundlesAndInjectors: readonly IncidentState[] = [
  {
    slug: 'other-namespace-in-certificate',
    what: 'The certificate names another namespace.',
    parts: installation('capsule/capsule-webhook-service', {
      deployment: { replicas: 1, pods: [running({ certificate: 'for-another-name' })] },
      validating: {
        name: 'tenant.capsule.clastix.io',
        rules: [rule('capsule.clastix.io/v1alpha1', 'tenants')],
      },
    }),
  },
  {
    slug: 'upgrade-renews-ca',
    what: 'helm upgrade renews CA and Secret; the Pod is not restarted.',
    parts: withBundle(
      [
        ...installation('agones-system/agones-controller-service', {
          deployment: {
            replicas: 1,
            ...tlsVolume('agones-controller-service-cert'),
            pods: [running({ certificate: 'trusted' })],
          },
          mutating: {
            name: 'mutations.stable.agones.dev',
            rules: [rule('stable.agones.dev/v1alpha1', 'gameservers')],
          },
        }),
        servingSecretManifest(
          'agones-system/agones-controller-service-cert',
          'agones-system/agones-controller-service',
          'of-renewed-authority',
        ),
      ],
      bundleOf('of-renewed-authority'),
    ),
  },
  {
    slug: 'ca-of-former-install',
    what: 'The Job that writes the caBundle runs at install only; a new CA is not written.',
    parts: [
      ...installation('portieris/portieris', {
        deployment: {
          replicas: 1,
          ...tlsVolume('portieris-certs'),
          pods: [running({ certificate: 'of-another-authority' })],
        },
        mutating: { name: 'trust.hooks.securityenforcement.admission.cloud.ibm.com', rules: pods },
      }),
      servingSecretManifest('portieris/portieris-certs', 'portieris/portieris', 'of-another-authority'),
    ],
  },
  {
    slug: 'self-signed-renewed',
    what: 'cert-manager renewed; the caBundle follows; the process does not reload.',
    parts: withBundle(
      annotated(
        [
          ...certManager,
          ...installation('system/webhook-service', {
            deployment: {
              replicas: 1,
              ...tlsVolume('webhook-server-cert'),
              pods: [running({ certificate: 'of-another-authority' })],
            },
            mutating: { name: 'mpod.kb.io', rules: pods },
          }),
          {
            ...servingSecretManifest('system/webhook-server-cert', 'system/webhook-service', 'trusted'),
            metadata: {
              namespace: 'system',
              name: 'webhook-server-cert',
              annotations: { 'cert-manager.io/certificate-name': 'serving-cert' },
            },
          },
          ...issued('system', 'serving-cert', 'webhook-server-cert', 'webhook-service.system.svc'),
        ],
        { 'cert-manager.io/inject-ca-from': 'system/serving-cert' },
      ),
      bundleOf('trusted'),
    ),
  },
  {
    slug: 'year-is-over',
    what: 'The program made its certificate for a year.',
    parts: [
      ...installation('flyte/flyte-pod-webhook', {
        deployment: {
          replicas: 1,
          ...tlsVolume('flyte-pod-webhook'),
          pods: [running({ certificate: 'expired' })],
        },
        mutating: { name: 'flyte-pod-webhook.flyte.org', rules: pods, failurePolicy: 'Fail' },
      }),
      servingSecretManifest('flyte/flyte-pod-webhook', 'flyte/flyte-pod-webhook', 'expired'),
    ],
  },
  {
    slug: 'ca-per-replica',
    what: 'Each replica makes its own CA.',
    parts: [
      ...installation('pxc-operator/percona-xtradb-cluster-operator', {
        deployment: {
          pods: [running({ certificate: 'trusted' }), running({ certificate: 'of-renewed-authority' })],
        },
        validating: {
          name: 'validationwebhook.pxc.percona.com',
          timeoutSeconds: 10,
          rules: [rule('pxc.percona.com/v1', 'perconaxtradbclusters')],
        },
      }),
      lease('pxc-operator/08db1feb.percona.com', 'percona-xtradb-cluster-operator', 0),
    ],
  },
  {
    slug: 'may-not-list-requests',
    what: 'The ServiceAccount may not list CertificateSigningRequests.',
    parts: [
      ...installation('kafka/kafka-operator-operator', {
        deployment: {
          replicas: 1,
          spec: { serviceAccountName: 'kafka-operator' },
          pods: [
            crashing(
              1,
              'E0910 11:36:01.2 1 reflector.go:138] pkg/mod/k8s.io/client-go@v0.21.3/tools/cache/reflector.go:167: Failed to watch *v1.CertificateSigningRequest: failed to list *v1.CertificateSigningRequest: certificatesigningrequests.certificates.k8s.io is forbidden: User "system:serviceaccount:kafka:kafka-operator" cannot list resource "certificatesigningrequests" in API group "certificates.k8s.io" at the cluster scope\n{"level":"error","logger":"controller-runtime.manager.controller.kafkatopic","msg":"Could not wait for Cache to sync","error":"failed to wait for kafkatopic caches to sync: timed out waiting for cache to be synced"}\n{"level":"error","logger":"setup","msg":"problem running manager","error":"failed to wait for kafkacluster caches to sync: timed out waiting for cache to be synced"}',
            ),
          ],
        },
        validating: {
          name: 'kafkatopics.kafka.banzaicloud.io',
          rules: [rule('kafka.banzaicloud.io/v1alpha1', 'kafkatopics')],
        },
      }),
      serviceAccount('kafka', 'kafka-operator'),
    ],
  },
  {
    slug: 'crd-bundle-invalid',
    what: 'The CRD has a caBundle that is no certificate.',
    parts: [
      namespace('capi-system'),
      service('capi-system/capi-webhook-service'),
      deployment('capi-system/capi-webhook-service', { replicas: 1 }),
      crdWith(
        customResource('clusters.cluster.x-k8s.io', 'Cluster', {
          service: 'capi-system/capi-webhook-service',
        }),
        'SU5WQUxJRA==',
      ),
    ],
  },
  {
    slug: 'injector-out-of-memory',
    what: 'The CA injector is OOMKilled.',
    parts: [
      ...certManager.filter((part) => !('manifest' in part)),
      deployment('cert-manager/cert-manager-cainjector', {
        replicas: 1,
        container: {
          name: 'cert-manager-cainjector',
          image: 'quay.io/jetstack/cert-manager-cainjector:v1.17.0',
          ports: [],
          resources: { limits: { memory: '128Mi' } },
        } as never,
        pods: [outOfMemory],
      }),
      ...annotated(
        installation('cozy-ingress-nginx/ingress-nginx-controller-admission', {
          deployment: { replicas: 1, ...tlsVolume('ingress-nginx-admission') },
          validating: {
            caBundle: '',
            name: 'validate.nginx.ingress.kubernetes.io',
            rules: [rule('networking.k8s.io/v1', 'ingresses')],
          },
        }),
        { 'cert-manager.io/inject-ca-from': 'cozy-ingress-nginx/ingress-nginx-admission' },
      ),
      {
        ...servingSecretManifest(
          'cozy-ingress-nginx/ingress-nginx-admission',
          'cozy-ingress-nginx/ingress-nginx-controller-admission',
        ),
        metadata: {
          namespace: 'cozy-ingress-nginx',
          name: 'ingress-nginx-admission',
          annotations: { 'cert-manager.io/certificate-name': 'ingress-nginx-admission' },
        },
      },
      ...issued(
        'cozy-ingress-nginx',
        'ingress-nginx-admission',
        'ingress-nginx-admission',
        'ingress-nginx-controller-admission.cozy-ingress-nginx.svc',
      ),
    ],
  },
  {
    slug: 'placeholder-after-failed-upgrade',
    what: 'The hook Job that patches the caBundle did not run.',
    parts: withBundle(
      [
        ...installation('vela-system/vela-core-webhook', {
          deployment: { replicas: 1, ...tlsVolume('kubevela-admission') },
          validating: {
            name: 'validating.core.oam.dev.v1beta1.applications',
            rules: [rule('core.oam.dev/v1beta1', 'applications')],
          },
        }).map((part) =>
          'webhooks' in part
            ? {
                ...part,
                metadata: {
                  ...part.metadata,
                  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
                  annotations: {
                    'meta.helm.sh/release-name': 'kubevela',
                    'meta.helm.sh/release-namespace': 'vela-system',
                  },
                },
              }
            : part,
        ),
        servingSecretManifest('vela-system/kubevela-admission', 'vela-system/vela-core-webhook'),
      ],
      'Cg==',
    ),
  },
  {
    slug: 'argocd-empties-bundle',
    what: 'The chart has an empty caBundle; Argo CD sets it back.',
    parts: [
      ...certManager,
      ...(installation('akv2k8s/akv2k8s-envinjector', {
        deployment: { replicas: 1, ...tlsVolume('akv2k8s-envinjector-tls') },
        mutating: { name: 'pods.env-injector.admission.spv.no', caBundle: '', rules: pods },
      }).map((part) =>
        'webhooks' in part
          ? {
              ...part,
              metadata: {
                ...part.metadata,
                annotations: {
                  'cert-manager.io/inject-ca-from': 'akv2k8s/akv2k8s-envinjector-tls',
                  'argocd.argoproj.io/tracking-id':
                    'akv2k8s:admissionregistration.k8s.io/MutatingWebhookConfiguration:akv2k8s/akv2k8s-envinjector',
                },
                managedFields: ['cert-manager-cainjector', 'argocd-controller'].map((manager, at) => ({
                  manager,
                  operation: at === 0 ? 'Update' : 'Apply',
                  apiVersion: 'admissionregistration.k8s.io/v1',
                  fieldsType: 'FieldsV1',
                  time: at === 0 ? ago('4m') : ago('2m'),
                  fieldsV1: {
                    'f:webhooks': {
                      'k:{"name":"pods.env-injector.admission.spv.no"}': {
                        'f:clientConfig': at === 0 ? {} : { 'f:caBundle': {} },
                      },
                    },
                  },
                })),
              },
            }
          : part,
      ) as never),
      {
        ...servingSecretManifest('akv2k8s/akv2k8s-envinjector-tls', 'akv2k8s/akv2k8s-envinjector'),
        metadata: {
          namespace: 'akv2k8s',
          name: 'akv2k8s-envinjector-tls',
          annotations: { 'cert-manager.io/certificate-name': 'akv2k8s-envinjector-tls' },
        },
      },
      ...issued(
        'akv2k8s',
        'akv2k8s-envinjector-tls',
        'akv2k8s-envinjector-tls',
        'akv2k8s-envinjector.akv2k8s.svc',
      ),
    ],
  },
  {
    slug: 'crd-bundle-fought-over',
    what: 'Argo CD and the controller write the caBundle of the CRD.',
    parts: [
      namespace('metallb-system'),
      service('metallb-system/metallb-webhook-service'),
      deployment('metallb-system/metallb-webhook-service', { replicas: 1 }),
      crdWith(
        customResource('bgppeers.metallb.io', 'BGPPeer', {
          service: 'metallb-system/metallb-webhook-service',
        }),
        bundleOf('of-another-authority'),
        {
          annotations: {
            'argocd.argoproj.io/tracking-id':
              'metallb:apiextensions.k8s.io/CustomResourceDefinition:metallb-system/bgppeers.metallb.io',
          },
          managedFields: ['controller', 'argocd-controller'].map((manager, at) => ({
            manager,
            operation: 'Update',
            apiVersion: 'apiextensions.k8s.io/v1',
            fieldsType: 'FieldsV1',
            time: at === 0 ? ago('2m') : ago('1m'),
            fieldsV1: {
              'f:spec': { 'f:conversion': { 'f:webhook': { 'f:clientConfig': { 'f:caBundle': {} } } } },
            },
          })),
        },
      ),
    ],
  },
  {
    slug: 'may-not-register',
    what: 'The webhook may not create its configuration and says nothing.',
    parts: [
      namespace('flyte'),
      service('flyte/flyte-pod-webhook', { ports: [{ port: 443, targetPort: 9443 }] }),
      deployment('flyte/flyte-pod-webhook', {
        replicas: 1,
        spec: { serviceAccountName: 'flyte-pod-webhook' },
        container: {
          name: 'webhook',
          image: 'cr.flyte.org/flyteorg/flytepropeller:v0.16.19',
          command: ['flytepropeller', 'webhook'],
          ports: [{ containerPort: 9443 }],
        },
      }),
      serviceAccount('flyte', 'flyte-pod-webhook'),
    ],
    logs: log(
      'flyte/flyte-pod-webhook',
      '{"json":{},"level":"info","msg":"Creating MutatingWebhookConfiguration [flyte/flyte-pod-webhook]","ts":"2022-02-15T01:37:08Z"}',
    ),
  },
  {
    slug: 'ca-injector-of-old-api',
    what: 'The CA injector asks for v1beta1, which is gone.',
    parts: [
      ...certManager.filter((part) => !('manifest' in part)),
      deployment('cert-manager/cert-manager-cainjector', {
        replicas: 1,
        container: {
          name: 'cert-manager',
          image: 'quay.io/jetstack/cert-manager-cainjector:v1.1.0',
          ports: [],
        },
        pods: [
          crashing(
            1,
            'error registering secret controller: no matches for kind "MutatingWebhookConfiguration" in version "admissionregistration.k8s.io/v1beta1"',
          ),
        ],
      }),
      ...annotated(
        installation('capi-system/capi-webhook-service', {
          deployment: { replicas: 1, ...tlsVolume('capi-webhook-service-cert') },
          validating: {
            caBundle: '',
            name: 'validation.cluster.cluster.x-k8s.io',
            rules: [rule('cluster.x-k8s.io/v1alpha4', 'clusters')],
          },
        }),
        { 'cert-manager.io/inject-ca-from': 'capi-system/capi-serving-cert' },
      ),
      {
        ...servingSecretManifest('capi-system/capi-webhook-service-cert', 'capi-system/capi-webhook-service'),
        metadata: {
          namespace: 'capi-system',
          name: 'capi-webhook-service-cert',
          annotations: { 'cert-manager.io/certificate-name': 'capi-serving-cert' },
        },
      },
      ...issued(
        'capi-system',
        'capi-serving-cert',
        'capi-webhook-service-cert',
        'capi-webhook-service.capi-system.svc',
      ),
    ],
  },
  {
    slug: 'crd-without-annotation',
    what: 'The CRD has no caBundle and no annotation; the configurations have both.',
    parts: [
      ...certManager,
      ...annotated(
        installation('azureserviceoperator-system/azureserviceoperator-webhook-service', {
          deployment: { replicas: 1, ...tlsVolume('webhook-server-cert') },
          validating: { rules: [rule('resources.azure.com/v1beta20200601', 'resourcegroups')] },
        }),
        { 'cert-manager.io/inject-ca-from': 'azureserviceoperator-system/azureserviceoperator-serving-cert' },
      ),
      customResource('storageaccounts.storage.azure.com', 'StorageAccount', {
        service: 'azureserviceoperator-system/azureserviceoperator-webhook-service',
        caBundle: '',
      }),
      {
        ...servingSecretManifest(
          'azureserviceoperator-system/webhook-server-cert',
          'azureserviceoperator-system/azureserviceoperator-webhook-service',
        ),
        metadata: {
          namespace: 'azureserviceoperator-system',
          name: 'webhook-server-cert',
          annotations: { 'cert-manager.io/certificate-name': 'azureserviceoperator-serving-cert' },
        },
      },
      ...issued(
        'azureserviceoperator-system',
        'azureserviceoperator-serving-cert',
        'webhook-server-cert',
        'azureserviceoperator-webhook-service.azureserviceoperator-system.svc',
      ),
    ],
  },
  {
    slug: 'annotation-without-certificate',
    what: 'The annotation names a Certificate that was deleted.',
    parts: [
      ...certManager,
      ...annotated(
        installation('kserve/kserve-webhook-server-service', {
          deployment: { replicas: 1, ...tlsVolume('kserve-webhook-server-cert') },
          validating: {
            name: 'llminferenceserviceconfig.kserve-webhook-server.validator',
            caBundle: '',
            rules: [rule('serving.kserve.io/v1alpha1', 'llminferenceserviceconfigs')],
          },
        }),
        { 'cert-manager.io/inject-ca-from': 'kserve/serving-cert' },
      ),
      servingSecretManifest('kserve/kserve-webhook-server-cert', 'kserve/kserve-webhook-server-service'),
    ],
  },
  {
    slug: 'only-first-patched',
    what: 'A script patches two of three webhooks.',
    parts: [
      namespace('kserve'),
      service('kserve/kserve-webhook-server-service'),
      deployment('kserve/kserve-webhook-server-service', { replicas: 1 }),
      mutating('inferenceservice.serving.kserve.io', [
        webhook('inferenceservice.kserve-webhook-server.defaulter', {
          service: 'kserve/kserve-webhook-server-service',
          rules: [rule('serving.kserve.io/v1beta1', 'inferenceservices')],
        }),
        webhook('inferenceservice.kserve-webhook-server.pod-mutator', {
          service: 'kserve/kserve-webhook-server-service',
          caBundle: '',
          rules: pods,
          objectSelector: {
            matchExpressions: [{ key: 'serving.kserve.io/inferenceservice', operator: 'Exists' }],
          },
        }),
      ]),
    ],
  },
  {
    slug: 'capsule-after-restart',
    what: 'The operator crashes after a restart of the API server; its webhook refuses writes to system Pods.',
    parts: [
      ...installation('capsule-system/capsule-webhook-service', {
        deployment: {
          replicas: 1,
          pods: [
            crashing(
              1,
              '{"level":"error","msg":"unable to start manager","error":"Get \\"https://10.96.0.1:443/api?timeout=32s\\": dial tcp 10.96.0.1:443: connect: connection refused"}',
            ),
          ],
        },
        mutating: { name: 'dynamic.capsule.clastix.io', rules: [rule('v1', 'pods', 'CREATE', 'UPDATE')] },
      }),
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          namespace: 'kube-system',
          name: 'calico-kube-controllers-57b57c56f',
          uid: 'rs-ckc',
          labels: { 'k8s-app': 'calico-kube-controllers' },
        },
        spec: {
          replicas: 1,
          selector: { matchLabels: { 'k8s-app': 'calico-kube-controllers' } },
          template: {
            metadata: { labels: { 'k8s-app': 'calico-kube-controllers' } },
            spec: {
              containers: [
                { name: 'calico-kube-controllers', image: 'docker.io/calico/kube-controllers:v3.27.0' },
              ],
            },
          },
        },
        status: { replicas: 0 },
      } as never,
      failedCreate(
        {
          kind: 'ReplicaSet',
          namespace: 'kube-system',
          name: 'calico-kube-controllers-57b57c56f',
          uid: 'rs-ckc',
        },
        'Error creating: Internal error occurred: failed calling webhook "dynamic.capsule.clastix.io": failed to call webhook: Post "https://capsule-webhook-service.capsule-system.svc:443/validate?timeout=5s": no endpoints available for service "capsule-webhook-service"',
        'apps/v1',
      ),
    ],
  },
  {
    slug: 'bundle-of-former-certificate',
    what: 'cert-manager renewed; the configuration holds the former CA, and no annotation asks for another.',
    parts: [
      ...certManager,
      ...installation('kubeflow/kfserving-webhook-server-service', {
        deployment: {
          replicas: 1,
          ...tlsVolume('kfserving-webhook-server-cert'),
          pods: [running({ certificate: 'of-renewed-authority' })],
        },
        mutating: {
          name: 'inferenceservice.kfserving-webhook-server.defaulter',
          rules: [rule('serving.kubeflow.org/v1alpha2', 'inferenceservices')],
        },
      }),
      {
        ...servingSecretManifest(
          'kubeflow/kfserving-webhook-server-cert',
          'kubeflow/kfserving-webhook-server-service',
          'of-renewed-authority',
        ),
        metadata: {
          namespace: 'kubeflow',
          name: 'kfserving-webhook-server-cert',
          annotations: { 'cert-manager.io/certificate-name': 'serving-cert' },
        },
      },
      ...issued(
        'kubeflow',
        'serving-cert',
        'kfserving-webhook-server-cert',
        'kfserving-webhook-server-service.kubeflow.svc',
      ),
    ],
  },
];
