import type { Product } from './product.ts';

export const linkerd: Product = {
  name: 'Linkerd',
  webhooks: ['.linkerd.io'],
  enforces: {
    webhooks: ['linkerd-proxy-injector.linkerd.io'],
    what: 'its proxies, and with them mutual TLS and authorization',
  },
  workloads: ['linkerd'],
  rotation: { by: "Linkerd's installation", secret: '{service}-k8s-tls', atUpgrade: true },
};
