import { stuckBecauseOf } from '../../apiserver/sentences/stuck-namespaces.ts';
import { named } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

export const namespaceDeletionBlocked = defineCheck({
  meta: {
    id: 'namespace-deletion-blocked',
    link: 'effect',
    title: 'Namespaces cannot be deleted because of failed calls',
    severity: 'error',
    explains: { 'namespace-terminating': 2, 'finalizers-remain': 1, 'namespace-discovery-failed': 2 },
    why: 'To delete a namespace, its controller lists every served resource and deletes the objects. An unavailable APIService, a failed conversion, or a webhook that fails on DELETE blocks it; the controller retries until it succeeds.',
    advice:
      'Fix the cause of the failed call; the namespace is then deleted without further action. If an APIService or CRD is no longer needed, delete it: `kubectl delete {kind} {configuration}`. Do not remove the finalizer of the namespace: its objects would remain, invisible.',
    messages: { stuck: 'Deletion of {namespaces} has been blocked since {since}' },
    references: ['/docs/concepts/overview/working-with-objects/finalizers/'],
    follows: 'every-break',
  },
  requires: ['callouts', 'namespaces'],
  subjects: (facts) => facts.callouts.filter((callout) => stuckBecauseOf(callout, facts).length > 0),
  run(callout, facts, find) {
    const mine = stuckBecauseOf(callout, facts);
    const since = mine.flatMap(({ namespace }) => namespace.metadata.deletionTimestamp ?? []).sort()[0] ?? '';
    const names = [...new Set(mine.map(({ namespace }) => namespace.metadata.name))];
    const namespaces = named('namespace', names);
    return find(
      'stuck',
      { namespaces, since },
      mine.map(({ namespace, condition }) => ({
        object: { kind: 'Namespace', name: namespace.metadata.name },
        field: `status.conditions[type=${condition.type}].message`,
        value: condition.message ?? '',
      })),
      'observed',
    );
  },
});
