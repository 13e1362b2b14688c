import type { ApiObject } from '../../../src/demo/api-server/object-store.ts';
import { ago } from '../../../src/demo/cluster/ago.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import { rule } from '../../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { certManager, failedCreate, type IncidentState, jobWith, log, mount, pods } from './parts.ts';

const withoutAuthority = (secret: ApiObject): ApiObject => {
  const { 'ca.crt': _authority, ...data } = secret.data as Readonly<Record<string, string>>;
  return { ...secret, data };
};

/** Jobs and programs that should have written a certificate or a caBundle. */
export const certificateWriters: readonly IncidentState[] = [
  {
    slug: 'writer-names-other-configuration',
    what: 'The injector writes the caBundle of a configuration whose name is in its environment; the configuration has another name.',
    parts: installation('vault/vault-agent-injector-svc', {
      deployment: {
        replicas: 1,
        container: { env: [{ name: 'AGENT_INJECT_TLS_AUTO', value: 'vault-agent-injector-cfg' }] },
      },
      mutating: { name: 'vault.hashicorp.com', caBundle: '', failurePolicy: 'Ignore', rules: pods },
    }),
    logs: log(
      'vault/vault-agent-injector-svc',
      'Error updating MutatingWebhookConfiguration: mutatingwebhookconfigurations.admissionregistration.k8s.io "vault-agent-injector-cfg" not found',
    ),
  },
  {
    slug: 'gencerts-job-fails',
    what: 'The Job that generates the certificates has no network to the outside and exits; the Pod waits for the Secret.',
    parts: [
      ...installation('spark-operator/spark-webhook', {
        deployment: { replicas: 1, ...mount('spark-webhook-certs') },
        mutating: { caBundle: '', failurePolicy: 'Ignore', rules: pods },
      }),
      ...jobWith(
        'spark-operator/spark-sparkoperator-webhook-init',
        {
          name: 'main',
          image: 'registry.example/spark-operator:v1',
          command: ['/usr/bin/gencerts.sh'],
          args: ['-n', 'spark-operator', '-s', 'spark-webhook', '-p'],
        },
        {
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          restartCount: 1,
          lastState: { terminated: { exitCode: 35, reason: 'Error' } },
        },
      ),
    ],
    logs: {
      'spark-operator/spark-sparkoperator-webhook-init-jz4wk/main': 'curl: (35) TLS connect error',
      'spark-operator/spark-sparkoperator-webhook-init-jz4wk/main/previous': 'curl: (35) TLS connect error',
    },
  },
  {
    slug: 'certificate-writer-scaled-to-zero',
    what: 'A product keeps its certificate with a Deployment of its own. Somebody scaled that to 0, and applied the chart again. The caBundle stays empty.',
    parts: [
      ...installation('storage/volume-policy', { validating: { caBundle: '' } }),
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: 'storage', name: 'volume-policy-gencert' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'gencert' } },
          template: {
            metadata: { labels: { app: 'gencert' } },
            spec: { containers: [{ name: 'gencert', image: 'registry.example/gencert:v2' }] },
          },
        },
        status: {},
      },
    ],
  },
  {
    slug: 'patch-job-without-its-configuration',
    what: 'A script installs an ingress controller without the configuration of its webhook. The Job that patches the CA into it fails. The controller itself runs.',
    parts: [
      namespace('ingress-nginx'),
      service('ingress-nginx/ingress-nginx-controller-admission', {
        selector: { 'app.kubernetes.io/component': 'controller', 'app.kubernetes.io/name': 'ingress-nginx' },
        ports: [{ name: 'https-webhook', port: 443, targetPort: 8443 }],
      }),
      deployment('ingress-nginx/ingress-nginx-controller', {
        replicas: 1,
        labels: { 'app.kubernetes.io/component': 'controller', 'app.kubernetes.io/name': 'ingress-nginx' },
        ...mount('ingress-nginx-admission', {
          name: 'controller',
          image: 'registry.k8s.io/ingress-nginx/controller:v1.12.1',
          args: ['/nginx-ingress-controller', '--validating-webhook=:8443'],
        }),
      }),
      servingSecretManifest(
        'ingress-nginx/ingress-nginx-admission',
        'ingress-nginx/ingress-nginx-controller-admission',
      ),
      ...jobWith(
        'ingress-nginx/ingress-nginx-admission-patch',
        {
          name: 'patch',
          image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.5.2',
          args: ['patch', '--webhook-name=ingress-nginx-admission', '--secret-name=ingress-nginx-admission'],
        },
        { state: { waiting: { reason: 'CrashLoopBackOff' } }, restartCount: 5 },
        {
          status: {
            active: 0,
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
      ),
    ],
  },
  {
    slug: 'patch-job-may-not-run-as-root',
    what: 'The configuration of the chart changes, and its Job is run again. Its image has a new user; the kubelet does not start it. The Job is neither done nor failed, and the caBundle stays empty.',
    parts: [
      ...installation('ingress-nginx/ingress-nginx-controller', {
        deployment: mount('ingress-nginx-admission', { args: ['--validating-webhook=:8443'] }),
        validating: {
          name: 'validate.nginx.ingress.kubernetes.io',
          caBundle: '',
          rules: [rule('networking.k8s.io/v1', 'ingresses')],
        },
      }),
      servingSecretManifest(
        'ingress-nginx/ingress-nginx-admission',
        'ingress-nginx/ingress-nginx-controller',
      ),
      ...jobWith(
        'ingress-nginx/ingress-nginx-admission-patch',
        {
          name: 'patch',
          image: 'docker.io/jettech/kube-webhook-certgen:v1.5.1',
          args: ['patch', '--webhook-name=ingress-nginx-controller', '--secret-name=ingress-nginx-admission'],
          securityContext: { runAsNonRoot: true },
        },
        {
          started: false,
          state: {
            waiting: {
              reason: 'CreateContainerConfigError',
              message: 'container has runAsNonRoot and image will run as root',
            },
          },
        },
      ),
    ],
  },
  {
    slug: 'injector-may-not-patch',
    what: 'SA may not patch configuration: caBundle empty',
    parts: [
      ...installation('vault/vault-agent-injector-svc', {
        deployment: {
          replicas: 1,
          spec: { serviceAccountName: 'vault-agent-injector' },
          container: {
            image: 'hashicorp/vault-k8s:1.2.1',
            args: ['agent-inject'],
            env: [{ name: 'AGENT_INJECT_TLS_AUTO', value: 'vault-agent-injector-cfg' }],
          },
        },
        mutating: { name: 'vault.hashicorp.com', caBundle: '', failurePolicy: 'Ignore', rules: pods },
      }),
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'vault', name: 'vault-agent-injector' },
      },
    ],
    logs: log(
      'vault/vault-agent-injector-svc',
      '2023-05-16T10:23:49.056Z [ERROR] handler: Error updating MutatingWebhookConfiguration: mutatingwebhookconfigurations.admissionregistration.k8s.io "vault-agent-injector-svc" is forbidden: User "system:serviceaccount:vault:vault-agent-injector" cannot patch resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope',
    ),
  },
  {
    slug: 'certgen-forbidden',
    what: 'certgen Job may not read the configuration',
    parts: [
      ...installation('lit/litmus-admission', { validating: { caBundle: '' } }),
      ...jobWith(
        'lit/litmus-admission-patch',
        {
          name: 'patch',
          image: 'registry.example/kube-webhook-certgen:v1',
          args: ['patch', '--webhook-name=litmus-admission', '--secret-name=litmus-admission'],
        },
        {
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          restartCount: 5,
          lastState: { terminated: { exitCode: 1, reason: 'Error' } },
        },
      ),
    ],
    logs: {
      'lit/litmus-admission-patch-jz4wk/patch':
        '{"err":"validatingwebhookconfigurations.admissionregistration.k8s.io \\"litmus-admission\\" is forbidden: User \\"system:serviceaccount:lit:litmus-admission\\" cannot get resource \\"validatingwebhookconfigurations\\" in API group \\"admissionregistration.k8s.io\\" at the cluster scope","level":"fatal","msg":"failed getting validating webhook","source":"k8s/k8s.go:48"}',
      'lit/litmus-admission-patch-jz4wk/patch/previous':
        '{"err":"validatingwebhookconfigurations.admissionregistration.k8s.io \\"litmus-admission\\" is forbidden: User \\"system:serviceaccount:lit:litmus-admission\\" cannot get resource \\"validatingwebhookconfigurations\\" in API group \\"admissionregistration.k8s.io\\" at the cluster scope","level":"fatal","msg":"failed getting validating webhook","source":"k8s/k8s.go:48"}',
    },
  },
  {
    slug: 'job-image-limited',
    what: 'image of the certgen Job cannot be pulled',
    parts: [
      ...installation('curam/curam-admission', {
        deployment: { replicas: 1, ...mount('curam-admission') },
        validating: { caBundle: '' },
      }),
      ...jobWith(
        'curam/curam-admission-create',
        {
          name: 'create',
          image: 'docker.io/jettech/kube-webhook-certgen:v1.5.0',
          args: ['create', '--secret-name=curam-admission'],
        },
        {
          state: {
            waiting: {
              reason: 'ImagePullBackOff',
              message:
                'Back-off pulling image "docker.io/jettech/kube-webhook-certgen:v1.5.0": toomanyrequests: You have reached your pull rate limit',
            },
          },
        },
      ),
    ],
  },
  {
    slug: 'job-pods-refused',
    what: 'PSP refuses the Pods of the Job; Secret missing, Pod waits',
    parts: [
      ...installation('ingress-nginx/ingress-nginx-controller', {
        deployment: { replicas: 1, ...mount('ingress-nginx-admission') },
        validating: { caBundle: '' },
      }),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          namespace: 'ingress-nginx',
          name: 'ingress-nginx-admission-create',
          uid: 'job-uid-1',
          creationTimestamp: ago('1h'),
        },
        spec: {
          template: {
            spec: {
              restartPolicy: 'OnFailure',
              containers: [
                {
                  name: 'create',
                  image: 'registry.example/kube-webhook-certgen:v1.5.1',
                  args: [
                    'create',
                    '--host=ingress-nginx-controller',
                    '--secret-name=ingress-nginx-admission',
                  ],
                },
              ],
            },
          },
        },
        status: {},
      } as never,
      failedCreate(
        { kind: 'Job', namespace: 'ingress-nginx', name: 'ingress-nginx-admission-create', uid: 'job-uid-1' },
        'Error creating: pods "ingress-nginx-admission-create-" is forbidden: PodSecurityPolicy: unable to admit pod: []',
      ),
    ],
  },
  {
    slug: 'hook-never-ran',
    what: 'hook interrupted: caBundle empty, no Job exists; Secret is there',
    parts: [
      ...installation('kubernaut-system/authwebhook', {
        deployment: { replicas: 1, ...mount('authwebhook-tls') },
        validating: { caBundle: '' },
      }),
      servingSecretManifest('kubernaut-system/authwebhook-tls', 'kubernaut-system/authwebhook'),
    ],
  },
  {
    slug: 'secret-lacks-ca-job-fails',
    what: 'Secret lacks key ca; Job fails',
    parts: [
      ...installation('ingress-nginx/ingress-nginx-controller', {
        deployment: { replicas: 1, ...mount('ingress-nginx-admission') },
        validating: { caBundle: '' },
      }),
      withoutAuthority(
        servingSecretManifest(
          'ingress-nginx/ingress-nginx-admission',
          'ingress-nginx/ingress-nginx-controller',
        ),
      ),
      ...jobWith(
        'ingress-nginx/ingress-nginx-admission-patch',
        {
          name: 'patch',
          image: 'registry.example/kube-webhook-certgen:v1.1.1',
          args: ['patch', '--webhook-name=ingress-nginx-controller', '--secret-name=ingress-nginx-admission'],
        },
        {
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          restartCount: 5,
          lastState: { terminated: { exitCode: 1, reason: 'Error' } },
        },
      ),
    ],
    logs: {
      'ingress-nginx/ingress-nginx-admission-patch-jz4wk/patch':
        '{"level":"fatal","msg":"got secret, but it did not contain a \'ca\' key","source":"k8s/k8s.go:225"}',
      'ingress-nginx/ingress-nginx-admission-patch-jz4wk/patch/previous':
        '{"level":"fatal","msg":"got secret, but it did not contain a \'ca\' key","source":"k8s/k8s.go:225"}',
    },
  },
  {
    slug: 'declared-bundle-restored',
    what: 'The chart declares a placeholder as caBundle although cert-manager injects it. Flux and cert-manager overwrite each other.',
    parts: [
      ...certManager,
      ...(installation('chaos-mesh/chaos-mesh-controller-manager', {
        deployment: { replicas: 1 },
        mutating: { name: 'mpodchaos.kb.io', rules: [rule('chaos-mesh.org/v1alpha1', 'podchaos')] },
      }).map((part) =>
        'webhooks' in part
          ? {
              ...part,
              metadata: {
                ...part.metadata,
                annotations: { 'cert-manager.io/inject-ca-from': 'chaos-mesh/chaos-mesh-cert' },
                labels: {
                  'helm.toolkit.fluxcd.io/name': 'chaos-mesh',
                  'helm.toolkit.fluxcd.io/namespace': 'flux-system',
                },
                managedFields: ['helm-controller', 'cert-manager-cainjector'].map((manager) => ({
                  manager,
                  operation: 'Update',
                  apiVersion: 'admissionregistration.k8s.io/v1',
                  fieldsType: 'FieldsV1',
                  time: ago('2m'),
                  fieldsV1: {
                    'f:webhooks': {
                      'k:{"name":"mpodchaos.kb.io"}': { 'f:clientConfig': { 'f:caBundle': {} } },
                    },
                  },
                })),
              },
            }
          : part,
      ) as never),
    ],
  },
];
