import { bootstrapDeadlock } from '../../../src/checks/scope/bootstrap-deadlock.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
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
import { event, events, waiting } from '../replica/replicas.ts';
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
const said = refusedBy('policy.example.com');
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
const condition = { name: 'some', expression: "request.userInfo.username != 'nobody'" };
const notOwn = { name: 'not-own', expression: "object.metadata.namespace != 'shop'" };

describeCheck(bootstrapDeadlock, {
  reports: [
    {
      name: 'Pods that their own webhook refuses, in the words of the API server',
      facts: down(on('pods'), failing(said)),
      expect: {
        messageId: 'refused',
        data: { chain, webhook: 'policy.example.com' },
        confidence: 'observed',
      },
    },
    {
      name: 'the same of each callout of the backend, whatever it covers',
      facts: down(on('pods'), failing(said), {
        callouts: [on('pods'), webhook({ failurePolicy: 'Ignore' }), conversion()],
      }),
      expect: [{ messageId: 'refused' }, { messageId: 'refused' }, { messageId: 'refused' }],
    },
    {
      name: 'a refusal that lost the name of the webhook, by the Service called',
      facts: down(on('pods'), failing(said.replace(' "policy.example.com"', ''))),
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
              message: `create Pod policy-0 in StatefulSet policy failed error: ${said}`,
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
                message: `running Bind plugin "DefaultBinder": ${said}`,
              },
            ],
          },
        }),
      ),
      expect: { messageId: 'refused' },
    },
    {
      name: 'Pods that nobody makes although nothing but the webhook stands in their way',
      facts: down(on('pods'), none),
      expect: { messageId: 'stuck', data: { ...who, requests: 'CREATE pods' }, confidence: 'derived' },
    },
    {
      name: 'Pods that are not bound while the webhook covers bindings',
      facts: down(on('pods/binding'), workload(), sees(unbound)),
      expect: { messageId: 'stuck', data: { ...who, requests: 'CREATE pods/binding' } },
    },
    {
      name: 'Pods whose kubelet cannot say that they run',
      facts: down(on('pods/status'), workload(), sees(bound)),
      expect: { messageId: 'stuck', data: { ...who, requests: 'UPDATE pods/status' } },
    },
    {
      name: 'ready Pods that the endpoint controller cannot publish',
      facts: down(
        on('', { rules: [rule('endpointslices', { apiGroups: ['discovery.k8s.io'] })] }),
        workload(),
        sees({}),
      ),
      expect: { messageId: 'stuck', data: { ...who, requests: 'UPDATE endpointslices' } },
    },
    {
      name: 'controllers that cannot lead, and so make no Pods',
      facts: down(on('', { rules: [rule('*', { apiGroups: ['coordination.k8s.io'] })] }), none),
      expect: { messageId: 'stuck', data: { ...who, requests: 'UPDATE leases' } },
    },
    {
      name: 'beside a scale of zero, that raising it will not help',
      facts: down(on('pods'), workload({ spec: { replicas: 0 }, status: {} })),
      expect: { messageId: 'beside', data: { ...who, requests: 'CREATE pods' } },
    },
    {
      name: 'at a scale of zero also that nobody can raise it',
      facts: down(
        on('', { rules: [rule('deployments/scale', { apiGroups: ['apps'] })] }),
        workload({ spec: { replicas: 0 }, status: {} }),
      ),
      expect: { messageId: 'beside', data: { ...who, requests: 'UPDATE deployments/scale' } },
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
      name: 'beside a refusal by the webhook of somebody else',
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
          said: `Unschedulable: ${notReady.slice(0, -1)}`,
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
          said: `FailedAttachVolume: ${noDriver}`,
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
          said: noName,
        },
      },
    },
    {
      name: 'that whole replicas could not come back',
      facts: up(on('pods')),
      expect: { messageId: 'would', data: { ...who, requests: 'CREATE pods' } },
    },
    {
      name: 'everything that a webhook on everything stops',
      facts: up(on('*/*', { rules: [rule('*/*', { apiGroups: ['*'], apiVersions: ['*'] })] })),
      expect: {
        messageId: 'would',
        data: {
          ...who,
          requests:
            'CREATE pods, CREATE pods/binding, CREATE serviceaccounts/token, UPDATE pods/status, UPDATE endpointslices, UPDATE leases',
        },
      },
    },
    {
      name: 'Pods that carry the label which the objectSelector asks for',
      facts: up(on('pods', { objectSelector: { matchLabels: { app: 'policy' } } })),
      expect: { messageId: 'would' },
    },
    {
      name: 'Pods of a Service whose workload nobody looked at',
      facts: up(on('pods'), { workloads: lists({}) }),
      expect: {
        messageId: 'would',
        data: {
          ...who,
          chain:
            'the Pods of Service shop/policy → webhook policy.example.com → Service shop/policy → the Pods of Service shop/policy',
          workload: 'the Pods of Service shop/policy',
          requests: 'CREATE pods',
        },
      },
    },
    {
      name: 'that a condition decides',
      facts: up(on('pods', { matchConditions: [condition] })),
      expect: {
        messageId: 'untold',
        data: {
          requests: 'CREATE pods',
          workload: 'Deployment shop/policy',
          webhook: 'policy.example.com',
          by: 'its matchConditions',
        },
      },
    },
  ],
  staysSilent: [
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
    { name: 'the webhook covers other things', facts: up(webhook()), outcome: 'pass' },
    {
      name: 'it covers only its own kinds',
      facts: up(webhook({ rules: [rule('*', { apiGroups: ['example.com'], apiVersions: ['*'] })] })),
    },
    { name: 'it fails open', facts: up(on('*/*', { failurePolicy: 'Ignore' })) },
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
      facts: down(on('pods', leavingOut('shop')), failing(said)),
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
      name: 'it denies the Pods: it answers',
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
      name: 'nobody selects Pods for the Service',
      facts: up(on('pods'), { services: objects(service({ selector: {} })) }),
      outcome: 'not-applicable',
    },
  ],
  cannotTell: [
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
