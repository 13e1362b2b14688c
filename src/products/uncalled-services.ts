import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Service } from '../facts/objects/service.ts';
import type { Facts } from '../facts/snapshot.ts';
import { products } from './catalogue.ts';
import type { Product } from './product.ts';

/** A Service of a webhook server that no webhook or APIService calls. */
export interface UncalledService {
  readonly service: Service;
  /** The product that registers its webhooks while it runs; undefined if only the name suggests a webhook. */
  readonly product?: Product;
}

const namedAsWebhook = /(?:^|-)(?:webhooks?|admission)(?:-|$)/;

/** True for a Service that is named like that of a webhook, and has an HTTPS port. */
const looksLikeWebhook = ({ metadata, spec }: Service): boolean =>
  namedAsWebhook.test(metadata.name) &&
  (spec.ports ?? []).some(({ name = '', port }) => port === 443 || name.includes('https'));

const selectorText = ({ metadata, spec }: Service): string =>
  JSON.stringify([metadata.namespace, Object.entries(spec.selector ?? {}).toSorted()]);

/**
 * Services of webhook servers that none of these webhooks and APIServices calls: those of products that
 * register their own webhooks, and those that are named like a webhook. A Service with the Pods of a called
 * one is none of them.
 */
export function uncalledServices(
  callouts: readonly Callout[],
  { services }: Pick<Facts, 'services'>,
): readonly UncalledService[] {
  const called = new Set(callouts.filter(isServiceBacked).map(({ client }) => keyOf(client.service)));
  const all = [...services.all()];
  const served = new Set(
    all.filter(({ metadata }) => called.has(keyOf(metadata))).map((service) => selectorText(service)),
  );
  return all.flatMap((service) => {
    const { name } = service.metadata;
    const product = products.find(({ registersItself }) => registersItself?.service === name);
    if (product !== undefined) return called.has(keyOf(service.metadata)) ? [] : [{ service, product }];
    return looksLikeWebhook(service) && !served.has(selectorText(service)) ? [{ service }] : [];
  });
}
