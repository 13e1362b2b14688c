import type { Product } from './product.ts';

export const keda: Product = {
  name: 'KEDA',
  webhooks: [
    'vscaledobject.kb.io',
    'vscaledjob.kb.io',
    'vstriggerauthentication.kb.io',
    'vsclustertriggerauthentication.kb.io',
  ],
  workloads: ['keda'],
  writers: [
    {
      name: "KEDA's operator",
      managers: ['keda'],
      fields: ['caBundle'],
      lasts: 'in the Secret kedaorg-certs',
    },
  ],
};
