import type { Product } from './product.ts';

export const longhorn: Product = {
  name: 'Longhorn',
  webhooks: ['validator.longhorn.io', 'mutator.longhorn.io'],
  registersItself: {
    service: 'longhorn-admission-webhook',
    otherwise: 'its volumes and settings are written unchecked',
  },
  workloads: ['longhorn'],
  // longhorn-manager app/daemon.go: AddLabelToManagerPod, when its webhook server has started.
  labelsWhileRunning: [
    'longhorn.io/admission-webhook',
    'longhorn.io/conversion-webhook',
    'longhorn.io/recovery-backend',
  ],
  writers: [
    {
      name: 'longhorn-manager',
      managers: ['longhorn-manager'],
      fields: ['caBundle', 'failurePolicy', 'rules', 'timeoutSeconds'],
      lasts: 'nowhere: it makes its configurations anew when it starts',
    },
  ],
  rotation: { by: 'longhorn-manager', secret: 'longhorn-webhook-tls' },
};
