import { stuckTerminating } from '../../cluster/behaviour.ts';
import { namespace, node, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { statefulSet } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const deletedButKept = defineScenario({
  slug: 'deleted-but-kept',
  story: [
    'A node died, and its Pods were deleted half an hour later.',
    'Nobody confirms that they have ended, so they stay, and a StatefulSet makes no second Pod of the same name.',
    'The webhook waits for a machine that will not come back.',
  ],
  parts: [
    namespace('ledger'),
    node('worker-dead', { ready: false }),
    service('ledger/ledger-policy'),
    statefulSet('ledger/ledger-policy', {
      replicas: 1,
      spec: { nodeSelector: { 'kubernetes.io/hostname': 'worker-dead' } },
      pods: [stuckTerminating()],
    }),
    validating('ledger-policy', [webhook('ledger-policy.example.com', { service: 'ledger/ledger-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/ledger-policy/ledger-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-terminating-stuck',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
