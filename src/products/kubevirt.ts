import type { Product } from './product.ts';

/** kubevirt pkg/virt-operator/resource/apply/admissionregistration.go: virt-operator restores what it made. */
export const kubeVirt: Product = {
  name: 'KubeVirt',
  webhooks: ['.kubevirt.io'],
  services: ['virt-api', 'virt-operator', 'kubevirt-operator-webhook'],
  workloads: ['virt-api', 'virt-operator'],
  writers: [
    {
      name: "KubeVirt's virt-operator",
      managers: ['virt-operator'],
      fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
      lasts: 'nowhere: it restores what it made, within minutes',
    },
  ],
  rotation: { by: "KubeVirt's virt-operator" },
};
