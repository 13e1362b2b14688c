import type { Product } from './product.ts';

export const awsLoadBalancerController: Product = {
  name: 'AWS Load Balancer Controller',
  webhooks: ['.elbv2.k8s.aws'],
  workloads: ['aws-load-balancer-controller'],
};
