import { readinessDoesNotCoverWebhook } from '../../../src/checks/practice/readiness-does-not-cover-webhook.ts';
import type { Probe } from '../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { deployment, kept, never } from './kept.ts';

const probe = (readinessProbe: Probe) => kept([deployment({ container: { readinessProbe } })]);
const where = { container: 'webhook', workload: 'Deployment policy', port: 8443 };
describeCheck(readinessDoesNotCoverWebhook, {
  reports: [
    { name: 'no probe', facts: kept(), expect: { messageId: 'none', data: where } },
    {
      name: 'a probe of another port',
      facts: probe({ httpGet: { path: '/readyz', port: 8081 } }),
      expect: { messageId: 'elsewhere', data: { ...where, probePort: 8081 } },
    },
    {
      name: 'a gRPC probe of another port',
      facts: probe({ grpc: { port: 9090 } }),
      expect: { messageId: 'elsewhere' },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'the probe asks the port', facts: probe({ tcpSocket: { port: 8443 } }), outcome: 'pass' },
    { name: 'it asks by name', facts: probe({ httpGet: { path: '/readyz', port: 'https' } }) },
    { name: 'it runs a command', facts: probe({ exec: { command: ['ready'] } }) },
    { name: 'its port has an undeclared name', facts: probe({ httpGet: { port: 'health' } }) },
    { name: 'no container declares the port', facts: kept([deployment({ container: { ports: [] } })]) },
  ],
});
