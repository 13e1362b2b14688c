import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, running, starting } from '../../../src/demo/cluster/behaviour.ts';
import { namespace, node, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  exceptNamespaces,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster } from './busy-cluster.ts';
import { trusting } from './certificates.ts';
import { at, type IncidentState, log, mount, pods, policy, to } from './parts.ts';

const eksNode = node('ip-10-50-5-7.eu-west-1.compute.internal', {
  labels: { 'eks.amazonaws.com/nodegroup': 'workers' },
});
const gkeNode = node('gke-backup-pool-1', { labels: { 'cloud.google.com/gke-nodepool': 'pool' } });

/** The object as created some time ago. */
const createdAt = <T extends { readonly metadata: object }>(object: T, creationTimestamp: string): T => ({
  ...object,
  metadata: { ...object.metadata, creationTimestamp },
});

/** A running Pod without controller, with these annotations. */
const podWithout = (home: string, name: string, annotations: Readonly<Record<string, string>>): ClusterPart =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: home, name, creationTimestamp: ago('1h'), annotations },
    spec: { nodeName: 'worker-1', containers: [{ name: 'app', image: 'app:v3' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }) as never;

/** States of threads of a broad search in forums, mails and issues, in the order in which it found them. */
export const sampledBySearch: readonly IncidentState[] = [
  {
    slug: 'security-group-without-injector-port',
    what: 'The security group of the nodes does not admit port 15017 of the injector.',
    parts: [
      eksNode,
      ...inBusyCluster('istio-system', [
        service('istio-system/istiod', to(15017)),
        deployment('istio-system/istiod', {
          replicas: 1,
          ...at(15017),
          pods: [running({ network: 'drops' })],
        }),
        mutating('istio-sidecar-injector', [
          webhook('namespace.sidecar-injector.istio.io', {
            service: 'istio-system/istiod',
            path: '/inject',
            timeoutSeconds: 10,
            rules: pods,
            namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
          }),
        ]),
        namespace('shop', { 'istio-injection': 'enabled' }),
        deployment('shop/cart', {
          replicas: 1,
          pods: [],
          refused:
            'Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": context deadline exceeded',
        }),
      ]),
    ],
  },
  {
    slug: 'upgrade-drops-conversion',
    what: 'The upgrade replaces the CRD with one without conversion settings. Its program writes them again later.',
    parts: inBusyCluster('kubevirt-hyperconverged', [
      service('kubevirt-hyperconverged/hco-webhook-service', {
        selector: { app: 'hco-webhook' },
        ...to(4343),
      }),
      deployment('kubevirt-hyperconverged/hco-webhook', { replicas: 1, ...at(4343) }),
      validating('validate-hco.kubevirt.io', [
        webhook('validate-hco.kubevirt.io', {
          service: 'kubevirt-hyperconverged/hco-webhook-service',
          rules: [rule('hco.kubevirt.io/v1', 'hyperconvergeds')],
        }),
      ]),
      {
        ...customResource('hyperconvergeds.hco.kubevirt.io', 'HyperConverged'),
        status: { storedVersions: ['v1beta1', 'v1'] },
      } as never,
    ]),
  },
  {
    slug: 'converts-its-own-object-at-start',
    what: 'The program writes an object before it starts the server that converts this object.',
    parts: inBusyCluster('osm-system', [
      service('osm-system/osm-bootstrap', { ports: [{ port: 9443, targetPort: 9443 }] }),
      deployment('osm-system/osm-bootstrap', {
        replicas: 1,
        ...at(9443),
        pods: [
          crashing(
            1,
            '{"level":"info","component":"osm-bootstrap","message":"Starting osm-bootstrap v1.2.0"}\n{"level":"fatal","component":"osm-bootstrap","error":"conversion webhook for config.openservicemesh.io/v1alpha1, Kind=MeshConfig failed: Post \\"https://osm-bootstrap.osm-system.svc:9443/convert/meshconfig?timeout=30s\\": dial tcp 10.0.112.9:9443: connect: connection refused","time":"2022-08-04T18:11:05Z","file":"osm-bootstrap.go:150","message":"Error setting up default MeshConfig osm-mesh-config from ConfigMap preset-mesh-config"}',
          ),
        ],
      }),
      customResource('meshconfigs.config.openservicemesh.io', 'MeshConfig', {
        service: 'osm-system/osm-bootstrap',
        port: 9443,
        path: '/convert/meshconfig',
      }),
    ]),
  },
  {
    slug: 'aggregated-webhook-just-applied',
    what: 'cert-manager, whose webhook is behind an aggregated API, was applied a few seconds ago.',
    parts: [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook', to(6443)),
      deployment('cert-manager/cert-manager-webhook', { replicas: 1, ...at(6443), pods: [starting] }),
      ...besides('cert-manager', 'cert-manager'),
      apiService('v1beta1.webhook.cert-manager.io', 'cert-manager/cert-manager-webhook', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/cert-manager-webhook in "cert-manager" have no addresses with port name ""',
      }),
      mutating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'default/kubernetes',
          path: '/apis/webhook.cert-manager.io/v1beta1/mutations',
          caBundle: '',
          rules: [rule('cert-manager.io/v1alpha2', 'certificates,issuers')],
        }),
      ]),
      customResource('certificates.cert-manager.io', 'Certificate'),
      customResource('issuers.cert-manager.io', 'Issuer'),
    ],
  },
  {
    slug: 'configuration-taken-over-by-removed-installation',
    what: 'A second installation took over the configuration, which has the same name. Its namespace was deleted.',
    parts: inBusyCluster('linkerd', [
      service('linkerd/linkerd-proxy-injector'),
      deployment('linkerd/linkerd-proxy-injector', { replicas: 1 }),
      ...besides('linkerd', 'linkerd-controller', 'linkerd-identity'),
      mutating('linkerd-proxy-injector-webhook-config', [
        webhook('linkerd-proxy-injector.linkerd.io', {
          service: 'linkerd-overrule/linkerd-proxy-injector',
          path: '/',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'configurations-of-renamed-release',
    what: 'The namespace of the former release was deleted. Its configurations remain, the new ones have other names.',
    parts: inBusyCluster('scylla-operator', [
      service('scylla-operator/scylla-operator-webhook', {
        selector: { app: 'webhook-server' },
        ...to(5000),
      }),
      deployment('scylla-operator/webhook-server', { replicas: 2, ...at(5000) }),
      ...besides('scylla-operator', 'scylla-operator'),
      validating('scylla-operator', [
        webhook('webhook.scylla.scylladb.com', {
          service: 'scylla-operator/scylla-operator-webhook',
          rules: [rule('scylla.scylladb.com/v1', 'scyllaclusters')],
        }),
      ]),
      mutating('scylla-operator-mutating-webhook-configuration', [
        webhook('mcluster.scylla.scylladb.com', {
          service: 'scylla-operator-system/scylla-operator-webhook-service',
          rules: [rule('scylla.scylladb.com/v1', 'scyllaclusters')],
        }),
      ]),
      validating('scylla-operator-validating-webhook-configuration', [
        webhook('vcluster.scylla.scylladb.com', {
          service: 'scylla-operator-system/scylla-operator-webhook-service',
          rules: [rule('scylla.scylladb.com/v1', 'scyllaclusters')],
        }),
      ]),
    ]),
  },
  {
    slug: 'mutation-that-new-release-lacks',
    what: 'The new release does not serve the mutating webhook. Its configuration of the former release remains.',
    parts: inBusyCluster('seldon-system', [
      service('seldon-system/seldon-webhook-service', {
        selector: { app: 'seldon-controller-manager' },
        ...to(4443),
      }),
      deployment('seldon-system/seldon-controller-manager', {
        replicas: 1,
        ...at(4443),
        pods: [running({ answer: 'raw', status: 404, body: '404 page not found\n' })],
      }),
      mutating('seldon-mutating-webhook-configuration-seldon-system', [
        webhook('v1.mseldondeployment.kb.io', {
          service: 'seldon-system/seldon-webhook-service',
          path: '/mutate-machinelearning-seldon-io-v1-seldondeployment',
          rules: [rule('machinelearning.seldon.io/v1', 'seldondeployments')],
        }),
      ]),
    ]),
  },
  {
    slug: 'private-nodes-without-backup-port',
    what: 'The firewall of a private cluster does not admit the port of an aggregated API.',
    parts: [
      gkeNode,
      ...inBusyCluster('kube-system', [
        service('kube-system/stash-operator', to(8443)),
        deployment('kube-system/stash-operator', {
          replicas: 1,
          ...at(8443),
          pods: [running({ network: 'drops', api: 'admission.stash.appscode.com/v1alpha1' })],
        }),
        apiService('v1alpha1.admission.stash.appscode.com', 'kube-system/stash-operator', {
          reason: 'FailedDiscoveryCheck',
          message:
            'failing or missing response from https://10.4.2.17:8443/apis/admission.stash.appscode.com/v1alpha1: Get https://10.4.2.17:8443/apis/admission.stash.appscode.com/v1alpha1: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
        }),
      ]),
    ],
  },
  {
    slug: 'configurations-created-again-and-again',
    what: 'The program does not record that it is called, and deletes and creates its configurations every few minutes.',
    parts: inBusyCluster('kyverno', [
      service('kyverno/kyverno-svc', { selector: { app: 'kyverno' } }),
      deployment('kyverno/kyverno', { replicas: 3 }),
      createdAt(
        mutating('kyverno-verify-mutating-webhook-cfg', [
          webhook('monitor-webhooks.kyverno.svc', {
            service: 'kyverno/kyverno-svc',
            path: '/verifymutate',
            failurePolicy: 'Ignore',
            timeoutSeconds: 10,
            rules: [rule('apps/v1', 'deployments', 'UPDATE')],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kyverno' } },
          }),
        ]),
        ago('2m'),
      ),
      createdAt(
        mutating('kyverno-resource-mutating-webhook-cfg', [
          webhook('mutate.kyverno.svc-ignore', {
            service: 'kyverno/kyverno-svc',
            path: '/mutate/ignore',
            failurePolicy: 'Ignore',
            timeoutSeconds: 10,
            rules: [rule('*/*', 'pods')],
          }),
        ]),
        ago('2m'),
      ),
    ]),
    logs: log(
      'kyverno/kyverno',
      'E0304 07:53:24.553258       1 monitor.go:129] WebhookMonitor/webhookMonitor "msg"="webhook check failed" "error"="admission control configuration error"  "deadline"="5m0s"\nI0304 07:53:24.560993       1 status.go:75] WebhookMonitor/WebhookStatusControl "msg"="updating deployment annotation" "name"="kyverno" "namespace"="kyverno" "key"="kyverno.io/webhookActive" "val"="false"\nI0304 07:53:24.602152       1 registration.go:598] Register "msg"="webhook configuration deleted" "kind"="MutatingWebhookConfiguration" "name"="kyverno-verify-mutating-webhook-cfg"\nI0304 07:53:24.602323       1 configmanager.go:262] WebhookConfigManager/deleteWebhook "msg"="resource webhook configuration was deleted, recreating..."',
      'webhook',
      3,
    ),
  },
  {
    slug: 'injector-connection-reset-by-node',
    what: 'The proxy of a Windows node crashes and resets connections to the injector. Pods of that time have no sidecar.',
    parts: inBusyCluster('dapr-system', [
      node('akswin000001', {
        labels: { 'kubernetes.io/os': 'windows', 'kubernetes.azure.com/cluster': 'e2e' },
      }),
      service('dapr-system/dapr-sidecar-injector', to(4000)),
      deployment('dapr-system/dapr-sidecar-injector', { replicas: 1, ...at(4000) }),
      mutating('dapr-sidecar-injector', [
        webhook('sidecar-injector.dapr.io', {
          service: 'dapr-system/dapr-sidecar-injector',
          path: '/mutate',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
      namespace('dapr-tests'),
      podWithout('dapr-tests', 'hellodapr', { 'dapr.io/enabled': 'true', 'dapr.io/app-id': 'hellodapr' }),
    ]),
  },
  {
    slug: 'looks-for-its-deployment',
    what: 'The program looks for its own Deployment under a name that does not exist.',
    parts: inBusyCluster('tekton-pipelines', [
      service('tekton-pipelines/tekton-pipelines-webhook', {
        selector: { app: 'tekton-pipelines-webhook' },
      }),
      deployment('tekton-pipelines/tekton-pipelines-webhook', {
        replicas: 1,
        pods: [
          crashing(
            1,
            '{"level":"info","logger":"webhook","msg":"Starting the Configuration Webhook"}\n{"level":"fatal","logger":"webhook","msg":"Failed to fetch our deployment: deployments.extensions \\"webhook\\" not found"}',
          ),
        ],
      }),
      mutating('webhook.tekton.dev', [
        webhook('webhook.tekton.dev', {
          service: 'tekton-pipelines/tekton-pipelines-webhook',
          rules: [rule('tekton.dev/v1', 'tasks,pipelines')],
        }),
      ]),
    ]),
  },
  {
    slug: 'api-without-rules',
    what: 'The adapter has rules for external metrics only. The chart registers custom metrics as well.',
    parts: inBusyCluster('monitoring', [
      service('monitoring/prometheus-adapter', to(6443)),
      deployment('monitoring/prometheus-adapter', {
        replicas: 1,
        ...at(6443),
        pods: [running({ api: 'external.metrics.k8s.io/v1beta1' })],
      }),
      apiService('v1beta1.external.metrics.k8s.io', 'monitoring/prometheus-adapter'),
      apiService('v1beta1.custom.metrics.k8s.io', 'monitoring/prometheus-adapter', {
        reason: 'FailedDiscoveryCheck',
        message:
          'failing or missing response from https://10.244.3.18:6443/apis/custom.metrics.k8s.io/v1beta1: bad status from https://10.244.3.18:6443/apis/custom.metrics.k8s.io/v1beta1: 404',
      }),
    ]),
  },
  {
    slug: 'egress-to-api-server-denied',
    what: 'NetworkPolicies deny egress. The operator cannot reach the API server and exits.',
    parts: inBusyCluster('monitoring', [
      service('monitoring/kube-prometheus-operator', to(8443)),
      deployment('monitoring/kube-prometheus-operator', {
        replicas: 1,
        pods: [
          crashing(
            1,
            'level=info ts=2021-03-24T00:33:45.468477134Z caller=server.go:54 msg="enabling server side TLS"\nts=2021-03-24T00:33:45.477038546Z caller=main.go:117 msg="Starting secure server on [::]:8443"\nts=2021-03-24T00:34:15.469300614Z caller=main.go:422 msg="Unhandled error received. Exiting..." err="communicating with server failed: Get \\"https://172.20.0.1:443/version?timeout=32s\\": dial tcp 172.20.0.1:443: i/o timeout"',
          ),
        ],
      }),
      policy('monitoring/default-deny-egress', { podSelector: {}, policyTypes: ['Egress'], egress: [] }),
      validating('kube-prometheus-admission', [
        webhook('prometheusrulemutate.monitoring.coreos.com', {
          service: 'monitoring/kube-prometheus-operator',
          path: '/admission-prometheusrules/validate',
          rules: [rule('monitoring.coreos.com/v1', 'prometheusrules')],
        }),
      ]),
    ]),
  },
  {
    slug: 'security-group-without-metrics-port',
    what: 'The security group of the nodes does not admit port 6443 of an aggregated API.',
    parts: [
      eksNode,
      ...inBusyCluster('keda', [
        service('keda/keda-operator-metrics-apiserver', to(6443)),
        deployment('keda/keda-operator-metrics-apiserver', {
          replicas: 1,
          ...at(6443),
          pods: [running({ network: 'drops', api: 'external.metrics.k8s.io/v1beta1' })],
        }),
        ...besides('keda', 'keda-operator'),
        apiService('v1beta1.external.metrics.k8s.io', 'keda/keda-operator-metrics-apiserver', {
          reason: 'FailedDiscoveryCheck',
          message:
            'failing or missing response from https://10.50.5.231:6443/apis/external.metrics.k8s.io/v1beta1: Get "https://10.50.5.231:6443/apis/external.metrics.k8s.io/v1beta1": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
        }),
      ]),
    ],
  },
  {
    slug: 'setting-changed-certificate-regenerated',
    what: 'A change of a setting generates the certificate again. The Pod of the injector is not restarted.',
    parts: inBusyCluster('linkerd', [
      service('linkerd/linkerd-proxy-injector'),
      deployment('linkerd/linkerd-proxy-injector', {
        replicas: 1,
        ...mount('linkerd-proxy-injector-k8s-tls'),
        pods: [running({ certificate: 'trusted' })],
      }),
      servingSecretManifest(
        'linkerd/linkerd-proxy-injector-k8s-tls',
        'linkerd/linkerd-proxy-injector',
        'of-renewed-authority',
      ),
      ...trusting('of-renewed-authority', [
        mutating('linkerd-proxy-injector-webhook-config', [
          webhook('linkerd-proxy-injector.linkerd.io', {
            service: 'linkerd/linkerd-proxy-injector',
            path: '/',
            failurePolicy: 'Ignore',
            rules: pods,
          }),
        ]),
      ]),
    ]),
    logs: log(
      'linkerd/linkerd-proxy-injector',
      '2020/12/04 17:33:43 http: TLS handshake error from 127.0.0.1:57128: remote error: tls: bad certificate',
    ),
  },
  {
    slug: 'rules-of-the-former-release',
    what: 'The new release needs its webhook for updates of Deployments. The configuration has the rules of the former release.',
    parts: inBusyCluster('linkerd', [
      service('linkerd/linkerd-proxy-injector'),
      deployment('linkerd/linkerd-proxy-injector', { replicas: 1 }),
      mutating('linkerd-proxy-injector-webhook-config', [
        webhook('linkerd-proxy-injector.linkerd.io', {
          service: 'linkerd/linkerd-proxy-injector',
          path: '/',
          failurePolicy: 'Ignore',
          rules: [rule('apps/v1', 'deployments', 'CREATE')],
          namespaceSelector: exceptNamespaces('linkerd'),
        }),
      ]),
      namespace('emojivoto'),
      deployment('emojivoto/web', {
        replicas: 1,
        metadata: { annotations: { 'linkerd.io/inject': 'enabled' } },
      }),
      podWithout('emojivoto', 'vote-bot', { 'linkerd.io/inject': 'enabled' }),
    ]),
  },
  {
    slug: 'host-port-of-the-kubelet',
    what: 'The operator uses the network of its node and listens on the port of the kubelet.',
    parts: [
      eksNode,
      ...inBusyCluster('monitoring', [
        service('monitoring/kube-prometheus-operator', to(10250)),
        deployment('monitoring/kube-prometheus-operator', {
          replicas: 1,
          container: { ports: [{ containerPort: 10250, hostPort: 10250 } as never] },
          spec: { hostNetwork: true },
          pods: [
            crashing(
              1,
              'level=info ts=2021-05-20T14:01:20.927428939Z caller=main.go:220 msg="Starting Prometheus Operator" version="(version=0.47.1)"\nlistening failed:10250listen tcp :10250: bind: address already in use',
            ),
          ],
        }),
        validating('kube-prometheus-admission', [
          webhook('prometheusrulemutate.monitoring.coreos.com', {
            service: 'monitoring/kube-prometheus-operator',
            path: '/admission-prometheusrules/validate',
            rules: [rule('monitoring.coreos.com/v1', 'prometheusrules')],
          }),
        ]),
      ]),
    ],
  },
];
