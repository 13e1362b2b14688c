import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const twoConfigurationsOneName = defineScenario({
  slug: 'two-configurations-one-name',
  story: [
    'A release was renamed, and the old configuration stayed beside the new one.',
    'Both register a webhook of the same name.',
    'Every request is checked twice, and errors do not say by which.',
  ],
  parts: [
    namespace('replicas-guard'),
    service('replicas-guard/guard'),
    deployment('replicas-guard/guard'),
    validating('replicas-guard', [
      webhook('guard.replicas.example.com', { service: 'replicas-guard/guard' }),
    ]),
    validating('replicas-guard-old', [
      webhook('guard.replicas.example.com', { service: 'replicas-guard/guard' }),
    ]),
  ],
  expect: [],
  also: ['duplicate-installation'],
});
