import { proxiedPortOf } from '../apiserver/routing/route.ts';
import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Service, ServicePort } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { workloadsMaking } from '../facts/workloads.ts';

/** The Service of a webhook. Undefined if it does not exist; throws NotKnown if it could not be read. */
export const serviceBehind = (
  callout: Callout,
  { services }: Pick<Facts, 'services'>,
): Service | undefined =>
  isServiceBacked(callout) ? services.get(keyOf(callout.client.service)) : undefined;

/** The Service port that the webhook's client configuration selects. */
export const portBehind = (callout: Callout, service: Service): ServicePort | undefined =>
  isServiceBacked(callout) ? proxiedPortOf(service, callout.client.service.port) : undefined;

/** The workload that creates the Service's Pods; undefined for none or several. Throws NotKnown. */
export function workloadBehind(
  callout: Callout,
  facts: Pick<Facts, 'services' | 'workloads'>,
): Workload | undefined {
  const service = serviceBehind(callout, facts);
  if (service === undefined) return undefined;
  const made = workloadsMaking(
    service.spec.selector,
    facts.workloads.get(service.metadata.namespace ?? '') ?? [],
  );
  return made.length === 1 ? made[0] : undefined;
}

/** `Deployment shop/policy`. */
export const workloadName = ({ kind, metadata }: Workload): string =>
  `${kind} ${keyOf({ namespace: metadata.namespace, name: metadata.name })}`;
