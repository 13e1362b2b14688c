import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { isTypingError, similarName } from '../../phrases/similar-name.ts';
import { type Callout, isAdmission, type ServiceBacked, type ServiceReference } from '../callout.ts';
import type { Lookup } from '../lookup.ts';
import { keyOf } from '../object-ref.ts';
import type { Facts } from '../snapshot.ts';
import type { Service } from './service.ts';

/** Service names such as `webhook-service` are common: a longer list of namespaces would be no suggestion. */
const fewNamespaces = 3;

interface Index {
  readonly byProduct: ReadonlyMap<string, readonly Service[]>;
  readonly byName: ReadonlyMap<string, readonly Service[]>;
  readonly byNamespace: ReadonlyMap<string, readonly Service[]>;
}

const productLabel = 'app.kubernetes.io/name';

/** Recommended labels that differ between installations and components of a product. */
const distinguishing = ['app.kubernetes.io/instance', 'app.kubernetes.io/component'];

const indexes = new WeakMap<Lookup<Service>, Index>();

/** Caches an index: a hundred missing Services must not each search through thousands of others. */
function indexOf(services: Lookup<Service>): Index {
  const known = indexes.get(services) ?? {
    byProduct: groupBy(services.all(), ({ metadata }) => metadata.labels?.[productLabel] ?? ''),
    byName: groupBy(services.all(), ({ metadata }) => metadata.name),
    byNamespace: groupBy(services.all(), ({ metadata }) => metadata.namespace ?? ''),
  };
  indexes.set(services, known);
  return known;
}

/** A Service that can be suggested has the port. */
const withPort = (services: readonly Service[] = [], { port }: ServiceReference): readonly Service[] =>
  services.filter(({ spec }) => spec.ports?.some((offered) => offered.port === port));

/** Webhooks by kind, name and Service. */
const byService = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  groupBy(
    callouts,
    ({ kind, webhook, client: { service } }) => service && `${kind} ${webhook} ${keyOf(service)}`,
  ),
);

/**
 * The Service of the same namespace with a similar name and the port, for a Service that does not exist. Not one that
 * another configuration calls with a webhook of the same name: each revision has its own. A copy may have a typing error.
 */
export function similarService(
  { kind, webhook, configuration, client: { service: reference } }: ServiceBacked,
  facts: Pick<Facts, 'callouts' | 'services'>,
): Service | undefined {
  const isUsed = ({ metadata }: Service): boolean =>
    byService(facts)
      .get(`${kind} ${webhook} ${keyOf(metadata)}`)
      ?.some((other) => other.configuration !== configuration) === true;
  const named = indexOf(facts.services).byNamespace.get(reference.namespace);
  const here = withPort(named, reference).filter(
    (one) => !isUsed(one) || isTypingError(reference.name, one.metadata.name),
  );
  const name = similarName(
    reference.name,
    here.map(({ metadata }) => metadata.name),
  );
  return here.find(({ metadata }) => metadata.name === name);
}

/** Other namespaces with a Service of that name and port; empty if there are none, or many. */
export function otherNamespaces(reference: ServiceReference, services: Lookup<Service>): readonly string[] {
  const found = withPort(indexOf(services).byName.get(reference.name), reference)
    .flatMap(({ metadata }) => metadata.namespace ?? [])
    // A namespace whose finalizers were removed by hand leaves its Services.
    .filter((namespace) => namespace !== reference.namespace)
    .sort();
  return found.length > fewNamespaces ? [] : found;
}

/** Names that Services of several products have: `webhook-service`, `admission-webhook`. */
const common =
  /^(?:(?:webhooks?|admission|conversion|validating|mutating|controller|manager|operator|server|service|svc|api|metrics)(?:-|$))+$/;

/** The Services that the API server calls, by name. */
const calledByName = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  groupBy(
    callouts.flatMap(({ client: { service } }) => service ?? []),
    ({ name }) => name,
  ),
);

/** Other namespaces with a Service of that name that other webhooks call, on another port; empty for a common name. */
export function calledNamesakes(
  reference: ServiceReference,
  facts: Pick<Facts, 'callouts' | 'services'>,
): readonly string[] {
  if (common.test(reference.name)) return [];
  const called = calledByName(facts).get(reference.name) ?? [];
  const others = called.filter((other) => {
    const service = facts.services.getIfKnown(keyOf(other));
    const isElsewhere = other.namespace !== reference.namespace && service !== undefined;
    return isElsewhere && withPort([service], reference).length === 0;
  });
  const found = [...new Set(others.map(({ namespace }) => namespace))].sort();
  return found.length > fewNamespaces ? [] : found;
}

/**
 * The only Service with the port and the recommended labels of an APIService that names another one: it is of the same
 * product, installation and component. A Service that webhooks call serves no API.
 */
export function serviceOfApi(
  { kind, metadata: { labels = {} }, client: { service: reference } }: Callout,
  { callouts, services }: Pick<Facts, 'callouts' | 'services'>,
): Service | undefined {
  const product = labels[productLabel];
  if (kind !== 'aggregated-api' || reference === undefined || product === undefined) return undefined;
  const [only, ...others] = withPort(indexOf(services).byProduct.get(product), reference).filter(
    ({ metadata }) =>
      distinguishing.every((label) => metadata.labels?.[label] === labels[label]) &&
      !callouts.some(
        (other) =>
          other.kind !== 'aggregated-api' &&
          other.client.service !== undefined &&
          keyOf(other.client.service) === keyOf(metadata),
      ),
  );
  return others.length === 0 ? only : undefined;
}

/** Services of admission webhooks, by the `group/plural` that their rules name. */
const byResource = derive(['callouts', 'services'], ({ callouts, services }: ServiceFacts) =>
  groupBy(
    callouts.filter(isAdmission).flatMap(({ rules, client: { service: reference } }) => {
      const service = reference && services.getIfKnown(keyOf(reference));
      if (service === undefined) return [];
      return rules.flatMap(({ apiGroups = [], resources = [] }) =>
        apiGroups.flatMap((group) => resources.map((plural) => ({ name: `${group}/${plural}`, service }))),
      );
    }),
    ({ name }) => name,
  ),
);
type ServiceFacts = Pick<Facts, 'callouts' | 'services'>;

/**
 * For a conversion webhook whose Service does not exist: the only Service of its namespace, with the port, whose admission
 * webhooks match the same resource. A program usually converts the resources that it validates.
 */
export function serviceOfResource(callout: ServiceBacked, facts: ServiceFacts): Service | undefined {
  if (callout.kind !== 'conversion') return undefined;
  const { group, plural } = callout.resource;
  const { service: reference } = callout.client;
  const all = (byResource(facts).get(`${group}/${plural}`) ?? [])
    .map(({ service }) => service)
    .filter(({ metadata }) => metadata.namespace === reference.namespace);
  const [first, ...others] = new Set(all);
  return others.length === 0 ? withPort(first && [first], reference)[0] : undefined;
}
