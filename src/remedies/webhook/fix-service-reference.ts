import type { ServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { otherNamespaces, serviceOfApi, similarService } from '../../facts/objects/suggested-service.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { listed } from '../../phrases/lists.ts';
import { serviceBehind, serviceFieldPlan, whoReverts } from '../backend.ts';
import { clientConfigKinds, defineRemedy } from '../remedy.ts';

/** The fields that would name the Service that was probably meant; several if nothing decides. */
function suggested(callout: ServiceBacked, facts: Pick<Facts, 'callouts' | 'services'>) {
  const similar = similarService(callout, facts);
  if (similar !== undefined) return [{ field: 'name', value: similar.metadata.name }] as const;
  return otherNamespaces(callout.client.service, facts.services).map(
    (value) => ({ field: 'namespace', value }) as const,
  );
}

/** Names the Service with the labels of an APIService. */
function labelledPlan(callout: ServiceBacked, facts: Pick<Facts, 'callouts' | 'services'>) {
  const { service } = callout.client;
  const own = serviceOfApi(callout, facts)?.metadata;
  if (own === undefined) return undefined;
  const { name, namespace = service.namespace } = own;
  const fields = [
    ['namespace', namespace],
    ['name', name],
  ] as const;
  const changed = fields.filter(([field, value]) => service[field] !== value);
  return {
    summary: `spec.service of ${callout.webhook} is ${keyOf(own)} instead of ${keyOf(service)}`,
    edits: changed.flatMap(([field, value]) => serviceFieldPlan(callout, field, value).edits),
    warnings: whoReverts(callout.metadata),
    unsure: 'only labels show that this Service serves the API',
  };
}

export const fixServiceReference = defineRemedy({
  meta: {
    id: 'fix-service-reference',
    title: 'Correct the Service in clientConfig',
    risk: 'careful',
    does: 'Sets `clientConfig.service.name` to the Service with a similar name in the same namespace. Or sets `clientConfig.service.namespace` to the only other namespace with a Service of that name. For an APIService, sets both to the only Service with its labels. The Service must have the configured port.',
    leaves:
      'The serving certificate: it must be valid for the new name. The Pods behind the Service: only a call shows whether they serve the webhook.',
    answers: ['service-missing', 'service-namespace-missing'],
    touches: [{ operation: 'patch', kinds: clientConfigKinds }],
  },
  about: 'service-backed',
  requires: ['callouts', 'services', 'namespaces'],
  plan({ callout }, facts) {
    if (serviceBehind(callout, facts) !== undefined) return undefined;
    const reference = callout.client.service;
    // A namespace in Terminating was deleted on purpose, with the product: another one is no correction.
    if (facts.namespaces.getIfKnown(reference.namespace)?.metadata.deletionTimestamp !== undefined)
      return undefined;
    const [only, ...others] = suggested(callout, facts);
    if (only === undefined) return labelledPlan(callout, facts);
    if (others.length > 0) {
      const namespaces = listed([only, ...others].map(({ value }) => value));
      return `Namespaces ${namespaces} have a Service ${reference.name}; it is unknown which of them serves the webhook.`;
    }
    const { field, value } = only;
    const meant = { ...reference, [field]: value };
    return {
      ...serviceFieldPlan(callout, field, value),
      warnings: [
        `The API server then calls Service ${keyOf(meant)}, whose certificate must be valid for ${meant.name}.${meant.namespace}.svc.`,
        ...whoReverts(callout.metadata),
      ],
      unsure:
        field === 'name'
          ? 'the names are only similar'
          : 'the Service of that namespace may belong to another product',
    };
  },
});
