import { bootstrapDeadlock } from '../../../src/checks/scope/bootstrap-deadlock.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Metadata } from '../../../src/facts/objects/metadata.ts';
import type { Node } from '../../../src/facts/objects/node.ts';
import type { PodTemplate } from '../../../src/facts/objects/pod.ts';
import type { PodController } from '../../../src/facts/objects/pod-controller.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { brief } from '../../../src/phrases/brief.ts';
import { describeCheck } from '../../support/describe-check.ts';
import {
  conversion,
  healthy,
  lists,
  namespace,
  objects,
  pod,
  service,
  webhook,
  workload,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { empty } from '../backend/empty-backend.ts';
import { ago, event, events, status, waiting } from '../replica/replicas.ts';
import { leavingOut } from './scopes.ts';

const rule = (resources: string, over: Partial<RuleWithOperations> = {}): RuleWithOperations => ({
  operations: ['*'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: [resources],
  ...over,
});
const on = (resources: string, over: Partial<AdmissionCallout> = {}) =>
  webhook({ rules: [rule(resources)], ...over });
const system = [namespace(), namespace('kube-system'), namespace('kube-node-lease')];
const up = (callout: AdmissionCallout, over: Partial<Facts> = {}) =>
  healthy({ callouts: [callout], namespaces: objects(...system), ...over });
const down = (callout: AdmissionCallout, made: Workload, over: Partial<Facts> = {}) =>
  empty({
    callouts: [callout],
    namespaces: objects(...system),
    workloads: lists({ shop: [made] }),
    ...over,
  });
const refusedBy = (name: string) =>
  `Internal error occurred: failed calling webhook "${name}": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=5s": dial tcp 203.0.113.10:443: connect: connection refused`;
const failing = (message: string) =>
  workload({ status: { replicas: 0, conditions: [{ type: 'ReplicaFailure', status: 'True', message }] } });
const none = workload({ status: { replicas: 0 } });
const chain =
  'Deployment shop/policy → ReplicaSet → Pod → webhook policy.example.com → Service shop/policy → Deployment shop/policy';
const detail = refusedBy('policy.example.com');
/** The data of a finding, and the chain of dependencies in its evidence. */
const told = ({ chain: evidence, ...data }: { readonly chain: string; readonly [name: string]: string }) => ({
  data,
  evidence,
});
const who = { chain, workload: 'Deployment shop/policy', webhook: 'policy.example.com' };
const sees = (like: Parameters<typeof pod>[0], over: Partial<Facts> = {}) => ({
  pods: lists({ 'shop/policy': [pod(like)] }),
  ...over,
});
const unbound = {
  metadata: { creationTimestamp: '2025-12-31T23:00:00Z' },
  spec: { nodeName: undefined as never },
  status: { phase: 'Pending' as const, conditions: [], containerStatuses: [] },
};
const bound = {
  metadata: { creationTimestamp: '2025-12-31T23:00:00Z' },
  status: { phase: 'Pending' as const, conditions: [], containerStatuses: [] },
};
/** The kubelet has reported that the container runs; it is not Ready yet. */
const justStarted = {
  metadata: { creationTimestamp: ago(30) },
  status: {
    phase: 'Running' as const,
    conditions: [{ type: 'Ready', status: 'False' as const }],
    containerStatuses: [status({ started: true, state: { running: { startedAt: ago(10) } } })],
  },
};
const working = {
  metadata: { name: 'n1' },
  status: { conditions: [{ type: 'Ready', status: 'True' as const }] },
};
const notReady =
  '0/1 nodes are available: 1 node(s) had untolerated taint(s) {node.kubernetes.io/not-ready: }.';
const waitingFor = (message: string) => ({
  ...unbound,
  status: {
    ...unbound.status,
    conditions: [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable', message }],
  },
});
const nodeless = waitingFor(notReady);
const noDriver =
  'AttachVolume.Attach failed for volume "data" : CSINode n1 does not contain driver csi.example';
const noName = 'lookup vault.example.com on 203.0.113.53:53: read udp 198.51.100.7:40000: i/o timeout';
const wrongName = 'lookup valt.example.com on 203.0.113.53:53: no such host';
const crashing = {
  status: {
    conditions: [{ type: 'Ready', status: 'False' as const }],
    containerStatuses: [
      {
        name: 'webhook',
        ready: false,
        restartCount: 9,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting' } },
        lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      },
    ],
  },
};
/** A workload that lacks a Pod, and the Event with the reason. */
const refused = (
  kind: 'DaemonSet' | 'ReplicaSet',
  name: string,
  template: PodTemplate,
  message = detail,
  namespaceOf = 'kube-system',
): Partial<Facts> => ({
  failedCreateEvents: lists({
    FailedCreate: [
      {
        metadata: { name: `${name}.1`, namespace: namespaceOf },
        involvedObject: { kind, namespace: namespaceOf, name },
        type: 'Warning',
        reason: 'FailedCreate',
        message: `Error creating: ${message}`,
        lastTimestamp: '2025-12-31T23:59:00Z',
      },
    ],
  }),
  podControllers: complete<PodController>([
    [
      `${kind} ${namespaceOf}/${name}`,
      {
        kind,
        metadata: {
          name,
          namespace: namespaceOf,
          ...(kind === 'ReplicaSet'
            ? {
                ownerReferences: [
                  { apiVersion: 'apps/v1', kind: 'Deployment', name: 'owner', uid: 'o', controller: true },
                ],
              }
            : {}),
        },
        spec: { replicas: 1, template },
        status: { replicas: 0, desiredNumberScheduled: 1, currentNumberScheduled: 0 },
      },
    ],
  ]),
});
const madeWith = (
  spec: Partial<PodTemplate['spec']>,
  labels: Readonly<Record<string, string>> = {},
): PodTemplate => ({ metadata: { labels }, spec: { containers: [{ name: 'main' }], ...spec } });
const hostPath = (path: string) => madeWith({ volumes: [{ name: 'host', hostPath: { path } }] });
const cni = hostPath('/etc/cni/net.d');
const cloudManager = madeWith({
  tolerations: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized' }],
  containers: [{ name: 'main', args: ['--cloud-provider=example'] }],
});
const driver = hostPath('/var/lib/kubelet/plugins/csi.example.com/');
const provisioner = madeWith({
  containers: [{ name: 'main', env: [{ name: 'PROVISIONER_NAME', value: 'disks.example.com' }] }],
});
const dns = madeWith({}, { 'k8s-app': 'kube-dns' });
const dnsService = service(
  { clusterIP: '203.0.113.53', selector: { 'k8s-app': 'kube-dns' }, ports: [{ port: 53, protocol: 'UDP' }] },
  { name: 'kube-dns', namespace: 'kube-system' },
);
const uninitialized = waitingFor(
  '0/1 nodes are available: 1 node(s) had untolerated taint(s) {node.cloudprovider.kubernetes.io/uninitialized: true}.',
);
/** A workload of the system with all its Pods. */
const ofSystem = (kind: 'DaemonSet' | 'Deployment', name: string, template: PodTemplate): Workload =>
  workload({ kind, metadata: { name, namespace: 'kube-system' }, spec: { template } });
/** A healthy cluster, and a webhook that excludes its own Pods. */
const beside = (
  own: Partial<PodTemplate['spec']>,
  all: readonly Workload[],
  callout = on('pods', leavingOut('shop')),
) =>
  up(callout, {
    workloads: lists({
      shop: [workload({ spec: { template: madeWith(own, { app: 'policy' }) } })],
      'kube-system': all,
    }),
    services: objects(service(), dnsService),
  });
const calico = ofSystem('DaemonSet', 'calico-node', madeWith({ ...cni.spec, hostNetwork: true }));
const csi = 'csi.example.com';
const plugin = madeWith({
  volumes: [{ name: 'registration', hostPath: { path: '/var/lib/kubelet/plugins_registry/' } }],
  containers: [{ name: 'registrar', args: [`--kubelet-registration-path=/plugins/${csi}/csi.sock`] }],
});
const chainThrough = (what: string, made: string) =>
  `Deployment shop/policy → ReplicaSet → Pod → ${what} → ${made} → webhook policy.example.com → Service shop/policy → Deployment shop/policy`;
const starved = (what: string, supplier: string, made = `${supplier} → Pod`) => ({
  chain: chainThrough(what, made),
  requests: 'new Pods',
  supplier,
  webhook: 'policy.example.com',
  workload: 'Deployment shop/policy',
});
/** A cloud controller manager that serves its own webhook, on a port in its template. */
const url = 'https://127.0.0.1:10260/validate';
const hosting = madeWith({
  hostNetwork: true,
  containers: [{ name: 'ccm', args: ['--webhook-secure-port=10260'] }],
});
const hosted = (
  template: PodTemplate,
  over: Partial<AdmissionCallout> = {},
  more: Partial<Facts> = {},
): Partial<Facts> =>
  up(on('pods', { client: { url }, ...over }), {
    workloads: lists({ 'kube-system': [ofSystem('DaemonSet', 'ccm', template)] }),
    ...more,
  });
const onOwnNode: Partial<Facts> = {
  endpointSlices: lists({
    'default/kubernetes': [
      {
        metadata: { name: 'kubernetes', namespace: 'default' },
        addressType: 'IPv4' as const,
        ports: [],
        endpoints: [{ addresses: ['192.0.2.10'] }],
      },
    ],
  }),
};
const ofCcm = { workload: 'DaemonSet kube-system/ccm', webhook: 'policy.example.com' };
const ccmChain = (at = url) =>
  `DaemonSet kube-system/ccm → Pod → webhook policy.example.com → URL ${at} → DaemonSet kube-system/ccm`;

/** Since 1.35 the message of the scheduler names no taint; the nodes have them. */
const unnamedTaint = waitingFor('0/2 nodes are available: 2 node(s) had untolerated taint(s).');
const tainted = (...keys: readonly string[]): Partial<Facts> => ({
  ...sees(unnamedTaint),
  nodes: objects(
    ...['control-plane', ...keys].map((key, at) => ({
      metadata: { name: `n${at}` },
      spec: { taints: [{ key, effect: 'NoSchedule' }] },
    })),
  ),
});
const agentMissing = 'node.cilium.io/agent-not-ready';
const cilium = (tolerations: NonNullable<PodTemplate['spec']['tolerations']>): PodTemplate =>
  madeWith({ tolerations, containers: [{ name: 'agent', image: 'quay.io/cilium/cilium:v1' }] });
const noNetworkYet = 'node.kubernetes.io/network-unavailable';
const noCloudYet = 'node.cloudprovider.kubernetes.io/uninitialized';

const noSandbox =
  'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "1": plugin type="example" failed (add): no agent';
const inSandbox = (message = noSandbox): Partial<Facts> => ({
  pods: lists({ 'shop/policy': [waiting('ContainerCreating')] }),
  ...events(event('FailedCreatePodSandBox', message, { count: 8 })),
});
const unbound1 = waitingFor('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.');
const withClaim: Partial<Facts> = {
  pods: lists({
    'shop/policy': [
      pod({
        ...unbound1,
        spec: {
          ...unbound1.spec,
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      }),
    ],
  }),
  persistentVolumeClaims: complete<Metadata>([
    [
      'shop/data',
      {
        name: 'data',
        namespace: 'shop',
        annotations: { 'volume.kubernetes.io/storage-provisioner': 'disks.example.com' },
      },
    ],
  ]),
};
const noDriverOfPod: Partial<Facts> = {
  pods: lists({ 'shop/policy': [waiting('ContainerCreating')] }),
  ...events(
    event(
      'FailedMount',
      'MountVolume.MountDevice failed for volume "data" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name csi.example.com not found in the list of registered CSI drivers',
      { count: 8 },
    ),
  ),
};
const nameless = (line = noName): Partial<Facts> => ({
  ...sees(crashing),
  services: objects(service(), dnsService),
  logs: complete([['shop/policy-1/webhook', line]]),
});
/** Its own Pods are excluded, those of the system are not. */
const overSystem = on('pods', leavingOut('shop'));
const starving = (facts: Partial<Facts>, supplier: Partial<Facts>, callout = overSystem) =>
  down(callout, workload(), { ...facts, ...supplier });
const by = (dependency: string, supplier: string) =>
  `Deployment shop/policy → ReplicaSet → Pod → ${dependency} → ${supplier} → Pod → webhook policy.example.com → Service shop/policy → Deployment shop/policy`;
const byName = (expression: string) => ({ name: 'some', expression });
const condition = byName(
  "request.userInfo.username != 'system:serviceaccount:kube-system:replicaset-controller'",
);
const notOwn = { name: 'not-own', expression: "object.metadata.namespace != 'shop'" };

describeCheck(bootstrapDeadlock, {
  reports: [
    ...(['pods/status', 'serviceaccounts/token'] as const).flatMap((resource) =>
      [
        ['', {}] as const,
        [
          ', and its readiness probe has just failed',
          events(event('Unhealthy', 'Readiness probe failed: connection refused', { count: 1 })),
        ] as const,
      ].map(([how, reported]) => ({
        name: `a container that runs waits for no request for ${resource}${how}`,
        facts: down(on(resource), workload(), {
          ...sees(justStarted, { nodes: objects(working) }),
          ...reported,
        }),
        expect: { messageId: 'beside' },
      })),
    ),
    {
      name: 'Pods that their own webhook refuses, with the error of the API server',
      facts: down(on('pods'), failing(detail)),
      expect: {
        messageId: 'refused',
        ...told(who),
        confidence: 'observed',
      },
    },
    {
      name: 'the same of each callout of the backend, whatever it covers',
      facts: down(on('pods'), failing(detail), {
        callouts: [on('pods'), webhook({ failurePolicy: 'Ignore' }), conversion()],
      }),
      expect: [
        { messageId: 'refused', names: { place: 'shop', affected: 'deployment/policy' } },
        ...[1, 2].map(() => ({
          messageId: 'refused' as const,
          names: {
            blocker: 'policy.example.com',
            kind: 'validatingwebhookconfiguration',
            configuration: 'policy',
          },
        })),
      ],
    },
    {
      name: 'a refusal that lost the name of the webhook, by the Service called',
      facts: down(on('pods'), failing(detail.replace(' "policy.example.com"', ''))),
      expect: { messageId: 'refused' },
    },
    {
      name: 'a StatefulSet that its webhook keeps from making Pods, by event',
      facts: down(on('pods'), workload({ kind: 'StatefulSet', status: { replicas: 0 } }), {
        events: lists({
          shop: [
            {
              metadata: { name: 'policy.1', namespace: 'shop' },
              involvedObject: { kind: 'StatefulSet', namespace: 'shop', name: 'policy' },
              reason: 'FailedCreate',
              message: `create Pod policy-0 in StatefulSet policy failed error: ${detail}`,
            },
          ],
        }),
      }),
      expect: { messageId: 'refused' },
    },
    {
      name: 'a binding that the webhook refuses, by the word of the scheduler',
      facts: down(
        on('pods/binding'),
        none,
        sees({
          ...unbound,
          status: {
            phase: 'Pending',
            conditions: [
              {
                type: 'PodScheduled',
                status: 'False',
                reason: 'SchedulerError',
                message: `running Bind plugin "DefaultBinder": ${detail}`,
              },
            ],
          },
        }),
      ),
      expect: { messageId: 'unbound' },
    },
    {
      name: 'Pods that are not created although only the webhook blocks them',
      facts: down(on('pods'), none),
      expect: { messageId: 'stuck', ...told({ ...who, requests: 'new Pods' }), confidence: 'derived' },
    },
    {
      name: 'Pods that are not bound while the webhook covers bindings',
      facts: down(on('pods/binding'), workload(), sees(unbound)),
      expect: { messageId: 'stuck', ...told({ ...who, requests: 'creation of pods/binding' }) },
    },
    {
      name: 'Pods whose kubelet cannot report that they run',
      facts: down(on('pods/status'), workload(), sees(bound, { nodes: objects(working) })),
      expect: { messageId: 'stuck', ...told({ ...who, requests: 'updates of pods/status' }) },
    },
    {
      name: 'the same, after a readiness probe that failed while a Pod started',
      facts: down(on('pods/status'), workload(), {
        ...sees(waiting('ContainerCreating'), { nodes: objects(working) }),
        ...events(event('Unhealthy', 'Readiness probe failed: connection refused', { count: 1 })),
      }),
      expect: { messageId: 'stuck', ...told({ ...who, requests: 'updates of pods/status' }) },
    },
    {
      name: 'ready Pods that the endpoint controller cannot publish',
      facts: down(
        on('', { rules: [rule('endpointslices', { apiGroups: ['discovery.k8s.io'] })] }),
        workload(),
        sees({}),
      ),
      expect: { messageId: 'stuck', ...told({ ...who, requests: 'updates of EndpointSlices' }) },
    },
    {
      name: 'controllers that cannot lead, and so make no Pods',
      facts: down(on('', { rules: [rule('*', { apiGroups: ['coordination.k8s.io'] })] }), none),
      expect: { messageId: 'stuck', ...told({ ...who, requests: 'updates of Leases' }) },
    },
    {
      name: 'beside a scale of zero, that raising it will not help',
      facts: down(on('pods'), workload({ spec: { replicas: 0 }, status: {} })),
      expect: { messageId: 'beside', ...told({ ...who, requests: 'new Pods' }) },
    },
    {
      name: 'at zero replicas also that it cannot be scaled up',
      facts: down(
        on('', { rules: [rule('deployments/scale', { apiGroups: ['apps'] })] }),
        workload({ spec: { replicas: 0 }, status: {} }),
      ),
      expect: { messageId: 'beside', ...told({ ...who, requests: 'updates of deployments/scale' }) },
    },
    {
      name: 'beside a quota, which stays the cause',
      facts: down(
        on('pods'),
        failing('pods "policy-x" is forbidden: exceeded quota: tight, requested: pods=1'),
      ),
      expect: { messageId: 'beside' },
    },
    {
      name: 'beside a crash loop, which stays the cause',
      facts: down(on('pods'), workload(), sees(crashing)),
      expect: { messageId: 'beside' },
    },
    {
      name: 'beside a refusal by the webhook of another product',
      facts: down(on('pods'), failing(refusedBy('other.example.com'))),
      expect: { messageId: 'beside' },
    },
    {
      name: 'Pods without a ready node, for which the Pods of the network must pass the webhook',
      facts: down(on('pods', leavingOut('shop')), workload(), sees(nodeless)),
      expect: {
        messageId: 'nodes',
        data: {
          workload: 'Deployment shop/policy',
          webhook: 'policy.example.com',
          namespaces: 'namespace kube-system',
          detail: notReady.slice(0, -1),
        },
      },
    },
    {
      name: 'Pods whose volume driver does not run, for which its Pods must pass the webhook',
      facts: down(on('pods', leavingOut('shop')), workload(), {
        pods: lists({ 'shop/policy': [waiting('ContainerCreating')] }),
        ...events(event('FailedAttachVolume', noDriver, { count: 8 })),
      }),
      expect: {
        messageId: 'volumes',
        data: {
          workload: 'Deployment shop/policy',
          webhook: 'policy.example.com',
          namespaces: 'namespace kube-system',
          detail: `FailedAttachVolume: ${noDriver}`,
        },
      },
    },
    {
      name: 'Pods that cannot look up names, for which the Pods of DNS must pass the webhook',
      facts: down(on('pods', leavingOut('shop')), workload(), {
        ...sees(crashing),
        logs: complete([['shop/policy-1/webhook', `starting\n${noName}\n`]]),
      }),
      expect: {
        messageId: 'names',
        data: {
          workload: 'Deployment shop/policy',
          webhook: 'policy.example.com',
          namespaces: 'namespace kube-system',
          detail: noName,
        },
      },
    },
    {
      name: 'Pods without a ready node, and the Pods of the network that it refuses',
      facts: starving(sees(nodeless), refused('DaemonSet', 'agent', cni)),
      expect: {
        messageId: 'starved',
        ...told({
          chain: by('a ready node', 'DaemonSet kube-system/agent'),
          workload: 'Deployment shop/policy',
          dependency: 'a ready node',
          detail: notReady.slice(0, -1),
          webhook: 'policy.example.com',
        }),
        confidence: 'observed',
      },
    },
    {
      name: 'the same where its own Pods are covered, too, and of every callout of the backend',
      facts: starving(sees(nodeless), refused('DaemonSet', 'agent', cni), on('pods')),
      expect: { messageId: 'starved' },
    },
    {
      name: 'Pods that get no network while its agent is refused, wherever a distribution has its files',
      facts: starving(
        inSandbox(),
        refused('DaemonSet', 'agent', hostPath('/var/lib/rancher/k3s/agent/etc/cni/net.d')),
      ),
      expect: {
        messageId: 'starved',
        ...told({
          chain: by('the network of its node', 'DaemonSet kube-system/agent'),
          workload: 'Deployment shop/policy',
          dependency: 'the network of its node',
          detail: brief(`FailedCreatePodSandBox: ${noSandbox}`),
          webhook: 'policy.example.com',
        }),
      },
    },
    {
      name: 'Pods for whose node the cloud controller manager is refused',
      facts: starving(sees(uninitialized), refused('DaemonSet', 'ccm', cloudManager)),
      expect: { messageId: 'starved' },
    },
    {
      name: 'the same, where only the nodes name the taint',
      facts: starving(tainted(noCloudYet), refused('DaemonSet', 'ccm', cloudManager)),
      expect: { messageId: 'starved' },
    },
    {
      name: 'Pods without a node whose network is refused, where only the nodes name the taint',
      facts: starving(tainted(noNetworkYet), refused('DaemonSet', 'calico-node', cni)),
      expect: { messageId: 'starved' },
    },
    {
      name: 'Pods for whose node the agent of a product is refused, which removes its start-up taint',
      facts: starving(
        tainted(agentMissing),
        refused('DaemonSet', 'cilium', cilium([{ operator: 'Exists' }])),
      ),
      expect: {
        messageId: 'starved',
        ...told({
          chain: by(`a node without taint ${agentMissing}`, 'DaemonSet kube-system/cilium'),
          workload: 'Deployment shop/policy',
          dependency: `a node without taint ${agentMissing}`,
          detail: agentMissing,
          webhook: 'policy.example.com',
        }),
      },
    },
    {
      name: 'Pods whose volume driver is refused',
      facts: starving(noDriverOfPod, refused('DaemonSet', 'csi', driver)),
      expect: { messageId: 'starved' },
    },
    {
      name: 'Pods whose volume is not provisioned while the provisioner is rejected, by its Deployment',
      facts: starving(withClaim, refused('ReplicaSet', 'owner-1', provisioner)),
      expect: {
        messageId: 'starved',
        ...told({
          chain: by('a volume of disks.example.com', 'Deployment kube-system/owner → ReplicaSet'),
          workload: 'Deployment shop/policy',
          dependency: 'a volume of disks.example.com',
          detail: '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims',
          webhook: 'policy.example.com',
        }),
      },
    },
    {
      name: 'Pods that look up names while DNS is refused',
      facts: starving(nameless(), refused('ReplicaSet', 'owner-1', dns)),
      expect: { messageId: 'starved' },
    },
    {
      name: 'the same with a DNS cache on the node, or a message without an address',
      facts: starving(
        nameless('lookup a on 169.254.20.10:53: read udp: i/o timeout'),
        refused('ReplicaSet', 'owner-1', dns),
      ),
      expect: { messageId: 'starved' },
    },
    {
      name: 'less if a rejected workload has no relation to the missing component',
      facts: starving(sees(nodeless), refused('DaemonSet', 'other', madeWith({}))),
      expect: { messageId: 'nodes' },
    },
    {
      name: 'less where it is another driver',
      facts: starving(noDriverOfPod, refused('DaemonSet', 'csi', hostPath('/plugins/other.example.com'))),
      expect: { messageId: 'volumes' },
    },
    {
      name: 'less if another resolver is used',
      facts: starving(
        nameless('lookup a on 192.0.2.1:53: read udp: i/o timeout'),
        refused('ReplicaSet', 'owner-1', dns),
      ),
      expect: { messageId: 'names' },
    },
    {
      name: 'less where the webhook of another product refuses them',
      facts: starving(
        sees(nodeless),
        refused('DaemonSet', 'agent', cni, refusedBy('other.example.com').replace('policy.shop', 'x.other')),
      ),
      expect: { messageId: 'nodes' },
    },
    {
      name: 'less where what was refused is unknown',
      facts: starving(sees(nodeless), { failedCreateEvents: forbidden() }),
      expect: { messageId: 'nodes' },
    },
    {
      name: 'Pods that wait until a taint is removed from a node, where updates of Nodes must pass the webhook',
      facts: starving(sees(uninitialized), {}, on('nodes')),
      expect: {
        messageId: 'newNodes',
        data: {
          workload: 'Deployment shop/policy',
          webhook: 'policy.example.com',
          detail: brief(`Unschedulable: ${uninitialized.status?.conditions?.[0]?.message}`),
        },
      },
    },
    {
      name: 'the same of a node that was Ready before: another reason may keep the taint',
      facts: starving(sees(nodeless), {}, on('nodes')),
      expect: { messageId: 'taints' },
    },
    {
      name: 'less about the cloud',
      facts: starving(sees(uninitialized), {}),
      expect: { messageId: 'cloud' },
    },
    { name: 'less about the network', facts: starving(inSandbox(), {}), expect: { messageId: 'network' } },
    { name: 'less about a provisioner', facts: starving(withClaim, {}), expect: { messageId: 'claims' } },
    {
      name: 'beside Pods that crash, that more of them are refused',
      facts: down(on('pods'), failing(detail), sees(crashing)),
      expect: { messageId: 'beside' },
    },
    {
      name: 'that whole replicas could not come back',
      facts: up(on('pods')),
      expect: { messageId: 'would', ...told({ ...who, requests: 'new Pods' }) },
    },
    {
      name: 'everything that a webhook on everything stops',
      facts: up(on('*/*', { rules: [rule('*/*', { apiGroups: ['*'], apiVersions: ['*'] })] })),
      expect: {
        messageId: 'would',
        ...told({
          ...who,
          requests: 'new Pods, creation of pods/binding and 4 more',
        }),
      },
    },
    {
      name: 'Pods that carry the label which the objectSelector asks for',
      facts: up(on('pods', { objectSelector: { matchLabels: { app: 'policy' } } })),
      expect: { messageId: 'would' },
    },
    {
      name: 'Pods of a Service whose workload was not read',
      facts: up(on('pods'), { workloads: lists({}) }),
      expect: {
        messageId: 'would',
        ...told({
          ...who,
          chain:
            'Service shop/policy → Pod → webhook policy.example.com → Service shop/policy → Service shop/policy',
          workload: 'Service shop/policy',
          requests: 'new Pods',
        }),
      },
    },
    {
      name: 'that the network could not come back either, if both went',
      facts: beside({}, [calico]),
      expect: {
        messageId: 'wouldStarve',
        ...told(starved('the network of its node', 'DaemonSet kube-system/calico-node')),
      },
    },
    {
      name: 'the network alone, where DNS only might be needed',
      facts: beside({}, [ofSystem('Deployment', 'coredns', dns), calico]),
      expect: { messageId: 'wouldStarve' },
    },
    {
      name: 'the driver of a volume',
      facts: beside({ hostNetwork: true, volumes: [{ name: 'data', csi: { driver: csi } }] }, [
        ofSystem('DaemonSet', 'csi', plugin),
      ]),
      expect: {
        messageId: 'wouldStarve',
        ...told(starved(`the volume driver ${csi}`, 'DaemonSet kube-system/csi')),
      },
    },
    {
      name: 'the driver that may be the one of a claim',
      facts: beside(
        { hostNetwork: true, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
        [ofSystem('DaemonSet', 'csi', plugin)],
      ),
      expect: {
        messageId: 'mightStarve',
        ...told({
          ...starved('its volume', 'DaemonSet kube-system/csi'),
          only: 'their volume uses that driver',
        }),
      },
    },
    {
      name: 'DNS, if it looks up names',
      facts: beside({}, [ofSystem('Deployment', 'coredns', dns)]),
      expect: {
        messageId: 'mightStarve',
        ...told({
          ...starved(
            'DNS',
            'Deployment kube-system/coredns',
            'Deployment kube-system/coredns → ReplicaSet → Pod',
          ),
          only: 'they need DNS to start',
        }),
      },
    },
    {
      name: 'the cloud controller manager, if nodes are new',
      facts: beside({}, [ofSystem('DaemonSet', 'ccm', cloudManager)]),
      expect: {
        messageId: 'mightStarve',
        ...told({
          ...starved('a cloud-initialized node', 'DaemonSet kube-system/ccm'),
          only: 'their nodes are new',
        }),
      },
    },
    {
      name: 'what listens at a URL of its node, and could not come back',
      facts: hosted(hosting),
      expect: { messageId: 'would', ...told({ ...ofCcm, chain: ccmChain(), requests: 'new Pods' }) },
    },
    {
      name: 'the same at the address of an API server',
      facts: hosted(
        madeWith({ hostNetwork: true, containers: [{ name: 'ccm', ports: [{ containerPort: 443 }] }] }),
        { client: { url: 'https://192.0.2.10/' } },
        onOwnNode,
      ),
      expect: {
        messageId: 'would',
        ...told({ chain: ccmChain('https://192.0.2.10/'), ...ofCcm, requests: 'new Pods' }),
      },
    },
    {
      name: 'what should listen at a URL of its node, and is refused',
      facts: hosted(hosting, {}, refused('DaemonSet', 'ccm', hosting)),
      expect: {
        messageId: 'refused',
        confidence: 'observed',
        ...told({ chain: ccmChain(), ...ofCcm }),
      },
    },
    {
      name: 'Pods that a condition spares of other users only: their controller makes them',
      facts: up(on('pods', { matchConditions: [byName("request.userInfo.username != 'nobody'")] })),
      expect: { messageId: 'would' },
    },
    {
      name: 'that a condition decides',
      facts: up(on('pods', { matchConditions: [condition] })),
      expect: {
        messageId: 'untold',
        data: {
          requests: 'new Pods',
          workload: 'Deployment shop/policy',
          webhook: 'policy.example.com',
          by: 'its matchConditions',
        },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'a webhook that is not called for updates of Nodes, and Pods that wait for no node',
      facts: starving(
        sees(uninitialized),
        {},
        on('nodes', { rules: [rule('nodes', { operations: ['CREATE'] })] }),
      ),
    },
    {
      name: 'a taint of a person, where updates of Nodes must pass the webhook',
      facts: starving(tainted('for-databases'), {}, on('nodes')),
    },
    {
      name: 'taints keep Pods away that no Pod of the system takes off',
      facts: starving(tainted('for-databases'), refused('DaemonSet', 'ccm', cloudManager)),
    },
    {
      name: 'a start-up taint, and refused Pods that do not tolerate it',
      facts: starving(tainted(agentMissing), refused('DaemonSet', 'cilium', cilium([]))),
    },
    {
      name: 'a start-up taint, and refused Pods of another product that tolerate all taints',
      facts: starving(
        tainted(agentMissing),
        refused('DaemonSet', 'exporter', madeWith({ tolerations: [{ operator: 'Exists' }] })),
      ),
    },
    {
      name: 'a start-up taint that one node does not have',
      facts: starving(
        {
          ...tainted(agentMissing),
          nodes: objects<Node>(working, {
            metadata: { name: 'n2' },
            spec: { taints: [{ key: agentMissing, effect: 'NoSchedule' }] },
          }),
        },
        refused('DaemonSet', 'cilium', cilium([{ operator: 'Exists' }])),
      ),
    },
    {
      name: 'taints keep Pods away is unknown',
      facts: starving(
        { ...tainted(noCloudYet), nodes: forbidden() },
        refused('DaemonSet', 'ccm', cloudManager),
      ),
    },
    {
      name: 'Pods on the network of their node need no other',
      facts: beside({ hostNetwork: true }, [calico]),
    },
    {
      name: 'the namespaces of the system are left out',
      facts: beside({}, [calico], on('pods', leavingOut('shop', 'kube-system'))),
    },
    {
      name: 'what the system runs gives nothing that the Pods need',
      facts: beside({}, [ofSystem('DaemonSet', 'kube-proxy', madeWith({ hostNetwork: true }))]),
    },
    {
      name: 'Pods have names of their own and run where the cloud has not looked yet',
      facts: beside({ dnsPolicy: 'None', tolerations: [{ operator: 'Exists' }] }, [
        ofSystem('Deployment', 'coredns', dns),
        ofSystem('DaemonSet', 'ccm', cloudManager),
      ]),
    },
    {
      name: 'the network could not come back without a webhook that fails open',
      facts: beside({}, [calico], on('pods', { ...leavingOut('shop'), failurePolicy: 'Ignore' })),
    },
    {
      name: 'what listens at the URL is left out',
      facts: hosted(hosting, leavingOut('kube-system')),
    },
    {
      name: 'nothing known listens at the URL',
      facts: hosted(madeWith({ hostNetwork: true })),
      outcome: 'not-applicable',
    },
    {
      name: 'the same port on a network of its own is not of the node',
      facts: hosted(madeWith({ containers: [{ name: 'ccm', args: ['--port=10260'] }] })),
      outcome: 'not-applicable',
    },
    {
      name: 'the URL leads out of the cluster',
      facts: hosted(hosting, { client: { url: 'https://192.0.2.99:10260/' } }, onOwnNode),
      outcome: 'not-applicable',
    },
    {
      name: 'a name does not exist: DNS answers',
      facts: down(on('pods', leavingOut('shop')), workload(), {
        ...sees(crashing),
        logs: complete([['shop/policy-1/webhook', wrongName]]),
      }),
    },
    {
      name: 'names cannot be looked up, and the namespaces of the system are left out',
      facts: down(on('pods', leavingOut('shop', 'kube-system')), workload(), {
        ...sees(crashing),
        logs: complete([['shop/policy-1/webhook', noName]]),
      }),
    },
    {
      name: 'another Pod cannot look up names',
      facts: down(on('pods', leavingOut('shop')), workload(), {
        ...sees(crashing),
        logs: complete([['shop/other-1/webhook', noName]]),
      }),
    },
    {
      name: 'the network was left out after it had refused its Pods',
      facts: starving(
        sees(nodeless),
        refused('DaemonSet', 'agent', cni),
        on('pods', leavingOut('shop', 'kube-system')),
      ),
    },
    {
      name: 'it denies the Pods of the network: it responds',
      facts: starving(
        sees(nodeless),
        refused('DaemonSet', 'agent', cni, 'admission webhook "policy.example.com" denied the request: no'),
        on('pods', leavingOut('shop', 'kube-system')),
      ),
    },
    {
      name: 'a sandbox fails for want of a runtime',
      facts: starving(inSandbox('Failed to create pod sandbox: no runtime for "kata" is configured'), {}),
    },
    {
      name: 'a claim waits for a person',
      facts: starving(
        { ...withClaim, persistentVolumeClaims: complete([]) },
        refused('ReplicaSet', 'owner-1', provisioner),
      ),
    },
    { name: 'the webhook covers other things', facts: up(webhook()), outcome: 'pass' },
    {
      name: 'it covers only its own kinds',
      facts: up(webhook({ rules: [rule('*', { apiGroups: ['example.com'], apiVersions: ['*'] })] })),
    },
    { name: 'it fails open', facts: up(on('*/*', { failurePolicy: 'Ignore' })) },
    {
      name: 'a condition leaves out what controllers and nodes write in its namespace',
      facts: up(
        on('pods', {
          matchConditions: [
            byName(
              '!(request.namespace == "shop" && (request.userInfo.username == "system:kube-controller-manager" || "system:serviceaccounts:kube-system" in request.userInfo.groups))',
            ),
          ],
        }),
      ),
    },
    {
      name: 'a condition leaves out its own namespace',
      facts: up(on('pods', { matchConditions: [notOwn] })),
    },
    { name: 'it fails open and has no replica', facts: down(on('pods', { failurePolicy: 'Ignore' }), none) },
    { name: 'its own namespace is left out', facts: up(on('pods', leavingOut('shop'))) },
    {
      name: 'its own namespace is left out and no replica is left',
      facts: down(on('pods', leavingOut('shop')), none),
    },
    {
      name: 'its own namespace has not the label that is asked for',
      facts: up(on('pods', { namespaceSelector: { matchLabels: { guarded: 'yes' } } })),
    },
    {
      name: 'its own Pods carry the label that leaves them out',
      facts: up(
        on('pods', {
          objectSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['policy'] }] },
        }),
      ),
    },
    {
      name: 'a rule names the resource of another group',
      facts: up(on('', { rules: [rule('pods', { apiGroups: ['metrics.k8s.io'] })] })),
    },
    {
      name: 'a condition is never true',
      facts: up(on('pods', { matchConditions: [{ name: 'no', expression: 'false' }] })),
    },
    {
      name: 'its own namespace was left out after it had refused the Pods',
      facts: down(on('pods', leavingOut('shop')), failing(detail)),
    },
    {
      name: 'Pods wait for a node, and the network is left out as well',
      facts: down(on('pods', leavingOut('shop', 'kube-system')), workload(), sees(nodeless)),
    },
    {
      name: 'Pods wait for room on nodes that are ready',
      facts: down(
        on('pods', leavingOut('shop')),
        workload(),
        sees(waitingFor('0/1 nodes are available: 1 Insufficient cpu.')),
      ),
    },
    {
      name: 'another webhook refuses the Pods',
      facts: down(webhook(), failing(refusedBy('other.example.com'))),
    },
    {
      name: 'it denies the Pods: it responds',
      facts: down(webhook(), failing('admission webhook "policy.example.com" denied the request: no')),
    },
    {
      name: 'a webhook has the same name, and another backend',
      facts: down(webhook({ webhook: 'a.example.com' }), failing(refusedBy('b.example.com')), {
        callouts: [
          webhook({ webhook: 'a.example.com' }),
          webhook({
            webhook: 'b.example.com',
            client: { service: { namespace: 'other', name: 'policy', port: 443 } },
          }),
        ],
      }),
    },
    {
      name: 'the Service has no selector',
      facts: up(on('pods'), { services: objects(service({ selector: {} })) }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    { name: 'slices must not be read', facts: up(on('pods'), { endpointSlices: forbidden() }) },
    {
      name: 'no replica is left and Pods must not be read',
      facts: down(on('pods'), none, { pods: forbidden() }),
    },
    {
      name: 'no replica is left and events must not be read',
      facts: down(on('pods'), none, { events: forbidden() }),
    },
  ],
});
