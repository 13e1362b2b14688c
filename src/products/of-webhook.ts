import { type AdmissionCallout, type Callout, closedWebhooks, isUrlBacked } from '../facts/callout.ts';
import { remembered } from '../facts/derive.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isLoopbackHost, urlHost } from '../facts/url.ts';
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

const ofService = new Map(
  products
    .toReversed()
    .flatMap((product) => (product.services ?? []).map((name) => [name, product] as const)),
);

/** The product that a callout belongs to, by its name, or by that of its Service; undefined where neither tells. */
export const productOf = remembered(
  ({ webhook, client: { service } }: Named): Product | undefined =>
    productOfWebhook(webhook) ?? (service === undefined ? undefined : ofService.get(service.name)),
);

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

/**
 * The provider of the cluster runs it beside each API server, which calls it over loopback: it needs nothing of the
 * cluster to answer, is as available as the API server, and nobody else can change it. The name alone says nothing: the
 * same program behind a Service is a webhook like any other.
 */
const isOfControlPlane = (callout: AdmissionCallout): boolean =>
  isUrlBacked(callout) &&
  productOf(callout)?.besideApiServers === true &&
  isLoopbackHost(urlHost(callout.client.url) ?? '');

/** Webhooks that stop what they cover while nobody answers, and that whoever runs the cluster answers for. */
export const ownClosedWebhooks = (facts: Pick<Facts, 'callouts'>): readonly AdmissionCallout[] =>
  closedWebhooks(facts).filter((callout) => !isOfControlPlane(callout));
