import type { Product } from './product.ts';

/** aws/amazon-eks-pod-identity-webhook; EKS runs it beside its API servers, at a URL on their loopback. */
export const eksPodIdentityWebhook: Product = {
  name: 'EKS Pod Identity Webhook',
  webhooks: ['pod-identity-webhook.amazonaws.com', 'iam-for-pods.amazonaws.com'],
  enforces: {
    webhooks: ['pod-identity-webhook.amazonaws.com', 'iam-for-pods.amazonaws.com'],
    what: 'the identities of Pods',
  },
  workloads: ['pod-identity-webhook'],
};
