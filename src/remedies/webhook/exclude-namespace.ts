import { failsClosed } from '../../facts/callout.ts';
import { selects } from '../../facts/objects/label-selector.ts';
import { configurationKinds, defineRemedy } from '../remedy.ts';
import { exclusionPlan } from './exclusion.ts';

export const excludeNamespace = defineRemedy({
  meta: {
    id: 'exclude-namespace',
    title: 'Exclude one namespace temporarily',
    risk: 'careful',
    does: 'Excludes the namespace that you name with -n in the namespaceSelector: the API server no longer calls the webhook for requests in it. All other namespaces are still checked. With --for, the change is marked to be undone at that time.',
    leaves:
      'The cause of the failing calls or denials, and every other namespace. A namespaceSelector does not apply to cluster-scoped objects.',
    answers: [
      'workload-creation-blocked',
      'namespace-deletion-blocked',
      'pods-parked',
      'denies-plain-object',
      'response-patch-invalid',
    ],
    touches: [{ operation: 'patch', kinds: configurationKinds }],
    firstAid: 'one-namespace',
  },
  about: 'admission',
  requires: ['namespaces'],
  plan({ callout, breaks, refusedAnyway, namespace, subject }, { namespaces }) {
    const refuses = refusedAnyway === true || (breaks === true && failsClosed(callout));
    const wanted = namespace ?? (subject.webhook === undefined ? subject.namespace : undefined);
    if (!refuses || wanted === undefined || callout.rules.length === 0) return undefined;
    const found = namespaces.get(wanted);
    if (found === undefined) return `There is no namespace ${wanted}.`;
    const labels = { 'kubernetes.io/metadata.name': wanted, ...found.metadata.labels };
    if (!selects(callout.namespaceSelector, labels))
      return `Namespace ${wanted} is already excluded: this webhook does not block requests there.`;
    return exclusionPlan(callout, [wanted]);
  },
});
