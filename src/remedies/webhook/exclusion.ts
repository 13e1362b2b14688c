import type { AdmissionCallout } from '../../facts/callout.ts';
import type { LabelSelector } from '../../facts/objects/label-selector.ts';
import { namedList } from '../../phrases/lists.ts';
import { enforcedBy } from '../../products/of-webhook.ts';
import { webhookEdit, whoRevertsField } from '../backend.ts';

/** Every namespace has its name as the value of this label, which cannot be changed (KEP-2161). */
const nameLabel = 'kubernetes.io/metadata.name';

/** The selector with these namespaces excluded. An existing list of names is extended. */
function without(selector: LabelSelector, names: readonly string[]): LabelSelector {
  const expressions = selector.matchExpressions ?? [];
  const at = expressions.findIndex(({ key, operator }) => key === nameLabel && operator === 'NotIn');
  const before = expressions[at];
  if (before === undefined) {
    const expression = { key: nameLabel, operator: 'NotIn' as const, values: [...names] };
    return { ...selector, matchExpressions: [...expressions, expression] };
  }
  const values = [...new Set([...(before.values ?? []), ...names])];
  return { ...selector, matchExpressions: expressions.with(at, { ...before, values }) };
}

/** The webhook after the change. */
export const excluding = (callout: AdmissionCallout, names: readonly string[]): AdmissionCallout => ({
  ...callout,
  namespaceSelector: without(callout.namespaceSelector, names),
});

/** A plan that excludes namespaces, with a warning about requests that are no longer checked. */
export function exclusionPlan(callout: AdmissionCallout, names: readonly string[]) {
  const where = namedList('namespace', names);
  const enforced = enforcedBy(callout.webhook);
  const unseen =
    enforced === undefined
      ? `The webhook no longer ${callout.kind === 'mutating' ? 'changes' : 'checks'} requests in ${where}.`
      : `${enforced.product} no longer enforces ${enforced.what} in ${where}: users who can write there can bypass them.`;
  return {
    summary: `${callout.webhook} is no longer called for ${where}`,
    edits: [webhookEdit(callout, 'namespaceSelector', without(callout.namespaceSelector, names))],
    fixes: [],
    warnings: [unseen, ...whoRevertsField(callout, 'namespaceSelector')],
  };
}
