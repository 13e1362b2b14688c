import type { Callout } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import type { ConfigurationField } from './product.ts';
import type { KnownWriter } from './writers.ts';

/** `managedFields` says so. */
export const managedEvidence = (
  { ref }: Callout,
  manager: string,
  fields: readonly ConfigurationField[],
): Evidence => ({
  object: ref,
  field: 'metadata.managedFields',
  value: `${manager} wrote ${fields.join(', ')}`,
});

/** The annotation that asks a known process to write, and what it has written. */
export function writerEvidence(callout: Callout, { annotation, managers }: KnownWriter): readonly Evidence[] {
  const asked =
    annotation === undefined
      ? []
      : [
          {
            object: callout.ref,
            field: `metadata.annotations["${annotation}"]`,
            value: callout.metadata.annotations?.[annotation] ?? '',
          },
        ];
  return [...asked, ...[...managers].map(([manager, fields]) => managedEvidence(callout, manager, fields))];
}
