import { isAdmission } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

export const noRules = defineCheck({
  meta: {
    id: 'no-rules',
    link: 'registration',
    title: 'The webhook has no rules',
    severity: 'info',
    implies: 'never-called',
    why: 'Without rules a webhook matches no request: the API server never calls it.',
    advice:
      'Some products (Kyverno, Gatekeeper) fill in the rules from their policies while they run: look whether there are policies, and whether the controller works. Otherwise add rules, or delete the webhook.',
    noRemedy: 'up-to-its-owner',
    messages: { none: 'No request is sent to {webhook}: it has no rules' },
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission),
  run(callout, _facts, find) {
    if (callout.rules.length > 0) return;
    return find('none', { webhook: callout.webhook }, [
      { object: callout.ref, field: `webhooks[${callout.index}].rules`, value: '[]' },
    ]);
  },
});
