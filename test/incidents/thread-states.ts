import { ago, lately } from '../../src/demo/cluster/ago.ts';
import { crashing, notReady, ready, running } from '../../src/demo/cluster/behaviour.ts';
import { replicaName, replicaSetName } from '../../src/demo/cluster/generated-name.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { lease, namespace, service, servingSecretManifest } from '../../src/demo/cluster/manifests.ts';
import {
  apiService,
  customResource,
  mutating,
  rule,
  webhook,
} from '../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, daemonSet, deployment } from '../../src/demo/cluster/workload-manifests.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';

export const pods = [rule('v1', 'pods', 'CREATE')];
export const mount = (secretName: string, container: object = {}) => ({
  container: { volumeMounts: [{ name: 'cert', mountPath: '/certs' }], ...container },
  spec: { volumes: [{ name: 'cert', secret: { secretName } }] },
});

/** A Job with the state of its only Pod's container. */
export const jobWith = (
  key: string,
  container: object,
  state: object,
  over: { readonly status?: object; readonly annotations?: Readonly<Record<string, string>> } = {},
): readonly ClusterPart[] => {
  const [home = '', name = ''] = key.split('/');
  const spec = { restartPolicy: 'OnFailure', containers: [container] };
  return [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        namespace: home,
        name,
        creationTimestamp: ago('2h'),
        ...(over.annotations && { annotations: over.annotations }),
      },
      spec: { template: { spec } },
      status: { active: 1, ...over.status },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: home,
        name: `${name}-jz4wk`,
        creationTimestamp: ago('2h'),
        labels: { 'job-name': name },
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name, controller: true, uid: `uid-of-${name}` },
        ],
      },
      spec: { ...spec, nodeName: 'worker-1' },
      status: {
        phase: JSON.stringify(state).includes('CrashLoop') ? 'Running' : 'Pending',
        containerStatuses: [
          { name: (container as { name: string }).name, image: '', ready: false, restartCount: 0, ...state },
        ],
      },
    },
  ] as unknown as readonly ClusterPart[];
};

/** A state that a thread reports: objects, the behavior of Pods, and logs by `namespace/pod/container`. */
export interface IncidentState extends Pick<Scenario, 'slug' | 'parts' | 'deep' | 'probe'> {
  readonly what: string;
  readonly logs?: Readonly<Record<string, string>>;
}

export const threadStates: readonly IncidentState[] = [
  {
    slug: 'crash-because-of-other-apiservice',
    what: 'The API of metrics is not Available. A program that reads all APIs at its start exits because of it. Its webhook has no Pod that serves.',
    parts: [
      ...installation('dynatrace/dynatrace-webhook', {
        deployment: {
          pods: [
            crashing(
              1,
              'Error: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request',
            ),
          ],
        },
        mutating: { failurePolicy: 'Ignore', timeoutSeconds: 10, rules: pods },
      }),
      service('kube-system/metrics-server'),
      deployment('kube-system/metrics-server', {
        replicas: 1,
        pods: [notReady('HTTP probe failed with statuscode: 500')],
      }),
      apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server', {
        reason: 'MissingEndpoints',
        message: 'endpoints for service/metrics-server in "kube-system" have no addresses with port name ""',
      }),
    ],
  },
  {
    slug: 'two-locks-in-two-pods',
    what: 'Two Pods hold one lock each: one that of the certificate writer, the other that of the webhook. The one that may serve has no certificate and exits. The one with a certificate waits for the lock.',
    parts: [
      namespace('dynatrace'),
      service('dynatrace/oneagent-webhook'),
      deployment('dynatrace/oneagent-webhook', {
        pods: [
          notReady(
            'Get "https://198.51.100.10:8443/livez": dial tcp 198.51.100.10:8443: connect: connection refused',
            {
              listens: 'nowhere',
            },
          ),
          crashing(
            1,
            'unable to start manager: open /tmp/k8s-webhook-server/certs/tls.crt: no such file or directory',
          ),
        ],
      }),
      lease('dynatrace/oneagent-bootstrapper-lock', 'oneagent-webhook', 0),
      lease('dynatrace/oneagent-webhook-lock', 'oneagent-webhook', 1),
      mutating('oneagent-webhook', [
        webhook('webhook.oneagent.example.com', {
          service: 'dynatrace/oneagent-webhook',
          rules: pods,
          failurePolicy: 'Ignore',
        }),
      ]),
    ],
  },
  {
    slug: 'certificates-only-at-the-leader',
    what: 'The leader fills the Secret and restarts itself. The other replica looked at the empty Secret at its start and does not serve webhooks. Half of the calls are refused.',
    parts: [
      ...installation('capsule-system/capsule-controller-manager', {
        service: { ports: [{ port: 443, targetPort: 9443 }] },
        deployment: {
          ...mount('capsule-tls', {
            ports: [{ containerPort: 9443 }],
            args: ['--enable-leader-election'],
            readinessProbe: { httpGet: { path: '/readyz', port: 10080, scheme: 'HTTP' } },
          }),
          pods: [ready, running({ listens: 'nowhere' })],
        },
        validating: { rules: [rule('v1', 'namespaces')] },
      }),
      servingSecretManifest('capsule-system/capsule-tls', 'capsule-system/capsule-controller-manager'),
      lease('capsule-system/capsule-lease', 'capsule-controller-manager', 0),
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
    slug: 'certificate-object-left-out',
    what: 'A manifest mounts the Secret of a certificate. The object that would order the certificate is only in another manifest. The Pod waits for the Secret.',
    parts: [
      ...installation('sgx-system/sgx-webhook-service', {
        deployment: { replicas: 1, ...mount('webhook-server-cert') },
        mutating: { caBundle: '', rules: pods },
      }),
      customResource('certificates.cert-manager.io', 'Certificate'),
    ],
  },
  {
    slug: 'own-pod-cannot-be-bound',
    what: 'A webhook intercepts the binding of Pods to nodes. Its Pods were deleted together. The scheduler cannot bind the new ones without it.',
    parts: [
      namespace('webhook'),
      service('webhook/envars-webhook'),
      ...unbound(
        'webhook',
        'envars-webhook',
        'running Bind plugin "DefaultBinder": Internal error occurred: failed calling webhook "envars-webhook.webhook.svc": failed to call webhook: Post "https://envars-webhook.webhook.svc:443/mutate?timeout=30s": no endpoints available for service "envars-webhook"',
      ),
      mutating('envars-webhook', [
        webhook('envars-webhook.webhook.svc', {
          service: 'webhook/envars-webhook',
          timeoutSeconds: 30,
          rules: [rule('v1', 'pods/binding', 'CREATE')],
        }),
      ]),
    ],
  },
  {
    slug: 'ca-injector-runs-another-program',
    what: 'Images come from a private registry; the one of the CA injector is that of the controller. Its Pod runs, and holds no Lease of an injector. No caBundle is written.',
    parts: [
      ...installation('cert-manager/cert-manager-webhook', {
        validating: {
          name: 'webhook.cert-manager.io',
          caBundle: '',
          rules: [rule('cert-manager.io/v1', 'certificates')],
        },
      }).map((part) =>
        'webhooks' in part
          ? {
              ...part,
              metadata: {
                ...part.metadata,
                annotations: {
                  'cert-manager.io/inject-ca-from-secret': 'cert-manager/cert-manager-webhook-ca',
                },
              },
            }
          : part,
      ),
      {
        ...servingSecretManifest('cert-manager/cert-manager-webhook-ca', 'cert-manager/cert-manager-webhook'),
        metadata: {
          namespace: 'cert-manager',
          name: 'cert-manager-webhook-ca',
          annotations: { 'cert-manager.io/allow-direct-injection': 'true' },
        },
      },
      customResource('certificates.cert-manager.io', 'Certificate'),
      deployment('cert-manager/cert-manager', {
        replicas: 1,
        container: {
          name: 'cert-manager-controller',
          image: 'registry.example/jetstack/cert-manager-controller:v1.13.3',
          ports: [],
        },
      }),
      deployment('cert-manager/cert-manager-cainjector', {
        replicas: 1,
        container: {
          name: 'cert-manager-cainjector',
          image: 'registry.example/jetstack/cert-manager-controller:v1.13.3',
          ports: [],
        },
      }),
      lease('kube-system/cert-manager-controller', 'cert-manager', 0),
    ],
  },
  {
    slug: 'exempting-label-missing',
    what: 'The chart creates the namespace with a label that exempts it; here it is created by hand. The webhook covers the Pods that serve it. None is ever created.',
    parts: [
      namespace('kruise-system'),
      service('kruise-system/kruise-webhook-service', {
        selector: { 'control-plane': 'controller-manager' },
        ports: [{ port: 443, targetPort: 9876 }],
      }),
      deployment('kruise-system/kruise-controller-manager', {
        replicas: 1,
        labels: { 'control-plane': 'controller-manager' },
        container: { ports: [{ containerPort: 9876 }] },
        refused:
          'Internal error occurred: failed calling webhook "mpod.kb.io": failed to call webhook: Post "https://kruise-webhook-service.kruise-system.svc:443/mutate-pod?timeout=10s": dial tcp 10.96.134.53:443: connect: connection refused',
      }),
      mutating('kruise-mutating-webhook-configuration', [
        webhook('mpod.kb.io', {
          service: 'kruise-system/kruise-webhook-service',
          timeoutSeconds: 10,
          rules: pods,
          namespaceSelector: {
            matchExpressions: [{ key: 'control-plane', operator: 'NotIn', values: ['openkruise'] }],
          },
        }),
      ]),
    ],
  },
  {
    slug: 'lease-may-not-be-created',
    what: 'A release narrows the Role of the program: it may not create Leases. A fresh installation has no Lease yet. The container exits repeatedly.',
    parts: [
      ...installation('karpenter/karpenter', {
        deployment: {
          spec: { serviceAccountName: 'karpenter' },
          container: { name: 'webhook' },
          pods: [
            crashing(
              1,
              'E0623 05:08:32.044105       1 leaderelection.go:329] error initially creating leader election record: leases.coordination.k8s.io is forbidden: User "system:serviceaccount:karpenter:karpenter" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "karpenter"',
            ),
          ],
        },
        validating: { name: 'defaulting.webhook.provisioners.karpenter.sh' },
      }),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'karpenter', name: 'karpenter' } },
    ],
  },
  {
    slug: 'own-pod-times-out',
    what: 'A demo webhook covers all Pods. The Pod that serves it is created after the configuration. Its creation times out.',
    parts: installation('webhook-demo/webhook-server', {
      deployment: {
        replicas: 1,
        refused: 'Timeout: request did not complete within requested timeout 30s',
      },
      mutating: { timeoutSeconds: 30, rules: pods },
    }),
  },
  {
    slug: 'image-blocked-in-two-revisions',
    what: 'An upgrade is tried while the images of the first release cannot be pulled either. The Pods of both revisions wait for images. The webhook never served.',
    parts: installation('cert-manager/cert-manager-webhook', {
      deployment: {
        replicas: 1,
        container: { image: 'quay.invalid/jetstack/cert-manager-webhook:v1.10.1' },
        pods: [ready],
        previous: [ready],
      },
      validating: { name: 'webhook.cert-manager.io', rules: [rule('cert-manager.io/v1', 'certificates')] },
    }),
  },
  {
    slug: 'proxy-service-selects-operator',
    what: 'Two Deployments of one operator have the same label. The Service of the webhook selects both. Half of the calls reach a Pod that does not listen on the port.',
    parts: [
      namespace('tekton-operator'),
      service('tekton-operator/tekton-operator-proxy-webhook', { selector: { name: 'tekton-operator' } }),
      deployment('tekton-operator/tekton-operator-proxy-webhook', {
        replicas: 1,
        labels: { name: 'tekton-operator' },
        container: { name: 'proxy' },
      }),
      deployment('tekton-operator/tekton-operator', {
        replicas: 1,
        labels: { name: 'tekton-operator' },
        container: {
          name: 'operator',
          ports: [{ name: 'metrics', containerPort: 9090 }],
          readinessProbe: {},
        },
      }),
      mutating('proxy.operator.tekton.dev', [
        webhook('proxy.operator.tekton.dev', {
          service: 'tekton-operator/tekton-operator-proxy-webhook',
          rules: pods,
        }),
      ]),
    ],
  },
  {
    slug: 'own-certificate-expired',
    what: 'A program signs its own certificate and keeps it in a Secret. It does not renew it. It has expired.',
    parts: [
      ...installation('cattle-system/rancher-webhook', {
        deployment: {
          replicas: 1,
          container: { image: 'rancher/rancher-webhook:v0.1.1' },
          pods: [running({ certificate: 'expired' })],
        },
        validating: { name: 'rancherauth.cattle.io', rules: [rule('management.cattle.io/v3', 'clusters')] },
      }),
      servingSecretManifest('cattle-system/cattle-webhook-tls', 'cattle-system/rancher-webhook', 'expired'),
    ],
  },
  {
    slug: 'killed-before-it-serves',
    what: 'An extension API server needs longer to start than its liveness probe allows. The kubelet kills it again and again. Its APIService is not Available.',
    parts: [
      namespace('cert-manager'),
      service('cert-manager/hetzner-webhook'),
      ...killed('cert-manager', 'hetzner-webhook'),
      apiService('v1alpha1.acme.hetzner.example', 'cert-manager/hetzner-webhook', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/hetzner-webhook in "cert-manager" have no addresses with port name ""',
      }),
    ],
  },
  {
    slug: 'network-plugin-crashes',
    what: 'The Pods of the network plugin crash. The Pod of the webhook runs and is Ready. The API server does not reach it.',
    parts: [
      ...installation('kubedirector/kubedirector', {
        deployment: { replicas: 1, pods: [running({ network: 'drops' })] },
        validating: { name: 'validate-cr.kubedirector.example.com', timeoutSeconds: 3 },
      }),
      daemonSet('kube-system/calico-node', {
        labels: { 'k8s-app': 'calico-node' },
        container: { name: 'calico-node', image: 'docker.io/calico/node:v3.16.0', ports: [] },
        spec: { hostNetwork: true },
        pods: [
          crashing(
            1,
            'bird: Unable to open configuration file /etc/calico/confd/config/bird.cfg: No such file or directory',
          ),
        ],
      }),
    ],
  },
  {
    slug: 'ca-secret-without-certificate',
    what: 'The Secret with the CA of the webhook holds something that is no certificate. The webhook cannot sign its serving certificate and is never Ready. Its log says so each second.',
    parts: [
      ...installation('cert-manager/cert-manager-webhook', {
        deployment: {
          replicas: 1,
          container: {
            args: [
              '--dynamic-serving-ca-secret-namespace=cert-manager',
              '--dynamic-serving-ca-secret-name=cert-manager-webhook-ca',
            ],
          },
          pods: [notReady('HTTP probe failed with statuscode: 500', { listens: 'nowhere' })],
        },
        validating: { name: 'webhook.cert-manager.io', caBundle: '' },
      }),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'cert-manager', name: 'cert-manager-webhook-ca' },
        type: 'Opaque',
        data: { 'ca.crt': '', 'tls.crt': '', 'tls.key': '' },
      },
    ],
    logs: {
      [`cert-manager/${replicaName(replicaSetName('cert-manager', 'cert-manager-webhook', 1), 0)}/webhook`]:
        'E0817 07:48:07.388620       1 dynamic_source.go:86] cert-manager/webhook "msg"="Failed to generate initial serving certificate, retrying..." "error"="failed verifying CA keypair: tls: failed to find any PEM data in certificate input"  "interval"=1000000000\nI0817 07:48:08.322516       1 server.go:342] cert-manager/webhook "msg"="Health check failed as CertificateSource is unhealthy"',
    },
  },
];

/** A Pod that the scheduler cannot bind. */
function unbound(home: string, name: string, message: string): readonly ClusterPart[] {
  const pod = `${name}-6d56ff8dd9-xk2p4`;
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: home,
        name: pod,
        labels: { app: name, 'pod-template-hash': '6d56ff8dd9' },
        creationTimestamp: ago('1h'),
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: `${name}-6d56ff8dd9`,
            uid: 'rs',
            controller: true,
          },
        ],
      },
      spec: {
        schedulerName: 'default-scheduler',
        containers: [
          { name: 'webhook', image: 'registry.example/webhook:1', ports: [{ containerPort: 8443 }] },
        ],
      },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'SchedulerError',
            message: `binding rejected: ${message}`,
            lastTransitionTime: ago('1h'),
          },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: home, name: `${pod}.fs` },
      involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace: home, name: pod },
      type: 'Warning',
      reason: 'FailedScheduling',
      message: `binding rejected: ${message}`,
      count: 12,
      firstTimestamp: ago('1h'),
      lastTimestamp: lately('1m'),
      source: { component: 'default-scheduler' },
    },
  ] as unknown as readonly ClusterPart[];
}

/** A Deployment whose only Pod the kubelet restarts: its liveness probe fails before it serves. */
function killed(home: string, name: string): readonly ClusterPart[] {
  const says = 'Liveness probe failed: Get "https://198.51.100.40:8443/healthz": context deadline exceeded';
  const pod = `${name}-6d56ff8dd9-rw6vc`;
  const probe = { httpGet: { path: '/healthz', port: 8443, scheme: 'HTTPS' } };
  const event = (reason: string, message: string, count: number) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: home, name: `${pod}.${reason.toLowerCase()}` },
    involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace: home, name: pod },
    type: 'Warning',
    reason,
    message,
    count,
    firstTimestamp: ago('2h'),
    lastTimestamp: lately('1m'),
    source: { component: 'kubelet' },
  });
  const container = {
    name: 'webhook',
    image: 'registry.example/webhook:1.3.3',
    ports: [{ containerPort: 8443 }],
    livenessProbe: probe,
    readinessProbe: probe,
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: home, name: pod, labels: { app: name }, creationTimestamp: ago('2h') },
      spec: { nodeName: 'worker-1', restartPolicy: 'Always', containers: [container] },
      status: {
        phase: 'Running',
        podIP: '198.51.100.40',
        podIPs: [{ ip: '198.51.100.40' }],
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          { type: 'Ready', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: ago('2h') },
        ],
        containerStatuses: [
          {
            name: 'webhook',
            image: container.image,
            ready: false,
            started: true,
            restartCount: 12,
            state: { running: { startedAt: lately('20s') } },
            lastState: {
              terminated: {
                exitCode: 137,
                reason: 'Error',
                startedAt: lately('2m'),
                finishedAt: lately('1m'),
              },
            },
          },
        ],
      },
    },
    event('Unhealthy', says, 40),
    event('Killing', 'Container webhook failed liveness probe, will be restarted', 12),
  ] as unknown as readonly ClusterPart[];
}
