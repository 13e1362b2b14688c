import { maintainedBy, type Product, rotatedByCertController } from '../product.ts';

/** Products for Pod networks, ingress and volumes. */
export const networkingAndStorage: readonly Product[] = [
  /** antrea apiserver/certificate/cacert_controller.go: CA of configurations, CRDs, APIServices. */
  {
    name: 'Antrea',
    webhooks: ['.antrea.io'],
    workloads: ['antrea'],
    ...maintainedBy("Antrea's controller", {
      managers: ['antrea-controller'],
      lasts: 'in the ConfigMap antrea-ca and its own memory; it writes whenever its certificate changes',
    }),
  },
  {
    name: 'ingress-nginx',
    webhooks: ['validate.nginx.ingress.kubernetes.io'],
    services: ['ingress-nginx-controller-admission'],
    workloads: ['ingress-nginx', 'nginx-ingress'],
  },
  {
    name: 'Longhorn',
    webhooks: ['validator.longhorn.io', 'mutator.longhorn.io'],
    registersItself: {
      service: 'longhorn-admission-webhook',
      otherwise: 'its volumes and settings are written unchecked',
    },
    workloads: ['longhorn'],
    // longhorn-manager app/daemon.go: AddLabelToManagerPod, after its webhook server has started.
    labelsWhileRunning: [
      'longhorn.io/admission-webhook',
      'longhorn.io/conversion-webhook',
      'longhorn.io/recovery-backend',
    ],
    ...maintainedBy('longhorn-manager', {
      managers: ['longhorn-manager'],
      fields: ['caBundle', 'failurePolicy', 'rules', 'timeoutSeconds'],
      lasts: 'not possible: it recreates its configurations when it starts',
      secret: 'longhorn-webhook-tls',
    }),
  },
  /**
   * Its certificates are rotated by open-policy-agent/cert-controller, with MetalLB as field manager: metallb
   * internal/k8s/webhook.go.
   */
  {
    name: 'MetalLB',
    webhooks: ['.metallb.io'],
    services: ['metallb-webhook-service'],
    workloads: ['metallb'],
    ...rotatedByCertController("MetalLB's certificate rotator", ['MetalLB'], 'metallb-webhook-cert'),
  },
];
