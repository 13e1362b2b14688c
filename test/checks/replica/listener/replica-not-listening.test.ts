import { replicaNotListening } from '../../../../src/checks/replica/listener/replica-not-listening.ts';

import { complete } from '../../../../src/facts/lookup.ts';
import type { Container } from '../../../../src/facts/objects/pod.ts';
import type { Workload } from '../../../../src/facts/objects/workload.ts';
import { lists, objects, port, service } from '../../../support/snapshot.ts';
import { allows, describeFault, refused, replica, tried } from '../../probed.ts';
import { ago } from '../replicas.ts';

const started = (seconds: number) => {
  const pod = replica(1);
  const state = { running: { startedAt: ago(seconds) } };
  const containerStatuses = [{ name: 'webhook', ready: true, restartCount: 0, state }];
  return { ...pod, status: { ...pod.status, containerStatuses } };
};

/** A Pod whose second container declares the port of the webhook. */
const besideProxy = (() => {
  const pod = started(61);
  const [own] = pod.spec.containers;
  const proxy = { name: 'kube-rbac-proxy', ports: [{ name: 'https', containerPort: 9443 }] };
  const containers = [proxy, { ...own, name: 'webhook', ports: [{ containerPort: 8443 }] }];
  return { ...pod, spec: { ...pod.spec, containers } };
})();

const withSettings = (over: Partial<Container>, seconds = 61) => {
  const pod = started(seconds);
  return {
    ...pod,
    spec: { ...pod.spec, containers: pod.spec.containers.map((one) => ({ ...one, ...over })) },
  };
};

/** Port 8443 is closed in a Pod with these arguments, whose Deployment had others before its last rollout. */
const rolledOut = (
  before: readonly string[],
  now: readonly string[] = ['--metrics=:8080'],
  { seconds = 61, log = '' } = {},
) => {
  const revision = (at: number, name: string, args: readonly string[]): Workload => ({
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: 'shop',
      annotations: { 'deployment.kubernetes.io/revision': String(at) },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'policy', uid: 'deploy-1', controller: true },
      ],
    },
    spec: { selector: {}, template: { spec: { containers: [{ name: 'webhook', args }] } } },
    status: {},
  });
  const workloads = lists({ shop: [revision(2, 'policy-abc', now), revision(1, 'policy-old', before)] });
  const logs = complete([['shop/policy-1/webhook', log]]);
  const pods = [withSettings({ name: 'webhook', args: now }, seconds)];
  return { ...tried([refused], { pods, facts: { workloads } }), logs };
};

/** A Pod that gives the name https to this port. */
const namingPort = (at: number, containerPort: number) => {
  const pod = replica(at);
  const containers = pod.spec.containers.map((one) => ({
    ...one,
    ports: [{ name: 'https', containerPort }],
  }));
  return { ...pod, spec: { ...pod.spec, containers } };
};

const deleted = (seconds: number) => {
  const pod = started(seconds);
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: ago(1) } };
};

describeFault(
  replicaNotListening,
  refused,
  [
    {
      name: 'the Pod is being deleted',
      facts: tried([refused], { pods: [deleted(61)] }),
    },
  ],
  [
    {
      name: 'a Pod that has just started',
      facts: tried([refused], { pods: [started(5)] }),
      expect: { messageId: 'starting', data: { port: 8443, replicas: 'Pod policy-1', seconds: 5 } },
    },
    ...(
      [
        [{ args: ['--webhook-mode=disabled'] }, '--webhook-mode=disabled'],
        [{ env: [{ name: 'ENABLE_WEBHOOKS', value: 'false' }] }, 'ENABLE_WEBHOOKS=false'],
        [{ args: ['--disable-webhook-server'] }, '--disable-webhook-server'],
      ] as const
    ).map(([over, setting]) => ({
      name: `a webhook server that ${setting} turns off`,
      facts: tried([refused], { pods: [withSettings(over)] }),
      expect: { messageId: 'switchedOff', data: { port: 8443, replicas: 'Pod policy-1', setting } },
    })),
    {
      name: 'a webhook server whose flag the last rollout removed',
      facts: rolledOut(['--validating-webhook=:8443', '--metrics=:8080']),
      expect: {
        messageId: 'removed',
        data: { port: 8443, replicas: 'Pod policy-1', setting: '--validating-webhook=:8443' },
        confidence: 'derived',
      },
    },
    ...(
      [
        ['a flag that the last rollout renamed', ['--validating-webhook=:8443'], ['--webhook-port=8443']],
        ['an address of another server that the last rollout removed', ['--upstream=policy.shop:8443']],
        ['a rollout of another flag', ['--metrics=:8081']],
        ['a port that the last rollout left to the default', ['--webhook-port=8443', '--metrics=:8080']],
        [
          'a flag that a configuration file replaces',
          ['--validating-webhook=:8443'],
          ['--config=policy.yaml'],
        ],
        ['a port of the metrics', ['--metrics-bind-address=:8443']],
        ['the address of the API server', ['--api-server=10.0.0.1:8443']],
      ] as const
    ).map(([name, before, now]) => ({
      name,
      facts: rolledOut(before, now),
      expect: { messageId: 'all' as const },
    })),
    ...(
      [
        ['bound', 'had opened the port', { log: 'Serving webhook server port 8443' }],
        ['elsewhere', 'opens another port', { log: 'Serving webhook server port 9444' }],
        ['starting', 'has just started', { seconds: 5 }],
        ['all', 'waits for the Lease', { log: 'attempting to acquire leader lease shop/policy...' }],
      ] as const
    ).map(([messageId, name, more]) => ({
      name: `a server that ${name}, whose flag the last rollout removed`,
      facts: rolledOut(['--validating-webhook=:8443', '--metrics=:8080'], undefined, more),
      expect: { messageId },
    })),
    ...(
      [
        ['noHandler', 'that registers no handler', ''],
        [
          'all',
          'that registers another handler',
          '\nINFO controller-runtime.builder Registering a validating webhook',
        ],
      ] as const
    ).map(([messageId, name, more]) => ({
      name: `a program ${name}, by its log`,
      facts: {
        ...tried([refused], { pods: [started(61)] }),
        logs: complete([
          [
            'shop/policy-1/webhook',
            `INFO controller-runtime.builder skip registering a validating webhook, object does not implement it${more}`,
          ],
        ]),
      },
      expect: { messageId },
    })),
    {
      name: 'settings that turn off something else, or turn the webhook server on',
      facts: tried([refused], {
        pods: [
          withSettings({
            args: ['--webhook-mode=enabled', '--insecure-webhook=false', '--disable-webhook=0'],
            env: [{ name: 'DISABLE_WEBHOOKS' }],
          }),
        ],
      }),
      expect: { messageId: 'all' },
    },
    {
      name: 'a server that has opened another port, by its log',
      facts: {
        ...tried([refused], { pods: [started(61)] }),
        logs: complete([
          [
            'shop/policy-1/webhook',
            'INFO controller-runtime.webhook Serving webhook server {"host": "", "port": 9444}',
          ],
        ]),
      },
      expect: { messageId: 'elsewhere', data: { port: 8443, replicas: 'Pod policy-1', served: 9444 } },
    },
    {
      name: 'one of two servers, which has opened another port, by its log',
      facts: {
        ...tried([allows, refused]),
        logs: complete([
          ['shop/policy-1/webhook', 'Serving webhook server on :8443'],
          ['shop/policy-2/webhook', 'Serving webhook server on :9444'],
        ]),
      },
      expect: {
        messageId: 'someElsewhere',
        data: {
          port: 8443,
          replicas: 'Pod policy-2',
          served: 9444,
          bad: 1,
          total: 2,
          detail: 'dial tcp 198.51.100.11:8443: connect: connection refused',
        },
      },
    },
    {
      name: 'the container port of that name differs from the other Pod',
      facts: tried([allows, refused], {
        pods: [namingPort(1, 9443), namingPort(2, 8443)],
        facts: { services: objects(service({ ports: [port({ targetPort: 'https' })] })) },
      }),
      expect: {
        messageId: 'named',
        data: {
          port: 8443,
          replicas: 'Pod policy-2',
          name: 'https',
          other: 9443,
          bad: 1,
          total: 2,
          detail: 'dial tcp 198.51.100.11:8443: connect: connection refused',
        },
      },
    },
    {
      name: 'the container port of that name differs, and is the port of the server, by its log',
      facts: {
        ...tried([allows, refused], {
          pods: [namingPort(1, 9443), namingPort(2, 8443)],
          facts: { services: objects(service({ ports: [port({ targetPort: 'https' })] })) },
        }),
        logs: complete([['shop/policy-2/webhook', 'Serving webhook server on port=8443']]),
      },
      expect: { messageId: 'some' },
    },
    {
      name: 'the container port of that name is the same in the other Pod',
      facts: tried([allows, refused], {
        pods: [namingPort(1, 8443), namingPort(2, 8443)],
        facts: { services: objects(service({ ports: [port({ targetPort: 'https' })] })) },
      }),
      expect: { messageId: 'some' },
    },
    {
      name: 'a program that names no webhook in its log, and serves one port beside its metrics',
      facts: {
        ...tried([refused], { pods: [started(41)] }),
        logs: complete([
          [
            'shop/policy-1/webhook',
            'I1127 01:46:50.1 main.go:361] Listening on :9999 for metrics\nI1127 01:46:50.1 main.go:353] Listening on :443',
          ],
        ]),
      },
      expect: { messageId: 'elsewhere', data: { port: 8443, replicas: 'Pod policy-1', served: 443 } },
    },
    {
      name: 'another container, which does not declare the port, and listens on its own',
      facts: {
        ...tried([refused], { pods: [besideProxy] }),
        logs: complete([
          ['shop/policy-1/kube-rbac-proxy', 'I0101 1 kube-rbac-proxy.go:370] Listening securely on :9000'],
        ]),
      },
      expect: { messageId: 'all' },
    },
    {
      name: 'a log with the port of the metrics, and one with the declared port of another container',
      facts: {
        ...tried([refused], { pods: [besideProxy] }),
        logs: complete([['shop/policy-1/webhook', 'Serving metrics over https on :8080']]),
      },
      expect: { messageId: 'all' },
    },
    {
      name: 'the log of another server of a container that declares both ports',
      facts: {
        ...tried([refused], {
          pods: [
            withSettings({
              ports: [
                { name: 'webhook-server', containerPort: 9443 },
                { name: 'visibility', containerPort: 8443 },
              ],
            }),
          ],
        }),
        logs: complete([['shop/policy-1/webhook', 'Serving webhook server on :9443']]),
      },
      expect: { messageId: 'all' },
    },
    {
      name: 'a program that serves two ports, and a time in its log',
      facts: {
        ...tried([refused], { pods: [started(61)] }),
        logs: complete([
          ['shop/policy-1/webhook', 'Listening on :8080\nListening on :9090\nserving on 2026-11-27 10:30:05'],
        ]),
      },
      expect: { messageId: 'all' },
    },
    {
      name: 'a server that has opened this port, by its log',
      facts: {
        ...tried([refused], { pods: [started(61)] }),
        logs: complete([['shop/policy-1/webhook', 'Serving webhook server host="" port=8443']]),
      },
      expect: { messageId: 'bound', data: { port: 8443, replicas: 'Pod policy-1' } },
    },
    {
      name: 'a Pod that has just started, and opened the port after the probe, by its log',
      facts: {
        ...tried([refused], { pods: [started(15)] }),
        logs: complete([['shop/policy-1/webhook', 'Serving webhook server host="" port=8443']]),
      },
      expect: { messageId: 'starting' },
    },
    {
      name: 'a Pod that should listen by now',
      facts: tried([refused], { pods: [started(61)] }),
      expect: { messageId: 'all' },
    },
  ],
);
