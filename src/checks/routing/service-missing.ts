import {
  clientConfigEvidence,
  namedService,
  type ServiceReference,
  servedByService,
} from '../../facts/callout.ts';
import type { Lookup } from '../../facts/lookup.ts';
import { keyOf, type Service } from '../../facts/objects.ts';
import { listed } from '../../phrases/lists.ts';
import { similarName } from '../../phrases/similar-name.ts';
import { defineCheck } from '../check.ts';

/** Service names such as `webhook-service` are common: a longer list of namespaces would be no suggestion. */
const fewNamespaces = 3;

interface Index {
  readonly byName: ReadonlyMap<string, readonly Service[]>;
  readonly byNamespace: ReadonlyMap<string, readonly Service[]>;
}

function grouped(services: Lookup<Service>, keyOfService: (service: Service) => string) {
  const found = new Map<string, Service[]>();
  for (const service of services.all()) {
    const group = found.get(keyOfService(service));
    if (group === undefined) found.set(keyOfService(service), [service]);
    else group.push(service);
  }
  return found;
}

const indexes = new WeakMap<Lookup<Service>, Index>();

/** Caches an index: a hundred missing Services must not each search through thousands of others. */
function indexOf(services: Lookup<Service>): Index {
  const known = indexes.get(services) ?? {
    byName: grouped(services, ({ metadata }) => metadata.name),
    byNamespace: grouped(services, ({ metadata }) => metadata.namespace ?? ''),
  };
  indexes.set(services, known);
  return known;
}

/** A Service that can be suggested has the port. */
const withPort = (services: readonly Service[] = [], { port }: ServiceReference): readonly Service[] =>
  services.filter(({ spec }) => spec.ports?.some((offered) => offered.port === port));

/** Namespaces with a Service of that name and port, `a or b`; undefined if there are none, or many. */
export function otherNamespaces(reference: ServiceReference, services: Lookup<Service>): string | undefined {
  const found = withPort(indexOf(services).byName.get(reference.name), reference)
    .flatMap(({ metadata }) => metadata.namespace ?? [])
    .sort();
  return found.length === 0 || found.length > fewNamespaces ? undefined : listed(found, { word: 'or' });
}

export const serviceMissing = defineCheck({
  meta: {
    id: 'service-missing',
    link: 'routing',
    title: 'Service does not exist',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'apiservice-not-found': 1,
      'broken-webhook-reported': 2,
      'service-not-found': 1,
      'service-missing': 1,
      'api-unavailable': 2,
      'call-cut': 2,
    },
    why: 'The API server resolves the Service before it connects. The Service does not exist, so the call fails with `service "NAME" not found`.',
    advice:
      'Compare the Service that this object names with `kubectl -n {namespace} get services`, and correct the name where it is declared (chart, manifest, operator): `kubectl edit {kind} {configuration}`. If the product was uninstalled, delete this object. If the namespace is stuck in Terminating, check its `status.conditions`.',
    noRemedy: { because: "only the product's manifests describe the Service" },
    messages: {
      namespaceLeaving:
        'Service {service} no longer exists: its namespace has been terminating since {since}',
      notFound: 'Service {service} does not exist',
      similarName: 'Service {service} does not exist; there is a Service with a similar name: {suggestion}',
      otherNamespace: 'Service {service} does not exist; a Service of that name is in namespace {namespaces}',
    },
    follows: ['orphaned-configuration'],
  },
  requires: ['callouts', 'services', 'namespaces'],
  subjects: servedByService,
  run(callout, { services, namespaces }, find) {
    const reference = callout.client.service;
    const service = keyOf(reference);
    // If the namespace does not exist, service-namespace-missing reports that.
    if (namespaces.isAbsent(reference.namespace)) return;
    if (services.get(service) !== undefined) return;

    const evidence = [
      clientConfigEvidence(callout, 'service.name', reference.name),
      { object: namedService(callout), value: 'not found' },
    ];
    const leaving = namespaces.getIfKnown(reference.namespace);
    const since = leaving?.metadata.deletionTimestamp;
    if (leaving !== undefined && since !== undefined) {
      const object = { kind: 'Namespace', name: leaving.metadata.name };
      const terminating = { object, field: 'metadata.deletionTimestamp', value: since };
      return { ...find('namespaceLeaving', { service, since }, [...evidence, terminating]), since };
    }
    const { byNamespace } = indexOf(services);
    const here = withPort(byNamespace.get(reference.namespace), reference);
    const suggestion = similarName(
      reference.name,
      here.map(({ metadata }) => metadata.name),
    );
    if (suggestion !== undefined) return find('similarName', { service, suggestion }, evidence);
    const elsewhere = otherNamespaces(reference, services);
    if (elsewhere === undefined) return find('notFound', { service }, evidence);
    return find('otherNamespace', { service, namespaces: elsewhere }, evidence);
  },
});
