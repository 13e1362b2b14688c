import { isAdmission, webhookEvidence } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

export const noRules = defineCheck({
  meta: {
    id: 'no-rules',
    title: 'Webhook has no rules',
    severity: 'info',
    implies: 'never-called',
    why: 'A webhook without rules matches no request, so the API server never calls it.',
    advice:
      '[look] If the product writes the rules from its policies (Kyverno, Gatekeeper), check that policies exist and that its controller works: `kubectl -n {namespace} logs {backend}`. [end] If no program writes them, add rules, or delete the webhook: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'up-to-its-owner',
    messages: { none: '{webhook} receives no requests: it has no rules' },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules',
    ],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission),
  run(callout, _facts, find) {
    if (callout.rules.length > 0) return;
    return find('none', { webhook: callout.webhook }, [webhookEvidence(callout, 'rules', '[]')]);
  },
});
