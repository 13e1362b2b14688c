import { targetPortClosed } from '../../../src/checks/backend/target-port-closed.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { allows, blind, quiet, refused, replica, tried } from '../probed.ts';

/** Serves another port than the Service's. */
const elsewhere = (number: number) =>
  replica(number, { spec: { containers: [{ name: 'webhook', ports: [{ containerPort: 9443 }] }] } });
const undeclared = replica(1, {
  spec: { containers: [{ name: 'webhook', readinessProbe: { tcpSocket: { port: 9443 } } }] },
});
const configured = (value: string) =>
  replica(1, {
    spec: {
      containers: [
        {
          name: 'webhook',
          args: ['--metrics-addr=:8080'],
          env: [{ name: 'WEBHOOK_PORT', value }],
          ports: [{ containerPort: 8443 }],
        },
      ],
    },
  });
const data = {
  service: 'shop/policy',
  others: '9443',
  port: 8443,
  detail: 'dial tcp 198.51.100.11:8443: connect: connection refused',
};

describeCheck(targetPortClosed, {
  reports: [
    {
      name: 'a port that the Pods do not declare, while they declare another',
      facts: tried([refused, refused], { pods: [elsewhere(1), elsewhere(2)] }),
      expect: {
        messageId: 'all',
        confidence: 'observed',
        data: { ...data, replicas: 'both Pods', bad: 2, total: 2 },
      },
    },
    {
      name: 'an undeclared port, while the readiness probe succeeds at another',
      facts: tried([refused], { pods: [undeclared] }),
      expect: { messageId: 'all', data: { ...data, replicas: 'Pod policy-1', bad: 1, total: 1 } },
    },
    {
      name: 'a port that the Pods declare, while a variable sets another for the webhook',
      facts: tried([refused], { pods: [configured('9443')] }),
      expect: {
        messageId: 'all',
        data: { ...data, replicas: 'Pod policy-1', bad: 1, total: 1 },
        evidence: '9443',
      },
    },
    {
      name: 'one replica of two',
      facts: tried([allows, refused], { pods: [replica(1), elsewhere(2)] }),
      expect: { messageId: 'some', data: { ...data, replicas: 'Pod policy-2', bad: 1, total: 2 } },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'the Pods declare the port', facts: tried([refused]), outcome: 'pass' },
    {
      name: 'a variable sets the same port, and others are for metrics',
      facts: tried([refused], { pods: [configured(':8443')] }),
      outcome: 'pass',
    },
    {
      name: 'the Pods declare the port, and a flag sets the address of metrics',
      facts: tried([refused], {
        pods: [
          replica(1, {
            spec: {
              containers: [
                {
                  name: 'webhook',
                  args: ['--web.listen-address=:8080'],
                  ports: [{ containerPort: 8443 }],
                },
              ],
            },
          }),
        ],
      }),
      outcome: 'pass',
    },
    {
      name: 'the Pods names no port at all',
      facts: tried([refused], { pods: [replica(1, { spec: { containers: [{ name: 'webhook' }] } })] }),
    },
  ],
  isUnknown: blind,
});
