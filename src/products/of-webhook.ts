import type { Callout } from '../facts/callout.ts';
import { products } from './catalogue.ts';
import type { Product } from './product.ts';

/** Whether a webhook's name is one of these, or has one of these ends, or holds what stands before an asterisk. */
export const isNamed = (webhook: string, ends: readonly string[] = []): boolean =>
  ends.some((end) =>
    end.endsWith('*')
      ? webhook.includes(end.slice(0, -1))
      : webhook === end || (end.startsWith('.') && webhook.endsWith(end)),
  );

/** The product that registers a webhook of this name; undefined for names that tell nothing. */
export const productOfWebhook = (webhook: string): Product | undefined =>
  products.find((product) => isNamed(webhook, product.webhooks));

type Named = Pick<Callout, 'webhook' | 'client'>;

/** Many checks ask; facts never change. */
const known = new WeakMap<Named, { readonly product: Product | undefined }>();

/** The product that a callout belongs to, by its name, or by that of its Service; undefined where neither tells. */
export function productOf(callout: Named): Product | undefined {
  const told = known.get(callout);
  if (told !== undefined) return told.product;
  const service = callout.client.service?.name;
  const product =
    productOfWebhook(callout.webhook) ??
    (service === undefined ? undefined : products.find(({ services }) => services?.includes(service)));
  known.set(callout, { product });
  return product;
}

const enforcing = products.filter(({ enforces }) => enforces !== undefined);

/** A product, and what a webhook of this name enforces for it. */
export interface Enforced {
  readonly product: string;
  readonly what: string;
}

/** What a webhook of this name enforces; undefined for names that tell nothing, and for webhooks that enforce nothing. */
export function enforcedBy(webhook: string): Enforced | undefined {
  const product = enforcing.find(({ enforces }) => isNamed(webhook, enforces?.webhooks));
  return product?.enforces && { product: product.name, what: product.enforces.what };
}
