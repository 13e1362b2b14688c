import { advise } from '../../facts/advice.ts';
import type { ServiceReference } from '../../facts/callout.ts';
import { clientConfigSays, namedService, servedByService } from '../../facts/client-config.ts';
import type { Lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Service } from '../../facts/objects/service.ts';
import { similarName } from '../../phrases/similar-name.ts';
import { defineCheck } from '../check.ts';

/** Service names such as `webhook-service` are common: a longer list of namespaces would be no suggestion. */
const fewNamespaces = 3;

/** A Service that could be meant has the port. */
function candidates({ port }: ServiceReference, services: Lookup<Service>): readonly Service['metadata'][] {
  return [...services.all()]
    .filter(({ spec }) => spec.ports?.some((offered) => offered.port === port))
    .map(({ metadata }) => metadata);
}

const namespacesWith = (reference: ServiceReference, services: readonly Service['metadata'][]) =>
  services
    .filter(({ name }) => name === reference.name)
    .flatMap(({ namespace }) => namespace ?? [])
    .sort();

export const serviceMissing = defineCheck({
  meta: {
    id: 'service-missing',
    link: 'routing',
    title: 'The Service does not exist',
    severity: 'error',
    consequence: 'failing',
    explains: { 'service-missing': 1 },
    why: 'The API server looks up the Service before it dials, and finds none: the call ends with `service "NAME" not found`.',
    advice: advise`Compare ${'kubectl get services -n {namespace}'} with \`clientConfig.service\` and correct the reference where it is kept (chart, manifest, operator). If the product was uninstalled, delete what it left behind; a namespace that does not go away says what holds it in its conditions.`,
    noRemedy: { because: 'only an installation knows what the Service looked like' },
    messages: {
      namespaceLeaving:
        'Service {service} does not exist any more: its namespace has been in deletion since {since}',
      notFound: 'Service {service} does not exist',
      similarName: 'Service {service} does not exist; the namespace has {suggestion}',
      otherNamespace: 'Service {service} does not exist; one of that name is in namespace {namespaces}',
    },
  },
  requires: ['callouts', 'services', 'namespaces'],
  subjects: servedByService,
  run(callout, { services, namespaces }, find) {
    const reference = callout.client.service;
    const service = keyOf(reference);
    // Where the namespace is gone, that is what happened; service-namespace-missing says so.
    if (namespaces.isAbsent(reference.namespace)) return;
    if (services.get(service) !== undefined) return;

    const evidence = [
      clientConfigSays(callout, 'service.name', reference.name),
      { object: namedService(callout), value: 'not found' },
    ];
    const leaving = namespaces.getIfKnown(reference.namespace);
    const since = leaving?.metadata.deletionTimestamp;
    if (leaving !== undefined && since !== undefined) {
      const object = { kind: 'Namespace', name: leaving.metadata.name };
      const seen = { object, field: 'metadata.deletionTimestamp', value: since };
      return find('namespaceLeaving', { service, since }, [...evidence, seen]);
    }
    const offering = candidates(reference, services);
    const here = offering.filter(({ namespace }) => namespace === reference.namespace);
    const suggestion = similarName(
      reference.name,
      here.map(({ name }) => name),
    );
    if (suggestion !== undefined) return find('similarName', { service, suggestion }, evidence);
    const elsewhere = namespacesWith(reference, offering);
    if (elsewhere.length === 0 || elsewhere.length > fewNamespaces)
      return find('notFound', { service }, evidence);
    return find('otherNamespace', { service, namespaces: elsewhere.join(' or ') }, evidence);
  },
});
