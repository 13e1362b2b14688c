import type { Product } from './product.ts';

/** Built on knative.dev/pkg webhook: certificates of a week, made anew a day before their end. */
export const sigstorePolicyController: Product = {
  name: 'Sigstore Policy Controller',
  webhooks: ['.sigstore.dev', 'policy.sigstore.dev'],
  enforces: { webhooks: ['policy.sigstore.dev'], what: 'its image policies' },
  workloads: ['policy-controller'],
  writers: [
    {
      name: "Sigstore's policy controller",
      managers: ['policy-controller'],
      fields: ['caBundle', 'rules'],
      lasts: 'in the Secret webhook-certs; rules only in the program',
    },
  ],
  rotation: { by: "Sigstore's policy controller", secret: 'webhook-certs', days: 7, daysLeft: 1 },
};
