import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, ready, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { trusting } from './certificates.ts';
import {
  certManager,
  type IncidentState,
  log,
  mount,
  pods,
  serviceAccount,
  warning,
  withoutNamespace,
} from './parts.ts';

/** A namespace that is not deleted, because the discovery of an API group fails. */
const undiscovered = (name: string, groupVersion: string): ClusterPart =>
  ({
    ...namespace(name),
    metadata: { name, deletionTimestamp: ago('20m') },
    status: {
      phase: 'Terminating',
      conditions: [
        {
          type: 'NamespaceDeletionDiscoveryFailure',
          status: 'True',
          reason: 'DiscoveryFailed',
          message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${groupVersion}: the server is currently unable to handle the request`,
          lastTransitionTime: ago('19m'),
        },
      ],
    },
  }) as never;

const serviceNotFound = (name: string) => ({
  reason: 'ServiceNotFound',
  message: `service/${name.split('/')[1]} in "${name.split('/')[0]}" is not present`,
});

/** A Certificate that is not issued. */
const pendingCertificate = (key: string, secretName: string): ClusterPart => {
  const [home, name] = key.split('/');
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { namespace: home, name, creationTimestamp: ago('2h') },
    spec: { secretName, issuerRef: { name: 'selfsigned', kind: 'Issuer' }, dnsNames: [] },
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
  } as never;
};

/** What was removed in part, does not start, or has the wrong certificate. */
export const removedAndWrong: readonly IncidentState[] = [
  {
    slug: 'external-metrics-adapter-removed',
    what: 'An adapter of external metrics was removed after a test. Its APIService is left, and a namespace is not deleted.',
    parts: [
      namespace('custom-metrics'),
      apiService(
        'v1beta1.external.metrics.k8s.io',
        'custom-metrics/custom-metrics-apiserver',
        serviceNotFound('custom-metrics/custom-metrics-apiserver'),
      ),
      undiscovered('team-a', 'external.metrics.k8s.io/v1beta1'),
    ],
  },
  {
    slug: 'olm-removed-in-part',
    what: 'OLM was removed in part. Its APIService is left, and its own namespace is not deleted.',
    parts: [
      apiService(
        'v1.packages.operators.coreos.com',
        'olm/packageserver-service',
        serviceNotFound('olm/packageserver-service'),
      ),
      undiscovered('olm', 'packages.operators.coreos.com/v1'),
    ],
  },
  {
    slug: 'approval-webhook-expired',
    what: 'The certificate of a webhook for CertificateRequests has expired. cert-manager cannot create any, so the Secret of another webhook does not exist, and its Pod waits for the volume.',
    parts: [
      ...certManager,
      ...installation('cdp/cdp-release-thunderhead-certwebhook', {
        deployment: { replicas: 1, pods: [running({ certificate: 'expired' })] },
        validating: {
          name: 'certwebhook.cdp.example.com',
          rules: [rule('cert-manager.io/v1', 'certificaterequests', 'CREATE')],
        },
      }),
      ...installation('kserve/kserve-webhook-server-service', {
        deployment: { replicas: 1, ...mount('kserve-webhook-server-cert') },
        validating: {
          name: 'clusterservingruntime.kserve-webhook-server.validator',
          rules: [rule('serving.kserve.io/v1alpha1', 'clusterservingruntimes')],
        },
      }),
      pendingCertificate('kserve/serving-cert', 'kserve-webhook-server-cert'),
    ],
  },
  {
    slug: 'load-balancer-controller-crashes',
    what: 'The controller has been in CrashLoopBackOff for weeks. No Service can be created.',
    parts: withoutNamespace(
      installation('kube-system/aws-load-balancer-webhook-service', {
        deployment: {
          replicas: 2,
          pods: [
            crashing(
              1,
              '{"level":"error","msg":"unable to initialize AWS cloud","error":"failed to get VPC ID"}',
            ),
            crashing(
              1,
              '{"level":"error","msg":"unable to initialize AWS cloud","error":"failed to get VPC ID"}',
            ),
          ],
        },
        mutating: { name: 'mservice.elbv2.k8s.aws', rules: [rule('v1', 'services', 'CREATE')] },
      }),
    ),
  },
  {
    slug: 'second-metrics-server',
    what: 'Argo CD applied its Service of metrics-server over that of k3s, but not its Deployment: the selector matches no Pod.',
    parts: [
      service('kube-system/metrics-server', { selector: { 'app.kubernetes.io/name': 'metrics-server' } }),
      deployment('kube-system/metrics-server', { replicas: 1, labels: { 'k8s-app': 'metrics-server' } }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/metrics-server in "kube-system" have no addresses with port name "https"',
      }),
      undiscovered('cni-verify', 'metrics.k8s.io/v1beta1'),
    ],
  },
  {
    slug: 'scanner-without-pods',
    what: 'The workload of a scanner was deleted. Its webhook for all Pods has the failure policy Fail.',
    parts: installation('security/security-scanner', {
      withoutWorkload: true,
      mutating: { name: 'mutate.security-scanner.io', rules: pods },
    }),
  },
  {
    slug: 'argocd-writes-former-bundle',
    what: 'Argo CD writes a caBundle of a former CA over that of the operator.',
    parts: trusting(
      'of-another-authority',
      installation('infra/cnpg-webhook-service', {
        deployment: { replicas: 1 },
        mutating: { name: 'mcluster.cnpg.io', rules: [rule('postgresql.cnpg.io/v1', 'clusters')] },
      }),
    ).map((part) =>
      'webhooks' in part
        ? ({
            ...part,
            metadata: {
              ...part.metadata,
              annotations: {
                'argocd.argoproj.io/tracking-id':
                  'cnpg:admissionregistration.k8s.io/MutatingWebhookConfiguration:infra/cnpg-webhook-service',
              },
              managedFields: [
                {
                  manager: 'argocd-controller',
                  operation: 'Apply',
                  apiVersion: 'admissionregistration.k8s.io/v1',
                  fieldsType: 'FieldsV1',
                  time: ago('2m'),
                  fieldsV1: {
                    'f:webhooks': {
                      'k:{"name":"mcluster.cnpg.io"}': { 'f:clientConfig': { 'f:caBundle': {} } },
                    },
                  },
                },
              ],
            },
          } as never)
        : part,
    ),
  },
  {
    slug: 'storage-removed-in-part',
    what: 'A storage product was removed in part: its Services no longer exist, its webhook configurations are left.',
    parts: [
      namespace('longhorn-system'),
      validating('longhorn-webhook-validator', [
        webhook('validator.longhorn.io', {
          service: 'longhorn-system/longhorn-admission-webhook',
          rules: [rule('longhorn.io/v1beta2', 'volumes')],
        }),
      ]),
      mutating('longhorn-webhook-mutator', [
        webhook('mutator.longhorn.io', {
          service: 'longhorn-system/longhorn-admission-webhook',
          rules: [rule('longhorn.io/v1beta2', 'volumes')],
        }),
      ]),
    ],
  },
  {
    slug: 'second-injector-without-certificate',
    what: 'The second Pod of an injector waits for a certificate that only the leader has, and may not read its Secret.',
    parts: [
      ...installation('vault/vault-agent-injector-svc', {
        deployment: {
          replicas: 2,
          spec: { serviceAccountName: 'vault-agent-injector' },
          pods: [ready, notReady('HTTP probe failed with statuscode: 500', { fault: 'close-tls' })],
        },
        mutating: { name: 'vault.hashicorp.com', rules: pods },
      }),
      serviceAccount('vault', 'vault-agent-injector'),
    ],
    logs: log(
      'vault/vault-agent-injector-svc',
      'Using internal leader elector logic for webhook certificate management\n{"@level":"warn","@message":"Could not load TLS keypair: tls: failed to find any PEM data in certificate input. Trying again...","@module":"handler.certwatcher"}',
      'webhook',
      2,
    ),
  },
  {
    slug: 'environment-variable-missing',
    what: 'The manifest is of another release than the image: a required variable is not set, and the process exits.',
    parts: installation('longhorn-system/longhorn-admission-webhook', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            `time="2022-03-22T15:55:34Z" level=info msg="Starting longhorn admission webhook server"\ntime="2022-03-22T15:55:35Z" level=fatal msg="Error starting longhorn admission webhook server: can't get required environment variable, env NODE_NAME wasn't set"`,
          ),
        ],
      },
      validating: { name: 'validator.longhorn.io', rules: [rule('longhorn.io/v1beta2', 'volumes')] },
    }),
  },
  {
    slug: 'conversion-certificate-expired',
    what: 'The certificate of a conversion webhook has expired; its Secret was deleted.',
    parts: [
      namespace('kyma-system'),
      service('kyma-system/api-gateway-webhook-service'),
      deployment('kyma-system/api-gateway-webhook-service', {
        replicas: 1,
        ...mount('api-gateway-webhook-certificate'),
        pods: [running({ certificate: 'expired' })],
      }),
      servingSecretManifest(
        'kyma-system/api-gateway-webhook-certificate',
        'kyma-system/api-gateway-webhook-service',
        'expired',
      ),
      customResource('apirules.gateway.kyma-project.io', 'APIRule', {
        service: 'kyma-system/api-gateway-webhook-service',
      }),
    ],
  },
  {
    slug: 'provider-of-conversion-crashes',
    what: 'The Pod of a provider crashes. It also converts the custom resources.',
    parts: [
      namespace('crossplane-system'),
      service('crossplane-system/upbound-provider-aws-s3'),
      deployment('crossplane-system/upbound-provider-aws-s3', {
        replicas: 1,
        pods: [crashing(1, 'provider: error: Cannot create AWS provider: no credentials')],
      }),
      customResource('buckets.s3.aws.upbound.io', 'Bucket', {
        service: 'crossplane-system/upbound-provider-aws-s3',
      }),
    ],
  },
  {
    slug: 'injector-with-name-of-another',
    what: 'The serving certificate of an injector is issued for another name.',
    parts: installation('linkerd/linkerd-proxy-injector', {
      deployment: { replicas: 1, pods: [running({ certificate: 'for-another-name' })] },
      mutating: { name: 'linkerd-proxy-injector.linkerd.io', rules: pods },
    }),
  },
  {
    slug: 'webhook-of-former-release',
    what: 'A configuration of a former release is left. The program no longer understands its requests, and returns 400.',
    parts: [
      customResource('provisioners.karpenter.sh', 'Provisioner'),
      ...installation('karpenter/karpenter', {
        deployment: { replicas: 1, pods: [running({ answer: 'raw', status: 400 })] },
        mutating: {
          name: 'defaulting.webhook.karpenter.sh',
          rules: [rule('karpenter.sh/v1', 'provisioners')],
        },
      }),
      warning(
        {
          kind: 'Deployment',
          namespace: 'karpenter',
          name: 'karpenter',
          uid: 'uid-of-karpenter',
          apiVersion: 'apps/v1',
        },
        'ReconcileError',
        'Internal error occurred: failed calling webhook "defaulting.webhook.karpenter.sh": failed to call webhook: the server rejected our request for an unknown reason',
        'karpenter',
      ),
    ],
  },
];
