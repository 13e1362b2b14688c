import { probesContradictObjects } from '../../../src/checks/replica/probes-contradict-objects.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { allows, quiet, refused, replica, tried } from '../probed.ts';

/** Its status was just updated. */
const crashed = (number: number) =>
  replica(number, {
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        {
          name: 'webhook',
          ready: false,
          restartCount: 3,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
        },
      ],
    },
  });

describeCheck(probesContradictObjects, {
  reports: [
    {
      name: 'a replica that answers, though its container is not running by its status',
      facts: tried([allows], { pods: [crashed(1)] }),
      expect: { messageId: 'answers', confidence: 'observed' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'both names the break', facts: tried([refused], { pods: [crashed(1)] }), outcome: 'pass' },
    { name: 'objects know nothing of a break', facts: tried([refused]), outcome: 'pass' },
  ],
});
