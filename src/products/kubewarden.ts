import type { Product } from './product.ts';

/** kubewarden-controller internal/controller: makes a configuration per policy and restores it. */
export const kubewarden: Product = {
  name: 'Kubewarden',
  webhooks: ['.kubewarden.admission', '.kubewarden.dev'],
  enforces: { webhooks: ['.kubewarden.admission'], what: 'its policies' },
  workloads: ['kubewarden', 'policy-server'],
  writers: [
    {
      name: "Kubewarden's controller",
      managers: ['controller', 'kubewarden-controller'],
      fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
      lasts: 'in the policies (`spec.failurePolicy`, `spec.rules`)',
    },
  ],
  rotation: { by: "Kubewarden's controller" },
};
