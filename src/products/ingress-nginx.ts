import type { Product } from './product.ts';

export const ingressNginx: Product = {
  name: 'ingress-nginx',
  webhooks: ['validate.nginx.ingress.kubernetes.io'],
  workloads: ['ingress-nginx', 'nginx-ingress'],
};
