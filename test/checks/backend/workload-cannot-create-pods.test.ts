import { workloadCannotCreatePods } from '../../../src/checks/backend/workload-cannot-create-pods.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Event } from '../../../src/facts/objects/event.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import { brief } from '../../../src/phrases/brief.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { empty } from './empty-backend.ts';

const refused = (message: string, metadata = {}) =>
  workload({
    metadata,
    status: {
      replicas: 0,
      conditions: [
        {
          type: 'ReplicaFailure',
          status: 'True',
          reason: 'FailedCreate',
          message,
          lastTransitionTime: '2025-12-31T23:00:00Z',
        },
      ],
    },
  });
const having = (...workloads: readonly Workload[]) => empty({ workloads: lists({ shop: workloads }) });
const found = { workload: 'Deployment policy', namespace: 'shop' };
const byCondition = (refusal: string, detail = brief(refusal)) => ({
  facts: having(refused(refusal)),
  data: { ...found, detail },
});
const exceeded = 'tight: requested pods=1, used pods=0, limited pods=0';
const event = (kind: string, name: string, message: string, over: Partial<Event> = {}): Event => ({
  metadata: { name: `${name}.1`, namespace: 'shop' },
  involvedObject: { kind, namespace: 'shop', name },
  type: 'Warning',
  reason: 'FailedCreate',
  message,
  lastTimestamp: '2025-12-31T23:59:00Z',
  ...over,
});
const withEvents = (of: Workload, ...all: readonly Event[]) =>
  empty({ workloads: lists({ shop: [of] }), events: lists({ shop: all }) });
const none = { replicas: 0 };
const changed = (creationTimestamp: string, status: Workload['status'] = {}) =>
  having(workload({ metadata: { generation: 2, creationTimestamp }, status }));

// Messages of kube-controller-manager 1.35.4.
const account =
  'pods "policy-657d89bff-" is forbidden: error looking up service account shop/policy: serviceaccount "policy" not found';
const lookup =
  'pods "policy-" is forbidden: error looking up service account shop/policy: context deadline exceeded';
const quota =
  'pods "policy-6678d86c-x8kfs" is forbidden: exceeded quota: tight, requested: pods=1, used: pods=0, limited: pods=0';
const needsLimits =
  'pods "policy-6678d86c-pt424" is forbidden: failed quota: cpu: must specify limits.cpu for: webhook';
const quotaScope =
  'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]';
const security =
  'pods "policy-6678d86c-hhgqw" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "webhook" must set securityContext.allowPrivilegeEscalation=false)';
const priority =
  'pods "policy-85dfc549bc-" is forbidden: no PriorityClass with name critical-thing was found';
const limit =
  'pods "policy-5d84958546-cf2hm" is forbidden: maximum memory usage per Container is 64Mi, but limit is 200Mi';
const constraints =
  'pods "policy-5d84958546-" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or serviceaccount, spec.containers[0].securityContext.securityContext.runAsUser: Invalid value: 1001: must be in the ranges: [1000620000, 1000629999], provider "restricted": Forbidden: not usable by user or serviceaccount]';
const hostNetwork =
  'pods "policy-5d84958546-" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used]';
const aboveLimit =
  'Pod "policy-5d555d9d79-tdh5j" is invalid: spec.containers[0].resources.requests: Invalid value: "250m": must be less than or equal to cpu limit';
const byPolicy =
  "pods \"policy-5d84958546-cf2hm\" is forbidden: ValidatingAdmissionPolicy 'limits-required' with binding 'limits-of-teams' denied request: containers must set limits";
const denied = 'admission webhook "deny.example.com" denied the request: not today';
const dead =
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=5s": dial tcp 203.0.113.10:443: connect: connection refused';
const refusedByDead = {
  messageId: 'webhookFails',
  data: {
    workload: found.workload,
    webhook: 'policy.example.com',
    detail: 'dial tcp 203.0.113.10:443: connect: connection refused',
  },
} as const;
const stateful =
  'Create Pod policy-0 in StatefulSet policy failed error: pods "policy-0" is forbidden: error looking up service account shop/policy: serviceaccount "policy" not found';

describeCheck(workloadCannotCreatePods, {
  reports: [
    {
      name: 'a used-up quota',
      facts: byCondition(quota).facts,
      expect: { messageId: 'quota', data: byCondition(quota, exceeded).data, names: { quota: 'tight' } },
    },
    {
      name: 'a quota that wants limits',
      facts: byCondition(needsLimits).facts,
      expect: {
        messageId: 'quotaRequires',
        data: byCondition(needsLimits, 'cpu: limits.cpu for webhook').data,
        names: { quota: 'cpu' },
      },
    },
    {
      name: 'a ServiceAccount that could not be looked up',
      facts: byCondition(lookup).facts,
      expect: { messageId: 'other', data: byCondition(lookup).data },
    },
    {
      name: 'a quota without the name of an object: no command has it',
      facts: byCondition(quota.replace('tight', '--all')).facts,
      expect: {
        messageId: 'quota',
        data: byCondition(quota, exceeded.replace('tight', '--all')).data,
        names: { quota: undefined },
      },
    },
    {
      name: 'a PriorityClass that no ResourceQuota of the namespace allows',
      facts: byCondition(quotaScope).facts,
      expect: { messageId: 'quotaScope', data: byCondition(quotaScope).data },
    },
    {
      name: 'a ValidatingAdmissionPolicy',
      facts: byCondition(byPolicy).facts,
      expect: {
        messageId: 'admissionPolicy',
        data: {
          workload: found.workload,
          policy: 'limits-required',
          detail: 'containers must set limits',
        },
        names: { binding: 'limits-of-teams' },
      },
    },
    {
      name: 'Pod Security',
      facts: byCondition(security).facts,
      expect: {
        messageId: 'podSecurity',
        data: byCondition(security, 'restricted: allowPrivilegeEscalation != false').data,
      },
    },
    {
      name: 'a missing ServiceAccount',
      facts: byCondition(account).facts,
      expect: { messageId: 'serviceAccount', data: byCondition(account, 'policy').data },
    },
    {
      name: 'a ServiceAccount that could not be read',
      facts: byCondition(
        'pods "policy-657d89bff-" is forbidden: error looking up service account shop/policy: etcdserver: request timed out',
      ).facts,
      expect: { messageId: 'other' },
    },
    {
      name: 'a missing PriorityClass',
      facts: byCondition(priority).facts,
      expect: { messageId: 'priorityClass', data: byCondition(priority, 'critical-thing').data },
    },
    {
      name: 'a policy of the platform for security contexts',
      facts: byCondition(constraints).facts,
      expect: {
        messageId: 'securityContext',
        data: {
          workload: found.workload,
          detail:
            'no security context constraint allows runAsUser: Invalid value: 1001: must be in the ranges: [1000620000, 1000629999]',
          namespace: 'shop',
        },
      },
    },
    {
      name: 'hostNetwork, which no policy allows the default ServiceAccount',
      facts: byCondition(hostNetwork).facts,
      expect: {
        messageId: 'defaultAccount',
        data: {
          workload: found.workload,
          detail:
            'no pod security policy allows hostNetwork: Invalid value: true: Host network is not allowed to be used',
          namespace: 'shop',
        },
      },
    },
    {
      name: 'a spec that is invalid with the values that a LimitRange adds',
      facts: byCondition(aboveLimit).facts,
      expect: { messageId: 'invalid', data: byCondition(aboveLimit).data },
    },
    {
      name: 'a LimitRange',
      facts: byCondition(limit).facts,
      expect: { messageId: 'limitRange', data: byCondition(limit).data },
    },
    {
      name: 'a webhook that denies, which need not be repaired',
      facts: byCondition(denied).facts,
      expect: {
        messageId: 'denied',
        names: { blocker: undefined },
        data: { workload: found.workload, webhook: 'deny.example.com', detail: 'not today' },
      },
    },
    {
      name: 'a webhook that denies because of an error of its program',
      facts: byCondition(denied.replace('not today', 'the cache is not started')).facts,
      expect: { messageId: 'denied', names: { blocker: 'deny.example.com' } },
    },
    {
      name: 'a webhook that denies without a message',
      facts: byCondition('admission webhook "deny.example.com" denied the request without explanation').facts,
      expect: {
        messageId: 'deniedSilently',
        data: { workload: found.workload, webhook: 'deny.example.com' },
        names: { blocker: 'deny.example.com' },
      },
    },
    {
      name: 'a webhook that fails, itself perhaps',
      facts: byCondition(dead).facts,
      expect: refusedByDead,
    },
    {
      name: 'a missing RuntimeClass',
      facts: byCondition('pods "x" is forbidden: pod rejected: RuntimeClass "gvisor" not found').facts,
      expect: { messageId: 'runtimeClass' },
    },
    {
      name: 'any other rejection with its message',
      facts: byCondition('pods "x" is forbidden: node selector conflicts with that of the namespace').facts,
      expect: { messageId: 'other' },
    },
    {
      name: 'a StatefulSet, shown by events',
      facts: withEvents(
        workload({ kind: 'StatefulSet', status: none }),
        event('StatefulSet', 'policy', stateful),
      ),
      expect: {
        messageId: 'serviceAccount',
        data: { ...found, workload: 'StatefulSet policy', detail: 'policy' },
      },
    },
    {
      name: 'a DaemonSet, shown by events',
      facts: withEvents(
        workload({ kind: 'DaemonSet', status: { desiredNumberScheduled: 1, numberReady: 0 } }),
        event('DaemonSet', 'policy', `Error creating: ${account}`),
      ),
      expect: { messageId: 'serviceAccount' },
    },
    {
      name: 'a Deployment that no controller has processed',
      facts: changed('2025-12-31T23:58:00Z'),
      expect: {
        messageId: 'unprocessed',
        data: { workload: 'Deployment policy', time: '2025-12-31T23:58:00Z' },
      },
    },
    {
      name: 'a change that no controller has processed, after the last Pod was deleted',
      facts: changed('2025-12-31T23:58:00Z', { observedGeneration: 1, replicas: 0 }),
      expect: { messageId: 'unprocessed' },
    },
    {
      name: 'a DaemonSet that no controller has processed',
      facts: having(
        workload({
          kind: 'DaemonSet',
          metadata: { generation: 1, creationTimestamp: '2025-12-31T23:58:00Z' },
          status: {},
        }),
      ),
      expect: { messageId: 'unprocessed' },
    },
    {
      name: 'a refusal, where both hold',
      facts: having({ ...refused(quota), spec: workload({ spec: { paused: true } }).spec }),
      expect: { messageId: 'quota' },
    },
    {
      name: 'a rollout that does not progress while other Pods serve',
      facts: healthy({ workloads: lists({ shop: [refused(quota)] }) }),
      expect: { messageId: 'more', data: { workload: 'Deployment policy', detail: brief(quota) } },
    },
    {
      name: 'more Pods, which another webhook denies',
      facts: healthy({ workloads: lists({ shop: [refused(denied)] }) }),
      expect: {
        messageId: 'moreDenied',
        data: { workload: 'Deployment policy', webhook: 'deny.example.com', detail: 'not today' },
      },
    },
    {
      name: 'more Pods, which the webhook of these Pods denies',
      facts: healthy({
        workloads: lists({
          shop: [refused('admission webhook "policy.example.com" denied the request: no digest')],
        }),
      }),
      expect: {
        messageId: 'moreDeniedByOwn',
        data: { workload: 'Deployment policy', webhook: 'policy.example.com', detail: 'no digest' },
      },
    },
    {
      name: 'more Pods, denied without a message',
      facts: healthy({
        workloads: lists({ shop: [refused('admission webhook "deny.example.com" denied the request')] }),
      }),
      expect: { messageId: 'more' },
    },
    {
      name: 'the latest message, if the condition has that of the first rejection',
      facts: withEvents(
        refused(quota),
        event('ReplicaSet', 'policy-6678d86c', `Error creating: ${dead}`, {
          lastTimestamp: '2025-12-31T23:59:00Z',
        }),
      ),
      expect: refusedByDead,
    },
    {
      name: 'the condition, where an older event says something else',
      facts: withEvents(
        refused(quota),
        event('ReplicaSet', 'policy-6678d86c', `Error creating: ${dead}`, {
          lastTimestamp: '2025-12-31T20:00:00Z',
        }),
      ),
      expect: { messageId: 'quota', data: { ...found, detail: exceeded } },
    },
    {
      name: 'the condition, where later events say the same of other Pods',
      facts: withEvents(
        refused(quota),
        event('ReplicaSet', 'policy-6678d86c', `Error creating: ${quota.replace('x8kfs', 'zzzzz')}`),
      ),
      expect: { messageId: 'quota', data: { ...found, detail: exceeded } },
    },
    {
      name: 'what the ReplicaSet said last',
      facts: withEvents(
        workload({ status: none }),
        event('ReplicaSet', 'policy-6678d86c', quota, { lastTimestamp: '2025-12-31T10:00:00Z' }),
        event('ReplicaSet', 'policy-6678d86c', account),
      ),
      expect: { messageId: 'serviceAccount' },
    },
    {
      name: 'only the additional Pod of an update is refused; the Pod of the older ReplicaSet is starting',
      facts: having({ ...refused(limit), status: { ...refused(limit).status, replicas: 1 } }),
      expect: {
        messageId: 'update',
        data: { workload: 'Deployment policy', detail: brief(limit) },
      },
    },
  ],
  reportsNothing: [
    { name: 'the backend is healthy', facts: healthy(), outcome: 'pass' },
    {
      name: 'the refusal is over',
      facts: having(
        workload({
          status: { replicas: 1, conditions: [{ type: 'ReplicaFailure', status: 'False', message: quota }] },
        }),
      ),
    },
    {
      name: 'Pods cannot be deleted',
      facts: withEvents(
        workload({
          status: {
            replicas: 1,
            conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedDelete', message: dead }],
          },
        }),
      ),
    },
    {
      name: 'the event is about a Deployment of a longer name',
      facts: withEvents(workload({ status: none }), event('ReplicaSet', 'policy-audit-6678d86c', quota)),
    },
    { name: 'nothing says that it was refused', facts: having(workload({ status: none })) },
    { name: 'it was created just now', facts: changed('2025-12-31T23:59:30Z') },
    {
      name: 'it was changed just now',
      facts: having(
        workload({
          metadata: {
            generation: 2,
            creationTimestamp: '2025-12-31T20:00:00Z',
            managedFields: [
              { manager: 'kubectl', operation: 'Update', time: '2025-12-31T23:59:50Z' },
              {
                manager: 'kube-controller-manager',
                operation: 'Update',
                time: '2025-12-31T21:00:00Z',
                subresource: 'status',
              },
            ],
          },
          status: { observedGeneration: 1 },
        }),
      ),
    },
    {
      name: 'it is being deleted, which its controller does not process',
      facts: having(
        workload({
          kind: 'DaemonSet',
          metadata: {
            generation: 2,
            creationTimestamp: '2025-12-31T20:00:00Z',
            deletionTimestamp: '2025-12-31T23:00:00Z',
          },
          status: { observedGeneration: 1 },
        }),
      ),
    },
    {
      name: 'its controller has processed it',
      facts: changed('2025-12-31T23:58:00Z', { observedGeneration: 2, replicas: 0 }),
    },
    {
      name: 'a change of it is not processed, and its Pods exist',
      facts: changed('2025-12-31T23:58:00Z', { observedGeneration: 1, replicas: 1 }),
    },
    {
      name: 'it is scaled to zero',
      facts: having({ ...refused(quota), spec: { ...workload().spec, replicas: 0 } }),
    },
    {
      name: 'the event is about another workload',
      facts: withEvents(workload({ status: none }), event('ReplicaSet', 'other-6678d86c', quota)),
    },
    {
      name: 'the Pod was made in the end',
      facts: withEvents(
        workload({ kind: 'StatefulSet', status: { replicas: 1 } }),
        event('StatefulSet', 'policy', stateful),
      ),
    },
    {
      name: 'other Pods serve, and workloads were not requested',
      facts: healthy({ workloads: nothingRead({ what: 'workloads', why: 'not-requested' }) }),
      outcome: 'not-applicable',
    },
    {
      name: 'other Pods serve, and workloads must not be read',
      facts: healthy({ workloads: forbidden() }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    { name: 'workloads must not be read', facts: empty({ workloads: forbidden() }) },
    {
      name: 'no condition shows it and events are forbidden',
      facts: empty({ workloads: lists({ shop: [workload({ status: none })] }), events: forbidden() }),
    },
  ],
});
