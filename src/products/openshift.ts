import type { Product } from './product.ts';

export const openshift: Product = {
  name: 'OpenShift',
  writers: [
    {
      name: "OpenShift's service CA operator",
      managers: ['service-ca-operator'],
      annotations: ['service.beta.openshift.io/inject-cabundle'],
      fields: ['caBundle'],
      lasts: 'nowhere while the annotation is there',
    },
  ],
};
