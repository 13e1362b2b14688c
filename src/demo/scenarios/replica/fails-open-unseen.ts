import { crashing } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, rule, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const failsOpenUnseen = defineScenario({
  slug: 'fails-open-unseen',
  story: [
    'A security injector crashes, and its webhook ignores failures.',
    'Nothing is refused, and nobody complains.',
    'Pods start without what the injector should have given them.',
  ],
  source: 'https://github.com/DataDog/datadog-agent/issues/26354',
  parts: [
    namespace('runtime-security'),
    service('runtime-security/agent-injector'),
    deployment('runtime-security/agent-injector', { pods: [crashing(1, 'license expired\n')] }),
    mutating('agent-injector', [
      webhook('inject.runtime-security.example.com', {
        service: 'runtime-security/agent-injector',
        path: '/inject',
        failurePolicy: 'Ignore',
        rules: [rule('v1', 'pods', 'CREATE')],
      }),
    ]),
  ],
  expect: [
    {
      callout: 'mutating/agent-injector/inject.runtime-security.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-crash-looping',
      effect: 'fails-open',
      error: 'connect: connection refused',
    },
  ],
});
