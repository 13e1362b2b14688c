import { type AdmissionCallout, isAdmission } from '../../facts/callout.ts';
import type { ObjectRef } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { listed } from '../../phrases/lists.ts';

/** A webhook whose name another configuration of the same kind has too. */
export interface Duplicate {
  readonly ref: ObjectRef;
  readonly callout: AdmissionCallout;
  readonly others: readonly AdmissionCallout[];
}

/** Validating and mutating webhooks are told apart by the API server, and one product often gives both one name. */
export function duplicates({ callouts }: Pick<Facts, 'callouts'>): readonly Duplicate[] {
  const byName = new Map<string, AdmissionCallout[]>();
  for (const callout of callouts.filter(isAdmission)) {
    const key = `${callout.kind} ${callout.webhook}`;
    const known = byName.get(key);
    if (known === undefined) byName.set(key, [callout]);
    else known.push(callout);
  }
  return [...byName.values()].flatMap((same) =>
    same.flatMap((callout): readonly Duplicate[] => {
      const others = same.filter(({ configuration }) => configuration !== callout.configuration);
      return others.length === 0 ? [] : [{ ref: callout.ref, callout, others }];
    }),
  );
}

/**
 * kubebuilder's default ending names a resource and no product (Kueue and JobSet both have `mpod.kb.io`): such names meet
 * by chance, and only the Service's name then tells whose a webhook is.
 */
export const meetByChance = (a: AdmissionCallout, b: AdmissionCallout): boolean =>
  a.webhook.endsWith('.kb.io') && a.client.service?.name !== b.client.service?.name;

export const configurationsOf = (callouts: readonly AdmissionCallout[]): string =>
  listed([...new Set(callouts.map(({ configuration }) => configuration))].sort());
