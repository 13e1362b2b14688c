import { servingCertificate } from '../../../src/demo/certificate/demo-certificates.ts';
import { ago } from '../../../src/demo/cluster/ago.ts';
import { running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, node, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import { customResource, mutating, rule, webhook } from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import {
  annotated,
  certManager,
  type IncidentState,
  mount,
  pods,
  unschedulable,
  warning,
  withBundle,
} from './parts.ts';

const bundleOf = (kind: Parameters<typeof servingCertificate>[0]): string =>
  Buffer.from(servingCertificate(kind, [], new Date()).authority).toString('base64');
const gke = node('gke-c1-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } });
const tlsVolume = (secretName: string) => mount(secretName);

/** A Deployment that was installed by Helm, with its renewed Secret and a process that has not reloaded it. */
const renewed = (key: string, secret: string, name: string, over: object = {}): readonly ClusterPart[] => {
  const home = key.split('/', 1)[0] ?? '';
  return withBundle(
    [
      ...installation(key, {
        deployment: {
          replicas: 1,
          ...tlsVolume(secret),
          pods: [running({ certificate: 'of-another-authority' })],
        },
        mutating: { name, rules: pods, ...over },
      }),
      servingSecretManifest(`${home}/${secret}`, key, 'trusted'),
    ],
    bundleOf('trusted'),
  );
};

/** States in which a certificate was renewed, or requests are refused without a cause in the Pods. */
export const renewalsAndRefusals: readonly IncidentState[] = [
  {
    slug: 'gke-8443',
    what: 'The firewall of private GKE allows 443 and 10250, not 8443.',
    parts: [
      gke,
      ...installation('knative-serving/webhook', {
        service: { ports: [{ port: 443, targetPort: 8443 }] },
        deployment: {
          replicas: 1,
          container: { ports: [{ containerPort: 8443 }] },
          pods: [running({ network: 'drops' })],
        },
        mutating: {
          name: 'webhook.serving.knative.dev',
          timeoutSeconds: 10,
          rules: [rule('serving.knative.dev/v1', 'services')],
        },
      }),
    ],
  },
  {
    slug: 'leftover-of-helm',
    what: 'A configuration of a former installation is left; its Service does not exist.',
    parts: [
      mutating('secrets-injector-webhook-config', [
        webhook('secrets-injector.1password.com', {
          service: 'default/secrets-injector',
          rules: pods,
          timeoutSeconds: 10,
        }),
      ]),
    ],
  },
  {
    slug: 'ca-at-each-start',
    what: 'The program makes a CA at each start, and does not update its configuration.',
    parts: installation('op/secrets-injector', {
      deployment: { replicas: 1, pods: [running({ certificate: 'of-another-authority' })] },
      mutating: { name: 'secrets-injector.1password.com', rules: pods },
    }),
  },
  {
    slug: 'release-of-other-team',
    what: 'A team uninstalled its release; the configuration selects namespaces of other teams.',
    parts: [
      {
        ...namespace('shop'),
        metadata: { name: 'shop', labels: { 'secrets-injection': 'enabled' } },
      } as never,
      namespace('team-b'),
      mutating('secrets-injector-webhook-config', [
        webhook('secrets-injector.1password.com', {
          service: 'team-b/secrets-injector',
          rules: pods,
          namespaceSelector: { matchLabels: { 'secrets-injection': 'enabled' } },
        }),
      ]),
    ],
  },
  {
    slug: 'applied-again',
    what: 'kubectl apply wrote the placeholder of the manifest over the caBundle.',
    parts: withBundle(
      installation('kruise-system/kruise-webhook-service', {
        deployment: { replicas: 1, ...tlsVolume('kruise-webhook-certs') },
        mutating: { name: 'mcloneset.kb.io', rules: [rule('apps.kruise.io/v1alpha1', 'clonesets')] },
      }).map((part) =>
        'webhooks' in part
          ? {
              ...part,
              metadata: {
                ...part.metadata,
                annotations: {
                  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
                    apiVersion: 'admissionregistration.k8s.io/v1',
                    kind: 'MutatingWebhookConfiguration',
                    metadata: { name: part.metadata.name },
                    webhooks: [
                      {
                        name: 'mcloneset.kb.io',
                        clientConfig: {
                          caBundle: 'Cg==',
                          service: { name: 'kruise-webhook-service', namespace: 'kruise-system' },
                        },
                      },
                    ],
                  }),
                },
                managedFields: [
                  {
                    manager: 'kubectl-client-side-apply',
                    operation: 'Update',
                    apiVersion: 'admissionregistration.k8s.io/v1',
                    time: ago('10m'),
                    fieldsType: 'FieldsV1',
                    fieldsV1: {
                      'f:webhooks': {
                        'k:{"name":"mcloneset.kb.io"}': { 'f:clientConfig': { 'f:caBundle': {} } },
                      },
                    },
                  },
                ],
              },
            }
          : part,
      ),
      'Cg==',
    ),
  },
  {
    slug: 'new-certificate-old-pods',
    what: 'An upgrade writes a new certificate; the Pods keep the old one.',
    parts: renewed('connaisseur/connaisseur-svc', 'connaisseur-tls', 'connaisseur-svc.connaisseur.svc'),
  },
  {
    slug: 'not-reloaded-ignore',
    what: 'cert-manager renewed; the extender does not reload; Ignore.',
    parts: renewed('hami/hami-scheduler', 'hami-scheduler-tls', 'vgpu.hami.io', { failurePolicy: 'Ignore' }),
  },
  {
    slug: 'certificate-not-in-chart',
    what: 'The chart contains neither Issuer nor Certificate; the Secret does not exist.',
    parts: [
      ...certManager,
      ...annotated(
        withBundle(
          installation('milvus-operator/milvus-operator-webhook-service', {
            deployment: { replicas: 1, ...mount('milvus-operator-webhook-cert') },
            mutating: { name: 'mmilvus.kb.io', rules: [rule('milvus.io/v1beta1', 'milvuses')] },
          }),
          '',
        ),
        { 'cert-manager.io/inject-ca-from': 'milvus-operator/milvus-operator-serving-cert' },
      ),
    ],
  },
  {
    slug: 'wrong-service-name',
    what: 'The manifest names webhook-service; the Service has a prefix.',
    parts: [
      namespace('kusk-system'),
      service('kusk-system/kusk-gateway-webhooks-service', { ports: [{ port: 443, targetPort: 8443 }] }),
      deployment('kusk-system/kusk-gateway-webhooks-service', { replicas: 1 }),
      mutating('kusk-gateway-mutating-webhook-configuration', [
        webhook('mstaticroute.kb.io', {
          service: 'kusk-system/webhook-service',
          rules: [rule('gateway.kusk.io/v1alpha1', 'staticroutes')],
        }),
      ]),
    ],
  },
  {
    slug: 'binding',
    what: 'After a reboot no Pod of the webhook is ready; it intercepts the binding of every Pod.',
    parts: [
      namespace('slinky'),
      service('slinky/slurm-operator-webhook', { ports: [{ port: 443, targetPort: 8443 }] }),
      ...unschedulable(
        'slinky/slurm-operator-webhook',
        'running Bind plugin "DefaultBinder": Internal error occurred: failed calling webhook "podsbinding-v1.kb.io": failed to call webhook: Post "https://slurm-operator-webhook.slinky.svc:443/mutate--v1-binding?timeout=10s": no endpoints available for service "slurm-operator-webhook"',
      ),
      warning(
        {
          kind: 'Pod',
          namespace: 'slinky',
          name: 'slurm-operator-webhook-6f9d-x2x4z',
          uid: 'uid-of-slurm-operator-webhook-6f9d-x2x4z',
          apiVersion: 'v1',
        },
        'FailedScheduling',
        'running Bind plugin "DefaultBinder": Internal error occurred: failed calling webhook "podsbinding-v1.kb.io": failed to call webhook: Post "https://slurm-operator-webhook.slinky.svc:443/mutate--v1-binding?timeout=10s": no endpoints available for service "slurm-operator-webhook"',
        'default-scheduler',
      ),
      mutating('slurm-operator-webhook', [
        webhook('podsbinding-v1.kb.io', {
          service: 'slinky/slurm-operator-webhook',
          rules: [rule('v1', 'pods/binding', 'CREATE')],
          timeoutSeconds: 10,
        }),
      ]),
    ],
  },
  {
    slug: 'side-effects-unset',
    what: 'The configuration was created without sideEffects.',
    parts: installation('openebs/admission-server-svc', {
      deployment: { replicas: 1 },
      validating: {
        name: 'admission-webhook.openebs.io',
        sideEffects: 'Unknown',
        rules: [rule('v1', 'persistentvolumeclaims')],
      },
    }),
  },
  {
    slug: 'uid-missing',
    what: 'The default response of the policy has no uid.',
    parts: [
      customResource('tenants.capsule.clastix.io', 'Tenant'),
      ...installation('opa/opa', {
        deployment: {
          replicas: 1,
          pods: [
            running({
              answer: 'raw',
              status: 200,
              body: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true}}',
            }),
          ],
        },
        validating: { name: 'tenants.capsule.k8s', rules: [rule('capsule.clastix.io/v1', 'tenants')] },
      }),
    ],
  },
  {
    slug: 'pod-label-only',
    what: 'A Pod asks for the sidecar; its namespace has no label, and the webhook selects by namespace only.',
    parts: [
      ...installation('istio-system/istiod', {
        deployment: { replicas: 1 },
        mutating: {
          name: 'sidecar-injector.istio.io',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
        },
      }),
      namespace('shop'),
      deployment('shop/web', {
        replicas: 1,
        labels: { 'sidecar.istio.io/inject': 'true' },
      } as never),
    ],
    deep: true,
  },
  {
    slug: 'undefined-label-value',
    what: 'The namespace has the injection label with a value that no webhook selects.',
    parts: [
      ...installation('istio-system/istiod', {
        deployment: { replicas: 1 },
        mutating: {
          name: 'namespace.sidecar-injector.istio.io',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'istio-injection', operator: 'In', values: ['enabled'] }],
          },
        },
      }),
      { ...namespace('shop'), metadata: { name: 'shop', labels: { 'istio-injection': 'abc' } } } as never,
      deployment('shop/web', { replicas: 1 }),
    ],
  },
];
