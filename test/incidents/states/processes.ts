import { ago, lately } from '../../../src/demo/cluster/ago.ts';
import {
  crashing,
  evicted,
  notReady,
  ready,
  running,
  starting,
} from '../../../src/demo/cluster/behaviour.ts';
import { replicaName, replicaSetName } from '../../../src/demo/cluster/generated-name.ts';
import { installation } from '../../../src/demo/cluster/installation.ts';
import { namespace, service, servingSecretManifest } from '../../../src/demo/cluster/manifests.ts';
import { apiService, customResource, rule } from '../../../src/demo/cluster/webhook-manifests.ts';
import { type ClusterPart, deployment } from '../../../src/demo/cluster/workload-manifests.ts';
import { type IncidentState, log, mount, pods, withoutNamespace } from './parts.ts';

/** A webhook of which the only Pod exits repeatedly with these last log lines. */
const exits = (
  slug: string,
  what: string,
  key: string,
  log: string,
  over: Parameters<typeof installation>[1] = {},
): IncidentState => ({
  slug,
  what,
  parts: installation(key, {
    ...over,
    deployment: { replicas: 1, pods: [crashing(1, log)], ...over.deployment },
  }),
});

/** An extension API server of which the only Pod exits repeatedly with these last log lines. */
const apiServerExits = (slug: string, what: string, key: string, api: string, log: string): IncidentState => {
  const [home = '', name = ''] = key.split('/');
  const message = `endpoints for service/${name} in "${home}" have no addresses with port name ""`;
  return {
    slug,
    what,
    parts: [
      namespace(home),
      service(key),
      deployment(key, { replicas: 1, pods: [crashing(1, log)] }),
      apiService(api, key, { reason: 'MissingEndpoints', message }),
    ],
  };
};
const port443 = {
  service: { ports: [{ port: 443, targetPort: 443 }] },
  deployment: { container: { ports: [{ containerPort: 443 }] } },
};

/** Processes that exit, wait or never start to serve. */
export const processes: readonly IncidentState[] = [
  apiServerExits(
    'api-server-on-privileged-port',
    'An extension API server runs as a user that may not listen on port 443.',
    'cert-manager/cert-manager-webhook-ovh',
    'v1alpha1.acme.ovh.example',
    'Error: failed to create listener: failed to listen on 0.0.0.0:443: listen tcp 0.0.0.0:443: bind: permission denied\nUsage:\n   [flags]',
  ),
  {
    slug: 'privileged-port-and-running',
    what: 'The process may not listen on port 443, and continues without its server.',
    parts: installation('kyverno/kyverno-svc', {
      ...port443,
      deployment: {
        ...port443.deployment,
        replicas: 1,
        pods: [notReady('dial tcp 198.51.100.10:443: connect: connection refused', { listens: 'nowhere' })],
      },
    }),
    logs: log(
      'kyverno/kyverno-svc',
      'E1023 12:29:35.234650       1 server.go:513] WebhookServer "msg"="failed to listen to requests" "error"="listen tcp :443: bind: permission denied"',
    ),
  },
  apiServerExits(
    'api-server-of-another-architecture',
    'The image of an extension API server is built for amd64, and its node is arm64.',
    'cert-manager/regru-webhook',
    'v1alpha1.acme.regru.example',
    'exec /usr/local/bin/webhook: exec format error',
  ),
  exits(
    'argument-of-another-release',
    'The manifest has a flag that the program of this image does not have.',
    'metallb-system/webhook-service',
    'flag provided but not defined: -enable-webhook\nUsage of /controller:',
  ),
  exits(
    'variable-of-a-service',
    'A Service is named `webhook`, so Kubernetes sets WEBHOOK_PORT in each Pod, which the program reads as its port.',
    'knative-serving/webhook',
    'panic: failed to convert the environment variable "WEBHOOK_PORT" : strconv.Atoi: parsing "tcp://10.102.166.170:9090": invalid syntax\n\ngoroutine 1 [running]:\nknative.dev/pkg/webhook.PortFromEnv(0x7fe7c456d911)\n\tknative.dev/pkg@v0.0.0-20220412134708-e325df66cb51/webhook/env.go:37 +0x129',
  ),
  exits(
    'inotify-limit',
    'The node allows no more inotify instances; the certificate watcher cannot start.',
    'kruise-system/kruise-webhook-service',
    'panic: failed to new ca-cert watcher: too many open files\n\ngoroutine 301 [running]:\n\t/workspace/pkg/webhook/util/health/checker.go:117 +0x185',
  ),
  {
    slug: 'certificate-mounted-elsewhere',
    what: 'The Secret is mounted at another directory than the one that the program reads by default.',
    parts: [
      ...installation('app-system/app-webhook-service', {
        deployment: {
          replicas: 1,
          ...mount('webhook-cert'),
          pods: [
            crashing(
              1,
              '{"level":"error","logger":"setup","msg":"problem running manager","error":"open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory"}',
            ),
          ],
        },
      }),
      servingSecretManifest('app-system/webhook-cert', 'app-system/app-webhook-service'),
    ],
  },
  {
    slug: 'injector-of-removed-api',
    what: 'An old injector writes its configuration as v1beta1, after an upgrade of the cluster to 1.22.',
    parts: installation('vault/vault-agent-injector-svc', {
      deployment: { replicas: 1, pods: [notReady('HTTP probe failed with statuscode: 500')] },
      mutating: { name: 'vault.hashicorp.com', caBundle: '', failurePolicy: 'Ignore', rules: pods },
    }),
    logs: log(
      'vault/vault-agent-injector-svc',
      '2023-01-04T04:53:43.188Z [INFO]  handler.auto-tls: Generated CA\nError updating MutatingWebhookConfiguration: the server could not find the requested resource',
    ),
  },
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
    slug: 'certificate-not-mounted',
    what: 'program exits: cert file not there (not mounted)',
    parts: installation('cockroach-operator-system/cockroach-operator-manager', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            '{"level":"error","logger":"setup","msg":"problem running manager","error":"open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory"}',
          ),
        ],
      },
      mutating: {
        name: 'mcrdbcluster.kb.io',
        rules: [rule('crdb.cockroachlabs.com/v1alpha1', 'crdbclusters')],
      },
    }),
  },
  {
    slug: 'host-port-taken',
    what: 'hostNetwork port taken',
    parts: installation('external-secrets/external-secrets-webhook', {
      service: { ports: [{ port: 443, targetPort: 10250 }] },
      deployment: {
        replicas: 1,
        spec: { hostNetwork: true },
        container: { ports: [{ containerPort: 10250, hostPort: 10250 }] },
        pods: [
          crashing(
            1,
            '{"level":"error","logger":"setup","msg":"problem running manager","error":"listen tcp :10250: bind: address already in use"}',
          ),
        ],
      },
      validating: {
        name: 'validate.externalsecret.external-secrets.io',
        rules: [rule('external-secrets.io/v1beta1', 'externalsecrets')],
      },
    }),
  },
  {
    slug: 'privileged-port',
    what: 'bind permission denied :443',
    parts: installation('dw/dw-webhook-server', {
      service: { ports: [{ port: 443, targetPort: 443 }] },
      deployment: {
        replicas: 1,
        container: { ports: [{ containerPort: 443 }] },
        pods: [
          crashing(
            1,
            '{"level":"error","logger":"cmd","msg":"Manager exited non-zero","error":"listen tcp :443: bind: permission denied"}',
          ),
        ],
      },
    }),
  },
  {
    slug: 'entry-point-missing',
    what: 'no such file (args in place of command)',
    parts: [
      namespace('cert-manager'),
      service('cert-manager/alidns-webhook'),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'cert-manager',
          name: 'alidns-webhook-0',
          labels: { app: 'alidns-webhook' },
          creationTimestamp: ago('1h'),
        },
        spec: {
          nodeName: 'worker-1',
          containers: [
            { name: 'alidns', image: 'registry.example/alidns:v1', args: ['--tls-cert-file=/tls/tls.crt'] },
          ],
        },
        status: {
          phase: 'Pending',
          conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
          podIP: '198.51.100.60',
          podIPs: [{ ip: '198.51.100.60' }],
          containerStatuses: [
            {
              name: 'alidns',
              image: '',
              ready: false,
              restartCount: 6,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: {
                terminated: {
                  exitCode: 128,
                  reason: 'StartError',
                  message:
                    'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "--tls-cert-file=/tls/tls.crt": stat --tls-cert-file=/tls/tls.crt: no such file or directory: unknown',
                  startedAt: ago('2m'),
                  finishedAt: ago('2m'),
                },
              },
            },
          ],
        },
      } as never,
      apiService('v1alpha1.acme.alidns.example', 'cert-manager/alidns-webhook', {
        reason: 'MissingEndpoints',
        message: 'endpoints for service/alidns-webhook in "cert-manager" have no addresses with port name ""',
      }),
    ],
  },
  {
    slug: 'crd-of-dependency-missing',
    what: 'CRD not installed: log no matches for kind',
    parts: installation('capo-system/capo-webhook-service', {
      deployment: {
        replicas: 1,
        pods: [
          crashing(
            1,
            'E1 kind.go:71] controller-runtime/source/EventHandler "if kind is a CRD, it should be installed before calling Start" err="no matches for kind \\"Image\\" in version \\"openstack.k-orc.cloud/v1alpha1\\"" kind="Image.openstack.k-orc.cloud"\nE1 main.go:300] setup "problem running manager" err="failed to wait for openstackserver caches to sync: timed out waiting for cache to be synced"',
          ),
        ],
      },
      validating: {
        name: 'v.openstackcluster.cluster.x-k8s.io',
        rules: [rule('infrastructure.cluster.x-k8s.io/v1beta1', 'openstackclusters')],
      },
    }),
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
    slug: 'evicted-after-node-restart',
    what: 'after node restart Pod not recreated (bare / Failed)',
    parts: installation('gopaddle-servers/configurator-controllerwebhook', {
      barePod: { pods: [evicted('Pod was terminated in response to imminent node shutdown.')] } as never,
      validating: { name: 'podcontroller.configurator.gopaddle.io', rules: pods, timeoutSeconds: 10 },
    }),
  },
  {
    slug: 'windows-nodes-only',
    what: 'no linux node: replica-unschedulable',
    parts: withoutNamespace(
      installation('kube-system/gmsa-webhook', {
        deployment: { replicas: 1, spec: { nodeSelector: { 'kubernetes.io/os': 'windows-not' } } },
        mutating: { rules: pods, failurePolicy: 'Ignore' },
      }),
    ),
  },
  {
    slug: 'forbidden-to-list',
    what: 'SA may not list flowschemas; probe 500: service-account-lacks-rights',
    parts: [
      namespace('cic-system'),
      service('cic-system/designate-webhook'),
      deployment('cic-system/designate-webhook', {
        replicas: 1,
        spec: { serviceAccountName: 'designate-webhook' },
        pods: [notReady('HTTP probe failed with statuscode: 500')],
      }),
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'cic-system', name: 'designate-webhook' },
      },
      apiService('v1alpha1.acme.syseleven.example', 'cic-system/designate-webhook', {
        reason: 'MissingEndpoints',
        message:
          'endpoints for service/designate-webhook in "cic-system" have no addresses with port name ""',
      }),
    ],
    logs: log(
      'cic-system/designate-webhook',
      'E0823 09:06:19.824372       1 reflector.go:138] k8s.io/client-go@v0.23.4/tools/cache/reflector.go:167: Failed to watch *v1beta2.FlowSchema: failed to list *v1beta2.FlowSchema: flowschemas.flowcontrol.apiserver.k8s.io is forbidden: User "system:serviceaccount:cic-system:designate-webhook" cannot list resource "flowschemas" in API group "flowcontrol.apiserver.k8s.io" at the cluster scope',
    ),
  },
  {
    slug: 'server-on-another-port',
    what: '--webhook-port changed and container port not',
    parts: installation('kafka/kafka-operator-alertmanager', {
      service: { ports: [{ port: 443, targetPort: 9443 }] },
      deployment: {
        replicas: 1,
        container: {
          args: ['--webhook-server-port=9444'],
          ports: [{ containerPort: 9443 }],
          readinessProbe: { httpGet: { path: '/healthz', port: 8081 } } as never,
        },
        pods: [running({ listens: 'nowhere' })],
      },
    }),
  },
  {
    slug: 'waits-for-own-service',
    what: 'process waits for own webhook via Service without endpoints',
    parts: installation('longhorn-system/longhorn-conversion-webhook', {
      deployment: {
        replicas: 2,
        pods: [
          notReady(
            'Get "https://198.51.100.10:8443/v1/healthz": dial tcp 198.51.100.10:8443: connect: connection refused',
            { listens: 'nowhere' },
          ),
        ],
      },
    }),
    logs: log(
      'longhorn-system/longhorn-conversion-webhook',
      'time="2024-01-01" level=warning msg="Started webhook server, waiting for the webhook service to be accessible" error="Get \\"https://longhorn-conversion-webhook.longhorn-system.svc:9501/v1/healthz\\": dial tcp 10.43.1.2:9501: connect: connection refused"',
      'webhook',
      2,
    ),
  },
  {
    slug: 'key-of-another-certificate',
    what: 'Secret key does not belong to cert; process crashes',
    parts: [
      ...installation('minio-operator/operator', {
        deployment: {
          replicas: 1,
          ...mount('operator-tls'),
          pods: [crashing(1, 'F 1 main-controller.go:312] tls: private key does not match public key')],
        },
      }),
      servingSecretManifest('minio-operator/operator-tls', 'minio-operator/operator'),
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
  {
    slug: 'starting-up',
    what: 'A product was just installed. Its Pod is not ready yet. Calls come already.',
    parts: installation('fresh/fresh-policy', { deployment: { pods: [starting] } }),
  },
  exits(
    'certificate-argument-missing',
    'The program is started without the arguments that name its certificate, and exits.',
    'inteldeviceplugins-system/intel-fpga-webhook',
    'TLS certificate file is not set',
    { mutating: { name: 'fpga.mutator.webhooks.intel.com', failurePolicy: 'Ignore', rules: pods } },
  ),
  {
    slug: 'paths-of-an-older-release',
    what: 'The new release no longer serves webhooks on this port. The configuration of the older release remains and calls its path.',
    parts: [
      customResource('ec2nodeclasses.karpenter.k8s.aws', 'EC2NodeClass'),
      ...withoutNamespace(
        installation('kube-system/karpenter', {
          deployment: {
            pods: [running({ answer: 'raw', status: 404, body: '404 page not found\n' } as never)],
          },
          mutating: {
            name: 'defaulting.webhook.karpenter.k8s.aws',
            path: '/default/karpenter.k8s.aws',
            rules: [rule('karpenter.k8s.aws/v1', 'ec2nodeclasses')],
          },
        }),
      ),
    ],
  },
  {
    slug: 'path-not-served-to-own-pods',
    what: 'A webhook for all Pods is registered before its server knows the path: the running Pods respond with 404, and their successors, which would know it, must pass the webhook.',
    parts: installation('policies/policy-server-default', {
      deployment: { pods: [running({ answer: 'raw', status: 404, body: 'unknown policy' })] },
      validating: {
        name: 'clusterwide-test-policy.kubewarden.admission',
        path: '/validate/clusterwide-test-policy',
        rules: pods,
      },
    }),
  },
  {
    slug: 'slower-than-timeout',
    what: 'The timeout is 2 s. The process has too little CPU, and responds after 3 s.',
    parts: installation('hnc-system/hnc-webhook-service', {
      deployment: { replicas: 1, pods: [running({ delay: 3_000 })] },
      validating: { name: 'objects.hnc.x-k8s.io', timeoutSeconds: 2 },
    }),
  },
];

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
