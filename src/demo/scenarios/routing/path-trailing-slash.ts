import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const pathTrailingSlash = defineScenario({
  slug: 'path-trailing-slash',
  story: [
    'The configured path ends in a slash.',
    'The API server drops it.',
    'A Go program that registered the path with the slash redirects, and the POST becomes a GET.',
  ],
  parts: [
    namespace('quota-guard'),
    service('quota-guard/guard'),
    deployment('quota-guard/guard'),
    validating('quota-guard', [
      webhook('quota-guard.example.com', { service: 'quota-guard/guard', path: '/validate/' }),
    ]),
  ],
  expect: [],
  also: ['path-trailing-slash'],
});
