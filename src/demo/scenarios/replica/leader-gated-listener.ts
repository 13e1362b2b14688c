import { running } from '../../cluster/behaviour.ts';
import { lease, namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const leaderGatedListener = defineScenario({
  slug: 'leader-gated-listener',
  story: [
    'The webhook server starts as a part of the manager that only the leader runs.',
    'All three replicas are Ready, for their health port answers.',
    'Two of three new connections are refused, whichever way one turns to retry.',
  ],
  source: 'https://github.com/kubernetes-sigs/controller-runtime/issues/356',
  parts: [
    namespace('gangs'),
    service('gangs/gang-policy'),
    deployment('gangs/gang-policy', {
      replicas: 3,
      container: {
        ports: [
          { name: 'webhook', containerPort: 8443 },
          { name: 'health', containerPort: 8081 },
        ],
        readinessProbe: { httpGet: { path: '/readyz', port: 8081 } },
      },
      pods: [running({ gate: 'listener' }), running({ gate: 'listener', leader: false })],
    }),
    lease('gangs/gang-controller', 'gang-policy'),
    validating('gang-policy', [webhook('gang-policy.example.com', { service: 'gangs/gang-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/gang-policy/gang-policy.example.com',
      state: 'degraded',
      link: 'replica',
      cause: 'leader-gated-listener',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
