import type { ProbedEndpoint } from '../../apiserver/connection/observe.ts';
import { probedCallouts } from '../../apiserver/connection/probed.ts';
import { gateAdvice, gateData, gateEvidence } from '../../pods/gate-words.ts';
import { gateOf, leaderFacts } from '../../pods/leadership.ts';
import { defineCheck } from '../check.ts';

/** Whatever it says of a made-up object: a replica that denies it, or answers wrongly, listens. */
const listens = ({ meeting }: ProbedEndpoint): boolean =>
  meeting.outcome === 'answers' ||
  meeting.outcome === 'denies' ||
  (meeting.outcome === 'fails' && meeting.link === 'response');

export const leaderGatedListener = defineCheck({
  meta: {
    id: 'leader-gated-listener',
    link: 'replica',
    title: 'Only the leader listens, and the other replicas are Ready',
    severity: 'warning',
    consequence: 'degraded',
    explains: { 'lease-not-held': 2, 'connection-refused': 7 },
    why: 'The server of the webhook starts when its Pod wins the leader election. The others stay behind the Service, since their readiness does not ask that port, and refuse what they are sent. An API server keeps its connection to one replica: all of its calls fail or none, until that connection ends.',
    advice: gateAdvice,
    messages: {
      some: '{others}: port {port} is closed; only {holder}, which holds Lease {lease}, listens: {bad} of {total} new connections are refused',
      all: {
        text: '{others}: port {port} is closed; only {holder}, which holds Lease {lease}, listens, and no new connection meets it',
        severity: 'error',
        consequence: 'failing',
      },
    },
    references: ['https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager#LeaderElectionRunnable'],
  },
  requires: leaderFacts,
  subjects: probedCallouts,
  run(probed, facts, find) {
    const gate = gateOf(
      probed,
      facts,
      ({ meeting }) => meeting.outcome === 'fails' && meeting.fault === 'refused',
      listens,
    );
    if (gate === undefined) return undefined;
    const extent = gate.others.length === gate.total ? 'all' : 'some';
    return find(extent, gateData(gate), gateEvidence(probed, gate), 'observed');
  },
});
