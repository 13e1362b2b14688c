import { products } from './catalogue.ts';
import type { Product } from './product.ts';

/** The product that registers a webhook of this name; undefined for names that tell nothing. */
export const productOfWebhook = (webhook: string): Product | undefined =>
  products.find((product) =>
    product.webhooks?.some((end) => webhook === end || (end.startsWith('.') && webhook.endsWith(end))),
  );
