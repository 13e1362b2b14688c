import type { Product } from './product.ts';

/** volcano cmd/webhook-manager/app/util.go: the caBundle is written at each start; a Job made the Secret. */
export const volcano: Product = {
  name: 'Volcano',
  webhooks: ['.volcano.sh'],
  workloads: ['volcano'],
  writers: [
    {
      name: "Volcano's webhook manager",
      managers: ['vc-webhook-manager'],
      fields: ['caBundle'],
      lasts: 'in the Secret volcano-admission-secret; it writes when it starts',
    },
  ],
  rotation: { by: "Volcano's installation", secret: 'volcano-admission-secret', atUpgrade: true },
};
