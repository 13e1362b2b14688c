import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { NotKnown } from '../../facts/unread.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

export const conversionBlocksStoredVersions = defineCheck({
  meta: {
    id: 'conversion-blocks-stored-versions',
    title: 'Objects can be read only in their stored version',
    severity: 'error',
    why: 'An object is stored in one version and converted when it is read or written in another, and a conversion webhook has no failurePolicy. While calls fail, those reads and writes fail, and so does a list with one such object. Controllers that watch such a version fall behind, and a namespace with such objects cannot be deleted.',
    advice:
      '[end] Fix the cause of the failed call. [look] Until then, read objects in their stored version: `kubectl get {stored}`.',
    noRemedy: 'only-follows',
    messages: {
      others: '{kind} is stored as {stored}: it cannot be read or written as {others}',
      mixed: {
        text: '{kind} is stored as {stored}: objects stored in one version cannot be read in another, and lists fail in every version',
        advice:
          '[end] Fix the cause of the failed call. [with] Until then no list succeeds, and an object can be read only by its name, in the version in which it is stored. [end] When calls succeed again, store all objects in one version: write each of them once (`kubectl get {resource} -A -o json | kubectl replace -f -`), and remove the other versions from `status.storedVersions`: `kubectl edit {kind} {configuration} --subresource=status`.',
      },
    },
    follows: 'every-break',
    references: [
      '/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version',
    ],
  },
  requires: ['version', 'callouts', 'routing', ...callFacts],
  subjects: ({ callouts }) => callouts.filter((callout) => callout.kind === 'conversion'),
  run(callout, facts, find) {
    const { ref, resource, versions, storedVersions } = callout;
    const stored = [
      ...new Set([...storedVersions, ...versions.filter(({ storage }) => storage).map(({ name }) => name)]),
    ];
    const [first] = stored;
    const served = versions.filter((version) => version.served).map(({ name }) => name);
    const others = served.filter((name) => name !== first);
    if (first === undefined || (stored.length === 1 && others.length === 0)) return undefined;
    const { outcome, unread } = nextCall(callout, facts);
    if (unread !== undefined) throw new NotKnown(unread);
    if (outcome !== 'fails') return undefined;
    const evidence = [
      { object: ref, field: 'status.storedVersions', value: storedVersions.join(', ') },
      { object: ref, field: 'spec.versions[*].name', value: served.join(', ') },
    ];
    const names = {
      resource: `${resource.plural}.${resource.group}`,
      stored: `${resource.plural}.${first}.${resource.group}`,
    };
    const data = { kind: resource.kind, stored: listed(stored) };
    return stored.length === 1
      ? find('others', { ...data, others: listed(others) }, evidence, names)
      : find('mixed', data, evidence, names);
  },
});
