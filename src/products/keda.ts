import type { Product } from './product.ts';

/** open-policy-agent/cert-controller pkg/rotator/rotator.go: a new server certificate 90 days before its year is over. */
export const keda: Product = {
  name: 'KEDA',
  webhooks: [
    'vscaledobject.kb.io',
    'vscaledjob.kb.io',
    'vstriggerauthentication.kb.io',
    'vsclustertriggerauthentication.kb.io',
  ],
  services: ['keda-admission-webhooks'],
  workloads: ['keda'],
  writers: [
    {
      name: "KEDA's operator",
      managers: ['keda'],
      fields: ['caBundle'],
      lasts: 'in the Secret kedaorg-certs',
    },
  ],
  rotation: { by: "KEDA's operator", secret: 'kedaorg-certs', daysLeft: 90 },
};
