import { isAdmission, webhookEvidence } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

export const sideEffectsRefuseDryRun = defineCheck({
  meta: {
    id: 'side-effects-refuse-dry-run',
    title: 'Dry runs are refused',
    severity: 'warning',
    why: 'The API server does not call a webhook that may have side effects for a dry run, and refuses the request whatever the failurePolicy: `admission webhook "NAME" does not support dry run`. `kubectl diff`, `kubectl apply --dry-run=server` and GitOps controllers fail with it.',
    advice:
      '[end] Set `sideEffects` to None, or to NoneOnDryRun if the webhook honors `request.dryRun`: `kubectl edit {kind} {configuration}`. [with] admissionregistration.k8s.io/v1 accepts no other value: the object is from an older version.',
    noRemedy: {
      because:
        'only its owner knows whether the server has side effects, and a wrong declaration breaks dry runs for every user',
    },
    messages: {
      declared: 'sideEffects is {sideEffects}: every dry run that matches is refused',
      notSet: 'sideEffects is not set: every dry run that matches fails',
    },
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#side-effects'],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission),
  run(callout, _facts, find) {
    const { sideEffects } = callout;
    if (sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return;
    const evidence = [webhookEvidence(callout, 'sideEffects', sideEffects ?? 'not set')];
    return sideEffects === undefined
      ? find('notSet', {}, evidence)
      : find('declared', { sideEffects }, evidence);
  },
});
