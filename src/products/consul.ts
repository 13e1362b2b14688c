import type { Product } from './product.ts';

/** hashicorp/consul-k8s control-plane/subcommand/webhook-cert-manager: certificates of a day. */
export const consul: Product = {
  name: 'Consul',
  webhooks: ['.consul.hashicorp.com'],
  workloads: ['consul'],
  writers: [
    {
      name: "Consul's webhook certificate manager",
      managers: ['consul-k8s-control-plane'],
      fields: ['caBundle'],
      lasts: 'in the Secret that it keeps; it writes whenever it makes a certificate',
    },
  ],
  rotation: { by: "Consul's webhook certificate manager" },
};
