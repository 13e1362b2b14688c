import { replicaListensOnLoopbackOnly } from '../../../../src/checks/replica/listener/replica-listens-on-loopback-only.ts';
import type { Container, ContainerState, ContainerStatus } from '../../../../src/facts/objects/pod.ts';
import { allows, describeFault, proxySays, replica, tried } from '../../probed.ts';

const closed = {
  ...allows,
  proxy: proxySays('dial tcp 198.51.100.11:8443: connect: connection refused'),
};
const run = (container: Partial<Container>) =>
  tried([closed], { pods: [replica(1, { spec: { containers: [{ name: 'webhook', ...container }] } })] });

/** A Pod with this setting for its server and a sidecar, and what its containers have done. */
const beside = (arg: string, ...containerStatuses: readonly ContainerStatus[]) =>
  tried([closed], {
    pods: [
      replica(1, {
        spec: {
          containers: [
            { name: 'webhook', args: [arg], ports: [{ containerPort: 8443 }] },
            { name: 'log-shipper' },
          ],
        },
        status: { ...replica(1).status, containerStatuses },
      }),
    ],
  });

/** A Pod whose only container is not ready, in this state. */
const beginning = (state: ContainerState, ready = false) =>
  tried([closed], {
    pods: [
      replica(1, {
        status: {
          ...replica(1).status,
          containerStatuses: [{ name: 'webhook', ready, restartCount: 1, state }],
        },
      }),
    ],
  });
const startedAt = '2025-12-31T23:59:50Z';
const restarting = { name: 'webhook', ready: false, restartCount: 40, state: { running: { startedAt } } };
const lasting = {
  name: 'webhook',
  ready: true,
  restartCount: 0,
  state: { running: { startedAt: '2025-12-01T00:00:00Z' } },
};
const crashing = {
  name: 'log-shipper',
  ready: false,
  restartCount: 30,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
};

describeFault(
  replicaListensOnLoopbackOnly,
  closed,
  [
    { name: 'its container has just started', facts: beginning({ running: { startedAt } }) },
    { name: 'its container is restarted again and again', facts: beside('--port=8443', restarting) },
    { name: 'its container has exited', facts: beginning({ terminated: { exitCode: 137, startedAt } }) },
  ],
  [
    ...[
      [{ args: ['--bind', '127.0.0.1', '--port=8443'] }, 'bind=127.0.0.1'],
      [{ env: [{ name: 'LISTEN_ADDR', value: 'localhost:8443' }] }, 'LISTEN_ADDR=localhost:8443'],
    ].map(([container, setting]) => ({
      name: `the setting ${setting as string}`,
      facts: run(container as Partial<Container>),
      expect: {
        messageId: 'set',
        data: {
          setting: setting as string,
          port: 8443,
          replicas: 'Pod policy-1',
          bad: 1,
          total: 1,
          detail: 'dial tcp 198.51.100.11:8443: connect: connection refused',
        },
      },
    })),
    {
      name: 'a sidecar that crashes',
      facts: beside('--port=8443', lasting, crashing),
      expect: { messageId: 'all' },
    },
    {
      name: 'a setting, because of which a liveness probe restarts the container',
      facts: beside('--bind=127.0.0.1', restarting),
      expect: { messageId: 'set' },
    },
    {
      name: 'a container that is ready shortly after its start',
      facts: beginning({ running: { startedAt } }, true),
      expect: { messageId: 'all' },
    },
    {
      name: 'settings of other servers',
      facts: run({
        args: ['--metrics-bind-address=127.0.0.1:8080', '--bind-address=0.0.0.0'],
        env: [
          { name: 'DB_HOST', value: 'localhost' },
          { name: 'STATSD_HOST', value: '127.0.0.1' },
          { name: 'VAULT_ADDR', value: '127.0.0.1' },
          { name: 'VAULT_ADDR', value: '127.0.0.1:8200' },
        ],
      }),
      expect: { messageId: 'all' },
    },
  ],
);
