import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment, statefulSet } from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster } from './busy-cluster.ts';
import { trusting } from './certificates.ts';
import { at, type IncidentState, log, mount, pods, policy, to, warning } from './parts.ts';

/** The namespace, in deletion, with these conditions. */
const terminating = (
  name: string,
  ...conditions: readonly (readonly [type: string, reason: string, message: string])[]
): ClusterPart =>
  ({
    ...namespace(name),
    metadata: { name, deletionTimestamp: ago('40m') },
    status: {
      phase: 'Terminating',
      conditions: conditions.map(([type, reason, message]) => ({
        type,
        status: 'True',
        reason,
        message,
        lastTransitionTime: ago('40m'),
      })),
    },
  }) as never;

/** An autoscaler on CPU whose metric cannot be read. */
const cpuAutoscaler = (name: string): ClusterPart =>
  ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name },
    spec: {
      minReplicas: 2,
      maxReplicas: 9,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
        },
      ],
    },
    status: {
      currentReplicas: 2,
      desiredReplicas: 2,
      conditions: [
        {
          type: 'AbleToScale',
          status: 'True',
          reason: 'SucceededGetScale',
          message: "the HPA controller was able to get the target's current scale",
          lastTransitionTime: ago('1h'),
        },
        {
          type: 'ScalingActive',
          status: 'False',
          reason: 'FailedGetResourceMetric',
          message:
            'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
          lastTransitionTime: ago('1h'),
        },
      ],
    },
  }) as never;

/** A Pod of the application, without a sidecar although it requests one. */
const daprPod = (name: string): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'shop',
      name,
      uid: `uid-of-${name}`,
      creationTimestamp: ago('1h'),
      labels: { app: 'orders', 'pod-template-hash': '7d4c' },
      annotations: { 'dapr.io/enabled': 'true', 'dapr.io/app-id': 'orders', 'dapr.io/app-port': '8080' },
    },
    spec: { nodeName: 'worker-1', containers: [{ name: 'orders', image: 'orders:v3' }] },
    status: {
      phase: 'Running',
      podIP: '198.51.100.90',
      containerStatuses: [
        {
          name: 'orders',
          image: 'orders:v3',
          ready: true,
          restartCount: 0,
          state: { running: { startedAt: ago('1h') } },
        },
      ],
    },
  }) as never;

/** Calls that fail on their way or in the process, and their effects, in clusters with other products. */
export const busyCalls: readonly IncidentState[] = [
  {
    slug: 'request-without-signer',
    what: 'kube-controller-manager has no key of a CA, so the CertificateSigningRequest of an operator is never signed. The operator waits and does not listen.',
    parts: inBusyCluster('minio-operator', [
      namespace('minio-operator'),
      service('minio-operator/operator', {
        selector: { app: 'minio-operator' },
        ports: [{ port: 4222, targetPort: 4222 }],
      }),
      deployment('minio-operator/minio-operator', {
        replicas: 1,
        container: { name: 'operator', ports: [{ containerPort: 4222 }], readinessProbe: undefined as never },
        pods: [running({ listens: 'nowhere' })],
      }),
      deployment('minio-operator/console', { replicas: 1 }),
      {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'operator-minio-operator-csr', creationTimestamp: ago('2h') },
        spec: {
          signerName: 'kubernetes.io/kubelet-serving',
          usages: ['digital signature', 'key encipherment', 'server auth'],
        },
        status: { conditions: [{ type: 'Approved', status: 'True', reason: 'MinIOOperator' }] },
      } as never,
      customResource('tenants.minio.min.io', 'Tenant', { service: 'minio-operator/operator', port: 4222 }),
    ]),
    logs: log(
      'minio-operator/minio-operator',
      'I0301 10:00:00.000000       1 csr.go:145] Start polling for certificate of csr/operator-minio-operator-csr, every 5s, timeout after 20m0s',
      'operator',
    ),
  },
  {
    slug: 'terminating-namespace-with-conversions',
    what: 'The uninstall hook left the conversion webhook in the CRDs. The namespace with their objects stays in Terminating.',
    parts: inBusyCluster('bookstore', [
      terminating('osm-system', [
        'NamespaceDeletionContentFailure',
        'ContentDeletionFailed',
        'Failed to delete all resource types, 1 remaining: conversion webhook for config.openservicemesh.io/v1alpha1, Kind=MeshConfig failed: Post "https://osm-bootstrap.osm-system.svc:9443/convert?timeout=30s": service "osm-bootstrap" not found',
      ]),
      ...(['MeshConfig', 'MultiClusterService', 'MeshRootCertificate'] as const).map((kind) =>
        customResource(`${kind.toLowerCase()}s.config.openservicemesh.io`, kind, {
          service: 'osm-system/osm-bootstrap',
          port: 9443,
        }),
      ),
      customResource('egresses.policy.openservicemesh.io', 'Egress', {
        service: 'osm-system/osm-bootstrap',
        port: 9443,
      }),
    ]),
  },
  {
    slug: 'finalizer-needs-deleted-webhook',
    what: 'The namespace of an operator was deleted first. Its webhook for namespaces remains, and every update of a namespace is refused.',
    parts: inBusyCluster('tekton-pipelines', [
      namespace('tekton-pipelines'),
      validating('namespace.operator.tekton.dev', [
        webhook('namespace.operator.tekton.dev', {
          service: 'tekton-operator/tekton-operator-proxy-webhook',
          rules: [rule('v1', 'namespaces', 'CREATE', 'UPDATE')],
        }),
      ]),
      mutating('proxy.operator.tekton.dev', [
        webhook('proxy.operator.tekton.dev', {
          service: 'tekton-operator/tekton-operator-proxy-webhook',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [
              { key: 'operator.tekton.dev/enable-annotation', operator: 'In', values: ['enabled'] },
            ],
          },
        }),
      ]),
      ...['tekton-pipelines-controller', 'tekton-pipelines-webhook'].map((name) =>
        deployment(`tekton-pipelines/${name}`, { replicas: 1 }),
      ),
      service('tekton-pipelines/tekton-pipelines-webhook'),
      validating('validation.webhook.pipeline.tekton.dev', [
        webhook('validation.webhook.pipeline.tekton.dev', {
          service: 'tekton-pipelines/tekton-pipelines-webhook',
          rules: [rule('tekton.dev/v1', 'pipelines,tasks')],
        }),
      ]),
    ]),
  },
  {
    slug: 'apiservice-of-earlier-release',
    what: 'An upgrade renamed the Service of the metrics API server. The APIService names the former one.',
    parts: inBusyCluster('keda', [
      namespace('keda'),
      service('keda/keda-operator-metrics-apiserver', to(6443)),
      deployment('keda/keda-operator-metrics-apiserver', {
        replicas: 1,
        ...at(6443),
        pods: [running({ api: 'external.metrics.k8s.io/v1beta1' })],
      }),
      service('keda/keda-admission-webhooks', to(9443)),
      deployment('keda/keda-admission-webhooks', { replicas: 1, ...at(9443) }),
      ...besides('keda', 'keda-operator'),
      validating('keda-admission', [
        webhook('vscaledobject.kb.io', {
          service: 'keda/keda-admission-webhooks',
          failurePolicy: 'Ignore',
          rules: [rule('keda.sh/v1alpha1', 'scaledobjects')],
        }),
      ]),
      apiService('v1beta1.external.metrics.k8s.io', 'keda/keda-metrics-apiserver', {
        reason: 'ServiceNotFound',
        message: 'service/keda-metrics-apiserver in "keda" is not present',
      }),
    ]),
  },
  {
    slug: 'secret-emptied-by-gitops',
    what: 'Argo CD writes the empty values that the chart declares over the certificate in the Secret. The webhook exits.',
    parts: inBusyCluster('spark-operator', [
      namespace('spark-operator'),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          namespace: 'spark-operator',
          name: 'spark-operator-webhook-certs',
          labels: { 'app.kubernetes.io/managed-by': 'Helm', 'argocd.argoproj.io/instance': 'spark-operator' },
          managedFields: [
            {
              manager: 'argocd-controller',
              operation: 'Apply',
              time: ago('30m'),
              fieldsV1: {
                'f:data': { 'f:ca-cert.pem': {}, 'f:server-cert.pem': {}, 'f:server-key.pem': {} },
              },
            },
          ],
        },
        type: 'Opaque',
        data: {
          'ca-cert.pem': '',
          'server-cert.pem': '',
          'server-key.pem': '',
          'tls.crt': '',
          'tls.key': '',
        },
      } as never,
      service('spark-operator/spark-operator-webhook-svc', {
        selector: { app: 'spark-operator-webhook' },
        ...to(9443),
      }),
      deployment('spark-operator/spark-operator-webhook', {
        replicas: 1,
        ...mount('spark-operator-webhook-certs', { ports: [{ containerPort: 9443 }] }),
        pods: [
          crashing(
            1,
            '2024-07-19T10:00:01.000Z\tINFO\twebhook/start.go:243\tSyncing webhook secret\t{"name": "spark-operator-webhook-certs", "namespace": "spark-operator"}\n2024-07-19T10:00:02.000Z\tERROR\twebhook/start.go:300\tFailed to start manager\t{"error": "failed to create certificate watcher: tls: failed to find any PEM data in certificate input"}',
          ),
        ],
      }),
      ...besides('spark-operator', 'spark-operator-controller'),
      mutating('spark-operator-webhook', [
        webhook('mutate--v1-pod.sparkoperator.k8s.io', {
          service: 'spark-operator/spark-operator-webhook-svc',
          rules: pods,
        }),
      ]),
      validating('spark-operator-webhook', [
        webhook('validate-sparkapplication.sparkoperator.k8s.io', {
          service: 'spark-operator/spark-operator-webhook-svc',
          rules: [rule('sparkoperator.k8s.io/v1beta2', 'sparkapplications')],
        }),
      ]),
    ]),
  },
  {
    slug: 'second-injector-of-ca',
    what: 'The operator signs its own certificates since an upgrade. An annotation of the former release remains, and the platform writes its own CA into the caBundle.',
    parts: inBusyCluster('hypershift', [
      namespace('hypershift'),
      service('hypershift/operator', { selector: { app: 'operator' } }),
      deployment('hypershift/operator'),
      ...trusting('of-another-authority', [
        mutating(
          'hypershift.openshift.io',
          [
            webhook('hostedclusters.hypershift.openshift.io', {
              service: 'hypershift/operator',
              rules: [rule('hypershift.openshift.io/v1beta1', 'hostedclusters')],
            }),
            webhook('nodepools.hypershift.openshift.io', {
              service: 'hypershift/operator',
              rules: [rule('hypershift.openshift.io/v1beta1', 'nodepools')],
            }),
          ],
          {
            annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' },
            managedFields: [
              {
                manager: 'hypershift-operator',
                operation: 'Update',
                time: ago('2h'),
                fieldsV1: {
                  'f:webhooks': {
                    'k:{"name":"hostedclusters.hypershift.openshift.io"}': {
                      'f:clientConfig': { 'f:caBundle': {} },
                    },
                  },
                },
              },
              {
                manager: 'service-ca-operator',
                operation: 'Update',
                time: ago('1h'),
                fieldsV1: {
                  'f:webhooks': {
                    'k:{"name":"hostedclusters.hypershift.openshift.io"}': {
                      'f:clientConfig': { 'f:caBundle': {} },
                    },
                  },
                },
              },
            ] as never,
          },
        ),
      ]),
    ]),
  },
  {
    slug: 'template-of-injector-broken',
    what: 'Somebody edited the template of the injector. It refuses every Pod of the namespaces that request a sidecar.',
    parts: inBusyCluster('shop', [
      namespace('istio-system'),
      namespace('shop', { 'istio-injection': 'enabled' }),
      service('istio-system/istiod', to(15017)),
      deployment('istio-system/istiod', {
        ...at(15017),
        pods: [
          running({
            answer: 'deny',
            message: 'failed to run injection template: template: inject:12: function "indnt" not defined',
          }),
        ],
      }),
      ...besides('istio-system', 'istio-ingressgateway'),
      mutating('istio-sidecar-injector', [
        webhook('rev.namespace.sidecar-injector.istio.io', {
          service: 'istio-system/istiod',
          path: '/inject',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio.io/rev': 'default' } },
        }),
        webhook('namespace.sidecar-injector.istio.io', {
          service: 'istio-system/istiod',
          path: '/inject',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
        }),
      ]),
      warning(
        {
          kind: 'ReplicaSet',
          namespace: 'shop',
          name: 'cart-66c9',
          uid: 'uid-of-cart-66c9',
          apiVersion: 'apps/v1',
        },
        'FailedCreate',
        'Error creating: admission webhook "namespace.sidecar-injector.istio.io" denied the request: failed to run injection template: template: inject:12: function "indnt" not defined',
        'replicaset-controller',
      ),
    ]),
  },
  {
    slug: 'injector-calls-service-without-pods',
    what: 'The injector requests an identity from another Service of its product, which has no Pod. It also denies the new Pod of that Service.',
    parts: inBusyCluster('dapr-system', [
      namespace('dapr-system'),
      service('dapr-system/dapr-sentry', {
        clusterIP: '203.0.113.61',
        ports: [{ port: 443, targetPort: 50001 }],
      }),
      deployment('dapr-system/dapr-sentry', {
        replicas: 1,
        container: { name: 'dapr-sentry', ports: [{ containerPort: 50001 }] },
        pods: [],
        refused:
          'admission webhook "sidecar-injector.dapr.io" denied the request: failed to get sidecar certificate: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 203.0.113.61:443: connect: connection refused"',
      }),
      service('dapr-system/dapr-sidecar-injector', to(4000)),
      deployment('dapr-system/dapr-sidecar-injector', {
        replicas: 1,
        ...at(4000),
        pods: [
          running({
            answer: 'deny',
            message:
              'failed to get sidecar certificate: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 203.0.113.61:443: connect: connection refused"',
          }),
        ],
      }),
      ...besides('dapr-system', 'dapr-operator', 'dapr-placement-server'),
      mutating('dapr-sidecar-injector', [
        webhook('sidecar-injector.dapr.io', {
          service: 'dapr-system/dapr-sidecar-injector',
          path: '/mutate',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
    ]),
    logs: log(
      'dapr-system/dapr-sidecar-injector',
      'time="2024-06-20T10:00:00Z" level=error msg="Sidecar injector failed to inject for app \'orders\'. Error: failed to get sidecar certificate: rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial tcp 203.0.113.61:443: connect: connection refused\\""',
    ),
  },
  {
    slug: 'registers-removed-api-version',
    what: 'The program registers its webhooks in an API version that Kubernetes 1.22 removed, and exits. It has no configuration.',
    parts: inBusyCluster('volcano-system', [
      namespace('volcano-system'),
      service('volcano-system/volcano-admission-service', { selector: { app: 'volcano-admission' } }),
      deployment('volcano-system/volcano-admission', {
        replicas: 1,
        pods: [
          crashing(
            255,
            "I0222 10:00:00.000000       1 server.go:60] Registered '/jobs/mutate' as webhook.\nE0222 10:00:00.100000       1 config.go:88] Failed to create MutatingWebhookConfiguration volcano-admission-service-jobs-mutate: the server could not find the requested resource\nF0222 10:00:00.200000       1 server.go:78] the server could not find the requested resource",
          ),
        ],
      }),
      ...besides('volcano-system', 'volcano-controllers', 'volcano-scheduler'),
    ]),
  },
  {
    slug: 'discovery-of-one-api-fails',
    what: 'The backend of an APIService responds with 404 to the discovery of a newer Kubernetes. The API works, and no namespace can be deleted.',
    parts: inBusyCluster('agones-system', [
      namespace('agones-system'),
      service('agones-system/agones-controller-service', {
        selector: { app: 'agones-controller' },
        ...to(8081),
      }),
      deployment('agones-system/agones-controller', {
        replicas: 1,
        ...at(8081),
        pods: [running({ api: 'allocation.agones.dev/v1' })],
      }),
      apiService('v1.allocation.agones.dev', 'agones-system/agones-controller-service'),
      validating('agones-validation-webhook', [
        webhook('validations.agones.dev', {
          service: 'agones-system/agones-controller-service',
          rules: [rule('agones.dev/v1', 'gameservers')],
        }),
      ]),
      terminating('review-1234', [
        'NamespaceDeletionDiscoveryFailure',
        'DiscoveryFailed',
        'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: allocation.agones.dev/v1: the server could not find the requested resource',
      ]),
    ]),
  },
  {
    slug: 'one-stored-object-cannot-be-converted',
    what: 'The conversion webhook fails for one stored object. All lists and watches of the resource fail with it.',
    parts: inBusyCluster('opentelemetry-operator-system', [
      namespace('opentelemetry-operator-system'),
      service('opentelemetry-operator-system/opentelemetry-operator-webhook', {
        selector: { app: 'opentelemetry-operator' },
        ...to(9443),
      }),
      deployment('opentelemetry-operator-system/opentelemetry-operator', {
        replicas: 1,
        ...at(9443),
        pods: [
          running({
            answer: 'deny',
            message: 'json: cannot unmarshal null into Go struct field AutoscalerSpec.spec.autoscaler',
          }),
        ],
      }),
      customResource('opentelemetrycollectors.opentelemetry.io', 'OpenTelemetryCollector', {
        service: 'opentelemetry-operator-system/opentelemetry-operator-webhook',
      }),
      {
        apiVersion: 'opentelemetry.io/v1beta1',
        kind: 'OpenTelemetryCollector',
        metadata: { namespace: 'default', name: 'crashtime' },
      } as never,
    ]),
  },
  {
    slug: 'policies-of-network-upgrade',
    what: 'An upgrade of the NetworkPolicies of the platform allows only the monitoring namespace into the namespace of an operator. No Secret can be created in time.',
    parts: inBusyCluster('elastic-system', [
      namespace('elastic-system'),
      service('elastic-system/elastic-webhook-server', {
        selector: { app: 'elastic-operator' },
        ports: [{ name: 'https', port: 443, targetPort: 9443 }],
      }),
      statefulSet('elastic-system/elastic-operator', {
        replicas: 1,
        ...at(9443),
        pods: [running({ network: 'drops' })],
      }),
      policy('elastic-system/default-deny', {
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
        egress: [{}],
      }),
      policy('elastic-system/allow-monitoring', {
        podSelector: { matchLabels: { app: 'elastic-operator' } },
        policyTypes: ['Ingress'],
        ingress: [
          { from: [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }], ports: [{ port: 9402 }] },
        ],
      }),
      validating('elastic-webhook.k8s.elastic.co', [
        webhook('elastic-es-validation-v1.k8s.elastic.co', {
          service: 'elastic-system/elastic-webhook-server',
          path: '/validate-elasticsearch-k8s-elastic-co-v1-elasticsearch',
          rules: [rule('elasticsearch.k8s.elastic.co/v1', 'elasticsearches')],
        }),
        webhook('elastic-kb-validation-v1.k8s.elastic.co', {
          service: 'elastic-system/elastic-webhook-server',
          path: '/validate-kibana',
          rules: [rule('kibana.k8s.elastic.co/v1', 'kibanas')],
        }),
      ]),
    ]),
  },
  {
    slug: 'pod-network-of-one-node-broken',
    what: 'The Pod network of one node does not carry packets of the API server. The Pod there is Ready: its kubelet probes it locally.',
    parts: inBusyCluster('cert-manager', [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook', {
        ports: [{ name: 'https', port: 443, targetPort: 10250 }],
      }),
      deployment('cert-manager/cert-manager-webhook', {
        replicas: 2,
        ...at(10250),
        pods: [running({}), running({ network: 'drops' })],
      }),
      ...besides('cert-manager', 'cert-manager', 'cert-manager-cainjector'),
      validating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'cert-manager/cert-manager-webhook',
          rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
        }),
      ]),
    ]),
  },
  {
    slug: 'controller-account-not-in-list',
    deep: true,
    what: 'The injector ignores Pods of accounts that are not in its list. The controllers of this cluster use an account of their own.',
    parts: inBusyCluster('dapr-system', [
      namespace('dapr-system'),
      namespace('shop'),
      service('dapr-system/dapr-sidecar-injector', to(4000)),
      deployment('dapr-system/dapr-sidecar-injector', { replicas: 1, ...at(4000) }),
      ...besides('dapr-system', 'dapr-operator', 'dapr-sentry'),
      mutating(
        'dapr-sidecar-injector',
        [
          webhook('sidecar-injector.dapr.io', {
            service: 'dapr-system/dapr-sidecar-injector',
            path: '/mutate',
            failurePolicy: 'Ignore',
            rules: pods,
          }),
        ],
        { creationTimestamp: ago('30d') },
      ),
      daprPod('orders-7d4c-abcde'),
      daprPod('orders-7d4c-fghij'),
    ]),
    logs: log(
      'dapr-system/dapr-sidecar-injector',
      'time="2024-05-20T10:00:00Z" level=error msg="service account \'system:serviceaccount:kube-system:custom-controller-manager\' not on the list of allowed controller accounts"',
    ),
  },
  {
    slug: 'package-api-expired',
    what: 'The serving certificate of an aggregated API has expired. The list of APIs is incomplete for every client.',
    parts: inBusyCluster('olm', [
      namespace('olm'),
      service('olm/packageserver-service', {
        selector: { app: 'packageserver' },
        ports: [{ name: '5443', port: 443, targetPort: 5443 }],
      }),
      deployment('olm/packageserver', {
        ...at(5443),
        pods: [running({ certificate: 'expired', api: 'packages.operators.coreos.com/v1' })],
      }),
      ...besides('olm', 'olm-operator', 'catalog-operator'),
      apiService('v1.packages.operators.coreos.com', 'olm/packageserver-service', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://203.0.113.30:443/apis/packages.operators.coreos.com/v1: Get "https://203.0.113.30:443/apis/packages.operators.coreos.com/v1": x509: certificate has expired or is not yet valid: current time 2021-03-02T09:00:00Z is after 2021-03-01T08:00:00Z',
      }),
    ]),
  },
  {
    slug: 'resource-metrics-not-registered',
    what: 'Another metrics API is installed, and works. Nothing registers the API of CPU and memory that autoscalers read.',
    parts: inBusyCluster('monitoring', [
      namespace('monitoring'),
      namespace('shop'),
      service('monitoring/prometheus-adapter', to(6443)),
      deployment('monitoring/prometheus-adapter', {
        replicas: 1,
        ...at(6443),
        pods: [running({ api: 'custom.metrics.k8s.io/v1beta1' })],
      }),
      apiService('v1beta1.custom.metrics.k8s.io', 'monitoring/prometheus-adapter'),
      deployment('shop/cart'),
      deployment('shop/orders'),
      cpuAutoscaler('cart'),
      cpuAutoscaler('orders'),
    ]).filter((part) => !('kind' in part && part.metadata.name === 'v1beta1.metrics.k8s.io')),
  },
];
