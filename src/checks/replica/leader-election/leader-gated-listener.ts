import { probedCallouts } from '../../../apiserver/connection/probed-callouts.ts';
import type { ProbedEndpoint } from '../../../apiserver/connection/probed-servers.ts';
import { gateAdvice, gateData, gateEvidence } from '../../../pods/gate-text.ts';
import { gateOf, leaderFacts } from '../../../pods/leadership.ts';
import { defineCheck, fatal } from '../../check.ts';

/** True for any response to the test object: a Pod that denies it, or responds incorrectly, listens. */
const listens = ({ callResult }: ProbedEndpoint): boolean =>
  callResult.outcome === 'answers' ||
  callResult.outcome === 'denies' ||
  (callResult.outcome === 'fails' && callResult.link === 'response');

export const leaderGatedListener = defineCheck({
  meta: {
    id: 'leader-gated-listener',
    title: 'Only the leader listens',
    severity: 'warning',
    consequence: 'degraded',
    confidence: 'observed',
    why: 'The webhook server starts only after its Pod wins the leader election. The other Pods are Ready, because their readiness probe does not check the webhook port, and refuse connections. Calls over an open connection to the leader succeed; each new connection can be refused.',
    advice: gateAdvice,
    messages: {
      some: 'Only the leader, {holder} (Lease {lease}), listens on port {port}: {bad} of {total} new connections are refused',
      all: fatal(
        'Only the leader, {holder} (Lease {lease}), listens on port {port}, and no new connection reaches it',
      ),
    },
    preventsReadiness: true,
    references: [
      '/docs/concepts/architecture/leases/#custom-workload',
      'https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager#LeaderElectionRunnable',
    ],
  },
  requires: leaderFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const gate = gateOf(
      callout,
      facts,
      ({ callResult }) => callResult.outcome === 'fails' && callResult.fault === 'refused',
      listens,
    );
    if (gate === undefined) return undefined;
    const extent = gate.others.length === gate.total ? 'all' : 'some';
    return find(extent, gateData(gate), gateEvidence(callout, gate));
  },
});
