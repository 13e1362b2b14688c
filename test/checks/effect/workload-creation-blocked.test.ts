import { workloadCreationBlocked } from '../../../src/checks/effect/workload-creation-blocked.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { PodController } from '../../../src/facts/objects/pod-controller.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { denied, event, failed, maker, refused } from './failed-create-events.ts';

const since = ', since 2025-12-31T23:00:00Z';
const named = (kind: PodController['kind'], name: string, over: Partial<PodController>): PodController =>
  maker({ kind, metadata: { name, namespace: 'orders', uid: `uid-${name}` }, ...over });
const template = { spec: { containers: [] } };
const job = (spec: object, status: object) => named('Job', 'import', { spec: { template, ...spec }, status });
const aboutJob = event({ kind: 'Job', name: 'import' });

const ofQuotas = (resources: readonly string[]) =>
  webhook({ rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources, scope: '*' }] });

describeCheck(workloadCreationBlocked, {
  reports: [
    {
      name: 'a Deployment that lacks Pods',
      facts: refused([event()]),
      expect: {
        messageId: 'missing',
        data: { pods: '2 Pods', workloads: 'Deployment orders/cart', since },
        confidence: 'observed',
      },
    },
    {
      name: 'a Job, which no rollout restarts',
      facts: refused([aboutJob], [job({ parallelism: 4, completions: 10 }, { active: 1, succeeded: 2 })]),
      expect: { messageId: 'missing', names: { affected: undefined, recreated: undefined } },
    },
    {
      name: 'a Deployment beside a Job with a newer Event',
      facts: refused(
        [event(), { ...aboutJob, lastTimestamp: '2025-12-31T23:58:00Z' }],
        [maker(), job({ parallelism: 4, completions: 10 }, { active: 1, succeeded: 2 })],
      ),
      expect: { messageId: 'missing', names: { place: 'orders', recreated: 'deployment/cart' } },
    },
    {
      name: 'a StatefulSet, whose restart creates no ReplicaSet and may replace a Pod that runs',
      facts: refused(
        [event({ kind: 'StatefulSet', name: 'db' })],
        [named('StatefulSet', 'db', { spec: { replicas: 3, template }, status: { replicas: 0 } })],
      ),
      expect: { messageId: 'missing', names: { recreated: undefined } },
    },
    {
      name: 'a DaemonSet, whose restart replaces the Pods of other nodes',
      facts: refused(
        [event({ kind: 'DaemonSet', name: 'agent' })],
        [
          named('DaemonSet', 'agent', {
            spec: { template },
            status: { desiredNumberScheduled: 5, currentNumberScheduled: 4 },
          }),
        ],
      ),
      expect: { messageId: 'missing', names: { recreated: undefined } },
    },
    {
      name: 'Pods that the template of an injector fails for',
      facts: refused([
        event({
          message: denied.replace(
            'no label "team"',
            'failed to run injection template: template: inject:29:111: executing "inject" at <.NativeSidecars>: can\'t evaluate field NativeSidecars in type *inject.SidecarTemplateData',
          ),
        }),
        event({ kind: 'StatefulSet', name: 'db' }),
      ]),
      expect: { messageId: 'template', names: { affected: 'deployment/cart' } },
    },
    {
      name: 'several, the worst first, with a limited number of names',
      facts: refused(
        [
          event(),
          aboutJob,
          event({ kind: 'StatefulSet', name: 'db' }),
          event({ kind: 'DaemonSet', name: 'agent' }),
        ],
        [
          maker(),
          job({ parallelism: 4, completions: 10 }, { active: 1, succeeded: 8 }),
          named('StatefulSet', 'db', { spec: { replicas: 3, template }, status: { replicas: 0 } }),
          named('DaemonSet', 'agent', {
            spec: { template },
            status: { desiredNumberScheduled: 5, currentNumberScheduled: 1 },
          }),
        ],
      ),
      expect: {
        messageId: 'missing',
        data: {
          pods: '10 Pods',
          workloads: 'DaemonSet orders/agent, StatefulSet orders/db, Deployment orders/cart and 1 more',
          since,
        },
      },
    },
    {
      name: 'one Pod, by the condition where events are younger',
      facts: refused(
        [event()],
        [
          maker({
            status: {
              replicas: 2,
              conditions: [
                {
                  type: 'ReplicaFailure',
                  status: 'True',
                  reason: 'FailedCreate',
                  lastTransitionTime: '2025-12-30T00:00:00Z',
                },
              ],
            },
          }),
        ],
      ),
      expect: {
        messageId: 'missing',
        data: { pods: '1 Pod', workloads: 'Deployment orders/cart', since: ', since 2025-12-30T00:00:00Z' },
      },
    },
    {
      name: 'Pods that the webhook does not want',
      facts: refused([event({ message: denied })]),
      expect: { messageId: 'denied' },
    },
    {
      name: 'Pods for which the program panics',
      facts: refused([event({ message: denied.replace('no label', 'panic: no') })]),
      expect: { messageId: 'panicked' },
    },
    {
      name: 'Pods for which the program does not read its own file, as the injector of Linkerd',
      facts: refused([
        event({
          message: denied.replace(
            'no label',
            'failed to unmarshal JSON from: /var/run/linkerd/config/values: error unmarshaling JSON: no label',
          ),
        }),
      ]),
      expect: { messageId: 'failed' },
    },
    {
      name: 'Pods for which the program cannot open its own file, or call its own server',
      facts: refused([
        event({
          message: denied.replace('no label', 'open /etc/policy/rules.yaml: no such file or directory'),
        }),
        event({
          kind: 'StatefulSet',
          name: 'db',
          message: denied.replace('no label', 'cannot sign: dial tcp 192.0.2.1:443: connection refused'),
        }),
      ]),
      expect: { messageId: 'failed' },
    },
    ...[
      'failed to parse /spec/volumes/0: no label',
      'hostPath volumes may not open /var/run/docker.sock',
      'validation error: Pods that read /etc/kubernetes are refused',
      'failed policy: containers read /etc/kubernetes',
      'label role must be follower, not leader',
      'annotation db/source: source server is in standby mode, it must be a primary',
      'annotation example.com/text: template: web:1: function "x" not defined',
      'failed to verify image ghcr.typo.io/x:1: Get "https://ghcr.typo.io/v2/": dial tcp: lookup ghcr.typo.io: no such host',
    ].map((words) => ({
      name: `Pods that the webhook does not want: ${words}`,
      facts: refused([event({ message: denied.replace('no label', words) })]),
      expect: { messageId: 'denied' as const },
    })),
    {
      name: 'an update of the quota that the webhook denies, with which each Pod is counted',
      facts: { ...refused([event({ message: denied })]), callouts: [ofQuotas(['resourcequotas/*'])] },
      expect: { messageId: 'quota', data: { pods: '2 Pods', workloads: 'Deployment orders/cart', since } },
    },
    {
      name: 'a denial by a webhook for Pods and quotas',
      facts: { ...refused([event({ message: denied })]), callouts: [ofQuotas(['resourcequotas/*', 'pods'])] },
      expect: { messageId: 'denied' },
    },
    {
      name: 'a denial by a webhook for quotas without their status',
      facts: { ...refused([event({ message: denied })]), callouts: [ofQuotas(['resourcequotas'])] },
      expect: { messageId: 'denied' },
    },
    {
      name: 'the newest word of several',
      facts: refused([
        event({ message: denied, lastTimestamp: '2025-12-31T23:10:00Z' }),
        event({ lastTimestamp: '2025-12-31T23:55:00Z' }),
      ]),
      expect: { messageId: 'missing' },
    },
    {
      name: 'a time in the new style of events, or none',
      facts: refused([event({ firstTimestamp: null, lastTimestamp: null })]),
      expect: {
        messageId: 'missing',
        data: { pods: '2 Pods', workloads: 'Deployment orders/cart', since: '' },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'it has all its Pods meanwhile',
      facts: refused([event()], [maker({ status: { replicas: 3 } })]),
      outcome: 'pass',
    },
    { name: 'it does not exist', facts: refused([event()], []), outcome: 'pass' },
    { name: 'another of its name was made since', facts: refused([event({ uid: 'old' })]), outcome: 'pass' },
    {
      name: 'the Job is over',
      facts: refused([aboutJob], [job({}, { conditions: [{ type: 'Failed', status: 'True' }] })]),
    },
    {
      name: 'the Job has all its Pods',
      facts: refused([aboutJob], [job({ completions: 1 }, { succeeded: 1 })]),
    },
    { name: 'the Job is suspended', facts: refused([aboutJob], [job({ suspend: true }, {})]) },
    {
      name: 'it is being deleted',
      facts: refused(
        [event()],
        [maker({ metadata: { ...maker().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })],
      ),
    },
    { name: 'another webhook is named', facts: refused([event({ message: failed('other.example.com') })]) },
    {
      name: 'a quota refuses',
      facts: refused([event({ message: 'Error creating: pods "x" is forbidden: exceeded quota: tight' })]),
    },
    {
      name: 'the newest word is about something else',
      facts: refused([
        event(),
        event({
          message: 'Error creating: pods "x" is forbidden: exceeded quota: tight',
          lastTimestamp: '2025-12-31T23:59:00Z',
        }),
      ]),
    },
    { name: 'nothing happened', facts: refused([]), outcome: 'pass' },
    {
      name: 'events were not requested',
      facts: {
        callouts: [webhook()],
        failedCreateEvents: nothingRead({ what: 'events', why: 'not-requested' }),
      },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'events may not be read',
      facts: { callouts: [webhook()], failedCreateEvents: forbidden('events') },
    },
  ],
});
