import type { Product } from './product.ts';

/** antrea pkg/apiserver/certificate/cacert_controller.go: the authority goes into configurations, CRDs and APIServices. */
export const antrea: Product = {
  name: 'Antrea',
  webhooks: ['.antrea.io'],
  workloads: ['antrea'],
  writers: [
    {
      name: "Antrea's controller",
      managers: ['antrea-controller'],
      fields: ['caBundle'],
      lasts: 'in the ConfigMap antrea-ca and its own memory; it writes whenever its certificate changes',
    },
  ],
  rotation: { by: "Antrea's controller" },
};
