import type { Callout } from '../facts/callout.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import { helmRelease, keptBy, restoringOwner } from '../products/of-metadata.ts';
import type { ConfigurationField } from '../products/product.ts';
import { knownWriters, unknownWriters } from '../products/writers.ts';

/** Whoever made the object and will make it so again. Undefined: nobody that shows. */
function ownerOf(metadata: Metadata): string | undefined {
  const kept = keptBy(metadata);
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

/** True for an object that something else declares: a change to it belongs there. */
export const isKeptElsewhere = (metadata: Metadata): boolean => ownerOf(metadata) !== undefined;

/** True for an object that something puts back by itself, and soon: GitOps or an operator, not a Helm release. */
export const isRestored = (metadata: Metadata): boolean =>
  keptBy(metadata) !== undefined || restoringOwner(metadata) !== undefined;

/** Sentences about who takes a change of this object back, and where it would last. Empty: nobody that shows. */
export const whoReverts = (metadata: Metadata): readonly string[] => {
  const owner = ownerOf(metadata);
  return owner === undefined ? [] : [owner];
};

/** The same for one field of a callout's object, with the processes that write this field. */
export function whoRevertsField(callout: Callout, field: ConfigurationField): readonly string[] {
  const known = knownWriters(callout).filter(({ fields }) => fields.includes(field));
  const unknown = unknownWriters(callout).filter(([, fields]) => fields.includes(field));
  return [
    ...whoReverts(callout.metadata),
    ...known.map(
      ({ writer }) => `The field ${field} is written by ${writer.name}: a change lasts ${writer.lasts}.`,
    ),
    ...unknown.map(
      ([manager]) => `The field ${field} is written by ${manager}, which may revert the change.`,
    ),
  ];
}
