import { restoringOwner } from '../../facts/objects/metadata.ts';
import { listed } from '../../phrases/lists.ts';
import { declarativeOwnerOf, helmRelease } from '../../products/of-metadata.ts';
import { knownWriters, managedEvidence, unknownWriters, writerEvidence } from '../../products/writers.ts';
import { defineCheck, type Finding } from '../check.ts';

export const managedConfiguration = defineCheck({
  meta: {
    id: 'managed-configuration',
    title: 'Configuration is managed by someone else',
    severity: 'info',
    why: 'A manual change takes effect at once and lasts until the owner writes again: at the next upgrade, at the next sync, or within seconds.',
    advice:
      '[look] Find the owner: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`. [end] Make the change where the owner reads it. [end] In an outage change the object too; if the owner reverts that within seconds, pause it first.',
    noRemedy: { because: 'it is not a fault' },
    messages: {
      kept: '{by} {source} restores this object: a change lasts only if it is made there',
      release:
        'Helm release {release} installed this object: a change lasts until the next upgrade; make it in the values too',
      owned: '{owner} owns this object: its controller may undo a change',
      writes: '{writer} writes {fields}; permanent change: {instruction}',
      written: '{manager} writes {fields} and may undo a change there',
    },
    oncePerObject: true,
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts,
  run(callout, _facts, find): readonly Finding[] {
    const { ref, metadata } = callout;
    const says = (field: string, value: string) => [{ object: ref, field: `metadata.${field}`, value }];
    const found: Finding[] = [];
    const kept = declarativeOwnerOf(metadata);
    // A GitOps controller that installs charts has precedence over the annotations of Helm that it leaves.
    const release = kept === undefined ? helmRelease(metadata) : undefined;
    if (kept !== undefined) {
      found.push(find('kept', { by: kept.by, source: kept.source }, says(kept.field, kept.value)));
    }
    if (release !== undefined) {
      const evidence = says('annotations["meta.helm.sh/release-name"]', release.name);
      found.push(find('release', { release: `${release.namespace}/${release.name}` }, evidence));
    }
    const restoring = restoringOwner(metadata);
    if (restoring !== undefined) {
      const owner = `${restoring.kind} ${restoring.name}`;
      found.push(find('owned', { owner }, says('ownerReferences', owner)));
    }
    for (const known of knownWriters(callout)) {
      const { writer, fields } = known;
      const data = { writer: writer.name, fields: listed(fields), instruction: writer.lasts };
      found.push(find('writes', data, writerEvidence(callout, known)));
    }
    for (const [manager, fields] of unknownWriters(callout)) {
      const data = { manager, fields: listed(fields) };
      found.push(find('written', data, [managedEvidence(callout, manager, fields)]));
    }
    return found;
  },
});
