import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { nameIn } from '../../facts/evidence.ts';
import { defineCheck } from '../check.ts';

export const onlyDryRunsFail = defineCheck({
  meta: {
    id: 'only-dry-runs-fail',
    title: 'Webhook does not support dry runs',
    severity: 'warning',
    consequence: 'degraded',
    confidence: 'observed',
    why: 'Every Pod refuses the review of a test object because it is a dry run. `kubectl diff`, `kubectl apply --dry-run=server` and GitOps controllers get an error, and other requests can pass.',
    advice:
      '[end] Correct how the program handles `request.dryRun`: it must respond without side effects. [look] Read the log of the program: `kubectl -n {namespace} logs {pod}`. [end] If the program has no side effects, it can ignore the field.',
    noRemedy: 'in-the-server',
    messages: { refused: '{replicas} refused a dry run: {detail}' },
    follows: ['handler-waits-for-service'],
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#side-effects'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const failed = failingServers(callout, facts, ({ callResult }) => callResult.partly === 'dry-runs');
    if (failed?.extent !== 'all') return undefined;
    const { replicas, detail } = failed.data;
    return find('refused', { replicas, detail }, failed.evidence, { pod: nameIn(failed.evidence, 'Pod') });
  },
});
