import type { Product } from './product.ts';

/** Writes two exclusions into every namespaceSelector: https://learn.microsoft.com/azure/aks/faq (admissions enforcer). */
export const aks: Product = {
  name: 'AKS',
  writers: [
    {
      name: "AKS' admissions enforcer",
      managers: ['admissionsenforcer'],
      fields: ['namespaceSelector'],
      lasts: 'nowhere, unless the object is annotated admissions.enforcer/disabled: "true"',
    },
  ],
};
