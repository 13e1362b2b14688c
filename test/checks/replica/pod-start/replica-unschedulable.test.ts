import { replicaUnschedulable } from '../../../../src/checks/replica/pod-start/replica-unschedulable.ts';
import type { Event } from '../../../../src/facts/objects/event.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { brief } from '../../../../src/phrases/brief.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { ago, as, beside, doubts, event, events, only, silences, unready } from '../replicas.ts';

const detail =
  '0/1 nodes are available: 1 Insufficient memory. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const unbound = (over: Partial<Pod['spec']> = {}, conditions: Pod['status']['conditions'] = []): Pod => {
  const { nodeName: _none, ...spec } = unready().spec;
  const { podIP: _ip, podIPs: _ips, containerStatuses: _statuses, ...status } = unready().status;
  return { ...unready(), spec: { ...spec, ...over }, status: { ...status, conditions } };
};
const bad = unbound({}, [
  { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: detail },
]);
const preempted = (related: NonNullable<Event['related']> | null, victim = 'policy-0'): Partial<Facts> => ({
  failedCreateEvents: lists({
    Preempted: [
      {
        metadata: { name: `${victim}.1`, namespace: bad.metadata.namespace ?? '' },
        involvedObject: { kind: 'Pod', namespace: bad.metadata.namespace ?? '', name: victim },
        related,
        type: 'Normal',
        reason: 'Preempted',
      },
    ],
  }),
});
const gated = unbound({ schedulingGates: [{ name: 'example.com/wait' }] }, [
  {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  },
]);

const taintedText =
  '0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate';
const unscheduled = (message: string) =>
  unbound({}, [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }]);
const tainted = unscheduled(taintedText);
const noDevice =
  '0/1 nodes are available: 1 Insufficient example.com/hsm. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const cordoned = unscheduled('0/1 nodes are available: 1 node(s) were unschedulable.');
const nodesWith = (...taints: readonly (readonly [string, string])[]) =>
  objects({ metadata: { name: 'n1' }, spec: { taints: taints.map(([key, effect]) => ({ key, effect })) } });

/** A new Pod whose anti-affinity keeps it from the node of an old one. */
const nextRevision = (term: object): Pod => {
  const message = "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules";
  const next = unbound(
    { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
    [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  );
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', uid: 'rs-2', controller: true };
  return as(next, {
    creationTimestamp: ago(60),
    labels: { app: 'policy', 'pod-template-hash': 'def' },
    ownerReferences: [{ ...owner, name: 'policy-def' }],
  });
};
const besideOld = (term: object) =>
  only([as(unready(), { name: 'policy-0', uid: 'uid-0', creationTimestamp: ago(600) }), nextRevision(term)]);

/** A Pod whose claim has an Event about an error. */
const claiming = (why: string) =>
  only(
    [
      unbound({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-policy-0' } }] }, [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: `0/1 nodes are available: ${why}`,
        },
      ]),
    ],
    {
      events: lists({
        shop: [
          {
            metadata: { namespace: 'shop', name: 'data-policy-0.1' },
            reason: 'ProvisioningFailed',
            message: 'storageclass.storage.k8s.io "fast" not found',
            involvedObject: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data-policy-0' },
          },
        ],
      }),
    },
  );

describeCheck(replicaUnschedulable, {
  reports: [
    {
      name: 'a Pod that fits no node',
      facts: only([bad]),
      expect: { messageId: 'resources', data: { pods: 'Pod policy-1', detail: brief(detail) } },
    },
    {
      name: 'a Pod whose predecessor was preempted',
      facts: only([bad], preempted({ kind: 'Pod', namespace: 'batch', name: 'import-7' })),
      expect: {
        messageId: 'preempted',
        data: {
          pods: 'Pod policy-1',
          preemptor: 'Pod batch/import-7',
          victim: 'policy-0',
          detail: brief(detail),
        },
      },
    },
    {
      name: 'a Pod of another workload that was preempted',
      facts: only([bad], preempted({ kind: 'Pod', namespace: 'batch', name: 'import-7' }, 'web-0')),
      expect: { messageId: 'resources' },
    },
    ...['policy-reports-6d5f8c7b9-x2x2x', 'policy-db-0', 'policy-reports-x2x2x'].map((victim) => ({
      name: `a preempted Pod of a workload with a longer name: ${victim}`,
      facts: only([bad], preempted({ kind: 'Pod', namespace: 'batch', name: 'import-7' }, victim)),
      expect: { messageId: 'resources' as const },
    })),
    {
      name: 'a preempted Pod of another revision of its Deployment',
      facts: only(
        [as(bad, { name: 'policy-7d9c5b8f6d-x2x7k' })],
        preempted({ kind: 'Pod', namespace: 'batch', name: 'import-7' }, 'policy-6d5f8c7b9-x2x2x'),
      ),
      expect: { messageId: 'preempted' },
    },
    {
      name: 'a preemption by an unknown Pod',
      facts: only([bad], preempted(null)),
      expect: { messageId: 'resources' },
    },
    {
      name: 'a claim that does not exist',
      facts: only([
        unscheduled('0/1 nodes are available: persistentvolumeclaim "cache" not found. not found'),
      ]),
      expect: { messageId: 'claimMissing', data: { pods: 'Pod policy-1', claim: 'cache' } },
    },
    {
      name: 'a resource that no node offers',
      facts: only([unscheduled(noDevice)], {
        nodes: objects({ metadata: { name: 'n1' }, status: { allocatable: { cpu: '2' } } }),
      }),
      expect: { messageId: 'absent', data: { pods: 'Pod policy-1', resource: 'example.com/hsm' } },
    },
    {
      name: 'a resource that other Pods of a node use',
      facts: only([unscheduled(noDevice)], {
        nodes: objects({ metadata: { name: 'n1' }, status: { allocatable: { 'example.com/hsm': '1' } } }),
      }),
      expect: { messageId: 'resources' },
    },
    {
      name: 'a resource that a node may offer that was not read',
      facts: only([unscheduled(noDevice)], { nodes: forbidden() }),
      expect: { messageId: 'resources' },
    },
    // Reasons of the scheduler of 1.35.4.
    ...(
      [
        ['labels', "1 node(s) didn't match Pod's node affinity/selector"],
        ['taints', '1 node(s) had untolerated taint(s)'],
        ['cordoned', '1 node(s) were unschedulable'],
        ['spread', "1 node(s) didn't match pod anti-affinity rules"],
        ['spread', "1 node(s) didn't match pod topology spread constraints"],
        ['volume', 'pod has unbound immediate PersistentVolumeClaims'],
        ['resources', '1 Insufficient memory, 2 Insufficient cpu'],
        ['all', '1 Insufficient cpu, 2 node(s) were unschedulable'],
        ['all', "1 node(s) were unschedulable, 2 node(s) didn't have free ports for the requested pod ports"],
        ['all', "1 node(s) didn't satisfy a plugin of ours"],
      ] as const
    ).map(([messageId, reason]) => {
      const message = `0/1 nodes are available: ${reason}. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`;
      return {
        name: `a Pod that no node takes: ${reason}`,
        facts: only([
          unbound({}, [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }]),
        ]),
        expect: { messageId },
      };
    }),
    {
      name: 'labels of nodeSelector that no node has',
      facts: only(
        [
          unbound({ nodeSelector: { pool: 'system', zone: 'a' } }, [
            {
              type: 'PodScheduled',
              status: 'False',
              reason: 'Unschedulable',
              message: "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector",
            },
          ]),
        ],
        { nodes: objects({ metadata: { name: 'n1', labels: { pool: 'web', zone: 'a' } } }) },
      ),
      expect: {
        messageId: 'selector',
        data: {
          pods: 'Pod policy-1',
          missing: 'pool=system',
        },
        names: { label: 'pool=system' },
      },
    },
    {
      name: 'two such labels, which are no single word of a command',
      facts: only(
        [
          unbound({ nodeSelector: { pool: 'system', zone: 'a' } }, [
            {
              type: 'PodScheduled',
              status: 'False',
              reason: 'Unschedulable',
              message: "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector",
            },
          ]),
        ],
        { nodes: objects({ metadata: { name: 'n1' } }) },
      ),
      expect: { messageId: 'selector', names: { label: undefined } },
    },
    {
      name: 'a constraint by a label that no node has',
      facts: only(
        [
          unbound(
            {
              topologySpreadConstraints: [
                { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' },
                { topologyKey: 'topology.kubernetes.io/zone' },
                { topologyKey: 'rack', whenUnsatisfiable: 'ScheduleAnyway' },
              ],
            },
            [
              {
                type: 'PodScheduled',
                status: 'False',
                reason: 'Unschedulable',
                message:
                  "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label)",
              },
            ],
          ),
        ],
        { nodes: objects({ metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'n1' } } }) },
      ),
      expect: {
        messageId: 'topology',
        data: {
          pods: 'Pod policy-1',
          keys: 'topology.kubernetes.io/zone',
          detail:
            "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label)",
        },
      },
    },
    {
      name: 'a new Pod that must not run beside the old one, which the rollout keeps',
      facts: besideOld({ labelSelector: { matchLabels: { app: 'policy' } } }),
      expect: {
        messageId: 'replaced',
        data: {
          pods: 'Pod policy-1',
          old: 'Pod policy-0',
          detail: "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules",
        },
        names: { pod: 'policy-0' },
      },
    },
    {
      name: 'a new Pod that must not run beside others than the old one',
      facts: besideOld({ labelSelector: { matchLabels: { app: 'web' } } }),
      expect: { messageId: 'spread' },
    },
    {
      name: 'a claim that no StorageClass provisions',
      facts: claiming('pod has unbound immediate PersistentVolumeClaims. not found'),
      expect: {
        messageId: 'claim',
        data: {
          pods: 'Pod policy-1',
          claim: 'data-policy-0',
          detail: 'storageclass.storage.k8s.io "fast" not found',
        },
        names: { claim: 'data-policy-0' },
      },
    },
    {
      name: 'a claim that is bound since its error, on a node that does not fit',
      facts: claiming('1 node(s) had volume node affinity conflict. no new claims to deallocate'),
      expect: { messageId: 'volume' },
    },
    {
      name: 'taints of the kubelet for a pressure',
      facts: only([tainted], { nodes: nodesWith(['node.kubernetes.io/memory-pressure', 'NoSchedule']) }),
      expect: {
        messageId: 'pressure',
        data: { pods: 'Pod policy-1', nodes: 'n1', conditions: 'MemoryPressure' },
      },
    },
    {
      name: 'taints that the scheduler does not name, on the nodes',
      facts: only([tainted], {
        nodes: nodesWith(['node.kubernetes.io/memory-pressure', 'NoSchedule'], ['gpu', 'NoSchedule']),
      }),
      expect: {
        messageId: 'taints',
        data: { pods: 'Pod policy-1', detail: 'node.kubernetes.io/memory-pressure and gpu on n1' },
      },
    },
    {
      name: 'a taint that a person can remove',
      facts: only([tainted], { nodes: nodesWith(['gpu', 'NoSchedule']) }),
      expect: {
        messageId: 'taints',
        data: { pods: 'Pod policy-1', detail: 'gpu on n1' },
        names: { node: 'n1', taint: 'gpu' },
      },
    },
    {
      name: 'a cluster without nodes',
      facts: only([unscheduled('no nodes available to schedule pods')]),
      expect: { messageId: 'noNode' },
    },
    ...(
      [
        ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'notReady'],
        ['node.cilium.io/agent-not-ready', 'node.cilium.io/agent-not-ready', 'notReady'],
        ['ebs.csi.aws.com/agent-not-ready', 'ebs.csi.aws.com/agent-not-ready', 'notReady'],
        ['node.kubernetes.io/not-ready', 'gpu', 'taints'],
        ['gpu-not-ready', 'gpu-not-ready', 'taints'],
      ] as const
    ).map(([first, second, messageId]) => ({
      name: `nodes that are not ready, by the word of the scheduler: ${first}, ${second}`,
      facts: only([
        unscheduled(
          `0/2 nodes are available: 1 node(s) had untolerated taint {${first}: }, 1 node(s) had untolerated taint {${second}: }.`,
        ),
      ]),
      expect: { messageId },
    })),
    ...(
      [
        ['network', 'node.kubernetes.io/network-unavailable'],
        ['uninitialized', 'node.cloudprovider.kubernetes.io/uninitialized'],
      ] as const
    ).flatMap(([messageId, taint]) => [
      {
        name: `nodes that are not set up: ${messageId}`,
        facts: only([tainted], { nodes: nodesWith([taint, 'NoSchedule']) }),
        expect: { messageId, data: { pods: 'Pod policy-1', detail: `${taint} on n1` } },
      },
      {
        name: `the same by the word of the scheduler: ${messageId}`,
        facts: only([
          unscheduled(`0/2 nodes are available: 2 node(s) had untolerated taint {${taint}: true}.`),
        ]),
        expect: { messageId },
      },
      {
        name: `another taint beside it: ${messageId}`,
        facts: only([
          unscheduled(
            `0/2 nodes are available: 1 node(s) had untolerated taint {${taint}: true}, 1 node(s) had untolerated taint {gpu: true}.`,
          ),
        ]),
        expect: { messageId: 'taints' as const },
      },
    ]),
    {
      name: 'nodes that are not Ready',
      facts: only([tainted], { nodes: nodesWith(['node.kubernetes.io/unreachable', 'NoSchedule']) }),
      expect: { messageId: 'down', data: { pods: 'Pod policy-1', nodes: 'n1' }, names: { taint: undefined } },
    },
    {
      name: 'the cordoned nodes',
      facts: only([cordoned], {
        nodes: objects({ metadata: { name: 'n1' }, spec: { unschedulable: true } }),
      }),
      expect: {
        messageId: 'cordoned',
        data: { pods: 'Pod policy-1', detail: 'n1' },
        names: { node: 'n1' },
      },
    },
    {
      name: 'several pressures, of which each node has one',
      facts: only([tainted], {
        nodes: objects(
          ...['memory', 'disk'].map((what) => ({
            metadata: { name: what },
            spec: { taints: [{ key: `node.kubernetes.io/${what}-pressure`, effect: 'NoSchedule' }] },
          })),
        ),
      }),
      expect: {
        messageId: 'pressure',
        data: {
          pods: 'Pod policy-1',
          nodes: 'memory and disk',
          conditions: 'MemoryPressure or DiskPressure',
        },
      },
    },
    {
      name: 'taints while a node that was read afterwards has none',
      facts: only([tainted], {
        nodes: objects(
          {
            metadata: { name: 'n1' },
            spec: { taints: [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }] },
          },
          { metadata: { name: 'n2' } },
        ),
      }),
      expect: { messageId: 'taints', data: { pods: 'Pod policy-1', detail: brief(taintedText) } },
    },
    {
      name: 'taints on nodes that must not be read',
      facts: only([tainted], { nodes: forbidden() }),
      expect: { messageId: 'taints' },
    },
    {
      name: 'what only the event says yet',
      facts: only([unbound()], events(event('FailedScheduling', detail))),
      expect: { messageId: 'resources', data: { pods: 'Pod policy-1', detail: brief(detail) } },
    },
    {
      name: 'a scheduling gate',
      facts: only([gated]),
      expect: { messageId: 'gated', data: { pods: 'Pod policy-1', gates: 'example.com/wait' } },
    },
    {
      name: 'a scheduler that does not run',
      facts: only([unbound({ schedulerName: 'nobody' })]),
      expect: { messageId: 'ignored', data: { pods: 'Pod policy-1', scheduler: 'nobody' } },
    },
    {
      name: 'a cluster whose scheduler does nothing',
      facts: only([unbound()]),
      expect: { messageId: 'ignored', data: { pods: 'Pod policy-1', scheduler: 'default-scheduler' } },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([bad]),
      expect: { messageId: 'some', data: { pods: 'Pod policy-1', detail: brief(detail) } },
    },
    {
      name: 'a new Pod beside an old one that responds, and which the rollout keeps',
      facts: beside([nextRevision({ labelSelector: { matchLabels: { app: 'policy' } } })]),
      expect: { messageId: 'stuckRollout', data: { pods: 'Pod policy-1', old: 'Pod policy-good' } },
    },
    {
      name: 'a new Pod that must not run beside Pods of another workload',
      facts: beside([nextRevision({ labelSelector: { matchLabels: { app: 'web' } } })]),
      expect: { messageId: 'some' },
    },
  ],
  reportsNothing: [
    ...silences(bad),
    { name: 'the Pod was made this moment', facts: only([as(unbound(), { creationTimestamp: ago(2) })]) },
    {
      name: 'the Pod is being deleted',
      facts: only([as(bad, { deletionTimestamp: ago(0) })]),
    },
  ],
  isUnknown: doubts,
});
