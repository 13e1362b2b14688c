import type { Product } from './product.ts';

/**
 * aws/amazon-eks-pod-identity-webhook and aws/amazon-vpc-resource-controller-k8s: EKS runs both beside its API servers,
 * and the configurations call them at a URL on loopback.
 */
export const eks: Product = {
  name: 'EKS',
  webhooks: ['.amazonaws.com', 'mpod.vpc.k8s.aws'],
  workloads: ['pod-identity-webhook'],
  besideApiServers: true,
};
