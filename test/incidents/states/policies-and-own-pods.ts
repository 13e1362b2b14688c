import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
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
import { deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { trusting } from './certificates.ts';
import { type IncidentState, mount, pods } from './parts.ts';

/** Policies that deny the Pods of a backend, APIs whose backend was deleted, and installations that are not complete. */
export const policiesAndOwnPods: readonly IncidentState[] = [
  {
    slug: 'policy-denies-pods-of-api',
    what: 'A policy for images denies the Pods of an extension API server after a downgrade.',
    parts: [
      ...installation('kyverno/kyverno-svc', {
        deployment: { replicas: 3 },
        validating: { name: 'validate.kyverno.svc-fail', rules: pods },
      }),
      namespace('tkg-system'),
      service('tkg-system/packaging-api'),
      deployment('tkg-system/kapp-controller', {
        replicas: 1,
        labels: { app: 'packaging-api' },
        refused:
          'admission webhook "validate.kyverno.svc-fail" denied the request: resource Pod/tkg-system/kapp-controller was blocked due to the following policies: check-image-registry',
      }),
      apiService('v1alpha1.data.packaging.carvel.dev', 'tkg-system/packaging-api', {
        reason: 'MissingEndpoints',
        message: 'endpoints for service/packaging-api in "tkg-system" have no addresses with port name ""',
      }),
    ],
  },
  {
    slug: 'webhook-denies-own-pods',
    what: 'The webhook denies the Pods of its own product because of a hostPath.',
    parts: installation('tsi/tsi-mutate-webhook', {
      deployment: {
        replicas: 1,
        refused:
          'admission webhook "tsi-mutate.trusted-service-identity.ibm" denied the request: Using hostPath Volume with \'/tsi-secure\' is not allowed',
      },
      mutating: { name: 'tsi-mutate.trusted-service-identity.ibm', rules: pods },
    }),
  },
  {
    slug: 'api-left-by-operator',
    what: 'The operator deleted the extension API server and its namespace waits. The APIService remains.',
    parts: [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'calico-apiserver', deletionTimestamp: ago('20m') },
        status: {
          phase: 'Terminating',
          conditions: [
            {
              type: 'NamespaceDeletionDiscoveryFailure',
              status: 'True',
              reason: 'DiscoveryFailed',
              message:
                'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: projectcalico.org/v3: stale GroupVersion discovery: projectcalico.org/v3',
              lastTransitionTime: ago('20m'),
            },
          ],
        },
      } as never,
      apiService('v3.projectcalico.org', 'calico-apiserver/calico-api', {
        reason: 'ServiceNotFound',
        message: 'service/calico-api in "calico-apiserver" is not present',
      }),
    ],
  },
  {
    slug: 'second-configuration-keeps-old-ca',
    what: 'A certificate was issued again. The chart updates one configuration. The program writes the other one only when it creates it.',
    parts: [
      ...installation('d8-multitenancy/multitenancy-manager', {
        deployment: { replicas: 2 },
        validating: { name: 'projects.deckhouse.io', rules: [rule('deckhouse.io/v1', 'projects', 'CREATE')] },
      }),
      ...trusting('of-another-authority', [
        mutating('cluster-objects-grants-defaulting', [
          webhook('grants-defaulting.deckhouse.io', {
            service: 'd8-multitenancy/multitenancy-manager',
            rules: [rule('rbac.authorization.k8s.io/v1', 'rolebindings', 'CREATE')],
          }),
        ]),
      ]),
    ],
  },
  {
    slug: 'authority-not-in-volume',
    what: 'The process reads a CA file that the lifecycle manager stores under another key.',
    parts: installation('external-secrets/external-secrets-webhook', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            '{"level":"error","ts":1,"logger":"setup","msg":"invalid certs. retrying...","error":"open /tmp/certs/ca.crt: no such file or directory"}',
          ),
        ],
      },
    }),
  },
  {
    slug: 'webhook-volume-removed-by-hand',
    what: 'The configuration and the volume were removed by hand. The process still starts its webhook server. A validating configuration remains.',
    parts: installation('flink/flink-operator-webhook-service', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            '2020-01-24T23:17:22.664Z\tERROR\tsetup\tProblem running manager\t{"error": "open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory"}',
          ),
        ],
      },
    }),
  },
  {
    slug: 'inotify-limit-of-node',
    what: 'The node has reached its limit of inotify instances.',
    parts: installation('kruise-system/kruise-webhook-service', {
      deployment: {
        replicas: 1,
        pods: [crashing(2, 'panic: failed to new ca-cert watcher: too many open files')],
      },
    }),
  },
  {
    slug: 'reinstalled-over-leftovers',
    what: 'A product is installed again while configurations of its earlier installation remain without a Service.',
    parts: [
      namespace('kubesphere-system'),
      validating('users.iam.kubesphere.io', [
        webhook('users.iam.kubesphere.io', {
          service: 'kubesphere-system/ks-controller-manager',
          rules: [rule('iam.kubesphere.io/v1alpha2', 'users', 'CREATE', 'UPDATE')],
        }),
      ]),
    ],
  },
  {
    slug: 'api-renewed-not-reloaded',
    what: 'The certificate of an extension API server is renewed every day. Its Pods serve the first one, which has expired.',
    parts: trusting('trusted-renewed', [
      namespace('kubevirt'),
      service('kubevirt/virt-template-apiserver'),
      deployment('kubevirt/virt-template-apiserver', {
        replicas: 2,
        ...mount('kubevirt-virt-template-api-certs'),
        pods: [running({ certificate: 'expired' }), running({ certificate: 'expired' })],
      }),
      servingSecretManifest(
        'kubevirt/kubevirt-virt-template-api-certs',
        'kubevirt/virt-template-apiserver',
        'trusted-renewed',
      ),
      apiService('v1beta1.subresources.template.kubevirt.io', 'kubevirt/virt-template-apiserver', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.96.110.8:443/apis/subresources.template.kubevirt.io/v1beta1: Get "https://10.96.110.8:443/apis/subresources.template.kubevirt.io/v1beta1": tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
      }),
    ]),
  },
  {
    slug: 'conversion-that-nothing-serves',
    what: 'A generator adds a conversion webhook to a CRD whose provider has no webhook server.',
    parts: [
      namespace('crossplane-system'),
      service('crossplane-system/provider-aws-kms', { ports: [{ port: 8080, targetPort: 8443 }] }),
      deployment('crossplane-system/provider-aws-kms', { replicas: 1 }),
      customResource('keys.kms.aws.upbound.io', 'Key', {
        service: 'crossplane-system/provider-aws-kms',
        port: 9443,
      }),
    ],
  },
  {
    slug: 'application-deleted-without-hooks',
    what: 'A GitOps tool deleted the product without the hook that deletes its configurations.',
    parts: [
      mutating('keptn-mutating-webhook-configuration', [
        webhook('mpod.keptn.sh', { service: 'keptn-system/lifecycle-webhook-service', rules: pods }),
      ]),
    ],
  },
  {
    slug: 'default-namespace-excluded',
    what: 'A new release of the injector excludes the namespace default. Pods there have the label that requests injection.',
    parts: [
      ...installation('datadog/datadog-admission-controller', {
        deployment: { replicas: 1 },
        mutating: {
          name: 'datadog.webhook.config',
          failurePolicy: 'Ignore',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'default'] },
            ],
          },
          objectSelector: { matchLabels: { 'admission.datadoghq.com/enabled': 'true' } },
        },
      }),
      deployment('default/web', { replicas: 2, labels: { 'admission.datadoghq.com/enabled': 'true' } }),
    ],
  },
];
