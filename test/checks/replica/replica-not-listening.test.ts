import { replicaNotListening } from '../../../src/checks/replica/replica-not-listening.ts';

import { complete } from '../../../src/facts/lookup.ts';
import { describeFault, refused, replica, tried } from '../probed.ts';
import { ago } from './replicas.ts';

const started = (seconds: number) => {
  const pod = replica(1);
  const state = { running: { startedAt: ago(seconds) } };
  const containerStatuses = [{ name: 'webhook', ready: true, restartCount: 0, state }];
  return { ...pod, status: { ...pod.status, containerStatuses } };
};

describeFault(
  replicaNotListening,
  refused,
  [],
  [
    {
      name: 'a Pod that has just started',
      facts: tried([refused], { pods: [started(5)] }),
      expect: { messageId: 'starting', data: { port: 8443, replicas: 'Pod policy-1', seconds: 5 } },
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
      name: 'a server that has opened this port, by its log',
      facts: {
        ...tried([refused], { pods: [started(61)] }),
        logs: complete([['shop/policy-1/webhook', 'Serving webhook server host="" port=8443']]),
      },
      expect: { messageId: 'all' },
    },
    {
      name: 'a Pod that should listen by now',
      facts: tried([refused], { pods: [started(61)] }),
      expect: { messageId: 'all' },
    },
  ],
);
