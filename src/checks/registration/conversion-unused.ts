import type { ConversionCallout } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

/** The only version in which objects are served and stored; undefined if there are several: they need conversions. */
export function onlyVersion({ versions, storedVersions }: ConversionCallout): string | undefined {
  const used = versions.filter(({ served, storage }) => served || storage).map(({ name }) => name);
  const [version, ...others] = new Set([...used, ...storedVersions]);
  return others.length > 0 ? undefined : version;
}

export const conversionUnused = defineCheck({
  meta: {
    id: 'conversion-unused',
    title: 'Conversion webhook has nothing to convert',
    severity: 'info',
    implies: 'never-called',
    why: 'The API server converts objects that are requested in another version than the stored one. With one served version, and all objects stored in it, the webhook is never called, and its failure appears only with a second version.',
    advice:
      '[with] No action is required. [end] If no second version is planned, replace the content of `spec.conversion` by `strategy: None`, which needs no backend: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'a-decision',
    messages: { unused: '{kind} is served and stored only as {version}: no conversion is needed' },
    references: [
      '/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion',
    ],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter((callout) => callout.kind === 'conversion'),
  run(callout, _facts, find) {
    const { ref, resource, versions, storedVersions } = callout;
    const version = onlyVersion(callout);
    if (version === undefined) return undefined;
    return find('unused', { kind: resource.kind, version }, [
      { object: ref, field: 'spec.versions[*].name', value: versions.map(({ name }) => name).join(', ') },
      { object: ref, field: 'status.storedVersions', value: storedVersions.join(', ') },
    ]);
  },
});
