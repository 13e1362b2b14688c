import { crashing, notReady, running, starting } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, node, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster } from './busy-cluster.ts';
import { trusting } from './certificates.ts';
import {
  at,
  certManager,
  type IncidentState,
  log,
  mount,
  pods,
  policy,
  serviceAccount,
  to,
  withoutNamespace,
} from './parts.ts';

const everything = [rule('*/*', '*', '*')];

/** Reviews that are late, denied or lost, in clusters with other products. */
export const lateAndDeniedReviews: readonly IncidentState[] = [
  {
    slug: 'policy-of-chart-omits-webhook-port',
    what: 'The NetworkPolicy of a chart allows the port of the metrics only. The API server cannot connect to the webhook.',
    parts: inBusyCluster('rabbitmq-system', [
      namespace('rabbitmq-system'),
      service('rabbitmq-system/topology-operator-webhook', {
        selector: { app: 'topology-operator' },
        ...to(9443),
      }),
      deployment('rabbitmq-system/topology-operator', {
        replicas: 1,
        ...at(9443),
        pods: [running({ network: 'drops' })],
      }),
      ...besides('rabbitmq-system', 'rabbitmq-cluster-operator'),
      policy('rabbitmq-system/topology-operator', {
        podSelector: { matchLabels: { app: 'topology-operator' } },
        policyTypes: ['Ingress', 'Egress'],
        egress: [{}],
        ingress: [{ ports: [{ port: 8080, protocol: 'TCP' }] }],
      }),
      validating('topology-validating-webhook-configuration', [
        webhook('vpermission.kb.io', {
          service: 'rabbitmq-system/topology-operator-webhook',
          rules: [rule('rabbitmq.com/v1beta1', 'permissions')],
        }),
      ]),
    ]),
  },
  {
    slug: 'policies-read-in-each-review',
    what: 'A new release reads all policies of a namespace in each review. Its client is limited to few requests in a second, so responses are late.',
    parts: inBusyCluster('portieris', [
      namespace('portieris'),
      service('portieris/portieris', to(8000)),
      deployment('portieris/portieris', { replicas: 2, ...at(8000), pods: [running({ delay: 2600 })] }),
      mutating('image-admission-config', [
        webhook('trust.hooks.securityenforcement.admission.cloud.ibm.com', {
          service: 'portieris/portieris',
          timeoutSeconds: 2,
          rules: [rule('*/*', 'pods,deployments,replicasets')],
        }),
      ]),
    ]),
    logs: log(
      'portieris/portieris',
      'I0820 14:38:08.235014       1 request.go:752] "Waited before sending request" delay="13.197854128s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://172.21.0.1:443/apis/portieris.cloud.ibm.com/v1/namespaces/kafka/imagepolicies"',
      'webhook',
      2,
    ),
  },
  {
    slug: 'apis-discovered-in-each-review',
    what: 'A release asks for the list of all APIs in each review, which takes more than two seconds.',
    parts: inBusyCluster('kubeflow', [
      namespace('kubeflow'),
      service('kubeflow/admission-webhook-service', { selector: { app: 'admission-webhook' }, ...to(4443) }),
      deployment('kubeflow/admission-webhook', {
        replicas: 1,
        ...at(4443),
        pods: [running({ delay: 2300 })],
      }),
      ...besides('kubeflow', 'profiles-deployment'),
      mutating('admission-webhook-mutating-webhook-configuration', [
        webhook('admission-webhook-deployment.kubeflow.org', {
          service: 'kubeflow/admission-webhook-service',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'kubeflow-profile' } },
        }),
      ]),
      namespace('team', { 'app.kubernetes.io/part-of': 'kubeflow-profile' }),
    ]),
    logs: log(
      'kubeflow/admission-webhook',
      'I1103 16:45:06.611647       1 main.go:449] Entering mutatePods in mutating webhook\nI1103 16:45:07.663781       1 request.go:665] Waited for 1.037929138s due to client-side throttling, not priority and fairness, request: GET:https://172.20.0.1:443/apis/rbac.istio.io/v1alpha1?timeout=32s\nI1103 16:45:08.873106       1 main.go:495] fetched 5 poddefault(s) in namespace team',
    ),
  },
  {
    slug: 'replicas-moved-in-upgrade',
    what: 'During an upgrade of the cluster all Pods of the webhook move to other nodes and start there.',
    parts: inBusyCluster('portieris', [
      namespace('portieris'),
      service('portieris/portieris', to(8000)),
      deployment('portieris/portieris', {
        replicas: 3,
        ...at(8000),
        pods: [starting],
      }),
      mutating('image-admission-config', [
        webhook('trust.hooks.securityenforcement.admission.cloud.ibm.com', {
          service: 'portieris/portieris',
          timeoutSeconds: 30,
          rules: [rule('*/*', 'pods,deployments,replicasets')],
        }),
      ]),
    ]),
  },
  {
    slug: 'operator-without-rights-for-its-check',
    what: 'The operator checks its permissions at its start and ends, since its role lacks one. It has written no caBundle.',
    parts: inBusyCluster('gmp-system', [
      namespace('gmp-system'),
      serviceAccount('gmp-system', 'operator'),
      service('gmp-system/gmp-operator', to(10250)),
      deployment('gmp-system/gmp-operator', {
        replicas: 1,
        ...at(10250),
        spec: { serviceAccountName: 'operator' },
        pods: [
          crashing(
            1,
            '{"level":"info","ts":1700000000,"logger":"operator","msg":"starting operator"}\n{"level":"error","ts":1700000001,"msg":"exit with error","error":"set up API access: customresourcedefinitions.apiextensions.k8s.io \\"podmonitorings.monitoring.googleapis.com\\" is forbidden: User \\"system:serviceaccount:gmp-system:operator\\" cannot get resource \\"customresourcedefinitions\\" in API group \\"apiextensions.k8s.io\\" at the cluster scope"}',
          ),
        ],
      }),
      mutating('gmp-operator.gmp-system.monitoring.googleapis.com', [
        webhook('default.podmonitorings.gmp-operator.gmp-system.monitoring.googleapis.com', {
          service: 'gmp-system/gmp-operator',
          caBundle: '',
          rules: [rule('monitoring.googleapis.com/v1', 'podmonitorings')],
        }),
      ]),
    ]),
  },
  {
    slug: 'renewed-after-nine-days-not-read',
    what: 'The certificate in the Secret is renewed. All three processes serve the one of their start, which has expired.',
    parts: inBusyCluster(
      'dapr-system',
      trusting('trusted-renewed', [
        namespace('dapr-system'),
        service('dapr-system/dapr-sidecar-injector', to(4000)),
        deployment('dapr-system/dapr-sidecar-injector', {
          replicas: 3,
          container: {
            ports: [{ containerPort: 4000 }],
            volumeMounts: [{ name: 'cert', mountPath: '/dapr/cert' }],
          },
          spec: { volumes: [{ name: 'cert', secret: { secretName: 'dapr-sidecar-injector-cert' } }] },
          pods: [running({ certificate: 'expired' })],
        }),
        ...besides('dapr-system', 'dapr-operator', 'dapr-sentry'),
        servingSecretManifest(
          'dapr-system/dapr-sidecar-injector-cert',
          'dapr-system/dapr-sidecar-injector',
          'trusted-renewed',
        ),
        mutating('dapr-sidecar-injector', [
          webhook('sidecar-injector.dapr.io', {
            service: 'dapr-system/dapr-sidecar-injector',
            failurePolicy: 'Ignore',
            rules: pods,
          }),
        ]),
      ]),
    ),
    logs: log(
      'dapr-system/dapr-sidecar-injector',
      'http: TLS handshake error from 10.244.3.1:41372: remote error: tls: bad certificate',
      'webhook',
      3,
    ),
  },
  {
    slug: 'node-of-only-policy-pod-stopped',
    what: 'The node with the only Pod of the policy engine was stopped. The webhook intercepts everything, also what would start the Pod elsewhere.',
    parts: inBusyCluster('gatekeeper-system', [
      node('worker-stopped', { ready: false }),
      namespace('gatekeeper-system'),
      service('gatekeeper-system/gatekeeper-controller-manager-service'),
      deployment('gatekeeper-system/gatekeeper-controller-manager', {
        replicas: 1,
        labels: { app: 'gatekeeper-controller-manager-service' },
        spec: { nodeSelector: { 'kubernetes.io/hostname': 'worker-stopped' } },
      }),
      validating('validation.gatekeeper.sh', [
        webhook('validation.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-controller-manager-service',
          rules: everything,
        }),
      ]),
    ]),
  },
  {
    slug: 'egress-without-port-of-api-server',
    what: 'The NetworkPolicy of the chart allows egress to 80, 443 and 53. The API server has port 6443 behind its Service.',
    parts: inBusyCluster('certificates', [
      namespace('certificates'),
      service('certificates/cert-manager-webhook', to(10250)),
      deployment('certificates/cert-manager-webhook', {
        replicas: 1,
        ...at(10250),
        pods: [
          crashing(
            1,
            'W0209 10:00:00.000000       1 client_config.go:617] Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might not work.\nError: error building admission chain: Get "https://172.30.0.1:443/api": dial tcp 172.30.0.1:443: i/o timeout',
          ),
        ],
      }),
      ...besides('certificates', 'cert-manager', 'cert-manager-cainjector'),
      policy('certificates/cert-manager-webhook-allow-egress', {
        podSelector: { matchLabels: { app: 'cert-manager-webhook' } },
        policyTypes: ['Egress'],
        egress: [
          {
            ports: [
              { port: 80, protocol: 'TCP' },
              { port: 443, protocol: 'TCP' },
              { port: 53, protocol: 'TCP' },
              { port: 53, protocol: 'UDP' },
            ],
            to: [{ ipBlock: { cidr: '0.0.0.0/0' } }],
          },
        ],
      }),
      validating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'certificates/cert-manager-webhook',
          rules: [rule('cert-manager.io/v1', 'issuers,certificates')],
        }),
      ]),
    ]),
  },
  {
    slug: 'selector-of-newer-chart',
    what: 'A release of the chart changes the labels of the Pods. The Service of the webhook still selects the former ones.',
    parts: inBusyCluster('testkube', [
      namespace('testkube'),
      service('testkube/testkube-operator-webhook-service', {
        selector: { 'control-plane': 'controller-manager' },
        ...to(9443),
      }),
      deployment('testkube/testkube-operator-controller-manager', {
        replicas: 1,
        labels: { 'app.kubernetes.io/name': 'testkube-operator' },
        ...at(9443),
      }),
      ...besides('testkube', 'testkube-api-server', 'testkube-dashboard'),
      validating('testkube-operator-webhook', [
        webhook('vtesttrigger.kb.io', {
          service: 'testkube/testkube-operator-webhook-service',
          rules: [rule('tests.testkube.io/v1', 'testtriggers')],
        }),
      ]),
    ]),
  },
  {
    slug: 'policies-of-namespace-and-cluster',
    what: 'The policies of the namespace allow its own Pods. The control plane is managed, and its packets come from no Pod.',
    parts: inBusyCluster('prod-vault', [
      node('gke-c1-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } }),
      namespace('prod-vault'),
      service('prod-vault/eso-webhook', to(10250)),
      deployment('prod-vault/eso-webhook', {
        replicas: 1,
        ...at(10250),
        pods: [running({ network: 'drops' })],
      }),
      ...besides('prod-vault', 'eso-cert-controller', 'eso'),
      policy('prod-vault/default-deny', { podSelector: {}, policyTypes: ['Ingress'] }),
      policy('prod-vault/same-namespace', {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: {} }] }],
      }),
      validating('secretstore-validate', [
        webhook('validate.clustersecretstore.external-secrets.io', {
          service: 'prod-vault/eso-webhook',
          rules: [rule('external-secrets.io/v1beta1', 'clustersecretstores')],
        }),
      ]),
    ]),
  },
  {
    slug: 'secret-of-former-release',
    what: 'A release renames the Service. The operator keeps the Secret of the former release, whose certificate has the former name and another CA.',
    parts: inBusyCluster('sparkoperator', [
      namespace('sparkoperator'),
      service('sparkoperator/spark-operator-webhook-svc', {
        selector: { app: 'spark-operator-webhook' },
        ports: [{ port: 9443, targetPort: 9443 }],
      }),
      deployment('sparkoperator/spark-operator-webhook', {
        replicas: 1,
        ...at(9443),
        pods: [running({ certificate: 'of-another-authority' })],
      }),
      ...besides('sparkoperator', 'spark-operator-controller'),
      servingSecretManifest(
        'sparkoperator/spark-operator-webhook-certs',
        'sparkoperator/spark-operator-webhook',
        'of-another-authority',
      ),
      mutating('spark-operator-webhook', [
        webhook('mutate-sparkoperator-k8s-io-v1beta2-sparkapplication.sparkoperator.k8s.io', {
          service: 'sparkoperator/spark-operator-webhook-svc',
          port: 9443,
          rules: [rule('sparkoperator.k8s.io/v1beta2', 'sparkapplications')],
        }),
      ]),
    ]),
  },
  {
    slug: 'validating-webhook-at-path-of-mutating',
    what: 'The validating configuration names the path of the handler that patches.',
    parts: inBusyCluster('certificates', [
      namespace('certificates'),
      service('certificates/cert-manager-webhook', to(10250)),
      deployment('certificates/cert-manager-webhook', {
        replicas: 1,
        ...at(10250),
        pods: [running({ answer: 'patch' })],
      }),
      ...besides('certificates', 'cert-manager', 'cert-manager-cainjector'),
      mutating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'certificates/cert-manager-webhook',
          path: '/mutate',
          rules: [rule('cert-manager.io/v1', 'issuers,certificates')],
        }),
      ]),
      validating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'certificates/cert-manager-webhook',
          path: '/mutate',
          rules: [rule('cert-manager.io/v1', 'issuers,certificates')],
        }),
      ]),
    ]),
  },
  {
    slug: 'solver-waits-for-its-certificate',
    what: 'A DNS solver mounts the Secret of a Certificate, which cert-manager has not issued.',
    parts: inBusyCluster('dns', [
      ...withoutNamespace(certManager),
      namespace('dns'),
      service('dns/cert-manager-webhook-hetzner'),
      deployment('dns/cert-manager-webhook-hetzner', {
        replicas: 1,
        ...mount('cert-manager-webhook-hetzner-webhook-tls'),
      }),
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { namespace: 'dns', name: 'cert-manager-webhook-hetzner-webhook-tls' },
        spec: {
          secretName: 'cert-manager-webhook-hetzner-webhook-tls',
          dnsNames: ['cert-manager-webhook-hetzner.dns.svc'],
          issuerRef: { name: 'cert-manager-webhook-hetzner-ca', kind: 'Issuer' },
        },
        status: {
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: 'DoesNotExist',
              message: 'Issuing certificate as Secret does not exist',
            },
          ],
        },
      } as never,
      apiService('v1alpha1.acme.hetzner.cloud', 'dns/cert-manager-webhook-hetzner', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/cert-manager-webhook-hetzner in "dns" have no addresses with port name ""',
      }),
    ]),
  },
  {
    slug: 'secret-without-its-keys',
    what: 'The Secret of the webhook is empty until a controller of the process writes it, which it does not.',
    parts: inBusyCluster('knative-serving', [
      namespace('knative-serving'),
      service('knative-serving/webhook'),
      deployment('knative-serving/webhook', {
        replicas: 1,
        pods: [notReady('HTTP probe failed with statuscode: 500', { fault: 'close-tls' })],
      }),
      ...besides('knative-serving', 'controller', 'activator'),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'knative-serving', name: 'webhook-certs' },
        data: {},
      } as never,
      validating('config.webhook.serving.knative.dev', [
        webhook('config.webhook.serving.knative.dev', {
          service: 'knative-serving/webhook',
          caBundle: '',
          rules: [rule('v1', 'configmaps')],
        }),
      ]),
    ]),
    logs: log(
      'knative-serving/webhook',
      '{"level":"error","ts":"2020-05-21T18:00:01.000Z","logger":"webhook","caller":"webhook/webhook.go:180","msg":"Server key missing","error":"secret \\"webhook-certs\\" is missing \\"server-key.pem\\" key"}',
    ),
  },
  {
    slug: 'injector-port-8080-of-private-cluster',
    what: 'The firewall of a private cluster has no rule for port 8080 of the injector.',
    parts: inBusyCluster('vault', [
      node('gke-c1-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } }),
      namespace('vault'),
      service('vault/vault-agent-injector-svc', { selector: { app: 'vault-agent-injector' }, ...to(8080) }),
      deployment('vault/vault-agent-injector', {
        replicas: 1,
        ...at(8080),
        pods: [running({ network: 'drops' })],
      }),
      mutating('vault-agent-injector-cfg', [
        webhook('vault.hashicorp.com', {
          service: 'vault/vault-agent-injector-svc',
          timeoutSeconds: 3,
          rules: [rule('v1', 'pods', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'webhook-through-an-api-that-starts',
    what: 'An old cert-manager is called through an aggregated API, whose only Pod has just been started.',
    parts: inBusyCluster('certificates', [
      namespace('certificates'),
      service('certificates/cert-manager-webhook', to(6443)),
      deployment('certificates/cert-manager-webhook', { replicas: 1, ...at(6443), pods: [starting] }),
      apiService('v1beta1.webhook.certmanager.k8s.io', 'certificates/cert-manager-webhook', {
        reason: 'MissingEndpoints',
        message: 'endpoints for service/cert-manager-webhook in "certificates" have no addresses',
      }),
      validating('cert-manager-webhook', [
        webhook('webhook.certmanager.k8s.io', {
          service: 'default/kubernetes',
          caBundle: '',
          path: '/apis/webhook.certmanager.k8s.io/v1beta1/validations',
          rules: [rule('certmanager.k8s.io/v1alpha2', 'issuers,certificates')],
        }),
      ]),
    ]),
  },
];
