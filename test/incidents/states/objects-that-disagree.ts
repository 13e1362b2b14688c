import { ago } from '../../../src/demo/cluster/ago.ts';
import { notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { failedCreate, type IncidentState, log, pods } from './parts.ts';

/** A Pod of its own, with a status that no controller here would write. */
const podWithStatus = (key: string, status: object): ClusterPart => {
  const [home = '', name = ''] = key.split('/');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: home, name, creationTimestamp: ago('1h'), labels: { app: name } },
    spec: {
      nodeName: 'worker-1',
      containers: [{ name: 'webhook', image: 'webhook:v1', ports: [{ containerPort: 8443 }] }],
    },
    status,
  } as never;
};

/** States in which objects contradict each other, or the process that they describe. */
export const objectsThatDisagree: readonly IncidentState[] = [
  {
    slug: 'readiness-overwritten',
    what: 'The containers of the Pod are ready, and another program keeps its Ready condition at False.',
    parts: [
      namespace('dynamo'),
      service('dynamo/dynamo-operator-webhook'),
      podWithStatus('dynamo/dynamo-operator-webhook', {
        phase: 'Running',
        podIP: '203.0.113.77',
        podIPs: [{ ip: '203.0.113.77' }],
        conditions: [
          { type: 'ContainersReady', status: 'True', lastTransitionTime: ago('1h') },
          { type: 'Ready', status: 'False', lastTransitionTime: ago('50m') },
        ],
        containerStatuses: [
          {
            name: 'webhook',
            image: '',
            ready: true,
            restartCount: 0,
            state: { running: { startedAt: ago('1h') } },
          },
        ],
      }),
      validating('dynamo', [
        webhook('vdynamographdeployment.kb.io', {
          service: 'dynamo/dynamo-operator-webhook',
          rules: [rule('nvidia.com/v1alpha1', 'dynamographdeployments')],
        }),
      ]),
    ],
  },
  {
    slug: 'system-not-excluded-by-a-label-that-it-lacks',
    what: 'The selector excludes namespaces with the label `name: kube-system`, which kube-system does not have.',
    parts: [
      namespace('vault-infra', { name: 'vault-infra' }),
      ...installation('vault-infra/vault-secrets-webhook', {
        deployment: {
          replicas: 1,
          pods: [notReady('Readiness probe failed: HTTP probe failed with statuscode: 500')],
        },
        mutating: {
          name: 'pods.vault-secrets-webhook.admission.banzaicloud.com',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'name', operator: 'NotIn', values: ['kube-system', 'vault-infra'] }],
          },
        },
      }).slice(1),
    ],
  },
  {
    slug: 'adapter-keeps-former-authority',
    what: 'The CA of the aggregation layer was renewed after the start of the adapter, which rejects all requests.',
    parts: [
      namespace('monitoring'),
      service('monitoring/prometheus-adapter'),
      deployment('monitoring/prometheus-adapter', {
        replicas: 1,
        pods: [running({ answer: 'raw', status: 401, body: 'Unauthorized' })],
      }),
      apiService('v1beta1.custom.metrics.k8s.io', 'monitoring/prometheus-adapter', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://203.0.113.10:8443/apis/custom.metrics.k8s.io/v1beta1: bad status from https://203.0.113.10:8443/apis/custom.metrics.k8s.io/v1beta1: 401',
      }),
    ],
    logs: log(
      'monitoring/prometheus-adapter',
      'E0517 17:41:01.378514       1 authentication.go:62] Unable to authenticate the request due to an error: [x509: certificate signed by unknown authority, x509: certificate signed by unknown authority]',
    ),
  },
  {
    slug: 'common-name-not-allowed',
    what: 'The certificate that kube-apiserver presents to extension servers has a common name that is not allowed.',
    parts: [
      service('kube-system/metrics-server'),
      deployment('kube-system/metrics-server', {
        replicas: 1,
        pods: [running({ answer: 'raw', status: 401, body: 'Unauthorized' })],
      }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://203.0.113.10:8443/apis/metrics.k8s.io/v1beta1: bad status from https://203.0.113.10:8443/apis/metrics.k8s.io/v1beta1: 401',
      }),
    ],
    logs: log(
      'kube-system/metrics-server',
      'W0727 13:33:47.904111       1 x509.go:172] x509: subject with cn=kubernetes-proxy is not in the allowed list: [system:auth-proxy]',
    ),
  },
  {
    slug: 'configuration-name-with-quotes',
    what: 'An argument of the container contains quotes, so the program looks for a configuration whose name contains them. It never writes the caBundle.',
    parts: installation('cosign-system/cosigned-webhook', {
      deployment: { replicas: 1, container: { args: ['-webhook-name="cosigned.sigstore.dev"'] } },
      mutating: { name: 'cosigned.sigstore.dev', caBundle: '', rules: pods },
    }),
    logs: log(
      'cosign-system/cosigned-webhook',
      '{"level":"error","ts":"2022-05-08T17:18:08.942Z","logger":"cosigned.DefaultingWebhook","msg":"Reconcile error","knative.dev/key":"cosign-system/webhook-certs","error":"error retrieving webhook: mutatingwebhookconfiguration.admissionregistration.k8s.io \\"\\\\\\"cosigned.sigstore.dev\\\\\\"\\" not found"}',
    ),
  },
  {
    slug: 'ready-on-the-health-port',
    what: 'The Pod is Ready on its health port minutes before it listens on the port of the webhook, which fails open.',
    parts: installation('azure-workload-identity-system/azure-wi-webhook-webhook-service', {
      deployment: {
        replicas: 2,
        container: {
          ports: [{ containerPort: 8443 }, { containerPort: 9440, name: 'healthz' }],
          readinessProbe: { httpGet: { path: '/readyz', port: 9440, scheme: 'HTTP' } } as never,
        },
        pods: [running({ listens: 'nowhere' })],
      },
      mutating: { name: 'mutation.azure-workload-identity.io', failurePolicy: 'Ignore', rules: pods },
    }),
  },
  {
    slug: 'single-node-cluster-restarted',
    what: 'After a restart of the only node a policy engine does not run, and it intercepts the Pods of the control plane.',
    parts: [
      ...installation('gatekeeper-system/gatekeeper-webhook-service', {
        deployment: {
          replicas: 1,
          pods: [],
          refused:
            'Internal error occurred: failed calling webhook "validation.gatekeeper.sh": failed to call webhook: Post "https://gatekeeper-webhook-service.gatekeeper-system.svc:443/v1/admit?timeout=3s": no endpoints available for service "gatekeeper-webhook-service"',
        },
        validating: {
          name: 'validation.gatekeeper.sh',
          timeoutSeconds: 3,
          rules: [rule('*/*', '*', 'CREATE', 'UPDATE')],
        },
      }),
      failedCreate(
        { kind: 'ReplicaSet', namespace: 'kube-system', name: 'coredns-5d78c9869d' },
        'Error creating: Internal error occurred: failed calling webhook "validation.gatekeeper.sh": failed to call webhook: Post "https://gatekeeper-webhook-service.gatekeeper-system.svc:443/v1/admit?timeout=3s": no endpoints available for service "gatekeeper-webhook-service"',
        'apps/v1',
      ),
    ],
  },
  {
    slug: 'webhook-closes-connections-at-its-end',
    what: 'The process closes connections without a response.',
    parts: installation('agones-system/agones-controller-service', {
      deployment: { replicas: 2, pods: [running({ fault: 'close-http' })] },
      validating: { name: 'validations.agones.dev', rules: [rule('agones.dev/v1', 'gameservers'), ...pods] },
    }),
  },
  {
    slug: 'quota-status-denied',
    what: 'The webhook denies each update of a ResourceQuota and of its status. In namespaces with a quota, the API server cannot count new Pods.',
    parts: [
      ...installation('cattle-system/rancher-webhook', {
        deployment: {
          replicas: 1,
          pods: [running({ answer: 'deny' })],
        },
        validating: {
          name: 'rancher.cattle.io.resourcequotas',
          rules: [rule('v1', 'resourcequotas/*', 'UPDATE')],
        },
      }),
      namespace('shop'),
      deployment('shop/cart', {
        replicas: 1,
        pods: [],
        refused:
          'admission webhook "rancher.cattle.io.resourcequotas" denied the request: status is immutable',
      }),
    ],
  },
  {
    slug: 'added-webhook-without-bundle',
    what: 'A webhook was added to a configuration later. The operator that injects the CA has filled in the others.',
    parts: [
      namespace('konveyor-forklift'),
      service('konveyor-forklift/forklift-api'),
      deployment('konveyor-forklift/forklift-api', { replicas: 1 }),
      validating(
        'forklift-api',
        [
          webhook('providers.forklift.konveyor', {
            service: 'konveyor-forklift/forklift-api',
            rules: [rule('forklift.konveyor.io/v1beta1', 'providers')],
          }),
          webhook('plans.forklift.konveyor', {
            service: 'konveyor-forklift/forklift-api',
            caBundle: '',
            rules: [rule('forklift.konveyor.io/v1beta1', 'plans')],
          }),
        ],
        { annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } },
      ),
    ],
  },
  {
    slug: 'rule-of-another-top-level-domain',
    what: 'The rule has the API group of the project with another last label than that of the CRD. The webhook is never called.',
    parts: [
      customResource('mcpexternalauthconfigs.toolhive.example.dev', 'MCPExternalAuthConfig'),
      ...installation('toolhive-system/toolhive-operator-webhook', {
        deployment: { replicas: 2 },
        validating: {
          name: 'vmcpexternalauthconfig.kb.io',
          rules: [rule('toolhive.example.com/v1', 'mcpexternalauthconfigs')],
        },
      }),
    ],
  },
];
