import { mutating, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const urlOnLoopback = defineScenario({
  slug: 'url-on-loopback',
  story: [
    "A cloud provider's controller serves a webhook on every control plane node.",
    'Its configuration names 127.0.0.1.',
    'That works where each API server has its own copy beside it, and nothing readable tells.',
  ],
  parts: [
    mutating('volume-labels', [
      webhook('labels.cloud.example.com', { url: 'https://127.0.0.1:9001/label', failurePolicy: 'Ignore' }),
    ]),
  ],
  expect: [],
  also: ['url-loopback'],
});
