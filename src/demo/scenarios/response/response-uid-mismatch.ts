import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const responseUidMismatch = defineScenario({
  slug: 'response-uid-mismatch',
  story: [
    'A webhook builds its answer from a template and leaves the uid as it was there.',
    'It allows everything.',
    'The API server takes no answer that belongs to another question.',
  ],
  source: 'https://github.com/kubernetes/ingress-nginx/issues/4916',
  parts: [
    namespace('template'),
    service('template/template-policy'),
    deployment('template/template-policy', { pods: [running({ answer: 'wrong-uid' })] }),
    validating('template-policy', [
      webhook('template-policy.example.com', { service: 'template/template-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/template-policy/template-policy.example.com',
      state: 'failing',
      link: 'response',
      cause: 'response-uid-mismatch',
      effect: 'blocks',
      error: 'expected response.uid=',
    },
  ],
});
