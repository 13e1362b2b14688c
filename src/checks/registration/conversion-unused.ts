import { defineCheck } from '../check.ts';

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
  run({ ref, resource, versions, storedVersions }, _facts, find) {
    const served = versions.filter((version) => version.served).map(({ name }) => name);
    const stored = versions.filter(({ storage }) => storage).map(({ name }) => name);
    const [version, ...others] = [...new Set([...served, ...stored, ...storedVersions])];
    if (version === undefined || others.length > 0) return undefined;
    return find('unused', { kind: resource.kind, version }, [
      { object: ref, field: 'spec.versions[*].name', value: versions.map(({ name }) => name).join(', ') },
      { object: ref, field: 'status.storedVersions', value: storedVersions.join(', ') },
    ]);
  },
});
