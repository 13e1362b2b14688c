import { calledWith } from '../../../apiserver/connection/called-with.ts';
import { probedCallouts } from '../../../apiserver/connection/probed-callouts.ts';
import type { ProbedEndpoint } from '../../../apiserver/connection/probed-servers.ts';
import { denialSentence, gateAdvice, gateData, gateEvidence } from '../../../pods/gate-text.ts';
import { gateOf, leaderFacts } from '../../../pods/leadership.ts';
import { defineCheck } from '../../check.ts';

const trust = ['alert', 'certificate'];

/** True if it listens, but does not respond correctly. */
const answersWrongly = ({ callResult }: ProbedEndpoint): boolean =>
  callResult.outcome === 'denies' ||
  (callResult.outcome === 'fails' && (callResult.link === 'response' || trust.includes(callResult.fault)));

const isTrust = ({ callResult }: ProbedEndpoint): boolean =>
  callResult.outcome === 'fails' && trust.includes(callResult.fault);

export const leaderGatedAnswer = defineCheck({
  meta: {
    id: 'leader-gated-answer',
    title: 'Only the leader responds correctly',
    severity: 'warning',
    consequence: 'degraded',
    confidence: 'observed',
    why: 'All replicas listen, but only the leader has the cache, certificate or other state from which the webhook responds. The others deny objects that the leader allows, or fail. The API server reuses open connections, so its calls can all fail, or all succeed, until these close.',
    advice: gateAdvice,
    messages: {
      denies:
        'Only the leader, {holder} (Lease {lease}), allows {object}. Calls to {others} are denied ({bad} of {total} new connections): {detail}',
      fails:
        'Only the leader, {holder} (Lease {lease}), responds. Calls to {others} fail ({bad} of {total} new connections): {detail}',
      certificate:
        'Only the leader, {holder} (Lease {lease}), has a certificate that the API server accepts; {others}: {detail}',
    },
    preventsReadiness: true,
    references: [
      '/docs/concepts/architecture/leases/#custom-workload',
      'https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager#LeaderElectionRunnable',
    ],
  },
  requires: [...leaderFacts, 'samples'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const [gated] = calledWith(callout, facts).flatMap((called) => {
      const gate = gateOf(callout, called.facts, answersWrongly);
      return gate === undefined ? [] : [{ gate, object: called.what }];
    });
    if (gated === undefined) return undefined;
    const { gate, object } = gated;
    const deny = gate.others.every(({ callResult }) => callResult.outcome === 'denies');
    const failure = gate.others.every(isTrust) ? 'certificate' : 'fails';
    const found = find(deny ? 'denies' : failure, { ...gateData(gate), object }, gateEvidence(callout, gate));
    return { ...found, ...denialSentence(gate.others) };
  },
});
