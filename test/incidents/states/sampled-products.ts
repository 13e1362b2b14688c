import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, running } from '../../../src/demo/cluster/behaviour.ts';
import { lease, namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  type WebhookOver,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import {
  type ClusterPart,
  daemonSet,
  deployment,
  isWorkloadPart,
} from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster, restarted, withStatus } from './busy-cluster.ts';
import { dropped, on, waiting } from './managed-clusters.ts';
import { annotated, at, type IncidentState, log, mount, pods, policy, serviceAccount, to } from './parts.ts';

/** A CRD with these versions, the first of which is stored, and an object of the other one. */
function versioned(
  name: string,
  kind: string,
  [stored, former]: readonly [stored: string, former: string],
  over: WebhookOver = {},
): readonly ClusterPart[] {
  const { spec, ...crd } = customResource(name, kind, over);
  const [, ...group] = name.split('.');
  const version = { served: true, schema: { openAPIV3Schema: { type: 'object' } } };
  return [
    {
      ...crd,
      metadata: { ...crd.metadata, creationTimestamp: ago('200d') },
      spec: {
        ...(spec as object),
        versions: [
          { name: stored, storage: true, ...version },
          { name: former, storage: false, ...version },
        ],
      },
      status: { storedVersions: [former, stored] },
    },
    {
      apiVersion: `${group.join('.')}/${former}`,
      kind,
      metadata: { namespace: 'shop', name: 'orders', creationTimestamp: ago('190d') },
    } as never,
  ];
}

/** A Certificate of cert-manager with this condition. */
const certificate = (
  home: string,
  name: string,
  issuer: string,
  reason: string,
  message: string,
): ClusterPart =>
  ({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { namespace: home, name, creationTimestamp: ago('25m') },
    spec: {
      secretName: name,
      dnsNames: [`vault-secrets-webhook.${home}.svc`],
      issuerRef: { name: issuer, kind: 'Issuer' },
    },
    status: {
      conditions: [
        { type: 'Issuing', status: 'True', reason, message, lastTransitionTime: ago('25m') },
        { type: 'Ready', status: 'False', reason, message, lastTransitionTime: ago('25m') },
      ],
    },
  }) as never;

const issuer = (home: string, name: string, spec: object, ready: boolean, message: string): ClusterPart =>
  ({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Issuer',
    metadata: { namespace: home, name, creationTimestamp: ago('25m') },
    spec,
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', reason: 'x', message }] },
  }) as never;

/** The namespaceSelector of a chart that excludes namespaces by a label of its own. */
const exceptNamed = (...values: readonly string[]): NonNullable<WebhookOver['namespaceSelector']> => ({
  matchExpressions: [{ key: 'name', operator: 'NotIn', values }],
});

const withoutMetricsServer = (parts: readonly ClusterPart[]): readonly ClusterPart[] =>
  parts.filter((part) => {
    const { namespace: home, name } = (isWorkloadPart(part) ? part.manifest : part).metadata;
    return !(home === 'kube-system' && name === 'metrics-server');
  });

const spire = { service: 'spire/spire-controller-manager-webhook-service' };

const notMinted =
  '2022-11-16T13:03:55.437Z\tINFO\tsetup\tConfig loaded\t{"cluster name": "nsm-cluster", "trust domain": "example.org", "gc interval": "10s", "spire server socket path": "/run/spire/sockets/api.sock"}\n2022-11-16T13:03:55.590Z\tINFO\tcontroller-runtime.metrics\tmetrics server is starting to listen\t{"addr": "127.0.0.1:8082"}\n2022-11-16T13:03:55.591Z\tERROR\tsetup\tfailed to mint initial webhook certificate\t{"error": "failed to refresh bundle: failed to get bundle: rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing dial unix /run/spire/sockets/api.sock: connect: no such file or directory\\""}';

/** States of threads about operators that earlier samples have seldom, in the order in which searches found them. */
export const sampledProducts: readonly IncidentState[] = [
  {
    slug: 'conversion-panics-at-some-objects',
    what: 'The conversion webhook panics at objects of one kind, because it uses a field that it has not created.',
    parts: inBusyCluster('db-operator', [
      namespace('db-operator'),
      namespace('shop'),
      service('db-operator/db-operator-webhook-service', {
        selector: { app: 'db-operator-webhook' },
        ...to(9443),
      }),
      deployment('db-operator/db-operator-webhook', {
        replicas: 1,
        ...at(9443),
        pods: [running({ fault: 'close-http', atPath: '/convert' })],
      }),
      ...besides('db-operator', 'db-operator'),
      ...versioned('dbinstances.kinda.rocks', 'DbInstance', ['v1beta1', 'v1alpha1'], {
        service: 'db-operator/db-operator-webhook-service',
      }),
      ...versioned('databases.kinda.rocks', 'Database', ['v1beta1', 'v1alpha1'], {
        service: 'db-operator/db-operator-webhook-service',
      }),
      validating('db-operator-validating-webhook-configuration', [
        webhook('vdatabase.kb.io', {
          service: 'db-operator/db-operator-webhook-service',
          path: '/validate-kinda-rocks-v1beta1-database',
          rules: [rule('kinda.rocks/v1beta1', 'databases')],
        }),
      ]),
    ]),
    logs: {
      ...log(
        'db-operator/db-operator-webhook',
        '2023-10-18T09:14:02Z\tINFO\tcontroller-runtime.webhook\tServing webhook server\t{"host": "", "port": 9443}\n2023/10/18 09:21:33 http: panic serving 10.42.0.1:41562: runtime error: invalid memory address or nil pointer dereference\ngoroutine 211 [running]:\nnet/http.(*conn).serve.func1()\n\t/usr/local/go/src/net/http/server.go:1850 +0xbf\npanic({0x1654b40, 0x2679b50})\n\t/usr/local/go/src/runtime/panic.go:890 +0x262\ngithub.com/db-operator/db-operator/api/v1beta1.(*DbInstance).ConvertTo(0xc0005f0000, {0x1b7a9e8, 0xc0007a8000})\n\t/go/src/api/v1beta1/dbinstance_conversion.go:48 +0x1d2\nsigs.k8s.io/controller-runtime/pkg/webhook/conversion.(*webhook).convertObject(0xc0001a2d20)\n\t/go/pkg/mod/sigs.k8s.io/controller-runtime@v0.15.0/pkg/webhook/conversion/conversion.go:145 +0x6a5',
      ),
      ...log(
        'db-operator/db-operator',
        'W1018 09:21:33.601322       1 reflector.go:533] pkg/mod/k8s.io/client-go@v0.27.2/tools/cache/reflector.go:231: failed to list *v1alpha1.DbInstance: conversion webhook for kinda.rocks/v1beta1, Kind=DbInstance failed: Post "https://db-operator-webhook-service.db-operator.svc:443/convert?timeout=30s": EOF',
      ),
    },
  },
  {
    slug: 'no-token-is-mounted',
    what: 'An operator creates the Deployment without automountServiceAccountToken. The ServiceAccount turns it off, so the process has no token.',
    parts: inBusyCluster('kube-system', [
      service('kube-system/kube-ovn-webhook', to(8443)),
      {
        ...(serviceAccount('kube-system', 'ovn') as object),
        automountServiceAccountToken: false,
      } as never,
      deployment('kube-system/kube-ovn-webhook', {
        replicas: 1,
        container: { name: 'kube-ovn-webhook', ports: [{ containerPort: 8443 }] },
        spec: { serviceAccountName: 'ovn', hostNetwork: true } as never,
        pods: [
          crashing(
            1,
            'I0401 06:41:35.189563       1 server.go:40]\nKube-OVN:\n  Version:       v1.15.4\nE0401 06:41:35.190151       1 config.go:138] "unable to load in-cluster config" err="open /var/run/secrets/kubernetes.io/serviceaccount/token: no such file or directory" logger="controller-runtime.client.config"\nE0401 06:41:35.190846       1 config.go:185] "unable to get kubeconfig" err="invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable" logger="controller-runtime.client.config"',
          ),
        ],
      }),
      deployment('kube-system/kubeovn-operator-controller-manager', {
        replicas: 1,
        container: { ports: [] },
      }),
      validating('kube-ovn-webhook', [
        webhook('pod-ip-validaing.kube-ovn.io', {
          service: 'kube-system/kube-ovn-webhook',
          path: '/validate-ip',
          failurePolicy: 'Ignore',
          rules: [
            rule('apps/v1', 'deployments,statefulsets,daemonsets'),
            rule('v1', 'pods', 'CREATE'),
            rule('kubeovn.io/v1', 'subnets,vpcs', 'CREATE', 'UPDATE', 'DELETE'),
          ],
        }),
      ]),
    ]),
  },
  {
    slug: 'role-of-bundled-webhook-is-former-one',
    what: 'An operator installs another one with the role of its former release. The new webhook may not write its certificate and caBundle.',
    parts: inBusyCluster('cluster-network-addons', [
      namespace('cluster-network-addons'),
      service('cluster-network-addons/nmstate-webhook', {
        selector: { app: 'nmstate-webhook' },
        ...to(8443),
      }),
      serviceAccount('cluster-network-addons', 'nmstate-handler'),
      deployment('cluster-network-addons/nmstate-webhook', {
        replicas: 1,
        container: {
          name: 'nmstate-webhook',
          ports: [{ containerPort: 8443 }],
          readinessProbe: undefined,
        } as never,
        spec: { serviceAccountName: 'nmstate-handler' } as never,
        pods: [running({ listens: 'nowhere' })],
      }),
      daemonSet('cluster-network-addons/nmstate-handler', {
        container: { name: 'nmstate-handler', ports: [] },
        spec: { serviceAccountName: 'nmstate-handler' } as never,
      }),
      ...besides('cluster-network-addons', 'cluster-network-addons-operator'),
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'nmstate-handler' },
        rules: [
          { apiGroups: ['nmstate.io'], resources: ['*'], verbs: ['*'] },
          { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
        ],
      } as never,
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'nmstate-handler' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'nmstate-handler' },
        subjects: [{ kind: 'ServiceAccount', namespace: 'cluster-network-addons', name: 'nmstate-handler' }],
      } as never,
      mutating('nmstate', [
        webhook('nodenetworkconfigurationpolicies-mutate.nmstate.io', {
          service: 'cluster-network-addons/nmstate-webhook',
          path: '/nodenetworkconfigurationpolicies-mutate',
          caBundle: '',
          timeoutSeconds: 30,
          rules: [rule('nmstate.io/v1alpha1', 'nodenetworkconfigurationpolicies')],
        }),
      ]),
    ]),
    logs: log(
      'cluster-network-addons/nmstate-webhook',
      '{"level":"info","ts":1581936211.2,"logger":"controller-runtime.webhook","msg":"registering webhook","path":"/nodenetworkconfigurationpolicies-mutate"}\n{"level":"error","ts":1581936213.9,"logger":"webhook/server/certificate/manager","msg":"failed rotating certs","error":"failed reading mutatingwebhookconfigurations: mutatingwebhookconfigurations.admissionregistration.k8s.io \\"nmstate\\" is forbidden: User \\"system:serviceaccount:cluster-network-addons:nmstate-handler\\" cannot get resource \\"mutatingwebhookconfigurations\\" in API group \\"admissionregistration.k8s.io\\" at the cluster scope"}',
      'nmstate-webhook',
    ),
  },
  {
    slug: 'manifests-without-overlay',
    what: 'A base of Kustomize was applied by itself. Its configuration names the Service without prefix and namespace. The overlay has been applied since.',
    parts: inBusyCluster('piraeus-datastore', [
      namespace('piraeus-datastore'),
      service('piraeus-datastore/piraeus-operator-webhook-service', {
        selector: { app: 'piraeus-operator-controller-manager' },
        ...to(9443),
      }),
      deployment('piraeus-datastore/piraeus-operator-controller-manager', { replicas: 1, ...at(9443) }),
      ...besides('piraeus-datastore', 'piraeus-operator-gencert'),
      validating('piraeus-operator-validating-webhook-configuration', [
        webhook('vlinstorcluster.kb.io', {
          service: 'piraeus-datastore/piraeus-operator-webhook-service',
          path: '/validate-piraeus-io-v1-linstorcluster',
          timeoutSeconds: 10,
          rules: [rule('piraeus.io/v1', 'linstorclusters')],
        }),
        webhook('vlinstorsatellite.kb.io', {
          service: 'piraeus-datastore/piraeus-operator-webhook-service',
          path: '/validate-piraeus-io-v1-linstorsatellite',
          timeoutSeconds: 10,
          rules: [rule('piraeus.io/v1', 'linstorsatellites')],
        }),
      ]),
      validating('validating-webhook-configuration', [
        webhook('vlinstorcluster.kb.io', {
          service: 'system/webhook-service',
          path: '/validate-piraeus-io-v1-linstorcluster',
          caBundle: '',
          timeoutSeconds: 10,
          rules: [rule('piraeus.io/v1', 'linstorclusters')],
        }),
        webhook('vlinstorsatellite.kb.io', {
          service: 'system/webhook-service',
          path: '/validate-piraeus-io-v1-linstorsatellite',
          caBundle: '',
          timeoutSeconds: 10,
          rules: [rule('piraeus.io/v1', 'linstorsatellites')],
        }),
      ]),
    ]),
  },
  {
    slug: 'manifest-misspells-secret',
    what: 'The manifest mounts a Secret under a wrong name. The Certificate makes the Secret under the right one.',
    parts: inBusyCluster('topolvm-system', [
      namespace('topolvm-system'),
      service('topolvm-system/topolvm-hook', to(8443)),
      ...waiting(
        'topolvm-system/topolvm-hook',
        'FailedMount',
        'MountVolume.SetUp failed for volume "cert" : secret "topolvm-hook-certs" not found',
        mount('topolvm-hook-certs'),
      ),
      ...besides('topolvm-system', 'topolvm-controller'),
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { namespace: 'topolvm-system', name: 'pod-mutatingwebhook' },
        spec: {
          secretName: 'pod-mutatingwebhook',
          dnsNames: ['topolvm-hook.topolvm-system.svc'],
          issuerRef: { name: 'webhook-ca', kind: 'Issuer' },
        },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      } as never,
      {
        ...servingSecretManifest('topolvm-system/pod-mutatingwebhook', 'topolvm-system/topolvm-hook'),
        metadata: {
          namespace: 'topolvm-system',
          name: 'pod-mutatingwebhook',
          annotations: { 'cert-manager.io/certificate-name': 'pod-mutatingwebhook' },
        },
      },
      ...annotated(
        [
          mutating('topolvm-hook', [
            webhook('hook.topolvm.cybozu.com', {
              service: 'topolvm-system/topolvm-hook',
              path: '/mutate',
              namespaceSelector: {
                matchExpressions: [
                  { key: 'topolvm.cybozu.com/webhook', operator: 'NotIn', values: ['ignore'] },
                ],
              },
              rules: pods,
            }),
          ]),
        ],
        { 'cert-manager.io/inject-ca-from': 'topolvm-system/pod-mutatingwebhook' },
      ),
    ]),
  },
  {
    slug: 'own-secret-must-pass-webhook-for-secrets',
    what: 'A webhook for Secrets denies nothing, but fails closed. Its Pods wait for a Secret that cert-manager cannot create for that reason.',
    parts: inBusyCluster('vault-infra', [
      namespace('vault-infra'),
      service('vault-infra/vault-secrets-webhook', {
        selector: { app: 'vault-secrets-webhook' },
        ...to(8443),
      }),
      ...waiting(
        'vault-infra/vault-secrets-webhook',
        'FailedMount',
        'MountVolume.SetUp failed for volume "cert" : secret "vault-secrets-webhook-webhook-tls" not found',
        mount('vault-secrets-webhook-webhook-tls'),
      ),
      issuer('vault-infra', 'vault-secrets-webhook-selfsign', { selfSigned: {} }, true, ''),
      issuer(
        'vault-infra',
        'vault-secrets-webhook-ca',
        { ca: { secretName: 'vault-secrets-webhook-ca' } },
        false,
        'Error getting keypair for CA issuer: secrets "vault-secrets-webhook-ca" not found',
      ),
      certificate(
        'vault-infra',
        'vault-secrets-webhook-ca',
        'vault-secrets-webhook-selfsign',
        'DoesNotExist',
        'Issuing certificate as Secret does not exist',
      ),
      certificate(
        'vault-infra',
        'vault-secrets-webhook-webhook-tls',
        'vault-secrets-webhook-ca',
        'DoesNotExist',
        'Issuing certificate as Secret does not exist',
      ),
      ...annotated(
        [
          mutating('vault-secrets-webhook', [
            webhook('pods.vault-secrets-webhook.admission.banzaicloud.com', {
              service: 'vault-infra/vault-secrets-webhook',
              path: '/pods',
              caBundle: '',
              namespaceSelector: exceptNamed('kube-system', 'vault-infra'),
              objectSelector: {
                matchExpressions: [
                  { key: 'security.banzaicloud.io/mutate', operator: 'NotIn', values: ['skip'] },
                ],
              },
              rules: pods,
              failurePolicy: 'Ignore',
            }),
            webhook('secrets.vault-secrets-webhook.admission.banzaicloud.com', {
              service: 'vault-infra/vault-secrets-webhook',
              path: '/secrets',
              caBundle: '',
              namespaceSelector: exceptNamed('kube-system', 'vault-infra'),
              objectSelector: {
                matchExpressions: [
                  { key: 'owner', operator: 'NotIn', values: ['helm'] },
                  { key: 'security.banzaicloud.io/mutate', operator: 'NotIn', values: ['skip'] },
                ],
              },
              rules: [rule('v1', 'secrets')],
            }),
          ]),
        ],
        { 'cert-manager.io/inject-ca-from': 'vault-infra/vault-secrets-webhook-webhook-tls' },
      ),
    ]),
    logs: log(
      'cert-manager/cert-manager',
      'E0516 08:11:54.209107       1 controller.go:167] "cert-manager/certificates-key-manager: re-queuing item due to error processing" err="Internal error occurred: failed calling webhook \\"secrets.vault-secrets-webhook.admission.banzaicloud.com\\": failed to call webhook: Post \\"https://vault-secrets-webhook.vault-infra.svc:443/secrets?timeout=10s\\": no endpoints available for service \\"vault-secrets-webhook\\"" key="vault-infra/vault-secrets-webhook-ca"',
    ),
  },
  {
    slug: 'namespace-lacks-label-that-excludes-it',
    what: 'The chart excludes its own namespace by a label that the namespace does not have. With Fail, the webhook matches its own first Pod.',
    parts: inBusyCluster('kube-vault', [
      namespace('kube-vault'),
      service('kube-vault/vault-secrets-webhook', {
        selector: { app: 'vault-secrets-webhook' },
        ...to(8443),
      }),
      servingSecretManifest('kube-vault/vault-secrets-webhook', 'kube-vault/vault-secrets-webhook'),
      deployment('kube-vault/vault-secrets-webhook', {
        replicas: 1,
        ...mount('vault-secrets-webhook'),
        pods: [],
        refused:
          'Internal error occurred: failed calling webhook "pods.vault-secrets-webhook.admission.banzaicloud.com": failed to call webhook: Post "https://vault-secrets-webhook.kube-vault.svc:443/pods?timeout=30s": no endpoints available for service "vault-secrets-webhook"',
      }),
      ...besides('kube-vault', 'vault-operator'),
      mutating('vault-secrets-webhook', [
        webhook('pods.vault-secrets-webhook.admission.banzaicloud.com', {
          service: 'kube-vault/vault-secrets-webhook',
          path: '/pods',
          timeoutSeconds: 30,
          namespaceSelector: exceptNamed('kube-system', 'kube-vault'),
          rules: pods,
        }),
        webhook('secrets.vault-secrets-webhook.admission.banzaicloud.com', {
          service: 'kube-vault/vault-secrets-webhook',
          path: '/secrets',
          failurePolicy: 'Ignore',
          timeoutSeconds: 30,
          namespaceSelector: exceptNamed('kube-system', 'kube-vault'),
          rules: [rule('v1', 'secrets')],
        }),
      ]),
    ]),
  },
  {
    slug: 'resource-lacks-conversion-that-program-expects',
    what: 'A CRD has no conversion webhook. The program expects one, and logs an error again and again.',
    parts: inBusyCluster('knative-sources', [
      namespace('knative-sources'),
      namespace('shop'),
      service('knative-sources/kafka-source-webhook', {
        selector: { app: 'kafka-controller-manager' },
        ...to(8443),
      }),
      deployment('knative-sources/kafka-controller-manager', {
        replicas: 1,
        container: { name: 'manager', ports: [{ containerPort: 8443 }] },
      }),
      ...versioned('kafkasources.sources.knative.dev', 'KafkaSource', ['v1alpha1', 'v1beta1'], {
        service: 'knative-sources/kafka-source-webhook',
      }),
      ...versioned('kafkabindings.bindings.knative.dev', 'KafkaBinding', ['v1alpha1', 'v1beta1']),
      mutating('defaulting.webhook.kafka.sources.knative.dev', [
        webhook('defaulting.webhook.kafka.sources.knative.dev', {
          service: 'knative-sources/kafka-source-webhook',
          rules: [rule('sources.knative.dev/v1beta1', 'kafkasources')],
        }),
      ]),
    ]),
    logs: log(
      'knative-sources/kafka-controller-manager',
      '{"level":"error","ts":"2020-10-27T07:37:16.393Z","logger":"kafka-controller.ConversionWebhook","caller":"controller/controller.go:526","msg":"Reconcile error","error":"custom resource \\"kafkabindings.bindings.knative.dev\\" isn\'t configured for webhook conversion","knative.dev/key":"kafkabindings.bindings.knative.dev"}',
      'manager',
    ),
  },
  {
    slug: 'copied-resource-names-service-of-other-product',
    what: 'A CRD was copied from another product. Its conversion names the Service of that product, which is not installed.',
    parts: inBusyCluster('knative-eventing', [
      namespace('knative-eventing'),
      namespace('shop'),
      service('knative-eventing/kafka-webhook-eventing', to(8443)),
      deployment('knative-eventing/kafka-webhook-eventing', { replicas: 1 }),
      service('knative-eventing/eventing-webhook', to(8443)),
      deployment('knative-eventing/eventing-webhook', { replicas: 1 }),
      ...besides('knative-eventing', 'kafka-controller', 'eventing-controller'),
      ...versioned('kafkasources.sources.knative.dev', 'KafkaSource', ['v1beta1', 'v1alpha1'], {
        service: 'knative-eventing/kafka-source-webhook',
      }),
      mutating('defaulting.webhook.kafka.eventing.knative.dev', [
        webhook('defaulting.webhook.kafka.eventing.knative.dev', {
          service: 'knative-eventing/kafka-webhook-eventing',
          rules: [rule('sources.knative.dev/v1beta1', 'kafkasources')],
        }),
      ]),
      mutating('webhook.eventing.knative.dev', [
        webhook('webhook.eventing.knative.dev', {
          service: 'knative-eventing/eventing-webhook',
          rules: [rule('eventing.knative.dev/v1', 'brokers')],
        }),
      ]),
    ]),
  },
  {
    slug: 'operator-waits-for-api-of-unready-metrics-server',
    what: 'metrics-server of a chart is not ready on kind. Another operator lists all APIs, fails and is degraded.',
    parts: withoutMetricsServer(
      inBusyCluster('tigera-operator', [
        namespace('tigera-operator'),
        deployment('tigera-operator/tigera-operator', { replicas: 1, container: { ports: [] } }),
        service('default/metrics-server', to(10250)),
        deployment('default/metrics-server', {
          replicas: 1,
          container: { name: 'metrics-server', ports: [{ containerPort: 10250 }] },
          pods: [
            notReady('HTTP probe failed with statuscode: 500', {
              api: 'metrics.k8s.io/v1beta1',
              ready: false,
            }),
          ],
        }),
        apiService('v1beta1.metrics.k8s.io', 'default/metrics-server', {
          reason: 'MissingEndpoints',
          message:
            'endpoints for service/metrics-server in "default" have no addresses with port name "https"',
        }),
      ]),
    ),
    logs: {
      ...log(
        'default/metrics-server',
        'E1027 16:01:44.120183       1 scraper.go:140] "Failed to scrape node" err="Get \\"https://172.18.0.3:10250/metrics/resource\\": x509: cannot validate certificate for 172.18.0.3 because it doesn\'t contain any IP SANs" node="kind-control-plane"\nI1027 16:01:50.772134       1 server.go:187] "Failed probe" probe="metric-storage-ready" err="no metrics to serve"',
        'metrics-server',
      ),
      ...log(
        'tigera-operator/tigera-operator',
        '{"level":"error","ts":1666886510.3,"logger":"controller_compliance","msg":"Waiting for LicenseKeyAPI to be ready","error":"unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request"}',
      ),
    },
  },
  {
    slug: 'standby-does-not-renew-its-certificate',
    what: 'Only the leader renews its certificate, which is valid for a day. That of the standby has expired.',
    parts: inBusyCluster('spire', [
      namespace('spire'),
      service('spire/spire-controller-manager-webhook-service', {
        selector: { app: 'spire-server' },
        ...to(9443),
      }),
      deployment('spire/spire-server', {
        replicas: 2,
        container: { name: 'spire-controller-manager', ports: [{ containerPort: 9443 }] },
        pods: [running({}), running({ certificate: 'expired' })],
      }),
      lease('spire/98c9c988.spiffe.io', 'spire-server', 0),
      daemonSet('spire/spire-agent', { container: { name: 'spire-agent', ports: [] } }),
      validating('spire-controller-manager-webhook', [
        webhook('spire-controller-manager-webhook-service.spire.svc', {
          ...spire,
          path: '/validate-spire-spiffe-io-v1alpha1-clusterspiffeid',
          timeoutSeconds: 10,
          rules: [rule('spire.spiffe.io/v1alpha1', 'clusterspiffeids')],
        }),
      ]),
    ]),
  },
  {
    slug: 'minting-before-socket-exists',
    what: 'A container mints its certificate through a socket that the other container of the Pod has not created yet, and exits.',
    parts: inBusyCluster('spire', [
      namespace('spire'),
      service('spire/spire-controller-manager-webhook-service', {
        selector: { app: 'spire-server' },
        ...to(9443),
      }),
      ...withStatus(
        'spire/spire-server',
        {
          containerStatuses: [
            {
              name: 'spire-server',
              image: 'spire-server:1.5.1',
              ready: true,
              started: true,
              restartCount: 0,
              state: { running: { startedAt: ago('12m') } },
            },
            ...restarted(1, 'Error', 'spire-controller-manager').containerStatuses.map((one) => ({
              ...one,
              restartCount: 2,
              state: {
                waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container' },
              },
            })),
          ],
        },
        [],
        {
          spec: {
            containers: [
              {
                name: 'spire-server',
                image: 'spire-server:1.5.1',
                ports: [{ containerPort: 8081 }],
                volumeMounts: [{ name: 'spire-server-socket', mountPath: '/run/spire/sockets' }],
              },
              {
                name: 'spire-controller-manager',
                image: 'spire-controller-manager:0.2.1',
                ports: [{ containerPort: 9443 }],
                volumeMounts: [
                  { name: 'spire-server-socket', mountPath: '/run/spire/sockets', readOnly: true },
                ],
              },
            ],
            volumes: [{ name: 'spire-server-socket', emptyDir: {} }],
          } as never,
        },
      ),
      validating('spire-controller-manager-webhook', [
        webhook('vclusterspiffeid.kb.io', {
          ...spire,
          path: '/validate-spire-spiffe-io-v1alpha1-clusterspiffeid',
          rules: [rule('spire.spiffe.io/v1alpha1', 'clusterspiffeids')],
        }),
      ]),
    ]),
    logs: {
      'spire/spire-server-6f9d-x2x4z/spire-controller-manager/previous': notMinted,
      'spire/spire-server-6f9d-x2x4z/spire-controller-manager': notMinted,
    },
  },
  {
    slug: 'no-identity-for-webhook',
    what: 'The webhook gets its certificate from SPIRE, which has no entry for it: a custom resource was applied too early. The Pod does not listen.',
    parts: inBusyCluster('nsm-system', [
      namespace('nsm-system'),
      namespace('spire'),
      ...besides('spire', 'spire-server'),
      daemonSet('spire/spire-agent', { container: { name: 'spire-agent', ports: [] } }),
      service('nsm-system/admission-webhook-svc', {
        selector: { app: 'admission-webhook-k8s' },
        ...to(443),
      }),
      deployment('nsm-system/admission-webhook-k8s', {
        replicas: 1,
        container: { name: 'admission-webhook-k8s', ports: [{ containerPort: 443 }] },
        pods: [
          notReady(
            'Readiness probe failed: Get "https://10.244.1.9:443/ready": dial tcp 10.244.1.9:443: connect: connection refused',
            {
              listens: 'nowhere',
            },
          ),
        ],
      }),
      customResource('clusterspiffeids.spire.spiffe.io', 'ClusterSPIFFEID'),
      mutating(
        'nsm-mutating-webhook',
        [
          webhook('nsm-mutating-webhook.networkservicemesh.io', {
            service: 'nsm-system/admission-webhook-svc',
            path: '/mutate',
            timeoutSeconds: 10,
            namespaceSelector: {
              matchExpressions: [
                {
                  key: 'kubernetes.io/metadata.name',
                  operator: 'NotIn',
                  values: ['kube-system', 'spire', 'nsm-system'],
                },
                { key: 'name', operator: 'NotIn', values: ['spire'] },
              ],
            },
            rules: [
              rule('v1', 'pods'),
              rule('apps/v1', 'deployments,statefulsets,daemonsets,replicasets,namespaces'),
            ],
          }),
        ],
        { labels: { 'spiffe.io/webhook': 'true' } },
      ),
    ]),
    logs: log(
      'nsm-system/admission-webhook-k8s',
      'May  1 09:12:07.114 [INFO] [cmd:/bin/cmd-admission-webhook] Config: &{Name:admission-webhook-k8s Namespace:nsm-system}\nMay  1 09:12:09.871 [WARN] X509Source: rpc error: code = PermissionDenied desc = no identity issued\nMay  1 09:12:39.880 [WARN] X509Source: rpc error: code = PermissionDenied desc = no identity issued',
      'admission-webhook-k8s',
    ),
  },
  {
    slug: 'private-gke-storage-pool',
    what: 'A private GKE cluster: the firewall has no rule for the port of the admission server.',
    version: 'v1.33.5-gke.1080000',
    parts: on('gke', 'openebs', [
      namespace('openebs'),
      service('openebs/openebs-cstor-admission-server', {
        selector: { app: 'cstor-admission-webhook' },
        ...to(8443),
      }),
      deployment('openebs/cstor-admission-webhook', { replicas: 1, ...at(8443), pods: dropped }),
      ...besides('openebs', 'cspc-operator', 'cvc-operator'),
      validating('openebs-cstor-validation-webhook', [
        webhook('admission-webhook.cstor.openebs.io', {
          service: 'openebs/openebs-cstor-admission-server',
          path: '/validate',
          rules: [
            rule('cstor.openebs.io/v1', 'cstorpoolclusters,cstorvolumeconfigs', 'CREATE', 'UPDATE', 'DELETE'),
            rule('v1', 'persistentvolumeclaims', 'DELETE'),
            rule('v1', 'namespaces', 'DELETE'),
          ],
        }),
      ]),
    ]),
  },
  {
    slug: 'former-version-is-not-in-the-scheme',
    what: 'The program does not know the former version of its resource, so it serves no path for conversions.',
    parts: inBusyCluster('capo-system', [
      namespace('capo-system'),
      namespace('shop'),
      service('capo-system/capo-webhook-service', {
        selector: { app: 'capo-controller-manager' },
        ...to(9443),
      }),
      deployment('capo-system/capo-controller-manager', {
        replicas: 1,
        container: { name: 'manager', ports: [{ containerPort: 9443 }] },
        pods: [running({ answer: 'raw', status: 404, body: '404 page not found', atPath: '/convert' })],
      }),
      validating('capo-validating-webhook-configuration', [
        webhook('validation.openstackmachine.infrastructure.cluster.x-k8s.io', {
          service: 'capo-system/capo-webhook-service',
          path: '/validate-infrastructure-cluster-x-k8s-io-v1alpha4-openstackmachine',
          rules: [rule('infrastructure.cluster.x-k8s.io/v1alpha4', 'openstackmachines')],
        }),
      ]),
      ...versioned(
        'openstackmachines.infrastructure.cluster.x-k8s.io',
        'OpenStackMachine',
        ['v1alpha4', 'v1alpha3'],
        { service: 'capo-system/capo-webhook-service', path: '/convert' },
      ),
    ]),
    logs: log(
      'capo-system/capo-controller-manager',
      'I0907 08:12:33.611204       1 server.go:87] controller-runtime/webhook "msg"="registering webhook" "path"="/validate-infrastructure-cluster-x-k8s-io-v1alpha4-openstackmachine"\nI0907 08:12:33.711313       1 server.go:201] controller-runtime/webhook "msg"="serving webhook server" "host"="" "port"=9443',
      'manager',
    ),
  },
  {
    slug: 'policy-engine-blocks-start-of-control-plane',
    what: 'A policy engine that does not respond covers ConfigMaps of kube-system. A control plane that is upgraded cannot write its own, and does not become healthy.',
    version: 'v1.33.5-gke.1080000',
    parts: on('gke', 'opa', [
      namespace('opa', { 'openpolicyagent.org/webhook': 'ignore' }),
      service('opa/opa', to(8443)),
      deployment('opa/opa', {
        replicas: 1,
        container: { name: 'opa', ports: [{ containerPort: 8443 }], readinessProbe: undefined } as never,
        pods: [running({ fault: 'hang-http' })],
      }),
      validating('opa-validating-webhook', [
        webhook('validating-webhook.openpolicyagent.org', {
          service: 'opa/opa',
          path: '/',
          timeoutSeconds: 30,
          namespaceSelector: {
            matchExpressions: [{ key: 'openpolicyagent.org/webhook', operator: 'NotIn', values: ['ignore'] }],
          },
          rules: [rule('*/*', '*')],
        }),
      ]),
    ]),
  },
  {
    slug: 'mesh-policies-let-members-in-only',
    what: 'A service mesh adds NetworkPolicies to its member namespaces. They let Pods of members in, and not the API server.',
    parts: on('openshift', 'cnpg-system', [
      namespace('cnpg-system', { 'maistra.io/member-of': 'istio-system' }),
      namespace('istio-system'),
      deployment('istio-system/istiod-basic', { replicas: 1, container: { ports: [] } }),
      service('cnpg-system/cnpg-webhook-service', {
        selector: { app: 'cnpg-controller-manager' },
        ...to(9443),
      }),
      deployment('cnpg-system/cnpg-controller-manager', {
        replicas: 1,
        container: { name: 'manager', ports: [{ containerPort: 9443 }] },
        pods: dropped,
      }),
      policy('cnpg-system/istio-mesh-basic', {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [
          { from: [{ namespaceSelector: { matchLabels: { 'maistra.io/member-of': 'istio-system' } } }] },
        ],
      }),
      policy('cnpg-system/istio-expose-route-basic', {
        podSelector: { matchLabels: { 'maistra.io/expose-route': 'true' } },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              { namespaceSelector: { matchLabels: { 'network.openshift.io/policy-group': 'ingress' } } },
            ],
          },
        ],
      }),
      validating('cnpg-validating-webhook-configuration', [
        webhook('vcluster.cnpg.io', {
          service: 'cnpg-system/cnpg-webhook-service',
          timeoutSeconds: 10,
          rules: [rule('postgresql.cnpg.io/v1', 'clusters')],
        }),
        webhook('vpooler.cnpg.io', {
          service: 'cnpg-system/cnpg-webhook-service',
          timeoutSeconds: 10,
          rules: [rule('postgresql.cnpg.io/v1', 'poolers')],
        }),
      ]),
    ]),
  },
  {
    slug: 'operator-calls-itself-before-it-is-ready',
    what: 'At its start an operator creates objects that its own webhook must admit, and does not repeat that. Later the webhook responds.',
    parts: inBusyCluster('monitoring', [
      namespace('monitoring'),
      service('monitoring/victoriametrics-victoria-metrics-operator', {
        selector: { app: 'victoriametrics-victoria-metrics-operator' },
        ...to(9443),
      }),
      deployment('monitoring/victoriametrics-victoria-metrics-operator', {
        replicas: 1,
        container: { name: 'operator', ports: [{ containerPort: 9443 }] },
      }),
      ...besides('monitoring', 'kube-state-metrics', 'prometheus-operator'),
      customResource('servicemonitors.monitoring.coreos.com', 'ServiceMonitor'),
      validating('victoriametrics-victoria-metrics-operator-admission', [
        webhook('vmservicescrapes.operator.victoriametrics.com', {
          service: 'monitoring/victoriametrics-victoria-metrics-operator',
          rules: [rule('operator.victoriametrics.com/v1beta1', 'vmservicescrapes')],
        }),
        webhook('vmrules.operator.victoriametrics.com', {
          service: 'monitoring/victoriametrics-victoria-metrics-operator',
          rules: [rule('operator.victoriametrics.com/v1beta1', 'vmrules')],
        }),
      ]),
    ]),
    logs: log(
      'monitoring/victoriametrics-victoria-metrics-operator',
      '{"level":"info","ts":"2026-04-29T08:00:01Z","logger":"manager","msg":"starting manager"}\n{"level":"error","ts":"2026-04-29T08:00:03Z","logger":"manager.converter","msg":"cannot create VMServiceScrape","servicemonitor":"kubelet","error":"Internal error occurred: failed calling webhook \\"vmservicescrapes.operator.victoriametrics.com\\": failed to call webhook: Post \\"https://victoriametrics-victoria-metrics-operator.monitoring.svc:443/validate-operator-victoriametrics-com-v1beta1-vmservicescrape?timeout=10s\\": no endpoints available for service \\"victoriametrics-victoria-metrics-operator\\""}\n{"level":"error","ts":"2026-04-29T08:00:03Z","logger":"manager.converter","msg":"cannot create VMServiceScrape","servicemonitor":"node-exporter","error":"Internal error occurred: failed calling webhook \\"vmservicescrapes.operator.victoriametrics.com\\": failed to call webhook: Post \\"https://victoriametrics-victoria-metrics-operator.monitoring.svc:443/validate-operator-victoriametrics-com-v1beta1-vmservicescrape?timeout=10s\\": no endpoints available for service \\"victoriametrics-victoria-metrics-operator\\""}\n{"level":"info","ts":"2026-04-29T08:00:05Z","logger":"controller-runtime.webhook","msg":"Serving webhook server","port":9443}',
      'operator',
    ),
  },
  {
    slug: 'private-gke-runner-controller',
    what: 'A private GKE cluster: the control plane does not reach port 9443, so calls for runners and their Pods time out.',
    version: 'v1.33.5-gke.1080000',
    parts: on('gke', 'actions-runner-system', [
      namespace('actions-runner-system'),
      namespace('runners'),
      service('actions-runner-system/actions-runner-controller-webhook', {
        selector: { app: 'actions-runner-controller' },
        ...to(9443),
      }),
      deployment('actions-runner-system/actions-runner-controller', {
        replicas: 1,
        ...at(9443),
        pods: dropped,
      }),
      mutating('actions-runner-controller-mutating-webhook-configuration', [
        webhook('mutate.runner.actions.summerwind.dev', {
          service: 'actions-runner-system/actions-runner-controller-webhook',
          timeoutSeconds: 10,
          rules: [rule('actions.summerwind.dev/v1alpha1', 'runners')],
        }),
        webhook('mutate-runner-pod.webhook.actions.summerwind.dev', {
          service: 'actions-runner-system/actions-runner-controller-webhook',
          path: '/mutate-runner-set-pod',
          timeoutSeconds: 10,
          objectSelector: { matchLabels: { 'actions-runner-controller/inject-registration-token': 'true' } },
          rules: pods,
        }),
      ]),
      validating('actions-runner-controller-validating-webhook-configuration', [
        webhook('validate.runnerreplicaset.actions.summerwind.dev', {
          service: 'actions-runner-system/actions-runner-controller-webhook',
          timeoutSeconds: 10,
          rules: [rule('actions.summerwind.dev/v1alpha1', 'runnerreplicasets')],
        }),
      ]),
    ]),
  },
];
