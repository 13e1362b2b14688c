import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, outOfMemory, running, starting } from '../../../src/demo/cluster/behaviour.ts';
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
import { besides, inBusyCluster } from './busy-cluster.ts';
import { trusting } from './certificates.ts';
import {
  annotated,
  apiServerPod,
  at,
  certManager,
  type IncidentState,
  log,
  mount,
  pods,
  serviceAccount,
  to,
  unschedulable,
} from './parts.ts';

/** The parts, whose webhook configurations these field managers have written, the last one most recently. */
const writtenBy = (parts: readonly ClusterPart[], managers: readonly string[]): readonly ClusterPart[] =>
  parts.map((part) =>
    'webhooks' in part && Array.isArray(part.webhooks)
      ? ({
          ...part,
          metadata: {
            ...part.metadata,
            managedFields: managers.map((manager, index) => ({
              manager,
              operation: 'Update',
              apiVersion: 'admissionregistration.k8s.io/v1',
              fieldsType: 'FieldsV1',
              time: ago(`${(managers.length - index) * 2}m`),
              fieldsV1: {
                'f:webhooks': Object.fromEntries(
                  (part.webhooks as readonly { name: string }[]).map(({ name }) => [
                    `k:{"name":"${name}"}`,
                    { 'f:clientConfig': { 'f:caBundle': {} } },
                  ]),
                ),
              },
            })),
          },
        } as never)
      : part,
  );

const metricsServer = (over: object) => [
  service('kube-system/metrics-server', to(10250)),
  deployment('kube-system/metrics-server', { replicas: 1, ...at(10250), ...over }),
];

/** A Certificate of cert-manager, and its Secret. */
const issuedByCertManager = (key: string, serves: string): readonly ClusterPart[] => {
  const [home = '', name = ''] = key.split('/');
  const secret = servingSecretManifest(key, serves);
  const annotations = { 'cert-manager.io/certificate-name': name };
  return [
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { namespace: home, name },
      spec: { secretName: name, issuerRef: { name: 'selfsigned-issuer', kind: 'Issuer' } },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    } as never,
    { ...secret, metadata: { ...secret.metadata, annotations } },
  ];
};

const scrapeForbidden =
  'I0710 15:20:08.120412       1 serving.go:342] Generated self-signed cert (/tmp/apiserver.crt, /tmp/apiserver.key)\nE0710 15:22:18.750492       1 scraper.go:140] "Failed to scrape node" err="request failed, status: \\"403 Forbidden\\"" node="worker-1"\nI0710 15:22:25.658360       1 server.go:187] "Failed probe" probe="metric-storage-ready" err="no metrics to serve"';

const metricsUnavailable = {
  reason: 'MissingEndpoints',
  message: 'endpoints for service/metrics-server in "kube-system" have no addresses with port name ""',
};

/** States of threads that were taken in the order in which broad searches found them, whatever their cause. */
export const sampledInOrder: readonly IncidentState[] = [
  {
    slug: 'definition-in-deletion-without-converter',
    what: 'A CRD is deleted while its conversion webhook has no Pod. Its objects cannot be converted.',
    parts: inBusyCluster('shop', [
      service('shop/crd-converter', to(9443)),
      deployment('shop/crd-converter', { replicas: 0, ...at(9443) }),
      {
        ...customResource('foos.stable.example.com', 'Foo', { service: 'shop/crd-converter' }),
        metadata: {
          name: 'foos.stable.example.com',
          deletionTimestamp: ago('1h'),
          finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
        },
      } as never,
      {
        apiVersion: 'stable.example.com/v1beta1',
        kind: 'Foo',
        metadata: { namespace: 'shop', name: 'old' },
      } as never,
    ]),
  },
  {
    slug: 'right-that-webhook-demands',
    what: 'A new release of the webhook demands a right of whoever writes the labels of Pod Security. The operator of the network has none.',
    parts: inBusyCluster('cattle-system', [
      namespace('cattle-system'),
      service('cattle-system/rancher-webhook', to(9443)),
      deployment('cattle-system/rancher-webhook', {
        replicas: 1,
        ...at(9443),
      }),
      validating('rancher.cattle.io', [
        webhook('rancher.cattle.io.namespaces', {
          service: 'cattle-system/rancher-webhook',
          rules: [rule('v1', 'namespaces', 'CREATE', 'UPDATE')],
        }),
      ]),
      namespace('tigera-operator'),
      deployment('tigera-operator/tigera-operator', { replicas: 1, container: { ports: [] } }),
    ]),
    logs: log(
      'tigera-operator/tigera-operator',
      '{"level":"error","ts":"2025-02-19T14:45:22Z","logger":"controller_installation","msg":"Failed to create or update object","key":{"name":"calico-system"},"error":"admission webhook \\"rancher.cattle.io.namespaces\\" denied the request: Unauthorized"}',
    ),
  },
  {
    slug: 'injected-configuration-in-another-namespace',
    what: 'The injector reads its ConfigMaps in one namespace. The requested one is in another: Pods get no sidecar.',
    parts: inBusyCluster('injector', [
      namespace('injector'),
      namespace('monitoring'),
      service('injector/k8s-sidecar-injector-prod', to(9443)),
      deployment('injector/k8s-sidecar-injector-prod', { replicas: 1, ...at(9443) }),
      mutating('tumblr-sidecar-injector-webhook', [
        webhook('injector.tumblr.com', {
          service: 'injector/k8s-sidecar-injector-prod',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'monitoring',
          name: 'debian-debug',
          creationTimestamp: ago('1h'),
          annotations: { 'injector.tumblr.com/request': 'sidecar-telegraf-basic' },
        },
        spec: { nodeName: 'worker-1', containers: [{ name: 'debian-debug', image: 'debian:jessie' }] },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      } as never,
    ]),
    logs: log(
      'injector/k8s-sidecar-injector-prod',
      'I0927 03:14:08.770112       1 webhook.go:212] Pod annotation injector.tumblr.com/request=sidecar-telegraf-basic requested injection\nE0927 03:14:08.770131       1 webhook.go:241] unable to inject pod monitoring/debian-debug: requested injection sidecar-telegraf-basic was not in configuration, skipping',
    ),
  },
  {
    slug: 'chart-declares-empty-bundle',
    what: 'The chart declares an empty caBundle, which cert-manager injects. Argo CD writes the empty one again.',
    parts: inBusyCluster('actions-runner-system', [
      ...certManager,
      namespace('actions-runner-system'),
      service('actions-runner-system/webhook', to(9443)),
      deployment('actions-runner-system/webhook', {
        replicas: 1,
        ...mount('serving-cert', { ports: [{ containerPort: 9443 }] }),
      }),
      ...issuedByCertManager('actions-runner-system/serving-cert', 'actions-runner-system/webhook'),
      ...writtenBy(
        annotated(
          [
            mutating('mutating-webhook-configuration', [
              webhook('mutate.runner.actions.summerwind.dev', {
                service: 'actions-runner-system/webhook',
                caBundle: '',
                rules: [rule('actions.summerwind.dev/v1alpha1', 'runners')],
              }),
            ]),
          ],
          {
            'cert-manager.io/inject-ca-from': 'actions-runner-system/serving-cert',
            'argocd.argoproj.io/tracking-id':
              'arc:admissionregistration.k8s.io/MutatingWebhookConfiguration:actions-runner-system/mutating-webhook-configuration',
          },
        ),
        ['cert-manager-cainjector', 'argocd-controller'],
      ),
    ]),
  },
  {
    slug: 'chart-renders-bundle-of-operator',
    what: 'The operator manages its certificates and writes the caBundle. The chart renders another one, which Argo CD applies.',
    parts: inBusyCluster('elastic-system', [
      namespace('elastic-system'),
      service('elastic-system/elastic-operator-webhook', {
        selector: { app: 'elastic-operator' },
        ...to(9443),
      }),
      deployment('elastic-system/elastic-operator', { replicas: 1, ...at(9443) }),
      ...writtenBy(
        annotated(
          trusting('of-another-authority', [
            validating('elastic-operator.elastic-system.k8s.elastic.co', [
              webhook('elastic-es-validation-v1.k8s.elastic.co', {
                service: 'elastic-system/elastic-operator-webhook',
                failurePolicy: 'Ignore',
                rules: [rule('elasticsearch.k8s.elastic.co/v1', 'elasticsearches')],
              }),
            ]),
          ]),
          {
            'argocd.argoproj.io/tracking-id':
              'eck:admissionregistration.k8s.io/ValidatingWebhookConfiguration:elastic-system/elastic-operator.elastic-system.k8s.elastic.co',
          },
        ),
        ['elastic-operator', 'argocd-controller'],
      ),
    ]),
  },
  {
    slug: 'operator-deletes-its-webhook-first',
    what: 'To update its webhook the operator deletes the Deployment and creates it again. Nothing passes the webhook in between.',
    parts: inBusyCluster('mondoo-operator', [
      namespace('mondoo-operator'),
      service('mondoo-operator/mondoo-client-webhook-service', to(8443)),
      deployment('mondoo-operator/mondoo-operator-controller-manager', {
        replicas: 1,
        container: { ports: [] },
      }),
      validating('mondoo-operator-mondoo-client-mondoo', [
        webhook('policy.k8s.mondoo.com', {
          service: 'mondoo-operator/mondoo-client-webhook-service',
          rules: [rule('apps/v1', 'deployments,daemonsets,statefulsets'), rule('v1', 'pods')],
        }),
      ]),
    ]),
    logs: log(
      'mondoo-operator/mondoo-operator-controller-manager',
      'E0228 12:10:44.551210       1 webhooks.go:301] "Failed to create Deployment" err="Internal error occurred: failed calling webhook \\"policy.k8s.mondoo.com\\": failed to call webhook: Post \\"https://mondoo-client-webhook-service.mondoo-operator.svc:443/validate?timeout=5s\\": no endpoints available for service \\"mondoo-client-webhook-service\\""',
    ),
  },
  {
    slug: 'two-seconds-are-too-few',
    what: 'The timeout is 2 s, and the program needs a little more. The policies are not applied.',
    parts: inBusyCluster('kyverno', [
      namespace('kyverno'),
      service('kyverno/kyverno-svc', { selector: { app: 'kyverno' } }),
      deployment('kyverno/kyverno', { replicas: 1, pods: [running({ delay: 2150 })] }),
      mutating('kyverno-mutating-webhook-cfg', [
        webhook('nirmata.kyverno.resource.mutating-webhook', {
          service: 'kyverno/kyverno-svc',
          path: '/mutate',
          failurePolicy: 'Ignore',
          timeoutSeconds: 2,
          rules: [rule('*/*', '*')],
        }),
      ]),
    ]),
  },
  {
    slug: 'throttled-until-it-gives-up',
    what: 'With hundreds of CRDs the requests of the program are throttled. It gives up before it has registered its webhooks, and starts again.',
    parts: inBusyCluster('kyverno', [
      namespace('kyverno'),
      service('kyverno/kyverno-svc', { selector: { app: 'kyverno' } }),
      deployment('kyverno/kyverno', {
        replicas: 1,
        pods: [
          crashing(
            1,
            'I0105 12:42:07.204121       1 request.go:665] Waited for 1.048119838s due to client-side throttling, not priority and fairness, request: GET:https://10.27.0.1:443/apis/iap.cnrm.cloud.google.com/v1beta1?timeout=32s\nI0105 12:42:17.254125       1 request.go:665] Waited for 11.096011s due to client-side throttling, not priority and fairness, request: GET:https://10.27.0.1:443/apis/spanner.cnrm.cloud.google.com/v1beta1?timeout=32s\nE0105 12:42:32.910411       1 main.go:462] setup "msg"="Timeout registering admission control webhooks" "error"=null',
          ),
        ],
      }),
      mutating('kyverno-resource-mutating-webhook-cfg', [
        webhook('mutate.kyverno.svc-fail', {
          service: 'kyverno/kyverno-svc',
          path: '/mutate',
          rules: [rule('*/*', 'pods,configmaps')],
        }),
      ]),
    ]),
  },
  {
    slug: 'provider-in-chosen-namespace',
    what: 'All providers are installed into a chosen namespace. Their configurations name the Service in the usual one.',
    parts: inBusyCluster('test', [
      namespace('test'),
      service('test/capi-webhook-service', { selector: { app: 'capi-controller-manager' }, ...to(9443) }),
      deployment('test/capi-controller-manager', { replicas: 1, ...at(9443) }),
      mutating('capi-mutating-webhook-configuration', [
        webhook('default.cluster.cluster.x-k8s.io', {
          service: 'capi-system/capi-webhook-service',
          rules: [rule('cluster.x-k8s.io/v1alpha3', 'clusters')],
        }),
      ]),
    ]),
  },
  {
    slug: 'bundle-fixed-in-chart',
    what: 'The chart has one caBundle for all clusters. The operator generates the certificate in the cluster.',
    parts: inBusyCluster('openunison', [
      namespace('openunison'),
      service('openunison/openunison-orchestra', to(8443)),
      deployment('openunison/openunison-orchestra', {
        replicas: 1,
        ...mount('unison-tls', { ports: [{ containerPort: 8443 }] }),
      }),
      servingSecretManifest('openunison/unison-tls', 'openunison/openunison-orchestra'),
      deployment('openunison/openunison-operator', { replicas: 1, container: { ports: [] } }),
      ...trusting('of-another-authority', [
        validating('openunison-workflow-validation-orchestra', [
          webhook('applications-openunison.tremolo.io', {
            service: 'openunison/openunison-orchestra',
            rules: [rule('openunison.tremolo.io/v1', 'applications')],
          }),
        ]),
      ]),
    ]),
  },
  {
    slug: 'definition-trusts-ca-for-tenants',
    what: 'The operator writes the CA for its tenants into the conversion of the CRD. It serves the conversion with another certificate.',
    parts: inBusyCluster('minio-operator', [
      namespace('minio-operator'),
      service('minio-operator/operator', { ports: [{ port: 4222, targetPort: 4222 }] }),
      deployment('minio-operator/operator', {
        replicas: 1,
        ...at(4222),
        pods: [running({ certificate: 'of-another-authority' })],
      }),
      customResource('tenants.minio.min.io', 'Tenant', {
        service: 'minio-operator/operator',
        port: 4222,
        path: '/webhook/v1/crd-conversion',
      }),
      {
        apiVersion: 'minio.min.io/v1beta1',
        kind: 'Tenant',
        metadata: { namespace: 'minio-operator', name: 'minio' },
      } as never,
    ]),
  },
  {
    slug: 'thirty-mebibytes',
    what: 'The chart limits the manager to 30Mi of memory, of which it needs a little more.',
    parts: inBusyCluster('flink', [
      namespace('flink'),
      service('flink/flink-operator-webhook-service', { selector: { app: 'flink-operator' }, ...to(9443) }),
      deployment('flink/flink-operator', {
        replicas: 1,
        container: {
          ports: [{ containerPort: 9443 }],
          resources: { limits: { memory: '30Mi', cpu: '100m' }, requests: { memory: '20Mi' } },
        } as object,
        pods: [outOfMemory],
      }),
      mutating('flink-operator-mutating-webhook-configuration', [
        webhook('mflinkcluster.flinkoperator.k8s.io', {
          service: 'flink/flink-operator-webhook-service',
          rules: [rule('flinkoperator.k8s.io/v1beta1', 'flinkclusters')],
        }),
      ]),
    ]),
  },
  {
    slug: 'installations-check-each-others-objects',
    what: 'Two installations for one namespace each. Their configurations have no namespaceSelector, and one of them has no Pod.',
    parts: inBusyCluster('team-a', [
      ...['team-a', 'team-b'].flatMap((team) => [
        namespace(team),
        service(`${team}/cass-operator-webhook-service`, { selector: { app: 'cass-operator' }, ...to(9443) }),
        deployment(`${team}/cass-operator`, { replicas: team === 'team-a' ? 0 : 1, ...at(9443) }),
        validating(`${team}-cass-operator-validating-webhook-configuration`, [
          webhook('vcassandradatacenter.kb.io', {
            service: `${team}/cass-operator-webhook-service`,
            rules: [rule('cassandra.datastax.com/v1beta1', 'cassandradatacenters')],
          }),
        ]),
      ]),
    ]),
  },
  {
    slug: 'pods-ready-before-webhook',
    what: 'cert-manager was applied a few seconds ago, and the next manifest needs its webhook.',
    parts: [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook', to(10250)),
      deployment('cert-manager/cert-manager-webhook', { replicas: 1, ...at(10250), pods: [starting] }),
      ...besides('cert-manager', 'cert-manager'),
      validating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'cert-manager/cert-manager-webhook',
          rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
        }),
      ]),
      customResource('certificates.cert-manager.io', 'Certificate'),
      customResource('issuers.cert-manager.io', 'Issuer'),
    ],
  },
  {
    slug: 'node-smaller-than-platform',
    what: 'The node of a test cluster has fewer CPUs than the platform requests. The Pod of the last webhook is not scheduled.',
    parts: inBusyCluster('kubeflow', [
      namespace('kubeflow'),
      service('kubeflow/kserve-webhook-server-service', {
        selector: { app: 'kserve-controller-manager' },
        ...to(9443),
      }),
      ...unschedulable(
        'kubeflow/kserve-controller-manager',
        '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
      ),
      validating('clusterservingruntime.serving.kserve.io', [
        webhook('clusterservingruntime.kserve-webhook-server.validator', {
          service: 'kubeflow/kserve-webhook-server-service',
          rules: [rule('serving.kserve.io/v1alpha1', 'clusterservingruntimes')],
        }),
      ]),
    ]),
  },
  {
    slug: 'namespace-joins-the-mesh',
    what: 'The namespace of the webhook was added to the mesh. Its NetworkPolicy admits members of the mesh only.',
    parts: inBusyCluster('openshift-pipelines', [
      namespace('openshift-pipelines', {
        'maistra.io/member-of': 'istio-system',
        'kiali.io/member-of': 'istio-system',
      }),
      service('openshift-pipelines/tekton-pipelines-webhook', to(8443)),
      deployment('openshift-pipelines/tekton-pipelines-webhook', {
        replicas: 1,
        pods: [running({ network: 'drops' })],
      }),
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: {
          namespace: 'openshift-pipelines',
          name: 'istio-mesh-basic-install',
          labels: { 'maistra.io/owner': 'istio-system' },
        },
        spec: {
          podSelector: {},
          policyTypes: ['Ingress'],
          ingress: [
            { from: [{ namespaceSelector: { matchLabels: { 'maistra.io/member-of': 'istio-system' } } }] },
          ],
        },
      } as never,
      mutating('webhook.tekton.dev', [
        webhook('webhook.tekton.dev', {
          service: 'openshift-pipelines/tekton-pipelines-webhook',
          timeoutSeconds: 3,
          rules: [rule('tekton.dev/v1beta1', 'tasks,pipelines')],
        }),
      ]),
    ]),
  },
  {
    slug: 'addon-lacks-right-to-node-metrics',
    what: 'With RBAC the kubelets forbid metrics-server to read metrics. It has none, and is not ready.',
    parts: inBusyCluster('kube-system', [
      ...metricsServer({
        spec: { serviceAccountName: 'metrics-server' },
        pods: [notReady('HTTP probe failed with statuscode: 500')],
      }),
      serviceAccount('kube-system', 'metrics-server'),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', metricsUnavailable),
    ]),
    logs: log('kube-system/metrics-server', scrapeForbidden),
  },
  {
    slug: 'aggregation-not-configured',
    what: 'Kube-apiserver has no flags for aggregation. The extension API server finds no CA for request headers, and exits.',
    parts: inBusyCluster('kube-system', [
      ...metricsServer({
        pods: [
          crashing(
            255,
            "I1025 08:52:11.081914       1 heapster.go:71] /metrics-server --source=kubernetes.summary_api:\nI1025 08:52:11.411003       1 heapster.go:73] Starting Heapster API server...\nError: cluster doesn't provide requestheader-client-ca-file",
          ),
        ],
      }),
      apiServerPod('cp-1', ['--client-ca-file=/etc/kubernetes/pki/ca.crt']),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', metricsUnavailable),
    ]),
  },
  {
    slug: 'node-firewall-after-installation',
    what: 'The firewall of a fresh node rejects connections to Pods.',
    parts: inBusyCluster('kube-system', [
      ...metricsServer({ pods: [running({ network: 'rejects' })] }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.244.0.5:10250/apis/metrics.k8s.io/v1beta1: Get "https://10.244.0.5:10250/apis/metrics.k8s.io/v1beta1": dial tcp 10.244.0.5:10250: connect: no route to host',
      }),
    ]),
  },
];
