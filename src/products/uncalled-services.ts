import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import { type Labels, serviceSelects } from '../facts/objects/label-selector.ts';
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

const selectorText = ({ spec }: Service): string =>
  JSON.stringify(Object.entries(spec.selector ?? {}).toSorted());

/** The selectors of the called Services, by namespace and text. */
function calledSelectors(services: readonly Service[], called: ReadonlySet<string>) {
  const found = new Map<string, Map<string, Labels>>();
  for (const service of services) {
    const { metadata, spec } = service;
    if (!called.has(keyOf(metadata))) continue;
    const { namespace = '' } = metadata;
    const selectors = found.get(namespace) ?? new Map<string, Labels>();
    found.set(namespace, selectors.set(selectorText(service), spec.selector ?? {}));
  }
  return found;
}

/**
 * True if one of these selectors selects the Pods of a Service, too: it is the same, or has more or fewer labels. OLM
 * adds its own Service to that of a bundle.
 */
const hasSamePods = (service: Service, selectors: ReadonlyMap<string, Labels>): boolean =>
  selectors.has(selectorText(service)) ||
  [...selectors.values()].some(
    (one) => serviceSelects(one, service.spec.selector) || serviceSelects(service.spec.selector, one),
  );

/**
 * Services of webhook servers that none of these webhooks and APIServices calls: those of products that
 * register their own webhooks, and those that are named like a webhook. A Service with the Pods of a called
 * one ({@link hasSamePods}) is none of them.
 */
export function uncalledServices(
  callouts: readonly Callout[],
  { services }: Pick<Facts, 'services'>,
): readonly UncalledService[] {
  const called = new Set(callouts.filter(isServiceBacked).map(({ client }) => keyOf(client.service)));
  const all = services.all();
  const served = calledSelectors(all, called);
  return all.flatMap((service) => {
    const { name, namespace = '' } = service.metadata;
    const product = products.find(({ registersItself }) => registersItself?.service === name);
    if (product !== undefined) return called.has(keyOf(service.metadata)) ? [] : [{ service, product }];
    return looksLikeWebhook(service) && !hasSamePods(service, served.get(namespace) ?? new Map())
      ? [{ service }]
      : [];
  });
}
