import { type Callout, isServiceBacked, type ServiceBacked } from './callout.ts';
import type { Evidence } from './evidence.ts';
import { keyOf, type ObjectRef } from './object-ref.ts';
import type { Facts } from './snapshot.ts';

/**
 * Callouts whose Service the API server resolves. `default/kubernetes` on 443 is the API server itself, which
 * it does not resolve (kube-aggregator/pkg/apiserver/resolvers.go loopbackResolver).
 */
export const servedByService = ({ callouts }: Pick<Facts, 'callouts'>): readonly ServiceBacked[] =>
  callouts
    .filter((callout) => isServiceBacked(callout))
    .filter(({ client: { service } }) => !(keyOf(service) === 'default/kubernetes' && service.port === 443));

/** The Service of a callout, whether or not it exists. */
export const namedService = ({ client: { service } }: ServiceBacked): ObjectRef => ({
  kind: 'Service',
  namespace: service.namespace,
  name: service.name,
});

/**
 * The path of the client configuration in its object, with the index of the webhook. An APIService has the
 * fields in `spec`.
 */
export function clientConfigPath({ kind, index }: Callout): readonly (string | number)[] {
  switch (kind) {
    case 'validating':
    case 'mutating':
      return ['webhooks', index, 'clientConfig'];
    case 'conversion':
      return ['spec', 'conversion', 'webhook', 'clientConfig'];
    case 'aggregated-api':
      return ['spec'];
  }
}

/** The value of one field of the client configuration. */
export const clientConfigEvidence = (callout: Callout, field: string, value: string | number): Evidence => ({
  object: callout.ref,
  field: `${clientConfigPath(callout).join('.')}.${field}`.replace(/\.(\d+)\./, '[$1].'),
  value: String(value),
});
