import type { Product } from './product.ts';

/** autoscaler vertical-pod-autoscaler/pkg/admission-controller/config.go: deletes and makes its configuration when it starts. */
export const verticalPodAutoscaler: Product = {
  name: 'Vertical Pod Autoscaler',
  webhooks: ['vpa.k8s.io'],
  registersItself: { service: 'vpa-webhook', otherwise: 'Pods start with the requests of their templates' },
  workloads: ['vpa', 'vertical-pod-autoscaler'],
  writers: [
    {
      name: "VPA's admission controller",
      managers: ['admission-controller'],
      fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
      lasts:
        'in its flags (`--webhook-failure-policy-fail`, `--webhook-timeout-seconds`): it makes its configuration anew when it starts',
    },
  ],
  rotation: { by: "VPA's installation", secret: 'vpa-tls-certs', atUpgrade: true },
};
