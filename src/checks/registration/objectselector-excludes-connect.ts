import { selectorText } from '../../apiserver/admission/selector-text.ts';
import { isAdmission, type RuleWithOperations, webhookEvidence } from '../../facts/callout.ts';
import { selectsEverything } from '../../facts/objects/label-selector.ts';
import { defineCheck } from '../check.ts';

/** Subresources whose requests are CONNECT: exec, attach and port-forward of Pods, and the three proxies. */
const connects = [
  'pods/exec',
  'pods/attach',
  'pods/portforward',
  'pods/proxy',
  'services/proxy',
  'nodes/proxy',
];

const wantsConnect = ({ operations, resources }: RuleWithOperations): boolean =>
  operations.includes('CONNECT') ||
  (operations.includes('*') && resources.some((resource) => connects.includes(resource)));

export const objectselectorExcludesConnect = defineCheck({
  meta: {
    id: 'objectselector-excludes-connect',
    title: 'objectSelector excludes all CONNECT requests',
    severity: 'info',
    why: 'exec, attach, port-forward and proxy send options without labels instead of the Pod. A non-empty objectSelector does not match them, so the webhook is never called for CONNECT.',
    advice:
      'Move the CONNECT rule into a separate webhook without objectSelector: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'up-to-its-owner',
    messages: { never: 'Rules match CONNECT, and objectSelector {selector} never matches it' },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-objectselector',
    ],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) =>
    callouts.filter(isAdmission).filter(({ rules }) => rules.some((rule) => wantsConnect(rule))),
  run(callout, _facts, find) {
    if (selectsEverything(callout.objectSelector)) return;
    const selector = selectorText(callout.objectSelector);
    return find('never', { selector }, [webhookEvidence(callout, 'objectSelector', selector)]);
  },
});
