import { derive, remembered } from '../basics/derive.ts';
import { isLoopbackHost, urlHost } from '../basics/url.ts';
import {
  type AdmissionCallout,
  type Callout,
  failsOpen,
  isAdmission,
  isUrlBacked,
} from '../facts/callout.ts';
import type { Facts } from '../facts/snapshot.ts';
import { products } from './catalogue.ts';
import type { Product } from './product.ts';

/**
 * Finds the first product with a webhook of this name: by the complete name, by a suffix that starts with a
 * dot, or by the text before an asterisk.
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

/** The product that registers a webhook of this name; undefined for unknown names. */
export const productOfWebhook = byWebhookName(({ webhooks }) => webhooks);

type Named = Pick<Callout, 'webhook' | 'client'>;

const ofService = new Map(
  products
    .toReversed()
    .flatMap((product) => (product.services ?? []).map((name) => [name, product] as const)),
);

/** The product that has a Service of this name; undefined for unknown names. */
export const productOfService = (name: string): Product | undefined => ofService.get(name);

/** The product of a callout, by its name, or by that of its Service; undefined if neither is known. */
export const productOf = remembered(
  ({ webhook, client: { service } }: Named): Product | undefined =>
    productOfWebhook(webhook) ?? (service === undefined ? undefined : productOfService(service.name)),
);

const enforcer = byWebhookName(({ enforces }) => enforces?.webhooks);

/** A product, and what a webhook of this name enforces. */
export interface EnforcedRule {
  readonly product: string;
  /** `constraints`. */
  readonly rules: string;
  /** `its constraints`, after the name of the product. */
  readonly what: string;
}

/** What a webhook of this name enforces; undefined for unknown names, and if it enforces nothing. */
export function enforcedBy(webhook: string): EnforcedRule | undefined {
  const { name = '', enforces } = enforcer(webhook) ?? {};
  return enforces && { product: name, rules: enforces.what, what: `its ${enforces.what}` };
}

/**
 * True if the cluster's provider runs the webhook beside each API server, which calls it over loopback: it
 * needs nothing in the cluster, is as available as the API server, and only the provider can change it. The
 * name is not enough: the same program behind a Service is a normal webhook.
 */
const isOfControlPlane = (callout: AdmissionCallout): boolean =>
  isUrlBacked(callout) &&
  productOf(callout)?.besideApiServers === true &&
  isLoopbackHost(urlHost(callout.client.url) ?? '');

/** Webhooks with rules that the cluster's operators can change. */
export const ownWebhooks = derive(
  ['callouts'],
  ({ callouts }: Pick<Facts, 'callouts'>): readonly AdmissionCallout[] =>
    callouts.filter(isAdmission).filter((callout) => callout.rules.length > 0 && !isOfControlPlane(callout)),
);

/** Those of {@link ownWebhooks} that block matching requests while they are down. */
export const ownClosedWebhooks = (facts: Pick<Facts, 'callouts'>): readonly AdmissionCallout[] =>
  ownWebhooks(facts).filter((callout) => !failsOpen(callout));
