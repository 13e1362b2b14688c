import type { Product } from './product.ts';

/** open-policy-agent/cert-controller pkg/rotator/rotator.go: a new server certificate 90 days before its year is over. */
export const gatekeeper: Product = {
  name: 'Gatekeeper',
  webhooks: ['.gatekeeper.sh'],
  enforces: {
    webhooks: ['validation.gatekeeper.sh', 'mutation.gatekeeper.sh'],
    what: 'its constraints and mutations',
  },
  workloads: ['gatekeeper'],
  writers: [
    {
      name: "Gatekeeper's certificate rotator",
      managers: ['gatekeeper'],
      fields: ['caBundle'],
      lasts: 'in the Secret gatekeeper-webhook-server-cert',
    },
  ],
  rotation: {
    by: "Gatekeeper's certificate rotator",
    secret: 'gatekeeper-webhook-server-cert',
    days: 365,
    daysLeft: 90,
  },
};
