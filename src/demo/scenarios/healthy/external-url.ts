import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const externalUrl = defineScenario({
  slug: 'external-url',
  story: [
    'The webhook is a URL outside the cluster.',
    'There is no Service, no endpoint and no Pod to look at.',
    'Whether it answers is a question for a probe.',
  ],
  probe: 'none',
  parts: [
    validating('hosted', [
      webhook('hosted.example.com', { url: 'https://admission.hosted.example.com/v1/validate' }),
    ]),
  ],
  expect: [],
});
