import { replicaInitStuck } from '../../../../src/checks/replica/pod-start/replica-init-stuck.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { ago, beside, doubts, only, silences, status, unready } from '../replicas.ts';

const withInit = (over: Parameters<typeof status>[0], restartPolicy?: string) =>
  unready({
    spec: {
      nodeName: 'n1',
      initContainers: [{ name: 'wait', ...(restartPolicy === undefined ? {} : { restartPolicy }) }],
      containers: [{ name: 'webhook' }],
    },
    status: {
      initContainerStatuses: [status({ ...over, name: 'wait' })],
      containerStatuses: [status({ state: { waiting: { reason: 'PodInitializing' } } })],
    },
  });
const end = { exitCode: 1, reason: 'Error', startedAt: ago(9), finishedAt: ago(8) };
const failing = withInit({ restartCount: 4, state: { terminated: end }, lastState: { terminated: end } });
const found = { pods: 'Pod policy-1', container: 'wait', code: 1, restarts: 4 };

describeCheck(replicaInitStuck, {
  reports: [
    {
      name: 'an init container that fails',
      facts: only([failing]),
      expect: { messageId: 'crashing', data: found },
    },
    {
      name: 'an init container that logs why it fails',
      facts: only([failing], {
        logs: complete([['shop/policy-1/wait', 'level=error msg="cannot initialize: no such file"']]),
      }),
      expect: { messageId: 'logged', data: { ...found, detail: 'cannot initialize: no such file' } },
    },
    {
      name: 'an init container in back-off',
      facts: only([
        withInit({
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: end },
        }),
      ]),
      expect: { messageId: 'crashing', data: found },
    },
    {
      name: 'an init container that waits for what does not come',
      facts: only([withInit({ started: true, state: { running: { startedAt: ago(300) } } })]),
      expect: { messageId: 'waiting', data: { pods: 'Pod policy-1', container: 'wait', since: ago(300) } },
    },
    {
      name: 'the same, with what its log says about it',
      facts: only([withInit({ started: true, state: { running: { startedAt: ago(300) } } })], {
        logs: complete([['shop/policy-1/wait', 'waiting for database.shop.svc:5432']]),
      }),
      expect: {
        messageId: 'waitsFor',
        data: {
          pods: 'Pod policy-1',
          container: 'wait',
          since: ago(300),
          detail: 'waiting for database.shop.svc:5432',
        },
      },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([failing]),
      expect: { messageId: 'some', data: { pods: 'Pod policy-1', container: 'wait' } },
    },
  ],
  reportsNothing: [
    ...silences(failing),
    {
      name: 'the init container has just begun',
      facts: only([withInit({ state: { running: { startedAt: ago(3) } } })]),
    },
    {
      name: 'the init container is done',
      facts: only([withInit({ state: { terminated: { exitCode: 0 } } })]),
    },
    {
      name: 'it is a sidecar, which runs permanently',
      facts: only([
        withInit({ ready: true, started: true, state: { running: { startedAt: ago(300) } } }, 'Always'),
      ]),
    },
  ],
  isUnknown: doubts,
});
