import { noDrainBeforeStop } from '../../../src/checks/practice/no-drain-before-stop.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { deployment, kept, never } from './kept.ts';

const lifecycle = (value: unknown) => kept([deployment({ container: { lifecycle: value } })]);
describeCheck(noDrainBeforeStop, {
  reports: [
    {
      name: 'no preStop',
      facts: kept(),
      expect: { messageId: 'none', data: { container: 'webhook', workload: 'Deployment policy' } },
    },
    {
      name: 'a postStart alone',
      facts: lifecycle({ postStart: { exec: { command: ['x'] } } }),
      expect: { messageId: 'none' },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'it sleeps first', facts: lifecycle({ preStop: { sleep: { seconds: 5 } } }), outcome: 'pass' },
    { name: 'it runs something first', facts: lifecycle({ preStop: { exec: { command: ['sleep', '5'] } } }) },
    { name: 'no container declares the port', facts: kept([deployment({ container: { ports: [] } })]) },
  ],
});
