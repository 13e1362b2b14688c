import type { Callout } from '../facts/callout.ts';
import { products } from './catalogue.ts';
import type { Product } from './product.ts';

/**
 * Finds the first product that gives a webhook its name: by the whole name, by an end that begins with a dot, or by what
 * stands before an asterisk.
 */
export function byWebhookName(
  namesOf: (product: Product) => readonly string[] | undefined,
): (webhook: string) => Product | undefined {
  const places = new Map<string, number>();
  const parts: (readonly [part: string, place: number])[] = [];
  for (const [place, product] of products.entries()) {
    for (const name of namesOf(product) ?? []) {
      if (name.endsWith('*')) parts.push([name.slice(0, -1), place]);
      else if (!places.has(name)) places.set(name, place);
    }
  }
  return (webhook) => {
    let first = places.get(webhook) ?? products.length;
    for (let dot = webhook.indexOf('.'); dot >= 0; dot = webhook.indexOf('.', dot + 1)) {
      first = Math.min(first, places.get(webhook.slice(dot)) ?? first);
    }
    for (const [part, place] of parts) if (place < first && webhook.includes(part)) first = place;
    return products[first];
  };
}

/** The product that registers a webhook of this name; undefined for names that tell nothing. */
export const productOfWebhook = byWebhookName(({ webhooks }) => webhooks);

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

const enforcer = byWebhookName(({ enforces }) => enforces?.webhooks);

/** A product, and what a webhook of this name enforces for it. */
export interface Enforced {
  readonly product: string;
  readonly what: string;
}

/** What a webhook of this name enforces; undefined for names that tell nothing, and for webhooks that enforce nothing. */
export function enforcedBy(webhook: string): Enforced | undefined {
  const product = enforcer(webhook);
  return product?.enforces && { product: product.name, what: product.enforces.what };
}
