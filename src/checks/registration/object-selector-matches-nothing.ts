import { selectorText } from '../../apiserver/admission/selector-text.ts';
import { isAdmission, webhookEvidence } from '../../facts/callout.ts';
import { contradictoryKey } from '../../facts/objects/label-selector.ts';
import { defineCheck } from '../check.ts';

export const objectSelectorMatchesNothing = defineCheck({
  meta: {
    id: 'object-selector-matches-nothing',
    title: 'objectSelector can match no object',
    severity: 'warning',
    implies: 'never-called',
    why: 'All requirements of a selector must match. Here, those for one label exclude each other, so the API server never calls the webhook, whatever its failurePolicy.',
    advice:
      '[end] Remove one of the requirements that exclude each other: `kubectl edit {kind} {configuration}`. [end] If a chart has added one of them, correct its values.',
    noRemedy: 'up-to-its-owner',
    messages: {
      never:
        '{webhook} receives no requests: objectSelector {selector} excludes every object, because of label {key}',
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-objectselector',
    ],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission).filter(({ rules }) => rules.length > 0),
  run(callout, _facts, find) {
    const { objectSelector, webhook } = callout;
    const key = contradictoryKey(objectSelector);
    if (key === undefined) return;
    const selector = selectorText(objectSelector);
    return find('never', { webhook, selector, key }, [webhookEvidence(callout, 'objectSelector', selector)]);
  },
});
