import { servingCertificate } from '../../../src/demo/certificate/demo-certificates.ts';
import { ago, lately } from '../../../src/demo/cluster/ago.ts';
import { crashing, running, starting } from '../../../src/demo/cluster/behaviour.ts';
import {
  namespace,
  selectorlessService,
  service,
  servingSecretManifest,
} from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import {
  type ClusterPart,
  deployment,
  scaledBy,
  statefulSet,
} from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster, restarted, withStatus } from './busy-cluster.ts';
import { trusting } from './certificates.ts';
import {
  annotated,
  at,
  certManager,
  type IncidentState,
  log,
  mount,
  pods,
  serviceAccount,
  to,
  warning,
} from './parts.ts';

const bundleOf = (kind: Parameters<typeof servingCertificate>[0]) =>
  Buffer.from(servingCertificate(kind, [], new Date()).authority).toString('base64');

/** The CRD `name` with a conversion webhook that trusts this bundle, and an object that is stored in v1beta1. */
function converted(
  name: string,
  kind: string,
  key: string,
  over: { caBundle?: string; annotations?: Record<string, string>; namespace?: string; path?: string } = {},
): readonly ClusterPart[] {
  const crd = customResource(name, kind, {
    service: key,
    ...(over.path === undefined ? {} : { path: over.path }),
    ...(over.annotations === undefined ? {} : { metadata: { annotations: over.annotations } }),
  });
  const { conversion, ...spec } = crd.spec as { conversion: { webhook: { clientConfig: object } } };
  const { webhook: called } = conversion;
  const { caBundle: _bundle, ...rest } = called.clientConfig as Record<string, unknown>;
  const clientConfig =
    over.caBundle === undefined
      ? called.clientConfig
      : { ...rest, ...(over.caBundle && { caBundle: over.caBundle }) };
  const [, ...group] = name.split('.');
  return [
    {
      ...crd,
      spec: { ...spec, conversion: { ...conversion, webhook: { ...called, clientConfig } } },
      status: { storedVersions: ['v1beta1', 'v1'] },
    },
    {
      apiVersion: `${group.join('.')}/v1beta1`,
      kind,
      metadata: {
        namespace: over.namespace ?? key.split('/')[0],
        name: 'first',
        creationTimestamp: ago('30d'),
      },
    } as never,
  ];
}

/** A Pod of an application that ran before, with these annotations, without a sidecar. */
const applicationPod = (
  home: string,
  name: string,
  over: { annotations?: object; labels?: object; created?: string } = {},
) =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: home,
      name,
      creationTimestamp: over.created ?? ago('1h'),
      ...(over.labels && { labels: over.labels }),
      ...(over.annotations && { annotations: over.annotations }),
    },
    spec: { nodeName: 'worker-1', containers: [{ name: 'app', image: 'registry.example.com/app:1.0' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }) as never;

/** A namespace in deletion with this condition. */
const terminating = (name: string, type: string, reason: string, message: string): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, deletionTimestamp: ago('40m') },
    spec: { finalizers: ['kubernetes'] },
    status: {
      phase: 'Terminating',
      conditions: [{ type, status: 'True', reason, message, lastTransitionTime: ago('40m') }],
    },
  }) as never;

const autoscalers = [
  customResource('verticalpodautoscalers.autoscaling.k8s.io', 'VerticalPodAutoscaler'),
  {
    apiVersion: 'autoscaling.k8s.io/v1',
    kind: 'VerticalPodAutoscaler',
    metadata: { namespace: 'shop', name: 'cart', creationTimestamp: ago('90d') },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' },
      updatePolicy: { updateMode: 'Auto' },
    },
  } as never,
  namespace('shop'),
  deployment('shop/cart', { replicas: 2, container: { ports: [] } }),
];
const autoscaler = (name: string, ports: object = { ports: [] }) =>
  deployment(`kube-system/${name}`, {
    replicas: 1,
    container: {
      name: name.replace('vpa-', ''),
      image: `registry.k8s.io/autoscaling/${name}:1.1.2`,
      ...ports,
    },
  });

/** Two releases of an operator: the Pod of the former one is Ready, that of the new one has just started. */
function twoReleases(key: string, was: string, is: string): readonly ClusterPart[] {
  const [home = '', name = ''] = key.split('/');
  const labels = (version: string) => ({ app: name, 'app.kubernetes.io/version': version });
  const owned = (suffix: string, kind: string, owner: string, version: string, created: string) => ({
    namespace: home,
    name: `${name}${suffix}`,
    uid: `uid-of-${name}${suffix}`,
    labels: { ...labels(version), 'pod-template-hash': suffix.split('-')[1] ?? '' },
    creationTimestamp: created,
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, uid: `uid-of-${owner}`, controller: true }],
  });
  const container = (version: string) => ({
    name: 'webhook',
    image: `registry.example.com/${name}:v${version}`,
    ports: [{ containerPort: 8443 }],
    readinessProbe: { httpGet: { path: '/livez', port: 10080 } },
  });
  const selector = { matchLabels: { app: name } };
  const template = (version: string) => ({
    metadata: { labels: labels(version) },
    spec: { containers: [container(version)] },
  });
  const replicaSet = (hash: string, version: string, created: string) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: owned(`-${hash}`, 'Deployment', name, version, created),
    spec: { replicas: 1, selector, template: template(version) },
    status: { replicas: 1, readyReplicas: version === was ? 1 : 0 },
  });
  const pod = (hash: string, version: string, created: string, ready: boolean) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: owned(`-${hash}-x2x4z`, 'ReplicaSet', `${name}-${hash}`, version, created),
    spec: { nodeName: 'worker-1', containers: [container(version)] },
    status: {
      phase: 'Running',
      podIP: ready ? '198.51.100.71' : '198.51.100.72',
      podIPs: [{ ip: ready ? '198.51.100.71' : '198.51.100.72' }],
      startTime: created,
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: created },
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          ...(ready
            ? {}
            : { reason: 'ContainersNotReady', message: 'containers with unready status: [webhook]' }),
          lastTransitionTime: created,
        },
      ],
      containerStatuses: [
        {
          name: 'webhook',
          image: '',
          ready,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: created } },
        },
      ],
    },
  });
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: home, name, uid: `uid-of-${name}`, labels: labels(is) },
      spec: { replicas: 1, selector, template: template(is) },
      status: {
        replicas: 2,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        unavailableReplicas: 1,
      },
    },
    replicaSet('5c9d', was, ago('20d')),
    replicaSet('7f4b', is, lately('20s')),
    pod('5c9d', was, ago('20d'), true),
    pod('7f4b', is, lately('20s'), false),
  ] as never;
}

/** States of threads about operators, conversions and APIServices, in the order in which searches found them. */
export const sampledOperators: readonly IncidentState[] = [
  {
    slug: 'operator-scaled-down-by-another-one',
    what: 'In an update one operator scales another one to zero. The webhook of that one still matches Subscriptions.',
    parts: inBusyCluster('openshift-storage', [
      namespace('openshift-storage'),
      service('openshift-storage/ocs-client-operator-webhook-server', {
        selector: { app: 'ocs-client-operator-controller-manager' },
        ...to(7443),
      }),
      deployment('openshift-storage/ocs-client-operator-controller-manager', {
        replicas: 0,
        ...at(7443),
        metadata: { managedFields: scaledBy('manager', ago('50m')), creationTimestamp: ago('120d') },
      }),
      ...besides(
        'openshift-storage',
        'odf-operator-controller-manager',
        'ocs-operator',
        'rook-ceph-operator',
      ),
      validating(
        'subscription.ocs.openshift.io',
        [
          webhook('subscription.ocs.openshift.io', {
            service: 'openshift-storage/ocs-client-operator-webhook-server',
            rules: [rule('operators.coreos.com/v1alpha1', 'subscriptions', 'UPDATE')],
          }),
        ],
        { creationTimestamp: ago('120d') },
      ),
    ]),
    logs: log(
      'openshift-storage/odf-operator-controller-manager',
      '{"level":"error","ts":"2024-08-12T09:21:11Z","msg":"Reconciler error","controller":"subscription","error":"Internal error occurred: failed calling webhook \\"subscription.ocs.openshift.io\\": failed to call webhook: Post \\"https://ocs-client-operator-webhook-server.openshift-storage.svc:443/validate-subscription?timeout=5s\\": no endpoints available for service \\"ocs-client-operator-webhook-server\\""}',
    ),
  },
  {
    slug: 'certificate-mounted-in-another-folder',
    what: 'The lifecycle manager mounts the certificate in another folder than the one that the program reads. The program exits.',
    parts: inBusyCluster('openshift-operators', [
      namespace('openshift-operators'),
      service('openshift-operators/elastic-operator-service', {
        selector: { app: 'elastic-operator' },
        ...to(9443),
      }),
      deployment('openshift-operators/elastic-operator', {
        replicas: 1,
        container: {
          name: 'manager',
          image: 'registry.connect.redhat.com/elastic/eck-operator:1.9.1',
          args: ['manager', '--config=/conf/eck.yaml', '--manage-webhook-certs=false', '--enable-webhook'],
          ports: [{ containerPort: 9443 }],
          volumeMounts: [{ name: 'apiservice-cert', mountPath: '/apiserver.local.config/certificates' }],
        },
        spec: {
          volumes: [{ name: 'apiservice-cert', secret: { secretName: 'elastic-operator-service-cert' } }],
        },
        pods: [
          crashing(
            1,
            '{"log.level":"info","@timestamp":"2021-12-21T15:20:44.113Z","log.logger":"controller-runtime.webhook.webhooks","message":"Starting webhook server","service.version":"1.9.1"}\n{"log.level":"error","@timestamp":"2021-12-21T15:20:44.221Z","log.logger":"manager","message":"Failed to start manager","service.version":"1.9.1","error":"open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory"}\nError: open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory',
          ),
        ],
      }),
      servingSecretManifest(
        'openshift-operators/elastic-operator-service-cert',
        'openshift-operators/elastic-operator-service',
      ),
      validating('elastic-es-validation-v1.k8s.elastic.co-x7k2p', [
        webhook('elastic-es-validation-v1.k8s.elastic.co', {
          service: 'openshift-operators/elastic-operator-service',
          failurePolicy: 'Ignore',
          rules: [rule('elasticsearch.k8s.elastic.co/v1', 'elasticsearches')],
        }),
      ]),
    ]),
  },
  {
    slug: 'own-certificate-with-annotation-of-injector',
    what: 'The chart generates the certificate. One of its configurations still has the annotation of cert-manager, whose injector writes the CA of a former Certificate.',
    parts: inBusyCluster('otel', [
      ...certManager,
      namespace('otel'),
      service('otel/opentelemetry-operator-webhook', {
        selector: { app: 'opentelemetry-operator' },
        ...to(9443),
      }),
      deployment('otel/opentelemetry-operator', {
        replicas: 1,
        ...mount('opentelemetry-operator-controller-manager-service-cert', {
          ports: [{ containerPort: 9443 }],
        }),
      }),
      servingSecretManifest(
        'otel/opentelemetry-operator-controller-manager-service-cert',
        'otel/opentelemetry-operator-webhook',
      ),
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: {
          namespace: 'otel',
          name: 'opentelemetry-operator-serving-cert',
          creationTimestamp: ago('200d'),
        },
        spec: {
          secretName: 'opentelemetry-operator-serving-cert',
          dnsNames: ['opentelemetry-operator-webhook.otel.svc'],
          issuerRef: { name: 'opentelemetry-operator-selfsigned-issuer', kind: 'Issuer' },
        },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      } as never,
      {
        ...servingSecretManifest(
          'otel/opentelemetry-operator-serving-cert',
          'otel/opentelemetry-operator-webhook',
          'of-another-authority',
        ),
        metadata: {
          namespace: 'otel',
          name: 'opentelemetry-operator-serving-cert',
          annotations: { 'cert-manager.io/certificate-name': 'opentelemetry-operator-serving-cert' },
        },
      },
      mutating('opentelemetry-operator-mutation', [
        webhook('minstrumentation.kb.io', {
          service: 'otel/opentelemetry-operator-webhook',
          rules: [rule('opentelemetry.io/v1alpha1', 'instrumentations')],
        }),
      ]),
      ...annotated(
        trusting('of-another-authority', [
          validating('opentelemetry-operator-validation', [
            webhook('vinstrumentationcreateupdate.kb.io', {
              service: 'otel/opentelemetry-operator-webhook',
              rules: [rule('opentelemetry.io/v1alpha1', 'instrumentations')],
            }),
          ]),
        ]),
        {
          'cert-manager.io/inject-ca-from': 'otel/opentelemetry-operator-serving-cert',
          'meta.helm.sh/release-name': 'opentelemetry-operator',
          'meta.helm.sh/release-namespace': 'otel',
        },
      ),
    ]),
  },
  {
    slug: 'renamed-service-not-in-certificate',
    what: 'A value of the chart renames the Service. The certificate that the chart generates has the former name.',
    parts: inBusyCluster('tracing', [
      namespace('tracing'),
      service('tracing/aa-opentelemetry-operator-webhook-service', {
        selector: { app: 'aa-opentelemetry-operator' },
        ...to(9443),
      }),
      deployment('tracing/aa-opentelemetry-operator', {
        replicas: 1,
        ...at(9443),
        pods: [running({ certificate: 'for-another-name' })],
      }),
      mutating('aa-opentelemetry-operator-mutating-webhook-configuration', [
        webhook('minstrumentation.kb.io', {
          service: 'tracing/aa-opentelemetry-operator-webhook-service',
          rules: [rule('opentelemetry.io/v1alpha1', 'instrumentations')],
        }),
      ]),
    ]),
  },
  {
    slug: 'controller-has-just-been-installed',
    what: 'A resource is applied right after the controller, whose only Pod does not listen yet.',
    parts: inBusyCluster('kfserving-system', [
      namespace('kfserving-system', { 'control-plane': 'kfserving-controller-manager' }),
      service('kfserving-system/kfserving-webhook-server-service', {
        selector: { app: 'kfserving-controller-manager' },
        ...to(9876),
      }),
      statefulSet('kfserving-system/kfserving-controller-manager', {
        replicas: 1,
        ...at(9876),
        pods: [starting],
      }),
      mutating('kfservice.serving.kubeflow.org', [
        webhook('kfservice.kfserving-webhook-server.defaulter', {
          service: 'kfserving-system/kfserving-webhook-server-service',
          rules: [rule('serving.kubeflow.org/v1alpha1', 'kfservices')],
        }),
      ]),
    ]),
  },
  {
    slug: 'keystore-of-certificate-cannot-be-encoded',
    what: 'cert-manager cannot encode the keystore that a Certificate requests, and so does not renew it. The certificate has expired.',
    parts: inBusyCluster('flink', [
      namespace('flink'),
      service('flink/flink-operator-webhook-service', {
        selector: { app: 'flink-kubernetes-operator' },
        ...to(9443),
      }),
      deployment('flink/flink-kubernetes-operator', {
        replicas: 1,
        ...mount('webhook-server-cert', { name: 'flink-webhook', ports: [{ containerPort: 9443 }] }),
        pods: [running({ certificate: 'expired' })],
      }),
      {
        ...servingSecretManifest(
          'flink/webhook-server-cert',
          'flink/flink-operator-webhook-service',
          'expired',
        ),
        metadata: {
          namespace: 'flink',
          name: 'webhook-server-cert',
          annotations: { 'cert-manager.io/certificate-name': 'flink-operator-serving-cert' },
        },
      },
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { namespace: 'flink', name: 'flink-operator-serving-cert', creationTimestamp: ago('93d') },
        spec: {
          secretName: 'webhook-server-cert',
          dnsNames: ['flink-operator-webhook-service.flink.svc'],
          issuerRef: { name: 'flink-operator-selfsigned-issuer', kind: 'Issuer' },
          keystores: {
            pkcs12: {
              create: true,
              passwordSecretRef: { name: 'flink-operator-webhook-secret', key: 'password' },
            },
          },
        },
        status: {
          conditions: [
            {
              type: 'Issuing',
              status: 'True',
              reason: 'Renewing',
              message: 'Renewing certificate as renewal was scheduled at 2026-02-01 09:00:00 +0000 UTC',
              lastTransitionTime: ago('30d'),
            },
            {
              type: 'Ready',
              status: 'False',
              reason: 'Expired',
              message: 'Certificate expired on 2026-02-13 09:00:00 +0000 UTC',
              lastTransitionTime: ago('3d'),
            },
          ],
        },
      } as never,
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Issuer',
        metadata: { namespace: 'flink', name: 'flink-operator-selfsigned-issuer' },
        spec: { selfSigned: {} },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      } as never,
      ...annotated(
        [
          validating('flink-operator-flink-webhook-configuration', [
            webhook('validationwebhook.flink.apache.org', {
              service: 'flink/flink-operator-webhook-service',
              rules: [rule('flink.apache.org/v1beta1', 'flinkdeployments')],
            }),
          ]),
        ],
        { 'cert-manager.io/inject-ca-from': 'flink/flink-operator-serving-cert' },
      ),
    ]),
    logs: log(
      'cert-manager/cert-manager',
      'I0213 18:03:17.610029       1 trigger_controller.go:223] "Certificate must be re-issued" logger="cert-manager.controller" key="flink/flink-operator-serving-cert" reason="Renewing"\nE0213 18:03:17.750375       1 controller.go:157] "re-queuing item due to error processing" err="failed to add keystores to Secret: error encoding PKCS12 bundle: pkcs12: error encrypting PKCS#8 shrouded key bag: crypto/cipher: unsupported cipher: DES3" logger="cert-manager.controller"',
    ),
  },
  {
    slug: 'program-registers-no-handler',
    what: 'After an update of a library the program registers no handler, and so does not listen. Its readiness probe has another port.',
    parts: inBusyCluster('openshift-machine-api', [
      namespace('openshift-machine-api'),
      service('openshift-machine-api/cluster-baremetal-webhook-service', {
        selector: { app: 'cluster-baremetal-operator' },
        ...to(9443),
      }),
      deployment('openshift-machine-api/cluster-baremetal-operator', {
        replicas: 1,
        container: {
          ports: [{ name: 'webhook-server', containerPort: 9443 }],
          readinessProbe: { httpGet: { path: '/readyz', port: 9440 } },
        },
        pods: [running({ listens: 'nowhere' })],
      }),
      ...besides('openshift-machine-api', 'machine-api-operator', 'machine-api-controllers'),
      validating('cluster-baremetal-validating-webhook-configuration', [
        webhook('vprovisioning.kb.io', {
          service: 'openshift-machine-api/cluster-baremetal-webhook-service',
          failurePolicy: 'Ignore',
          rules: [rule('metal3.io/v1alpha1', 'provisionings')],
        }),
      ]),
    ]),
    logs: log(
      'openshift-machine-api/cluster-baremetal-operator',
      'I0409 08:12:01.220183       1 webhook.go:180] "skip registering a mutating webhook, object does not implement admission.Defaulter or WithDefaulter wasn\'t called" logger="controller-runtime.builder" GVK="metal3.io/v1alpha1, Kind=Provisioning"\nI0409 08:12:01.220199       1 webhook.go:209] "skip registering a validating webhook, object does not implement admission.Validator or WithValidator wasn\'t called" logger="controller-runtime.builder" GVK="metal3.io/v1alpha1, Kind=Provisioning"\nI0409 08:12:01.402117       1 main.go:176] "starting manager"',
    ),
  },
  {
    slug: 'autoscaler-without-its-configuration',
    what: 'Somebody deleted the configuration of the autoscaler. Its updater evicts Pods, which get the same requests again.',
    parts: inBusyCluster('vpa', [
      ...autoscalers,
      service('kube-system/vpa-webhook', { selector: { app: 'vpa-admission-controller' }, ...to(8000) }),
      autoscaler('vpa-admission-controller', { ports: [{ containerPort: 8000 }] }),
      autoscaler('vpa-updater'),
      autoscaler('vpa-recommender'),
      {
        ...(warning(
          { kind: 'Pod', namespace: 'shop', name: 'cart-old', uid: 'uid-of-cart-old', apiVersion: 'v1' },
          'EvictedByVPA',
          'Pod was evicted by VPA Updater to apply resource recommendation.',
          'vpa-updater',
        ) as object),
        type: 'Normal',
      } as never,
    ]),
  },
  {
    slug: 'lookups-of-autoscaler-throttled',
    what: 'The client of the autoscaler may send few requests in a second. Its reviews wait for them, and are late.',
    parts: inBusyCluster('vpa', [
      ...autoscalers,
      service('kube-system/vpa-webhook', { selector: { app: 'vpa-admission-controller' }, ...to(8000) }),
      deployment('kube-system/vpa-admission-controller', {
        replicas: 1,
        container: {
          name: 'admission-controller',
          image: 'registry.k8s.io/autoscaling/vpa-admission-controller:1.1.2',
          args: ['--v=4', '--stderrthreshold=info', '--reload-cert=true'],
          ports: [{ containerPort: 8000 }],
        },
        pods: [running({ delay: 2600 })],
      }),
      autoscaler('vpa-updater'),
      autoscaler('vpa-recommender'),
      mutating('vpa-webhook-config', [
        webhook('vpa.k8s.io', {
          service: 'kube-system/vpa-webhook',
          failurePolicy: 'Ignore',
          timeoutSeconds: 2,
          rules: [...pods, rule('autoscaling.k8s.io/*', 'verticalpodautoscalers')],
        }),
      ]),
    ]),
    logs: log(
      'kube-system/vpa-admission-controller',
      'I0603 08:31:12.110482       1 handler.go:84] "Admitting pod" pod="shop/cart-%"\nI0603 08:31:14.318221       1 request.go:697] Waited for 2.187604113s due to client-side throttling, not priority and fairness, request: GET:https://10.43.0.1:443/apis/apps/v1/namespaces/shop/deployments/cart/scale',
      'admission-controller',
    ),
  },
  {
    slug: 'ca-of-service-account-is-another-one',
    what: 'A Job writes the CA of its ServiceAccount in the caBundle. The signer of its certificate has another CA.',
    parts: inBusyCluster('kubeflow', [
      namespace('kubeflow'),
      service('kubeflow/katib-controller', to(8443)),
      deployment('kubeflow/katib-controller', {
        replicas: 1,
        ...mount('katib-webhook-cert', { name: 'katib-controller', ports: [{ containerPort: 8443 }] }),
      }),
      ((secret) => ({
        ...secret,
        data: Object.fromEntries(
          Object.entries(secret.data as Record<string, string>).filter(([key]) => key !== 'ca.crt'),
        ),
      }))(servingSecretManifest('kubeflow/katib-webhook-cert', 'kubeflow/katib-controller')),
      ...besides('kubeflow', 'katib-db-manager', 'katib-ui'),
      ...trusting('of-another-authority', [
        mutating('katib.kubeflow.org', [
          webhook('mutator.pod.katib.kubeflow.org', {
            service: 'kubeflow/katib-controller',
            failurePolicy: 'Ignore',
            rules: pods,
            namespaceSelector: {
              matchLabels: { 'katib.kubeflow.org/metrics-collector-injection': 'enabled' },
            },
          }),
        ]),
      ]),
      namespace('team', { 'katib.kubeflow.org/metrics-collector-injection': 'enabled' }),
    ]),
    logs: log(
      'kubeflow/katib-controller',
      '2021/04/07 14:57:53 http: TLS handshake error from 10.254.2.1:47974: remote error: tls: bad certificate\n2021/04/07 14:57:53 http: TLS handshake error from 10.254.2.1:47972: remote error: tls: bad certificate',
      'katib-controller',
    ),
  },
  {
    slug: 'configuration-of-former-release-remains',
    what: 'The former release was not removed completely. Its configuration calls the new program, and trusts the former CA.',
    parts: inBusyCluster('kubeflow', [
      namespace('kubeflow'),
      service('kubeflow/katib-controller', to(8443)),
      deployment('kubeflow/katib-controller', {
        replicas: 1,
        metadata: { creationTimestamp: ago('2d') },
        ...mount('katib-webhook-cert', { name: 'katib-controller', ports: [{ containerPort: 8443 }] }),
      }),
      servingSecretManifest('kubeflow/katib-webhook-cert', 'kubeflow/katib-controller'),
      ...besides('kubeflow', 'katib-db-manager', 'katib-ui'),
      mutating(
        'katib.kubeflow.org',
        [
          webhook('defaulter.experiment.katib.kubeflow.org', {
            service: 'kubeflow/katib-controller',
            path: '/mutate-experiment',
            rules: [rule('kubeflow.org/v1beta1', 'experiments')],
          }),
        ],
        { creationTimestamp: ago('2d') },
      ),
      ...trusting('of-another-authority', [
        mutating(
          'katib-mutating-webhook-config',
          [
            webhook('mutating.experiment.katib.kubeflow.org', {
              service: 'kubeflow/katib-controller',
              path: '/mutate-experiments',
              rules: [rule('kubeflow.org/v1beta1', 'experiments')],
            }),
          ],
          { creationTimestamp: ago('400d') },
        ),
      ]),
    ]),
  },
  {
    slug: 'operator-does-not-write-bundle-of-crd',
    what: 'The operator writes the caBundle of the CRD only when it generates a certificate. The Secret exists, and the CRD has no caBundle.',
    parts: inBusyCluster('dynatrace', [
      namespace('dynatrace'),
      service('dynatrace/dynatrace-webhook', to(8443)),
      deployment('dynatrace/dynatrace-webhook', { replicas: 1, ...at(8443) }),
      servingSecretManifest('dynatrace/dynatrace-webhook-certs', 'dynatrace/dynatrace-webhook'),
      deployment('dynatrace/dynatrace-operator', { replicas: 1, container: { ports: [] } }),
      mutating('dynatrace-webhook', [
        webhook('webhook.pod.dynatrace.com', {
          service: 'dynatrace/dynatrace-webhook',
          failurePolicy: 'Ignore',
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'dynakube.internal.dynatrace.com/instance', operator: 'Exists' }],
          },
        }),
      ]),
      namespace('shop', { 'dynakube.internal.dynatrace.com/instance': 'dynakube' }),
      ...converted('dynakubes.dynatrace.com', 'DynaKube', 'dynatrace/dynatrace-webhook', { caBundle: '' }),
    ]),
    logs: log(
      'dynatrace/dynatrace-operator',
      '{"level":"info","ts":"2022-10-13T11:02:51.201Z","logger":"webhook-certificates","msg":"reconciling webhook certificates","namespace":"dynatrace","name":"dynatrace-webhook"}\n{"level":"info","ts":"2022-10-13T11:02:51.232Z","logger":"webhook-certificates","msg":"secret for certificates up to date, skipping update"}\n{"level":"error","ts":"2022-10-13T11:02:58.414Z","logger":"dynakube","msg":"Reconciler error","error":"conversion webhook for dynatrace.com/v1beta1, Kind=DynaKube failed: Post \\"https://dynatrace-webhook.dynatrace.svc:443/convert?timeout=30s\\": x509: certificate signed by unknown authority"}',
    ),
  },
  {
    slug: 'crd-of-chart-keeps-placeholder-service',
    what: 'The CRDs of a chart name a placeholder instead of the Service, and lack the annotation of the injector. The program waits for their caBundle and exits.',
    parts: inBusyCluster('kruise-system', [
      ...certManager,
      namespace('kruise-system'),
      service('kruise-system/kruise-webhook-service', {
        selector: { app: 'kruise-controller-manager' },
        ...to(9876),
      }),
      deployment('kruise-system/kruise-controller-manager', {
        replicas: 2,
        ...mount('kruise-webhook-certs', {
          ports: [{ containerPort: 9876 }],
          args: ['--feature-gates=EnableExternalCerts=true'],
        }),
        pods: [
          crashing(
            1,
            'E0916 08:20:11.004431       1 webhook_controller.go:217] "Unhandled Error" err="sync \\"\\" failed with failed to ensure crd: caBundle of CRD sidecarsets.apps.kruise.io does not match external caBundle"\nE0916 08:20:30.112201       1 main.go:235] "msg"="unable to initialize webhook" "error"="failed to start webhook controller for waiting more than 20s"',
          ),
        ],
      }),
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { namespace: 'kruise-system', name: 'kruise-webhook-certs', creationTimestamp: ago('1h') },
        spec: {
          secretName: 'kruise-webhook-certs',
          dnsNames: ['kruise-webhook-service.kruise-system.svc'],
          issuerRef: { name: 'selfsigned-issuer', kind: 'Issuer' },
        },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      } as never,
      {
        ...servingSecretManifest(
          'kruise-system/kruise-webhook-certs',
          'kruise-system/kruise-webhook-service',
        ),
        metadata: {
          namespace: 'kruise-system',
          name: 'kruise-webhook-certs',
          annotations: { 'cert-manager.io/certificate-name': 'kruise-webhook-certs' },
        },
      },
      ...annotated(
        [
          mutating('kruise-mutating-webhook-configuration', [
            webhook('msidecarset.kb.io', {
              service: 'kruise-system/kruise-webhook-service',
              rules: [rule('apps.kruise.io/v1alpha1', 'sidecarsets')],
            }),
          ]),
        ],
        { 'cert-manager.io/inject-ca-from': 'kruise-system/kruise-webhook-certs' },
      ),
      ...converted('sidecarsets.apps.kruise.io', 'SidecarSet', 'system/webhook-service', {
        caBundle: '',
        namespace: 'kruise-system',
      }),
      ...converted('clonesets.apps.kruise.io', 'CloneSet', 'kruise-system/kruise-webhook-service', {
        annotations: { 'cert-manager.io/inject-ca-from': 'kruise-system/kruise-webhook-certs' },
      }),
    ]),
  },
  {
    slug: 'crd-keeps-ca-before-upgrade',
    what: 'Each upgrade of the chart generates a CA. The operator does not write it in the CRD of another product, whose conversion it serves.',
    parts: inBusyCluster('dash0-system', [
      namespace('dash0-system'),
      service('dash0-system/dash0-operator-webhook-service', {
        selector: { app: 'dash0-operator-controller' },
        ...to(9443),
      }),
      deployment('dash0-system/dash0-operator-controller', {
        replicas: 1,
        ...mount('dash0-operator-certificates', { ports: [{ containerPort: 9443 }] }),
      }),
      servingSecretManifest(
        'dash0-system/dash0-operator-certificates',
        'dash0-system/dash0-operator-webhook-service',
      ),
      mutating(
        'dash0-operator-injector',
        [
          webhook('injector-workload-webhook.dash0.com', {
            service: 'dash0-system/dash0-operator-webhook-service',
            failurePolicy: 'Ignore',
            rules: [rule('apps/v1', 'deployments,daemonsets,statefulsets')],
          }),
        ],
        { labels: { 'app.kubernetes.io/managed-by': 'Helm' } },
      ),
      ...converted(
        'persesdashboards.perses.dev',
        'PersesDashboard',
        'dash0-system/dash0-operator-webhook-service',
        {
          caBundle: bundleOf('of-another-authority'),
          namespace: 'dash0-system',
        },
      ),
    ]),
  },
  {
    slug: 'program-writes-through-its-own-webhook',
    what: 'At its start the program writes objects that its own webhook must admit. The Pod of that webhook is started at the same time, and the program exits before it is Ready.',
    parts: inBusyCluster('cattle-system', [
      namespace('cattle-system'),
      service('cattle-system/rancher-webhook', { selector: { app: 'rancher-webhook' }, ...to(9443) }),
      ...withStatus(
        'cattle-system/rancher-webhook',
        {
          containerStatuses: [
            {
              name: 'webhook',
              image: 'rancher/rancher-webhook:v0.4.7',
              ready: false,
              started: false,
              restartCount: 9,
              state: { running: { startedAt: lately('8s') } },
              lastState: {
                terminated: {
                  exitCode: 255,
                  reason: 'Unknown',
                  startedAt: lately('3m'),
                  finishedAt: lately('40s'),
                },
              },
            },
          ],
        },
        [['SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.']],
        { ...at(9443) },
      ),
      validating('rancher.cattle.io', [
        webhook('rancher.cattle.io.settings.management.cattle.io', {
          service: 'cattle-system/rancher-webhook',
          path: '/v1/webhook/validation/settings.management.cattle.io',
          rules: [rule('management.cattle.io/v3', 'settings')],
        }),
      ]),
    ]),
    logs: {
      'cattle-system/rancher-webhook-6f9d-x2x4z/webhook':
        'time="2024-07-23T14:20:51Z" level=info msg="Rancher-webhook version v0.4.7 (a9dd8c9) is starting"\ntime="2024-07-23T14:20:52Z" level=info msg="Starting apiregistration.k8s.io/v1, Kind=APIService controller"',
      'cattle-system/rancher-webhook-6f9d-x2x4z/webhook/previous':
        'time="2024-07-23T14:17:11Z" level=info msg="Rancher-webhook version v0.4.7 (a9dd8c9) is starting"\ntime="2024-07-23T14:17:18Z" level=info msg="Listening on :9443"',
    },
  },
  {
    slug: 'api-moved-to-another-namespace',
    what: 'After an upgrade another chart provides the API in another namespace. The configurations of the former chart remain.',
    parts: inBusyCluster('cattle-capi-system', [
      namespace('cattle-capi-system'),
      namespace('cattle-provisioning-capi-system'),
      service('cattle-capi-system/capi-webhook-service', {
        selector: { app: 'capi-controller-manager' },
        ...to(9443),
      }),
      deployment('cattle-capi-system/capi-controller-manager', { replicas: 1, ...at(9443) }),
      customResource('clusters.cluster.x-k8s.io', 'Cluster'),
      mutating(
        'capi-mutating-webhook-configuration',
        [
          webhook('default.cluster.cluster.x-k8s.io', {
            service: 'cattle-capi-system/capi-webhook-service',
            rules: [rule('cluster.x-k8s.io/v1', 'clusters')],
          }),
        ],
        { creationTimestamp: ago('2h') },
      ),
      mutating(
        'mutating-webhook-configuration',
        [
          webhook('default.cluster.cluster.x-k8s.io', {
            service: 'cattle-provisioning-capi-system/capi-webhook-service',
            path: '/mutate-cluster-x-k8s-io-v1beta1-cluster',
            rules: [rule('cluster.x-k8s.io/v1beta1', 'clusters')],
          }),
        ],
        {
          creationTimestamp: ago('300d'),
          annotations: { 'meta.helm.sh/release-name': 'rancher-provisioning-capi' },
        },
      ),
    ]),
  },
  {
    slug: 'chart-creates-no-apiservice',
    what: 'The chart of the metrics server creates no APIService by default. kubectl top and autoscalers get no metrics.',
    parts: [
      ...inBusyCluster('kube-system', [
        namespace('platform'),
        service('platform/metrics-server', to(8443)),
        deployment('platform/metrics-server', {
          replicas: 1,
          container: {
            name: 'metrics-server',
            image: 'docker.io/bitnami/metrics-server:0.4.1',
            ports: [{ containerPort: 8443 }],
            args: ['--secure-port=8443', '--kubelet-preferred-address-types=InternalIP'],
          },
        }),
        namespace('shop'),
        deployment('shop/cart', { replicas: 2, container: { ports: [] } }),
        {
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          metadata: { namespace: 'shop', name: 'cart' },
          spec: {
            minReplicas: 2,
            maxReplicas: 9,
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' },
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
                type: 'ScalingActive',
                status: 'False',
                reason: 'FailedGetResourceMetric',
                message:
                  'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
                lastTransitionTime: ago('2h'),
              },
            ],
          },
        } as never,
      ]),
    ],
  },
  {
    slug: 'program-patches-configuration-of-another-name',
    what: 'The program writes the caBundle in a configuration whose name does not exist. The existing one keeps none.',
    parts: inBusyCluster('istio-system', [
      namespace('istio-system'),
      service('istio-system/istio-pilot', to(15017)),
      deployment('istio-system/istio-pilot', {
        replicas: 1,
        container: {
          name: 'discovery',
          image: 'docker.io/istio/pilot:1.5',
          ports: [{ containerPort: 15017 }],
        },
      }),
      mutating('istio-sidecar-injector', [
        webhook('sidecar-injector.istio.io', {
          service: 'istio-system/istio-pilot',
          path: '/inject',
          caBundle: '',
          rules: pods,
          namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
        }),
      ]),
      namespace('bookinfo', { 'istio-injection': 'enabled' }),
    ]),
    logs: log(
      'istio-system/istio-pilot',
      '2019-12-24T18:27:11.038637Z\terror\tPatch webhook failed: mutatingwebhookconfigurations.admissionregistration.k8s.io "istiod" not found\n2019-12-24T18:27:12.041875Z\terror\tPatch webhook failed: mutatingwebhookconfigurations.admissionregistration.k8s.io "istiod" not found\n2019-12-24T18:27:13.047104Z\terror\tPatch webhook failed: mutatingwebhookconfigurations.admissionregistration.k8s.io "istiod" not found',
      'discovery',
    ),
  },
  {
    slug: 'conversion-declared-while-webhook-is-disabled',
    what: 'The webhook of the operator is disabled by a value of the chart. The CRDs still declare it for their conversion.',
    parts: inBusyCluster('redis-operator', [
      namespace('redis-operator'),
      deployment('redis-operator/redis-operator', {
        replicas: 1,
        container: {
          name: 'redis-operator',
          image: 'quay.io/opstree/redis-operator:v0.15.1',
          ports: [],
          env: [{ name: 'ENABLE_WEBHOOKS', value: 'false' }],
        },
      }),
      ...converted(
        'redisclusters.redis.redis.opstreelabs.in',
        'RedisCluster',
        'redis-operator/webhook-service',
        {
          namespace: 'shop',
        },
      ),
      namespace('shop'),
    ]),
  },
  {
    slug: 'definition-of-removed-product-in-deletion',
    what: 'A product was rolled back. Its CRD is in deletion, and its objects cannot be read since the conversion webhook has gone.',
    parts: inBusyCluster('cert-manager', [
      namespace('cert-manager'),
      ...converted('certificates.cert-manager.io', 'Certificate', 'cert-manager/cert-manager-webhook', {
        namespace: 'shop',
      }).map((part) =>
        'kind' in part && part.kind === 'CustomResourceDefinition'
          ? {
              ...part,
              metadata: {
                ...part.metadata,
                deletionTimestamp: ago('1h'),
                finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
              },
            }
          : part,
      ),
      namespace('shop'),
    ]),
  },
  {
    slug: 'manager-exits-whenever-it-loses-its-lease',
    what: 'The manager exits whenever it cannot renew its Lease, and is started again. In between the webhook fails.',
    parts: inBusyCluster('riff-system', [
      namespace('riff-system'),
      service('riff-system/riff-core-webhook-service', {
        selector: { app: 'riff-core-controller-manager' },
        ...to(9443),
      }),
      ...withStatus(
        'riff-system/riff-core-controller-manager',
        { ...restarted(1, 'Error') },
        [['BackOff', 'Back-off restarting failed container webhook in pod riff-core-controller-manager']],
        { ...at(9443) },
      ),
      mutating('riff-core-mutating-webhook-configuration', [
        webhook('deployers.core.projectriff.io', {
          service: 'riff-system/riff-core-webhook-service',
          timeoutSeconds: 30,
          rules: [rule('core.projectriff.io/v1alpha1', 'deployers')],
        }),
      ]),
    ]),
    logs: {
      'riff-system/riff-core-controller-manager-6f9d-x2x4z/webhook/previous':
        'I1106 19:12:55.013312       1 leaderelection.go:285] failed to renew lease riff-system/controller-leader-election-helper-core: failed to tryAcquireOrRenew context deadline exceeded\n2019-11-06T19:12:55.013Z\tERROR\tsetup\tproblem running manager\t{"error": "leader election lost"}',
    },
  },
  {
    slug: 'service-without-selector-and-endpoints',
    what: 'The Service of the webhook has no selector. Nobody creates its endpoints.',
    parts: inBusyCluster('calico-system', [
      namespace('calico-system'),
      selectorlessService('calico-system/calico-webhooks', to(6443)),
      deployment('calico-system/calico-webhooks', { replicas: 2, ...at(6443) }),
      ...besides('calico-system', 'calico-kube-controllers', 'calico-typha'),
      validating('api.projectcalico.org', [
        webhook('rbac.projectcalico.org', {
          service: 'calico-system/calico-webhooks',
          rules: [rule('projectcalico.org/v3', 'networkpolicies,globalnetworkpolicies')],
        }),
      ]),
    ]),
  },
  {
    slug: 'selector-names-version-of-release',
    what: 'The selector of the Service names the version. In an upgrade the Ready Pod of the former version is no endpoint any more.',
    parts: inBusyCluster('dynatrace', [
      namespace('dynatrace'),
      service('dynatrace/dynatrace-webhook', {
        selector: { app: 'dynatrace-webhook', 'app.kubernetes.io/version': '1.8.0' },
        ...to(8443),
      }),
      ...twoReleases('dynatrace/dynatrace-webhook', '1.7.2', '1.8.0'),
      deployment('dynatrace/dynatrace-operator', { replicas: 1, container: { ports: [] } }),
      validating('dynatrace-webhook', [
        webhook('webhook.dynatrace.com', {
          service: 'dynatrace/dynatrace-webhook',
          rules: [rule('dynatrace.com/v1beta5', 'dynakubes')],
        }),
      ]),
    ]),
  },
  {
    slug: 'selector-of-generated-projects',
    what: 'The selector of the Service is that of every generated project. It also selects the Pods of another operator.',
    parts: inBusyCluster('openshift-operators', [
      namespace('openshift-operators'),
      service('openshift-operators/poison-pill-webhook-service', {
        selector: { 'control-plane': 'controller-manager' },
        ...to(9443),
      }),
      deployment('openshift-operators/poison-pill-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: {
          name: 'manager',
          image: 'quay.io/medik8s/poison-pill-operator:v0.3',
          ports: [{ containerPort: 9443 }],
        },
      }),
      deployment('openshift-operators/node-healthcheck-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: {
          name: 'manager',
          image: 'quay.io/medik8s/node-healthcheck-operator:v0.2',
          ports: [{ containerPort: 8080 }],
        },
        pods: [running({ listens: 'nowhere' })],
      }),
      validating('vpoisonpillconfig.kb.io-8kq2z', [
        webhook('vpoisonpillconfig.kb.io', {
          service: 'openshift-operators/poison-pill-webhook-service',
          rules: [rule('poison-pill.medik8s.io/v1alpha1', 'poisonpillconfigs')],
        }),
      ]),
    ]),
  },
  {
    slug: 'finalizer-behind-webhook-of-deleted-namespace',
    what: 'The namespace of an operator is in deletion. An object keeps its finalizer, whose removal the webhook of that operator must admit.',
    parts: inBusyCluster('shop', [
      terminating(
        'cost-onprem',
        'NamespaceFinalizersRemaining',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: costmanagementserviceconfigs.service.costmanagement.openshift.io/cleanup in 1 resource instances',
      ),
      customResource(
        'costmanagementserviceconfigs.service.costmanagement.openshift.io',
        'CostManagementServiceConfig',
      ),
      {
        apiVersion: 'service.costmanagement.openshift.io/v1',
        kind: 'CostManagementServiceConfig',
        metadata: {
          namespace: 'cost-onprem',
          name: 'cost-management-minimal',
          creationTimestamp: ago('20d'),
          deletionTimestamp: ago('40m'),
          finalizers: ['costmanagementserviceconfigs.service.costmanagement.openshift.io/cleanup'],
        },
      } as never,
      validating('vcostmanagementserviceconfig.kb.io-5t2nd', [
        webhook('vcostmanagementserviceconfig.kb.io', {
          service: 'cost-onprem/koku-service-operator-webhook',
          rules: [rule('service.costmanagement.openshift.io/v1', 'costmanagementserviceconfigs')],
        }),
      ]),
    ]),
  },
  {
    slug: 'apiservices-remain-after-uninstall',
    what: 'The APIServices of a removed product remain. Namespaces cannot be deleted.',
    parts: inBusyCluster('shop', [
      ...['v1', 'v1alpha3'].map((version) =>
        apiService(`${version}.subresources.kubevirt.io`, 'kubevirt/virt-api', {
          reason: 'ServiceNotFound',
          message: 'service/virt-api in "kubevirt" is not present',
        }),
      ),
      terminating(
        'kubevirt',
        'NamespaceDeletionDiscoveryFailure',
        'DiscoveryFailed',
        'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: subresources.kubevirt.io/v1: stale GroupVersion discovery: subresources.kubevirt.io/v1, subresources.kubevirt.io/v1alpha3: stale GroupVersion discovery: subresources.kubevirt.io/v1alpha3',
      ),
    ]),
  },
  {
    slug: 'upgrade-keeps-rules-of-former-release',
    deep: true,
    what: 'The new injector changes Pods. The upgrade updated only the caBundle of its configuration, whose rules match Deployments.',
    parts: inBusyCluster('linkerd', [
      namespace('linkerd'),
      service('linkerd/linkerd-proxy-injector', to(8443)),
      deployment('linkerd/linkerd-proxy-injector', {
        replicas: 1,
        container: {
          name: 'proxy-injector',
          image: 'gcr.io/linkerd-io/controller:edge-19.2.5',
          ports: [{ containerPort: 8443 }],
        },
      }),
      ...besides('linkerd', 'linkerd-controller', 'linkerd-web'),
      mutating('linkerd-proxy-injector-webhook-config', [
        webhook('linkerd-proxy-injector.linkerd.io', {
          service: 'linkerd/linkerd-proxy-injector',
          failurePolicy: 'Ignore',
          rules: [rule('apps/v1', 'deployments', 'CREATE')],
          namespaceSelector: { matchLabels: { 'linkerd.io/inject': 'enabled' } },
        }),
      ]),
      namespace('emojivoto', { 'linkerd.io/inject': 'enabled' }),
      applicationPod('emojivoto', 'web-6b9c7c5f6-jx2lp', { annotations: { 'linkerd.io/inject': 'enabled' } }),
    ]),
  },
  {
    slug: 'certificate-of-chart-names-former-service',
    what: 'The chart names the Service after the release. The Job that issues the certificate still has the former name.',
    parts: inBusyCluster('spark', [
      namespace('spark'),
      service('spark/analytics-webhook', { selector: { app: 'analytics-sparkoperator' }, ...to(8080) }),
      deployment('spark/analytics-sparkoperator', {
        replicas: 1,
        ...at(8080),
        pods: [running({ certificate: 'for-another-name' })],
      }),
      mutating('analytics-webhook-config', [
        webhook('webhook.sparkoperator.k8s.io', {
          service: 'spark/analytics-webhook',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'second-instance-overwrites-configuration',
    what: 'Two instances of an operator write a configuration of the same name. It calls the second one, and matches its namespace only.',
    parts: inBusyCluster('spark-1', [
      ...['spark-1', 'spark-2'].flatMap((home) => [
        namespace(home, { 'spark-jobs': home }),
        service(`${home}/spark-webhook`, { selector: { app: 'spark-operator' }, ...to(8080) }),
        deployment(`${home}/spark-operator`, {
          replicas: 1,
          container: {
            name: 'spark-operator',
            image: 'mesosphere/kudo-spark-operator:2.4.5-1.0.1',
            ports: [{ containerPort: 8080 }],
            args: [
              '-enable-webhook=true',
              '-webhook-config-name=spark-webhook-config',
              `-namespace=${home}`,
              '-webhook-svc-name=spark-webhook',
            ],
          },
        }),
      ]),
      customResource('sparkapplications.sparkoperator.k8s.io', 'SparkApplication'),
      mutating('spark-webhook-config', [
        webhook('webhook.sparkoperator.k8s.io', {
          service: 'spark-2/spark-webhook',
          failurePolicy: 'Ignore',
          rules: pods,
          namespaceSelector: { matchLabels: { 'spark-jobs': 'spark-2' } },
        }),
      ]),
      applicationPod('spark-1', 'spark-pi-driver', {
        labels: { 'sparkoperator.k8s.io/launched-by-spark-operator': 'true' },
      }),
    ]),
  },
  {
    slug: 'operator-may-not-write-configurations',
    what: 'The role of an operator lacks the configurations of webhooks. It writes none, and stops there in each reconciliation.',
    parts: inBusyCluster('datadog', [
      namespace('datadog'),
      serviceAccount('datadog', 'datadog-operator'),
      deployment('datadog/datadog-operator', {
        replicas: 1,
        container: { name: 'datadog-operator', image: 'gcr.io/datadoghq/operator:0.7.0', ports: [] },
        spec: { serviceAccountName: 'datadog-operator' },
      }),
      customResource('datadogagents.datadoghq.com', 'DatadogAgent'),
      service('datadog/datadog-admission-controller', {
        selector: { app: 'datadog-cluster-agent' },
        ...to(8000),
      }),
      deployment('datadog/datadog-cluster-agent', {
        replicas: 1,
        container: {
          name: 'cluster-agent',
          image: 'gcr.io/datadoghq/cluster-agent:1.14.0',
          ports: [{ containerPort: 8000 }],
        },
      }),
    ]),
    logs: log(
      'datadog/datadog-operator',
      'E0924 09:31:18.221034       1 reflector.go:138] pkg/mod/k8s.io/client-go@v0.20.2/tools/cache/reflector.go:167: Failed to watch *v1beta1.MutatingWebhookConfiguration: failed to list *v1beta1.MutatingWebhookConfiguration: mutatingwebhookconfigurations.admissionregistration.k8s.io is forbidden: User "system:serviceaccount:datadog:datadog-operator" cannot list resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope',
      'datadog-operator',
    ),
  },
  {
    slug: 'pod-recreated-before-its-injector',
    deep: true,
    what: 'A node failed. The Pod of the application was created on another one before that of the injector, and has no sidecar.',
    parts: inBusyCluster('consul', [
      namespace('consul'),
      service('consul/consul-connect-injector-svc', {
        selector: { app: 'consul-connect-injector-webhook-deployment' },
        ...to(8080),
      }),
      deployment('consul/consul-connect-injector-webhook-deployment', {
        replicas: 1,
        container: {
          name: 'sidecar-injector',
          image: 'hashicorp/consul-k8s:0.24.0',
          ports: [{ containerPort: 8080 }],
        },
      }),
      mutating('consul-connect-injector-cfg', [
        webhook('consul-connect-injector.consul.hashicorp.com', {
          service: 'consul/consul-connect-injector-svc',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
      namespace('shop'),
      applicationPod('shop', 'orders-5c8d7f9b6-qk2mz', {
        annotations: { 'consul.hashicorp.com/connect-inject': 'true' },
        created: ago('3h'),
      }),
      applicationPod('shop', 'cart-7d4c9b8f5-lw9xn', { created: ago('3h') }),
    ]),
  },
  {
    slug: 'kustomization-without-service',
    what: 'A kustomization lacks the Service of the webhook.',
    parts: inBusyCluster('vpa', [
      ...autoscalers,
      autoscaler('vpa-admission-controller', { ports: [{ containerPort: 8000 }] }),
      autoscaler('vpa-updater'),
      autoscaler('vpa-recommender'),
      mutating('vpa-webhook-config', [
        webhook('vpa.k8s.io', { service: 'kube-system/vpa-webhook', failurePolicy: 'Ignore', rules: pods }),
      ]),
    ]),
  },
];
