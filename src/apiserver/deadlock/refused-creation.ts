import { defined } from '../../basics/collections.ts';
import { type AdmissionCallout, type Callout, failsOpen, isAdmission } from '../../facts/callout.ts';
import { keyOf, type ObjectRef } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { impactOf } from '../admission/impact.ts';
import { vital } from '../admission/vital-request.ts';

/** True if the API server calls this webhook when the object is created: it refuses that while the webhook is down. */
export function refusesCreation(
  callout: Callout,
  { kind, namespace }: ObjectRef,
  facts: Pick<Facts, 'version' | 'namespaces' | 'served'>,
): boolean {
  if (!isAdmission(callout) || failsOpen(callout)) return false;
  const creation = vital('CREATE', 'v1', `${kind.toLowerCase()}s`, defined({ namespace }));
  return impactOf(callout, [creation], facts).matched.length > 0;
}

/** The webhook of the same Service that refuses the creation of the object while their Pods are down. */
export function ownRefuser(
  callout: Callout,
  object: ObjectRef,
  facts: Pick<Facts, 'version' | 'namespaces' | 'served' | 'callouts'>,
): AdmissionCallout | undefined {
  const { service } = callout.client;
  const isOwn = (one: AdmissionCallout): boolean =>
    service !== undefined && one.client.service !== undefined && keyOf(one.client.service) === keyOf(service);
  const others = facts.callouts.filter(isAdmission).filter(isOwn);
  return [...(isAdmission(callout) ? [callout] : []), ...others].find((one) =>
    refusesCreation(one, object, facts),
  );
}
