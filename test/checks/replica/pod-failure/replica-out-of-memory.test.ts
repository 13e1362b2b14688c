import { replicaOutOfMemory } from '../../../../src/checks/replica/pod-failure/replica-out-of-memory.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { ago, as, beside, doubts, only, silences, status, unready } from '../replicas.ts';

const killed = { exitCode: 137, reason: 'OOMKilled', startedAt: ago(30), finishedAt: ago(28) };
const withLimit = (over: Parameters<typeof status>[0], ready = false, limits = { memory: '96Mi' }) =>
  unready({
    spec: { nodeName: 'n1', containers: [{ name: 'webhook', resources: { limits } }] },
    status: {
      phase: 'Running',
      containerStatuses: [status(over)],
      ...(ready ? { conditions: [{ type: 'Ready', status: 'True' }] } : {}),
    },
  });
const bad = withLimit({
  restartCount: 2,
  state: {
    waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container=webhook' },
  },
  lastState: { terminated: killed },
});
const found = { pods: 'Pod policy-1', container: 'webhook', limit: '96Mi', restarts: 2 };

const limitedBy = (set: string) =>
  as(bad, { annotations: { 'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${set}` } });

describeCheck(replicaOutOfMemory, {
  reports: [
    {
      name: 'a container in back-off after it was killed',
      facts: only([bad]),
      expect: { messageId: 'all', data: found },
    },
    {
      name: 'a limit that a LimitRange has set',
      facts: only([
        limitedBy('cpu, memory request for container webhook; memory limit for container webhook'),
      ]),
      expect: { messageId: 'defaulted', data: found },
    },
    {
      name: 'a LimitRange that has set the limits of another resource and container',
      facts: only([limitedBy('cpu limit for container webhook; memory limit for container proxy')]),
      expect: { messageId: 'all', data: found },
    },
    {
      name: 'a LimitRange that has set the request',
      facts: only([limitedBy('memory request for container webhook')]),
      expect: { messageId: 'all', data: found },
    },
    {
      name: 'a container that was killed just now',
      facts: only([withLimit({ restartCount: 1, state: { terminated: killed } })]),
      expect: { messageId: 'all', data: { ...found, restarts: 1 } },
    },
    {
      name: 'a container without a limit, on a node that ran out',
      facts: only([
        unready({
          status: { containerStatuses: [status({ restartCount: 1, state: { terminated: killed } })] },
        }),
      ]),
      expect: { messageId: 'all', data: { ...found, limit: 'not set', restarts: 1 } },
    },
    {
      name: 'a Pod that is ready between restarts',
      facts: beside(
        [
          withLimit(
            {
              ready: true,
              started: true,
              restartCount: 7,
              state: { running: { startedAt: ago(8) } },
              lastState: { terminated: killed },
            },
            true,
          ),
        ],
        {},
        true,
      ),
      expect: { messageId: 'reachable', data: { ...found, restarts: 7 } },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([bad]),
      expect: { messageId: 'unreachable', data: found },
    },
  ],
  reportsNothing: [
    ...silences(bad),
    {
      name: 'it was killed once, hours ago',
      facts: only([
        withLimit(
          {
            ready: true,
            restartCount: 1,
            state: { running: { startedAt: ago(7200) } },
            lastState: { terminated: killed },
          },
          true,
        ),
      ]),
    },
    {
      name: 'it ended with an error of its own',
      facts: only([withLimit({ restartCount: 1, state: { terminated: { exitCode: 1, reason: 'Error' } } })]),
    },
  ],
  isUnknown: doubts,
});
