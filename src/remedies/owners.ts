import type { Callout } from '../facts/callout.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import { declarativeOwnerOf, helmRelease, restoringOwner } from '../products/of-metadata.ts';
import type { ConfigurationField } from '../products/product.ts';
import { knownWriters, unknownWriters } from '../products/writers.ts';

/** Who created the object and will restore it; undefined if its metadata shows no owner. */
function ownerOf(metadata: Metadata): string | undefined {
  const kept = declarativeOwnerOf(metadata);
  if (kept !== undefined) {
    return `${kept.by} ${kept.source} reverts it at its next sync: change it in that source.`;
  }
  const release = helmRelease(metadata);
  if (release !== undefined) {
    return `It lasts until the next upgrade of Helm release ${release.namespace}/${release.name}: change its values or templates, too.`;
  }
  const owner = restoringOwner(metadata);
  return owner && `${owner.kind} ${owner.name} owns the object, and its controller may revert the change.`;
}

/** Whether the object is declared elsewhere, where it must be changed. */
export const isDeclaredElsewhere = (metadata: Metadata): boolean => ownerOf(metadata) !== undefined;

/** Whether the object is soon restored automatically: by GitOps or an operator, not by a Helm release. */
export const isRestored = (metadata: Metadata): boolean =>
  declarativeOwnerOf(metadata) !== undefined || restoringOwner(metadata) !== undefined;

/**
 * Sentences about who may revert a change of this object, and where to make it permanent. Empty if its
 * metadata shows no owner.
 */
export const whoReverts = (metadata: Metadata): readonly string[] => {
  const owner = ownerOf(metadata);
  return owner === undefined ? [] : [owner];
};

/** The same for one field of a webhook's object, with the processes that write this field. */
export function whoRevertsField(callout: Callout, field: ConfigurationField): readonly string[] {
  const known = knownWriters(callout).filter(({ fields }) => fields.includes(field));
  const unknown = unknownWriters(callout).filter(([, fields]) => fields.includes(field));
  return [
    ...whoReverts(callout.metadata),
    ...known.map(
      ({ writer }) => `The field ${field} is written by ${writer.name}. Permanent change: ${writer.lasts}.`,
    ),
    ...unknown.map(
      ([manager]) => `The field ${field} is written by ${manager}, which may revert the change.`,
    ),
  ];
}
