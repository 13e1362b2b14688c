import { customResource } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const conversionNone = defineScenario({
  slug: 'conversion-none',
  story: [
    'A CRD serves two versions with the same schema.',
    'Its conversion strategy is None.',
    'Nobody is called.',
  ],
  parts: [customResource('gadgets.plain.example.com', 'Gadget')],
  expect: [],
});
