import { noResourceRequests } from '../../../src/checks/practice/no-resource-requests.ts';
import type { ContainerStatus } from '../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, pod } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { deployment, kept, never } from './kept.ts';

const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } };
const status = (over: Partial<ContainerStatus> = {}, reason = 'OOMKilled') =>
  pod({
    status: {
      containerStatuses: [
        {
          name: 'webhook',
          ready: true,
          restartCount: 1,
          lastState: { terminated: { exitCode: 137, reason } },
          ...over,
        },
      ],
    },
  });
const withPod = (one: ReturnType<typeof pod>) =>
  kept([deployment({ container: { resources } })], { pods: lists({ 'shop/policy': [one] }) });

describeCheck(noResourceRequests, {
  reports: [
    {
      name: 'none at all',
      facts: kept(),
      expect: {
        messageId: 'none',
        data: { container: 'webhook', workload: 'Deployment policy', what: 'cpu and no memory' },
      },
    },
    {
      name: 'one of the two',
      facts: kept([deployment({ container: { resources: { requests: { cpu: '1' } } } })]),
      expect: {
        messageId: 'none',
        data: { container: 'webhook', workload: 'Deployment policy', what: 'memory' },
      },
    },
    {
      name: 'a limit that killed it',
      facts: withPod(status()),
      expect: { messageId: 'killed', data: { container: 'webhook', pod: 'policy-1', limit: '128Mi' } },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'it asks for both', facts: kept([deployment({ container: { resources } })]), outcome: 'pass' },
    {
      name: 'limits stand for requests',
      facts: kept([deployment({ container: { resources: { limits: { cpu: '1', memory: '1Gi' } } } })]),
    },
    { name: 'it ended otherwise', facts: withPod(status({}, 'Error')) },
    { name: 'it is down now: which another check reports', facts: withPod(status({ ready: false })) },
    { name: 'another container was killed', facts: withPod(status({ name: 'proxy' })) },
  ],
  isUnknown: [
    {
      name: 'whether it was killed at its limit, of Pods that are forbidden',
      facts: kept([deployment({ container: { resources } })], { pods: forbidden() }),
    },
  ],
});
