import type { Product } from './product.ts';

/** Its admission controller makes its configurations from the policies, and restores them. */
export const kyverno: Product = {
  name: 'Kyverno',
  webhooks: ['.kyverno.svc', '.kyverno.svc-fail*', '.kyverno.svc-ignore*'],
  services: ['kyverno-svc', 'kyverno-cleanup-controller'],
  enforces: {
    webhooks: ['.kyverno.svc-fail*', '.kyverno.svc-ignore*'],
    what: 'its policies',
  },
  registersItself: { service: 'kyverno-svc', otherwise: 'none of its policies is enforced' },
  workloads: ['kyverno'],
  writers: [
    {
      name: "Kyverno's admission controller",
      managers: ['kyverno'],
      fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
      lasts: 'in the policies (`spec.webhookConfiguration`) and in the ConfigMap kyverno',
    },
    {
      name: "Kyverno's cleanup controller",
      managers: ['cleanup-controller'],
      fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
      lasts: 'nowhere: it restores its two configurations',
    },
  ],
  rotation: {
    by: "Kyverno's admission controller",
    secret: '{service}.{namespace}.svc.kyverno-tls-pair',
    days: 150,
  },
};
