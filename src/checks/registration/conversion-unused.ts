import { defineCheck } from '../check.ts';

export const conversionUnused = defineCheck({
  meta: {
    id: 'conversion-unused',
    link: 'registration',
    title: 'The conversion webhook has nothing to convert',
    severity: 'info',
    why: 'Objects are converted when they are asked for in another version than the one in which they are stored. With one served version, and all objects stored in it, that never happens: the webhook is not called, and its failure shows only once a second version comes.',
    advice:
      'Nothing has to be done. Where no second version is planned, `spec.conversion.strategy: None` needs no backend.',
    noRemedy: 'a-decision',
    messages: { unused: '{kind} is served and stored as {version} alone: nothing is converted' },
    references: ['apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go'],
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
