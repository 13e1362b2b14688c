import { isAdmission } from '../../facts/callout.ts';
import { type EndpointSlice, keyOf } from '../../facts/objects.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { products } from '../../products/catalogue.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

/** Milliseconds that a product may need to start, to elect a leader, and to register its webhooks. */
const patience = 10 * 60 * 1000;

/** Written by the endpointslice controller (core/v1 EndpointsLastChangeTriggerTime). */
const lastChange = 'endpoints.kubernetes.io/last-change-trigger-time';

/** The last change of the Pods behind a Service, RFC 3339; undefined if not recorded. */
function changedAt(slices: readonly EndpointSlice[]): string | undefined {
  const times = slices.flatMap(({ metadata }) => metadata.annotations?.[lastChange] ?? []);
  return times.length < slices.length ? undefined : times.toSorted().at(-1);
}

/** Services of products that register their own webhooks. */
const installed = ({ services }: Pick<Facts, 'services'>) =>
  [...services.all()].flatMap(({ metadata }) => {
    const { name, namespace = '' } = metadata;
    const product = products.find(({ registersItself }) => registersItself?.service === name);
    return product === undefined
      ? []
      : [{ ref: { kind: 'Service', namespace, name }, key: keyOf(metadata), metadata, product }];
  });

export const productWithoutWebhooks = defineCheck({
  meta: {
    id: 'product-without-webhooks',
    link: 'effect',
    title: 'Product has not registered its webhooks',
    severity: 'warning',
    explains: { 'configuration-not-found': 1, 'removed-api-version': 1, 'resource-not-found': 1 },
    why: 'Its processes create its webhook configurations while they run. If none runs, or none can, the API server calls no webhook and admits every request, and no configuration shows that anything is missing.',
    advice:
      'Check whether it is intended to run, and why its Pods do not start: `kubectl -n {namespace} get deployments,pods,events`. If it has no replicas, scale it up; if it runs and registers nothing, read the log of its leader (permissions on webhook configurations, its certificate). If not, delete it, including its Service.',
    noRemedy: { because: 'only its owner knows how many replicas it must have' },
    messages: {
      nobody:
        '{product} is installed, its Service {service} has no endpoints, and it has no webhook: {consequence}',
      unready:
        '{product} is installed, its Service {service} has no ready endpoints, and it has no webhook: {consequence}',
      unregistered:
        '{product} has been Ready in Service {service} since {since}, and has registered no webhook: {consequence}',
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#configure-admission-webhooks-on-the-fly',
    ],
  },
  requires: ['callouts', 'configurations', 'services', 'endpointSlices'],
  subjects: installed,
  run({ ref, key, metadata, product }, { callouts, configurations, endpointSlices, takenAt }, find) {
    const { name, registersItself: { otherwise = '' } = {} } = product;
    const own = callouts
      .filter(isAdmission)
      .some(
        (callout) =>
          productOf(callout) === product ||
          (callout.client.service !== undefined && keyOf(callout.client.service) === key),
      );
    if (own) return undefined;
    const listed = ['validating', 'mutating'].flatMap((kind) => configurations.get(kind) ?? []);
    const slices = endpointSlices.get(key) ?? [];
    const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
    const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
    const now = Date.parse(takenAt);
    const evidence = [
      {
        object: ref,
        value: `${endpoints.length} endpoints, ${ready.length} of them ready; ${listed.length} webhook configurations, none of ${name}`,
      },
    ];
    const data = { product: name, service: key, consequence: otherwise };
    if (endpoints.length === 0) return find('nobody', data, evidence);
    if (ready.length === 0) {
      const age = now - Date.parse(metadata.creationTimestamp ?? takenAt);
      return age < patience ? undefined : find('unready', data, evidence);
    }
    const since = changedAt(slices);
    if (since === undefined || now - Date.parse(since) < patience) return undefined;
    return find('unregistered', { ...data, since }, evidence);
  },
});
