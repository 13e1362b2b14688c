import { defined } from '../../basics/collections.ts';
import { type Callout, failsOpen, isAdmission } from '../../facts/callout.ts';
import type { ObjectRef } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { impactOf } from '../admission/impact.ts';
import { vital } from '../admission/vital-request.ts';

/** The webhook, if it is called for the creation of this object, and refuses it while it does not respond. */
export function refusesCreation(
  callout: Callout,
  { kind, namespace }: ObjectRef,
  facts: Pick<Facts, 'version' | 'namespaces' | 'served'>,
): string | undefined {
  if (!isAdmission(callout) || failsOpen(callout)) return undefined;
  const creation = vital('CREATE', 'v1', `${kind.toLowerCase()}s`, defined({ namespace }));
  return impactOf(callout, [creation], facts).matched.length > 0 ? callout.webhook : undefined;
}
