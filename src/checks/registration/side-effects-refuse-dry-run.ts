import { isAdmission } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

export const sideEffectsRefuseDryRun = defineCheck({
  meta: {
    id: 'side-effects-refuse-dry-run',
    link: 'registration',
    title: 'Dry runs are refused',
    severity: 'warning',
    explains: { 'dry-run-refused': 1, 'side-effects': 1 },
    why: 'A webhook that may have side effects is not called for a dry run; the API server refuses the request instead, whatever the failurePolicy: `admission webhook "NAME" does not support dry run`. `kubectl diff` and GitOps controllers live on dry runs.',
    advice:
      'Set `sideEffects` to None, or to NoneOnDryRun if the webhook honours `request.dryRun`. admissionregistration.k8s.io/v1 accepts nothing else: the object is from an older version.',
    noRemedy: {
      because:
        'only the server knows whether it has side effects, and a wrong promise breaks dry runs for everybody',
    },
    messages: {
      declared: 'sideEffects is {sideEffects}: every dry run that matches is refused',
      notSet: 'sideEffects is not set: every dry run that matches fails',
    },
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission),
  run({ ref, index, sideEffects }, _facts, find) {
    if (sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return;
    const field = `webhooks[${index}].sideEffects`;
    return sideEffects === undefined
      ? find('notSet', {}, [{ object: ref, field, value: 'not set' }])
      : find('declared', { sideEffects }, [{ object: ref, field, value: sideEffects }]);
  },
});
