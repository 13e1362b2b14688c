import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const responseRedirects = defineScenario({
  slug: 'response-redirects',
  story: [
    'The server redirects to where it thinks the path should be.',
    'The API server follows, with a GET and without the review.',
    'What answers there is no webhook.',
  ],
  parts: [
    namespace('moved'),
    service('moved/moved-policy'),
    deployment('moved/moved-policy', { pods: [running({ answer: 'redirect' })] }),
    validating('moved-policy', [webhook('moved-policy.example.com', { service: 'moved/moved-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/moved-policy/moved-policy.example.com',
      state: 'failing',
      link: 'response',
      cause: 'response-redirects',
      effect: 'blocks',
    },
  ],
});
