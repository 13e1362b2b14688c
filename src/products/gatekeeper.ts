import type { Product } from './product.ts';

export const gatekeeper: Product = {
  name: 'Gatekeeper',
  webhooks: ['.gatekeeper.sh'],
  enforces: { webhooks: ['validation.gatekeeper.sh', 'mutation.gatekeeper.sh'], what: 'its constraints' },
  workloads: ['gatekeeper'],
  writers: [
    {
      name: "Gatekeeper's certificate rotator",
      managers: ['gatekeeper'],
      fields: ['caBundle'],
      lasts: 'in the Secret gatekeeper-webhook-server-cert',
    },
  ],
};
