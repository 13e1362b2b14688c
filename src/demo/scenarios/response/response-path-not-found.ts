import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const responsePathNotFound = defineScenario({
  slug: 'response-path-not-found',
  story: [
    'The new version serves its webhook under another path.',
    'The configuration names the old one.',
    'Every call ends in 404, over a sound connection.',
  ],
  source: 'https://github.com/kubernetes-sigs/cluster-api-provider-openstack/issues/1927',
  parts: [
    namespace('paths'),
    service('paths/path-policy'),
    deployment('paths/path-policy', {
      pods: [running({ answer: 'raw', status: 404, body: '404 page not found' })],
    }),
    validating('path-policy', [webhook('path-policy.example.com', { service: 'paths/path-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/path-policy/path-policy.example.com',
      state: 'failing',
      link: 'response',
      cause: 'response-path-not-found',
      effect: 'blocks',
      error: 'the server could not find the requested resource',
    },
  ],
});
