import { ago } from '../../../src/demo/cluster/ago.ts';
import { crashing, notReady, outOfMemory, running } from '../../../src/demo/cluster/behaviour.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, service } from '../../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  validating,
  webhook,
} from '../../../src/demo/cluster/webhook-manifests.ts';
import { daemonSet, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { besides, inBusyCluster, restarted, withStatus } from './busy-cluster.ts';
import {
  at,
  failedCreate,
  type IncidentState,
  log,
  mount,
  pods,
  serviceAccount,
  to,
  unschedulable,
  warning,
} from './parts.ts';

const everything = [rule('*/*', '*', 'CREATE', 'UPDATE', 'DELETE')];

/** Backends that do not run, in clusters with other products and other sick Pods. */
export const busyBackends: readonly IncidentState[] = [
  {
    slug: 'owner-in-another-namespace',
    what: 'An operator made itself the owner of cert-manager across namespaces. The garbage collector deletes the Deployment of the webhook.',
    parts: inBusyCluster('cert-manager', [
      namespace('cert-manager'),
      service('cert-manager/cert-manager-webhook'),
      validating('cert-manager-webhook', [
        webhook('webhook.cert-manager.io', {
          service: 'cert-manager/cert-manager-webhook',
          rules: [rule('cert-manager.io/v1', 'certificates,issuers')],
        }),
      ]),
      warning(
        {
          kind: 'Deployment',
          namespace: 'cert-manager',
          name: 'cert-manager-webhook',
          uid: 'uid-of-the-deleted-one',
          apiVersion: 'apps/v1',
        },
        'OwnerRefInvalidNamespace',
        'ownerRef [ibm.com/v1alpha1/CertManagerAddon, namespace: cert-manager, name: addon, uid: 0d9c7a2e-31b1-4f0a-bb52-3a8a3e7c1f11] does not exist in namespace "cert-manager"',
        'garbage-collector-controller',
      ),
    ]),
  },
  {
    slug: 'manager-waits-for-its-own-service',
    what: 'Each manager calls its own webhook through the Service before it starts. The Service cannot be reached, and the manager exits.',
    parts: inBusyCluster('longhorn-system', [
      namespace('longhorn-system'),
      service('longhorn-system/longhorn-admission-webhook', {
        selector: { app: 'longhorn-manager' },
        ports: [{ name: 'admission-webhook', port: 9502, targetPort: 9502 }],
      }),
      service('longhorn-system/longhorn-backend', {
        selector: { app: 'longhorn-manager' },
        ports: [{ name: 'manager', port: 9500, targetPort: 9500 }],
      }),
      daemonSet('longhorn-system/longhorn-manager', {
        container: {
          name: 'longhorn-manager',
          ports: [
            { containerPort: 9500, name: 'manager' },
            { containerPort: 9502, name: 'admission-wh' },
          ],
        },
        pods: [
          crashing(
            1,
            'time="2023-10-02T09:12:01Z" level=info msg="Starting longhorn admission webhook server"\ntime="2023-10-02T09:12:04Z" level=info msg="Waiting for admission webhook to become ready"\ntime="2023-10-02T09:14:04Z" level=fatal msg="Error starting webhooks: admission webhook service is not accessible on cluster after 2m0s sec: timed out waiting for endpoint https://longhorn-admission-webhook.longhorn-system.svc:9502/v1/healthz to be available"',
          ),
        ],
      }),
      ...besides('longhorn-system', 'longhorn-ui', 'longhorn-driver-deployer', 'csi-provisioner'),
      validating('longhorn-webhook-validator', [
        webhook('validator.longhorn.io', {
          service: 'longhorn-system/longhorn-admission-webhook',
          port: 9502,
          rules: [rule('longhorn.io/v1beta2', '*', 'CREATE', 'UPDATE', 'DELETE')],
        }),
      ]),
      mutating('longhorn-webhook-mutator', [
        webhook('mutator.longhorn.io', {
          service: 'longhorn-system/longhorn-admission-webhook',
          port: 9502,
          rules: [rule('longhorn.io/v1beta2', '*', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'killed-when-all-restart',
    what: 'All controllers restart at once, and the webhook Pods exceed their memory limit.',
    parts: inBusyCluster('cnrm-system', [
      namespace('cnrm-system'),
      service('cnrm-system/cnrm-validating-webhook', { selector: { app: 'cnrm-webhook-manager' } }),
      deployment('cnrm-system/cnrm-webhook-manager', {
        container: { resources: { limits: { memory: '128Mi' }, requests: { memory: '64Mi' } } as never },
        pods: [outOfMemory],
      }),
      ...besides('cnrm-system', 'cnrm-controller-manager', 'cnrm-resource-stats-recorder'),
      validating('validating-webhook.cnrm.cloud.google.com', [
        webhook('deny-immutable-field-updates.cnrm.cloud.google.com', {
          service: 'cnrm-system/cnrm-validating-webhook',
          path: '/deny-immutable-field-updates',
          rules: [rule('*.cnrm.cloud.google.com/*', '*', 'UPDATE')],
        }),
        webhook('iam-validation.cnrm.cloud.google.com', {
          service: 'cnrm-system/cnrm-validating-webhook',
          path: '/iam-validation',
          rules: [rule('iam.cnrm.cloud.google.com/*', '*')],
        }),
      ]),
    ]),
  },
  {
    slug: 'killed-by-liveness-at-start',
    what: 'The controller starts more slowly than its liveness probe allows. The kubelet restarts it again and again.',
    parts: inBusyCluster('metallb-system', [
      namespace('metallb-system'),
      service('metallb-system/webhook-service', { selector: { app: 'controller' }, ...to(9443) }),
      ...withStatus(
        'metallb-system/controller',
        restarted(143, 'Error'),
        [
          [
            'Unhealthy',
            'Liveness probe failed: Get "http://198.51.100.77:7472/metrics": dial tcp 198.51.100.77:7472: connect: connection refused',
          ],
          [
            'Unhealthy',
            'Readiness probe failed: Get "http://198.51.100.77:7472/metrics": dial tcp 198.51.100.77:7472: connect: connection refused',
          ],
          ['Killing', 'Container webhook failed liveness probe, will be restarted'],
        ],
        at(9443, {
          livenessProbe: { httpGet: { path: '/metrics', port: 7472 }, initialDelaySeconds: 10 },
          readinessProbe: { httpGet: { path: '/metrics', port: 7472 }, initialDelaySeconds: 10 },
        }),
      ),
      daemonSet('metallb-system/speaker'),
      validating('metallb-webhook-configuration', [
        webhook('ipaddresspoolvalidationwebhook.metallb.io', {
          service: 'metallb-system/webhook-service',
          rules: [rule('metallb.io/v1beta1', 'ipaddresspools')],
        }),
        webhook('l2advertisementvalidationwebhook.metallb.io', {
          service: 'metallb-system/webhook-service',
          rules: [rule('metallb.io/v1beta1', 'l2advertisements')],
        }),
      ]),
    ]),
    logs: {
      'metallb-system/controller-6f9d-x2x4z/webhook':
        '{"level":"info","ts":"2022-11-01T10:00:00Z","msg":"MetalLB controller starting"}',
      'metallb-system/controller-6f9d-x2x4z/webhook/previous':
        '{"level":"info","ts":"2022-11-01T09:58:00Z","msg":"MetalLB controller starting"}\n{"level":"info","ts":"2022-11-01T09:58:21Z","msg":"Starting Manager"}',
    },
  },
  {
    slug: 'quota-refuses-certificate-job',
    what: 'The Job that generates the certificate has no resource limits, and a ResourceQuota requires them. The webhook waits for the Secret.',
    parts: inBusyCluster('spark', [
      namespace('spark'),
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { namespace: 'spark', name: 'compute' },
        spec: { hard: { 'limits.cpu': '40', 'limits.memory': '80Gi' } },
        status: { hard: { 'limits.cpu': '40' }, used: { 'limits.cpu': '3' } },
      } as never,
      service('spark/spark-operator-webhook', { selector: { app: 'spark-operator' }, ...to(8080) }),
      deployment('spark/spark-operator', {
        replicas: 1,
        ...mount('spark-webhook-certs', {
          ports: [{ containerPort: 8080 }],
          resources: { limits: { cpu: '1', memory: '1Gi' } },
        }),
      }),
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          namespace: 'spark',
          name: 'spark-operator-webhook-init',
          uid: 'uid-of-init',
          creationTimestamp: ago('1h'),
          annotations: { 'helm.sh/hook': 'pre-install, pre-upgrade' },
        },
        spec: {
          template: {
            spec: {
              restartPolicy: 'OnFailure',
              containers: [
                {
                  name: 'main',
                  image: 'spark-operator:v1.3',
                  command: [
                    '/usr/bin/gencerts.sh',
                    '-n',
                    'spark',
                    '-s',
                    'spark-operator-webhook',
                    '-r',
                    'spark-webhook-certs',
                    '-p',
                  ],
                },
              ],
            },
          },
        },
        status: {},
      } as never,
      failedCreate(
        { kind: 'Job', namespace: 'spark', name: 'spark-operator-webhook-init', uid: 'uid-of-init' },
        'Error creating: pods "spark-operator-webhook-init-5rwxk" is forbidden: failed quota: compute: must specify limits.cpu for: main; limits.memory for: main',
      ),
      mutating('spark-operator-webhook-config', [
        webhook('webhook.sparkoperator.k8s.io', {
          service: 'spark/spark-operator-webhook',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
      ]),
    ]),
  },
  {
    slug: 'network-agent-needs-policy-engine',
    what: 'After a stop of the cluster the agent of the network must create its CRD through a policy engine, whose Pods wait for the network.',
    parts: inBusyCluster('kyverno', [
      namespace('kyverno'),
      service('kyverno/kyverno-svc', { selector: { app: 'kyverno-admission-controller' }, ...to(9443) }),
      ...unschedulable(
        'kyverno/kyverno-admission-controller',
        '0/2 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/network-unavailable: }. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
      ),
      ...besides('kyverno', 'kyverno-background-controller', 'kyverno-cleanup-controller'),
      daemonSet('kube-system/azure-cns', {
        container: { name: 'cns-container', ports: [] },
        pods: [
          crashing(
            1,
            'failed to create CRD: Internal error occurred: failed calling webhook "validate.kyverno.svc-fail": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/validate/fail?timeout=10s": no endpoints available for service "kyverno-svc"',
          ),
        ],
      }),
      validating('kyverno-resource-validating-webhook-cfg', [
        webhook('validate.kyverno.svc-ignore', {
          service: 'kyverno/kyverno-svc',
          path: '/validate/ignore',
          failurePolicy: 'Ignore',
          timeoutSeconds: 10,
          rules: everything,
        }),
        webhook('validate.kyverno.svc-fail', {
          service: 'kyverno/kyverno-svc',
          path: '/validate/fail',
          timeoutSeconds: 10,
          rules: everything,
        }),
      ]),
    ]),
  },
  {
    slug: 'lists-what-it-converts',
    what: 'At its start the webhook lists objects of an older version, which only it can convert. It exits before it writes its certificate.',
    parts: inBusyCluster('knative-eventing', [
      namespace('knative-eventing'),
      service('knative-eventing/eventing-webhook'),
      deployment('knative-eventing/eventing-webhook', {
        replicas: 1,
        container: { name: 'eventing-webhook' },
        pods: [
          crashing(
            1,
            'E0212 10:01:11.300000       1 reflector.go:127] Failed to watch *v1.SinkBinding: failed to list *v1.SinkBinding: conversion webhook for sources.knative.dev/v1beta1, Kind=SinkBinding failed: Post "https://eventing-webhook.knative-eventing.svc:443/resource-conversion?timeout=30s": no endpoints available for service "eventing-webhook"\n{"level":"fatal","ts":"2021-02-12T10:01:20.100Z","logger":"eventing-webhook","msg":"Failed to start informers","error":"failed to wait for cache at index 4 to sync"}',
          ),
        ],
      }),
      ...besides('knative-eventing', 'eventing-controller', 'imc-controller', 'mt-broker-controller'),
      customResource('sinkbindings.sources.knative.dev', 'SinkBinding', {
        service: 'knative-eventing/eventing-webhook',
        path: '/resource-conversion',
      }),
      {
        apiVersion: 'sources.knative.dev/v1beta1',
        kind: 'SinkBinding',
        metadata: { namespace: 'default', name: 'bind-heartbeat' },
      } as never,
      validating('validation.webhook.eventing.knative.dev', [
        webhook('validation.webhook.eventing.knative.dev', {
          service: 'knative-eventing/eventing-webhook',
          rules: [rule('eventing.knative.dev/v1', 'brokers,triggers')],
        }),
      ]),
    ]),
  },
  {
    slug: 'fixed-namespace-of-certificate',
    what: 'The product is installed in another namespace than the one in its configuration. Its Pod never becomes Ready.',
    parts: inBusyCluster('batch-system', [
      namespace('batch-system'),
      service('batch-system/kueue-webhook-service', {
        selector: { app: 'kueue-controller-manager' },
        ...to(9443),
      }),
      deployment('batch-system/kueue-controller-manager', {
        replicas: 1,
        ...at(9443, { name: 'manager', readinessProbe: { httpGet: { path: '/readyz', port: 8081 } } }),
        pods: [notReady('HTTP probe failed with statuscode: 500', { listens: 'nowhere' })],
      }),
      mutating('kueue-mutating-webhook-configuration', [
        webhook('mjob.kb.io', {
          service: 'batch-system/kueue-webhook-service',
          caBundle: '',
          rules: [rule('batch/v1', 'jobs', 'CREATE')],
        }),
      ]),
      validating('kueue-validating-webhook-configuration', [
        webhook('vjob.kb.io', {
          service: 'batch-system/kueue-webhook-service',
          caBundle: '',
          rules: [rule('batch/v1', 'jobs')],
        }),
      ]),
    ]),
    logs: log(
      'batch-system/kueue-controller-manager',
      '{"level":"info","ts":"2024-12-09T10:00:01Z","logger":"setup","msg":"Waiting for certificate generation to complete"}\n{"level":"error","ts":"2024-12-09T10:00:02Z","logger":"cert-rotation","msg":"could not refresh CA and server certs","error":"secrets \\"kueue-webhook-server-cert\\" is forbidden: User \\"system:serviceaccount:batch-system:kueue-controller-manager\\" cannot update resource \\"secrets\\" in API group \\"\\" in the namespace \\"kueue-system\\""}',
      'manager',
    ),
  },
  {
    slug: 'may-not-create-ca-secret',
    what: 'The Role of the webhook allows it to update the Secret of its CA, not to create it.',
    parts: inBusyCluster('cert-manager', [
      ...besides('cert-manager', 'cert-manager'),
      serviceAccount('cert-manager', 'cert-manager-approver-policy'),
      ...installation('cert-manager/cert-manager-approver-policy', {
        deployment: {
          replicas: 1,
          spec: { serviceAccountName: 'cert-manager-approver-policy' } as never,
          pods: [notReady('HTTP probe failed with statuscode: 500', { listens: 'nowhere' })],
        },
        validating: {
          name: 'policy.cert-manager.io',
          caBundle: '',
          rules: [rule('policy.cert-manager.io/v1alpha1', 'certificaterequestpolicies')],
        },
      }),
    ]),
    logs: log(
      'cert-manager/cert-manager-approver-policy',
      'E0301 10:00:00.000000       1 authority.go:199] "error ensuring CA" err="secrets is forbidden: User \\"system:serviceaccount:cert-manager:cert-manager-approver-policy\\" cannot create resource \\"secrets\\" in API group \\"\\" in the namespace \\"cert-manager\\""',
    ),
  },
  {
    slug: 'two-controllers-one-host-port',
    what: 'Two cloud controllers run on the host network of the same nodes, and both listen for webhooks on port 10260 by default.',
    parts: inBusyCluster('kube-system', [
      service('kube-system/vsphere-cloud-controller-manager-webhook', {
        selector: { app: 'vsphere-cloud-controller-manager' },
        ports: [{ port: 443, targetPort: 10260 }],
      }),
      daemonSet('kube-system/rke2-cloud-controller-manager', {
        ...at(10260),
        spec: { hostNetwork: true },
      }),
      daemonSet('kube-system/vsphere-cloud-controller-manager', {
        ...at(10260),
        spec: { hostNetwork: true },
        pods: [
          crashing(
            1,
            'I0601 10:00:00.000000       1 serving.go:348] Generated self-signed cert in-memory\nError: failed to create listener: failed to listen on 0.0.0.0:10260: listen tcp 0.0.0.0:10260: bind: address already in use',
          ),
        ],
      }),
      validating('vsphere-cloud-controller-manager', [
        webhook('services.cpi.vsphere.example', {
          service: 'kube-system/vsphere-cloud-controller-manager-webhook',
          rules: [rule('v1', 'services')],
        }),
      ]),
    ]),
  },
  {
    slug: 'privileged-port-in-new-image',
    what: 'A new image does not run as root, and the webhook still listens on port 443.',
    parts: inBusyCluster('knative-testing', [
      namespace('knative-testing'),
      service('knative-testing/webhook', to(443)),
      deployment('knative-testing/webhook', {
        replicas: 1,
        ...at(443),
        pods: [
          crashing(
            1,
            '{"level":"info","ts":"2019-08-20T17:00:00Z","logger":"webhook","msg":"Found certificates for webhook..."}\n{"level":"fatal","ts":"2019-08-20T17:00:01Z","logger":"webhook","msg":"Error running webhook","error":"listen tcp :443: bind: permission denied"}',
          ),
        ],
        previous: [],
      }),
      mutating('webhook.testing.knative.dev', [
        webhook('webhook.testing.knative.dev', {
          service: 'knative-testing/webhook',
          rules: [rule('v1', 'configmaps', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'rights-removed-before-cleanup',
    what: 'helm uninstall removed the permissions before the terminating Pods had deleted their configurations.',
    parts: inBusyCluster('kyverno', [
      namespace('kyverno'),
      validating('kyverno-resource-validating-webhook-cfg', [
        webhook('validate.kyverno.svc-fail', {
          service: 'kyverno/kyverno-svc',
          path: '/validate/fail',
          timeoutSeconds: 10,
          rules: [rule('apps/v1', 'deployments,statefulsets'), ...pods],
        }),
      ]),
      mutating('kyverno-resource-mutating-webhook-cfg', [
        webhook('mutate.kyverno.svc-fail', {
          service: 'kyverno/kyverno-svc',
          path: '/mutate/fail',
          timeoutSeconds: 10,
          rules: [rule('v1', 'pods', 'CREATE', 'UPDATE')],
        }),
      ]),
      validating('kyverno-policy-validating-webhook-cfg', [
        webhook('validate-policy.kyverno.svc', {
          service: 'kyverno/kyverno-svc',
          path: '/policyvalidate',
          timeoutSeconds: 10,
          rules: [rule('kyverno.io/v1', 'clusterpolicies,policies')],
        }),
      ]),
      failedCreate(
        { kind: 'ReplicaSet', namespace: 'default', name: 'shop-6d5f7c8b9' },
        'Error creating: Internal error occurred: failed calling webhook "mutate.kyverno.svc-fail": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/mutate/fail?timeout=10s": service "kyverno-svc" not found',
        'apps/v1',
      ),
    ]),
  },
  {
    slug: 'lock-lost-under-slow-api',
    what: 'The API server is slow. The controller cannot renew its Lease, and exits. Pods are refused meanwhile.',
    parts: inBusyCluster('spiderpool', [
      namespace('spiderpool'),
      service('spiderpool/spiderpool-controller', to(5722)),
      deployment('spiderpool/spiderpool-controller', {
        replicas: 1,
        ...at(5722),
        pods: [
          crashing(
            1,
            'E0620 03:10:05.000000       1 leaderelection.go:330] error retrieving resource lock spiderpool/spiderpool-controller-leader: Get "https://203.0.113.1:443/apis/coordination.k8s.io/v1/namespaces/spiderpool/leases/spiderpool-controller-leader": context deadline exceeded\nI0620 03:10:05.100000       1 leaderelection.go:283] failed to renew lease spiderpool/spiderpool-controller-leader: timed out waiting for the condition\n{"level":"FATAL","ts":"2022-06-20T03:10:05.200Z","msg":"leader lost: spiderpool-controller, exit"}',
          ),
        ],
      }),
      daemonSet('spiderpool/spiderpool-agent'),
      mutating('spiderpool-controller', [
        webhook('spiderpool.io.ippool', {
          service: 'spiderpool/spiderpool-controller',
          rules: [rule('spiderpool.spidernet.io/v1', 'spiderippools')],
        }),
        webhook('pods.spiderpool.io', { service: 'spiderpool/spiderpool-controller', rules: pods }),
      ]),
    ]),
  },
  {
    slug: 'kind-that-cannot-be-watched',
    what: 'The configuration of the policy engine names a kind that cannot be watched, so its Pods do not become Ready.',
    parts: inBusyCluster('gatekeeper-system', [
      namespace('gatekeeper-system', { 'admission.gatekeeper.sh/ignore': 'no-self-managing' }),
      service('gatekeeper-system/gatekeeper-webhook-service', {
        selector: { app: 'gatekeeper-controller-manager' },
      }),
      deployment('gatekeeper-system/gatekeeper-controller-manager', {
        replicas: 3,
        container: { name: 'manager' },
        pods: [notReady('HTTP probe failed with statuscode: 500')],
      }),
      ...besides('gatekeeper-system', 'gatekeeper-audit'),
      validating('gatekeeper-validating-webhook-configuration', [
        webhook('validation.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          failurePolicy: 'Ignore',
          timeoutSeconds: 3,
          rules: [rule('*/*', '*')],
        }),
        webhook('check-ignore-label.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          timeoutSeconds: 3,
          rules: [rule('v1', 'namespaces')],
        }),
      ]),
    ]),
    logs: log(
      'gatekeeper-system/gatekeeper-controller-manager',
      '{"level":"info","ts":1676000000.1,"logger":"readiness-tracker","msg":"readiness checker started"}\n{"level":"error","ts":1676000001.2,"logger":"watch-manager","msg":"adding watch for kind","error":"no matches for kind \\"PodMetric\\" in version \\"metrics.k8s.io/v1beta1\\""}',
      'manager',
      3,
    ),
  },
  {
    slug: 'startup-probe-never-succeeds',
    what: 'The startup probe of the webhook never succeeds, and the kubelet restarts the container.',
    parts: inBusyCluster('cattle-system', [
      namespace('cattle-system'),
      service('cattle-system/rancher-webhook', to(9443)),
      ...withStatus(
        'cattle-system/rancher-webhook',
        restarted(137, 'Error'),
        [
          [
            'Unhealthy',
            'Startup probe failed: Get "https://198.51.100.77:9443/healthz": dial tcp 198.51.100.77:9443: connect: connection refused',
          ],
          ['Killing', 'Container webhook failed startup probe, will be restarted'],
        ],
        at(9443, {
          startupProbe: { httpGet: { path: '/healthz', port: 9443, scheme: 'HTTPS' }, failureThreshold: 60 },
        }),
      ),
      deployment('cattle-system/rancher', { replicas: 3 }),
      validating('rancher.cattle.io', [
        webhook('rancher.cattle.io.namespaces', {
          service: 'cattle-system/rancher-webhook',
          rules: [rule('v1', 'namespaces')],
        }),
        webhook('rancher.cattle.io.clusters.management.cattle.io', {
          service: 'cattle-system/rancher-webhook',
          rules: [rule('management.cattle.io/v3', 'clusters')],
        }),
      ]),
    ]),
    logs: {
      'cattle-system/rancher-webhook-6f9d-x2x4z/webhook':
        'time="2023-06-01T08:00:00Z" level=info msg="Rancher-webhook version v0.3.4 is starting"',
      'cattle-system/rancher-webhook-6f9d-x2x4z/webhook/previous':
        'time="2023-06-01T07:50:00Z" level=info msg="Rancher-webhook version v0.3.4 is starting"\ntime="2023-06-01T07:59:50Z" level=info msg="Waiting for CRD features.management.cattle.io to become available"',
    },
  },
  {
    slug: 'exits-because-of-other-api',
    what: 'The API of external metrics has no backend. A webhook server that discovers all APIs at its start exits.',
    parts: inBusyCluster('dynatrace', [
      namespace('dynatrace'),
      service('dynatrace/dynatrace-webhook'),
      deployment('dynatrace/dynatrace-webhook', {
        pods: [
          crashing(
            1,
            '{"level":"info","ts":"2024-05-21T08:00:00.000Z","logger":"main","msg":"dynatrace-operator","version":"v1.1.0"}\n{"level":"error","ts":"2024-05-21T08:00:03.100Z","logger":"webhook","msg":"problem running manager","error":"failed to get server groups and resources: unable to retrieve the complete list of server APIs: external.metrics.k8s.io/v1beta1: stale GroupVersion discovery: external.metrics.k8s.io/v1beta1"}',
          ),
        ],
      }),
      ...besides('dynatrace', 'dynatrace-operator'),
      namespace('keda'),
      service('keda/keda-operator-metrics-apiserver', to(6443)),
      deployment('keda/keda-operator-metrics-apiserver', { replicas: 0, ...at(6443) }),
      apiService('v1beta1.external.metrics.k8s.io', 'keda/keda-operator-metrics-apiserver', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/keda-operator-metrics-apiserver in "keda" have no addresses with port name ""',
      }),
      mutating('dynatrace-webhook', [
        webhook('webhook.pod.dynatrace.com', {
          service: 'dynatrace/dynatrace-webhook',
          failurePolicy: 'Ignore',
          rules: pods,
        }),
        webhook('webhook.ns.dynatrace.com', {
          service: 'dynatrace/dynatrace-webhook',
          failurePolicy: 'Ignore',
          rules: [rule('v1', 'namespaces', 'CREATE', 'UPDATE')],
        }),
      ]),
      validating('dynatrace-webhook', [
        webhook('webhook.dynatrace.com', {
          service: 'dynatrace/dynatrace-webhook',
          rules: [rule('dynatrace.com/v1beta2', 'dynakubes')],
        }),
      ]),
    ]),
  },
  {
    slug: 'metrics-and-webhook-on-one-port',
    what: 'The values set the metrics port of the webhook to the port of the webhook itself. The process exits.',
    parts: inBusyCluster('external-secrets', [
      namespace('external-secrets'),
      service('external-secrets/external-secrets-webhook', to(10250)),
      deployment('external-secrets/external-secrets-webhook', {
        replicas: 1,
        ...at(10250, { args: ['webhook', '--port=10250', '--metrics-addr=:10250'] }),
        pods: [
          crashing(
            1,
            '{"level":"info","ts":1679322216.2,"logger":"controller-runtime.metrics","msg":"Metrics server is starting to listen","addr":":10250"}\n{"level":"error","ts":1679322216.3408113,"logger":"setup","msg":"problem running manager","error":"listen tcp :10250: bind: address already in use"}',
          ),
        ],
      }),
      ...besides('external-secrets', 'external-secrets', 'external-secrets-cert-controller'),
      validating('secretstore-validate', [
        webhook('validate.secretstore.external-secrets.io', {
          service: 'external-secrets/external-secrets-webhook',
          rules: [rule('external-secrets.io/v1beta1', 'secretstores')],
        }),
        webhook('validate.clustersecretstore.external-secrets.io', {
          service: 'external-secrets/external-secrets-webhook',
          rules: [rule('external-secrets.io/v1beta1', 'clustersecretstores')],
        }),
      ]),
    ]),
  },
  {
    slug: 'configuration-of-removed-feature',
    what: 'The release has no admission controller any more. Configuration and Service of an earlier one remain, beside an operator that runs.',
    parts: inBusyCluster('rook-ceph', [
      namespace('rook-ceph'),
      service('rook-ceph/rook-ceph-admission-controller', {
        selector: { app: 'rook-ceph-admission-controller' },
        ...to(9443),
      }),
      ...besides('rook-ceph', 'rook-ceph-operator', 'rook-ceph-mon-a', 'rook-ceph-mgr-a'),
      validating('rook-ceph-webhook', [
        webhook('cephcluster-wh-rook-ceph-admission-controller-rook-ceph.rook.io', {
          service: 'rook-ceph/rook-ceph-admission-controller',
          rules: [rule('ceph.rook.io/v1', 'cephclusters', 'CREATE', 'UPDATE', 'DELETE')],
        }),
        webhook('cephblockpool-wh-rook-ceph-admission-controller-rook-ceph.rook.io', {
          service: 'rook-ceph/rook-ceph-admission-controller',
          rules: [rule('ceph.rook.io/v1', 'cephblockpools', 'CREATE', 'UPDATE', 'DELETE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'broken-manager-guards-deployments',
    what: 'A mistake in the configuration of a manager crashes it. Its webhook intercepts all Deployments, also the one that must be corrected.',
    parts: inBusyCluster('kueue-system', [
      namespace('kueue-system', { 'control-plane': 'controller-manager' }),
      service('kueue-system/kueue-webhook-service', {
        selector: { app: 'kueue-controller-manager' },
        ...to(9443),
      }),
      deployment('kueue-system/kueue-controller-manager', {
        replicas: 1,
        ...at(9443, { name: 'manager' }),
        pods: [
          crashing(
            1,
            '{"level":"error","ts":"2024-09-27T10:00:00Z","logger":"setup","msg":"Unable to load the configuration","error":"strict decoding error: unknown field \\"integrations.frameworkz\\""}',
          ),
        ],
      }),
      mutating('kueue-mutating-webhook-configuration', [
        webhook('mdeployment.kb.io', {
          service: 'kueue-system/kueue-webhook-service',
          rules: [rule('apps/v1', 'deployments', 'CREATE', 'UPDATE')],
        }),
        webhook('mjob.kb.io', {
          service: 'kueue-system/kueue-webhook-service',
          rules: [rule('batch/v1', 'jobs', 'CREATE')],
        }),
      ]),
      validating('kueue-validating-webhook-configuration', [
        webhook('vdeployment.kb.io', {
          service: 'kueue-system/kueue-webhook-service',
          rules: [rule('apps/v1', 'deployments', 'CREATE', 'UPDATE')],
        }),
      ]),
    ]),
  },
  {
    slug: 'fail-closed-from-the-first-start',
    what: 'The controller writes its default objects at its start, through its own webhook, which has failurePolicy Fail from the first installation.',
    parts: inBusyCluster('gloo-system', [
      namespace('gloo-system'),
      service('gloo-system/gloo'),
      deployment('gloo-system/gloo', {
        replicas: 1,
        container: { name: 'gloo' },
        pods: [
          crashing(
            1,
            '{"level":"info","ts":"2021-03-26T15:00:00Z","logger":"gloo.v1.event_loop","msg":"event loop started"}\n{"level":"fatal","ts":"2021-03-26T15:00:04Z","logger":"gloo","msg":"error in setup: error: Internal error occurred: failed calling webhook \\"gloo.gloo-system.svc\\": failed to call webhook: Post \\"https://gloo.gloo-system.svc:443/validation?timeout=10s\\": dial tcp 203.0.113.44:443: connect: connection refused"}',
          ),
        ],
      }),
      ...besides('gloo-system', 'discovery', 'gateway-proxy'),
      validating('gloo-gateway-validation-webhook-gloo-system', [
        webhook('gloo.gloo-system.svc', {
          service: 'gloo-system/gloo',
          path: '/validation',
          timeoutSeconds: 10,
          rules: [rule('gateway.solo.io/*', '*'), rule('gloo.solo.io/v1', 'upstreams')],
        }),
      ]),
    ]),
  },
  {
    slug: 'no-node-fits-policy-engine',
    what: 'The node pool of the policy engine was renamed, so none of its Pods can be scheduled. Validation is skipped.',
    parts: inBusyCluster('gatekeeper-system', [
      namespace('gatekeeper-system'),
      service('gatekeeper-system/gatekeeper-webhook-service', {
        selector: { app: 'gatekeeper-controller-manager' },
      }),
      ...unschedulable(
        'gatekeeper-system/gatekeeper-controller-manager',
        "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
      ),
      validating('gatekeeper-validating-webhook-configuration', [
        webhook('validation.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          failurePolicy: 'Ignore',
          rules: [rule('*/*', '*')],
        }),
      ]),
      mutating('gatekeeper-mutating-webhook-configuration', [
        webhook('mutation.gatekeeper.sh', {
          service: 'gatekeeper-system/gatekeeper-webhook-service',
          failurePolicy: 'Ignore',
          rules: [rule('*/*', '*')],
        }),
      ]),
    ]),
  },
  {
    slug: 'handshake-generates-keys',
    what: 'The server generates its certificate in the first handshake, on a CPU limit that is too small: handshakes never finish.',
    parts: inBusyCluster('emissary-system', [
      namespace('emissary-system'),
      service('emissary-system/emissary-apiext'),
      deployment('emissary-system/emissary-apiext', { pods: [running({ fault: 'hang-tls' })] }),
      ...besides('emissary-system', 'emissary-ingress-agent'),
      customResource('mappings.getambassador.io', 'Mapping', { service: 'emissary-system/emissary-apiext' }),
      customResource('hosts.getambassador.io', 'Host', { service: 'emissary-system/emissary-apiext' }),
    ]),
  },
];
