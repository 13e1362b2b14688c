import { certManager } from '../../facts/objects/cert-manager.ts';
import { maintainedBy, type Product } from '../product.ts';

/** Tools that maintain the certificates of other products. */
export const certificateTools: readonly Product[] = [
  {
    name: 'cert-manager',
    webhooks: ['webhook.cert-manager.io', 'webhook.cert-manager.acme.io'],
    // cert-manager deploy/charts/cert-manager/values.yaml: webhook.securePort.
    listensAt: { service: 'cert-manager-webhook', port: 10250 },
    workloads: ['cert-manager'],
    writers: [
      {
        name: "cert-manager's cainjector",
        managers: ['cainjector', 'cert-manager-cainjector'],
        annotations: [certManager.injectFrom, certManager.injectFromSecret, certManager.injectApiServerCa],
        services: [],
        fields: ['caBundle'],
        lasts: 'in the Certificate or Secret that the annotation names',
      },
    ],
    rotation: {
      by: 'the webhook of cert-manager itself',
      secret: 'cert-manager-webhook-ca',
      authorityOnly: true,
      days: 7,
    },
  },
  /** Many charts run it as a Job (ingress-nginx, kube-prometheus-stack), at each installation and upgrade. */
  {
    name: 'kube-webhook-certgen',
    ...maintainedBy('the kube-webhook-certgen Job', {
      managers: ['kube-webhook-certgen'],
      fields: ['caBundle', 'failurePolicy'],
      lasts: "in the chart's values; the Job writes again at the next upgrade",
      isJob: true,
      atUpgrade: true,
    }),
  },
];
