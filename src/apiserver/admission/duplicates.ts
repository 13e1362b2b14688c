import { groupBy } from '../../basics/collections.ts';
import { type AdmissionCallout, isAdmission } from '../../facts/callout.ts';
import type { ObjectRef } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { namedList } from '../../phrases/lists.ts';

/** A webhook whose name also exists in another configuration of the same kind. */
export interface Duplicate {
  readonly ref: ObjectRef;
  readonly callout: AdmissionCallout;
  readonly others: readonly AdmissionCallout[];
}

/** Finds duplicate names per kind: a validating and a mutating webhook often have the same name. */
export function duplicates({ callouts }: Pick<Facts, 'callouts'>): readonly Duplicate[] {
  const byName = groupBy(callouts.filter(isAdmission), ({ kind, webhook }) => `${kind} ${webhook}`);
  return [...byName.values()].flatMap((same) =>
    same.flatMap((callout): readonly Duplicate[] => {
      const others = same.filter(({ configuration }) => configuration !== callout.configuration);
      return others.length === 0 ? [] : [{ ref: callout.ref, callout, others }];
    }),
  );
}

/**
 * True if two equal names are a coincidence. kubebuilder's default suffix names a resource and no product
 * (Kueue and JobSet both have `mpod.kb.io`): only the name of the Service then identifies the product.
 */
export const isCoincidence = (a: AdmissionCallout, b: AdmissionCallout): boolean =>
  a.webhook.endsWith('.kb.io') && a.client.service?.name !== b.client.service?.name;

/** `configurations a and b`: those that contain these webhooks, sorted, each once. */
export const configurationsOf = (callouts: readonly AdmissionCallout[]): string =>
  namedList('configuration', [...new Set(callouts.map(({ configuration }) => configuration))].sort());
