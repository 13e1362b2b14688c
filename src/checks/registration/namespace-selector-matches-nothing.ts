import { coversResource, staleIn } from '../../apiserver/admission/rule-resources.ts';
import { selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import { selectorText } from '../../apiserver/admission/selector-text.ts';
import {
  type AdmissionCallout,
  isAdmission,
  type RuleWithOperations,
  webhookEvidence,
} from '../../facts/callout.ts';
import {
  contradictoryKey,
  type LabelSelector,
  selectsEverything,
} from '../../facts/objects/label-selector.ts';
import { servedByGroup } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { NotKnown } from '../../facts/unread.ts';
import { enforcedBy, productOf } from '../../products/of-webhook.ts';
import { knownWriters } from '../../products/writers.ts';
import { defineCheck, note } from '../check.ts';

/**
 * True if some matching requests bypass the selector: those for cluster-scoped objects, and for Namespaces,
 * which are matched by their own labels. Throws NotKnown if discovery does not show it.
 */
function coversWithoutNamespace({ rules }: AdmissionCallout, { served }: Pick<Facts, 'served'>): boolean {
  const open = rules.filter(({ scope }) => scope !== 'Namespaced');
  if (open.length === 0) return false;
  const known = served.get('served') ?? { resources: [], stale: [] };
  const { resources, stale } = known;
  const isCovered = (rule: RuleWithOperations): boolean => {
    const inGroups = rule.apiGroups.includes('*')
      ? resources
      : rule.apiGroups.flatMap((group) => servedByGroup(known).get(group) ?? []);
    return inGroups.some((resource) => !resource.namespaced && coversResource(rule, resource));
  };
  if (open.some(isCovered)) return true;
  const unreadGroup = open
    .map((rule) => staleIn(rule, stale))
    .find((groupVersion) => groupVersion !== undefined);
  if (unreadGroup !== undefined)
    throw new NotKnown({ what: `resources of ${unreadGroup}`, why: 'server-error' });
  return false;
}

/** The label that a namespace needs, if it is one: `team=a`. */
function labelThatMatches({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string | undefined {
  const [[key, value] = [], ...others] = Object.entries(matchLabels);
  // The API server sets the label of the name.
  const isOne = others.length === 0 && matchExpressions.length === 0 && key !== 'kubernetes.io/metadata.name';
  return key !== undefined && isOne ? `${key}=${value}` : undefined;
}

/** True if a user chose the labels: those of a program have the domain of their owner. */
const isOwnLabel = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)].every((key) => !key.includes('/'));

export const namespaceSelectorMatchesNothing = defineCheck({
  meta: {
    id: 'namespace-selector-matches-nothing',
    title: 'namespaceSelector matches no namespace',
    severity: 'warning',
    implies: 'not-called-now',
    why: 'The API server calls the webhook only for objects in namespaces whose labels match its namespaceSelector. No namespace matches, so the webhook is never called, whatever its failurePolicy.',
    advice:
      '[end] Label the namespaces that the webhook is for (`kubectl label namespace {chosen} {label}`), or correct the selector. [with] Labels are case-sensitive.',
    noRemedy: 'up-to-its-owner',
    messages: {
      none: 'None of {total} namespaces matches namespaceSelector {selector}: the webhook is not called for any of them',
      never: {
        text: 'namespaceSelector {selector} excludes every namespace, because of label {key}',
        advice:
          '[with] The requirements for that label exclude each other. [end] Remove one of them: `kubectl edit {kind} {configuration}`.',
      },
      unenforced: {
        text: '{webhook} of {product} is not called: none of {total} namespaces matches namespaceSelector {selector}, which is set {instruction}',
        advice:
          '[end] Correct the selector there: the program writes it to the webhook configuration again. [end] Or label the namespaces that it is for: `kubectl label namespace {chosen} {label}`.',
      },
      notAsked: note(
        'No namespace is labeled for {webhook} of {product}: none of {total} matches {selector}',
      ),
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-namespaceselector',
    ],
  },
  requires: ['callouts', 'namespaces', 'served'],
  subjects: ({ callouts }) =>
    callouts
      .filter(isAdmission)
      .filter(({ rules, namespaceSelector }) => rules.length > 0 && !selectsEverything(namespaceSelector)),
  run(callout, facts, find) {
    const { namespaceSelector } = callout;
    if (selectedNamespaces(callout, facts).length > 0) return;
    const key = contradictoryKey(namespaceSelector);
    if (key === undefined && facts.namespaces.incomplete !== undefined)
      throw new NotKnown(facts.namespaces.incomplete);
    if (coversWithoutNamespace(callout, facts)) return;
    const selector = selectorText(namespaceSelector);
    const evidence = [webhookEvidence(callout, 'namespaceSelector', selector)];
    if (key !== undefined) return find('never', { selector, key }, evidence);
    const data = { total: facts.namespaces.size, selector };
    const { webhook } = callout;
    const names = { label: labelThatMatches(namespaceSelector) };
    const product = productOf(callout)?.name;
    if (product === undefined) return find('none', data, evidence, names);
    const about = { ...data, webhook, product };
    // Namespaces opt in to a product with its label, and none has it: that is no typo.
    const isEngine = enforcedBy(webhook) !== undefined && productOf(callout)?.injects === undefined;
    if (!isEngine || !isOwnLabel(namespaceSelector)) return find('notAsked', about, evidence, names);
    const writer = knownWriters(callout).find(({ fields }) => fields.includes('namespaceSelector'));
    return writer === undefined
      ? find('none', data, evidence, names)
      : find('unenforced', { ...about, instruction: writer.writer.lasts }, evidence, names);
  },
});
