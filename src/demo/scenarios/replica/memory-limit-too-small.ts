import { outOfMemory } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const memoryLimitTooSmall = defineScenario({
  slug: 'memory-limit-too-small',
  story: [
    'A policy engine keeps a copy of what it watches.',
    'The cluster grew, its memory limit did not.',
    'The kernel ends it a few seconds after each start.',
  ],
  source: 'https://github.com/devantler-tech/platform/pull/2181',
  parts: [
    namespace('governance'),
    service('governance/governance'),
    deployment('governance/governance', {
      container: { resources: { limits: { memory: '64Mi' } } },
      pods: [outOfMemory],
    }),
    validating('governance', [webhook('governance.example.com', { service: 'governance/governance' })]),
  ],
  expect: [
    {
      callout: 'validating/governance/governance.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-out-of-memory',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
