import type { Product } from './product.ts';

/** The API server's own sentence has it: `Post "https://localhost:5443/webhook/warden-validating?timeout=10s"`. */
export const gke: Product = {
  name: 'GKE',
  webhooks: ['.common-webhooks.networking.gke.io'],
  besideApiServers: true,
};
