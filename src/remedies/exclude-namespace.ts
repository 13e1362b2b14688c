import { isAdmission } from '../facts/callout.ts';
import { selects } from '../facts/label-selector.ts';
import { exclusionPlan } from './exclusion.ts';
import { configurationKinds, defineRemedy } from './remedy.ts';

export const excludeNamespace = defineRemedy({
  meta: {
    id: 'exclude-namespace',
    title: 'Leave one namespace out for a while',
    risk: 'careful',
    does: 'Adds the namespace that you name with -n to those that the namespaceSelector leaves out: the API server no longer asks the webhook about anything in it, and everything else stays guarded. With --for it is to be taken back when the time is over.',
    leaves:
      'What breaks the call, and every other namespace. Cluster-scoped objects are not covered by a namespaceSelector.',
    answers: ['workload-creation-blocked', 'namespace-deletion-blocked', 'pods-parked'],
    touches: [{ operation: 'patch', kinds: configurationKinds }],
    firstAid: 'one-namespace',
  },
  requires: ['namespaces'],
  plan({ callout, breaks, namespace, subject }, { namespaces }) {
    if (callout === undefined || !isAdmission(callout) || callout.failurePolicy === 'Ignore')
      return undefined;
    const wanted = namespace ?? (subject.webhook === undefined ? subject.namespace : undefined);
    if (breaks !== true || wanted === undefined || callout.rules.length === 0) return undefined;
    const found = namespaces.get(wanted);
    if (found === undefined) return { refused: `There is no namespace ${wanted}.` };
    const labels = { 'kubernetes.io/metadata.name': wanted, ...found.metadata.labels };
    if (!selects(callout.namespaceSelector, labels)) {
      return {
        refused: `Namespace ${wanted} is left out already: this webhook is not what stops requests there.`,
      };
    }
    return exclusionPlan(callout, [wanted]);
  },
});
