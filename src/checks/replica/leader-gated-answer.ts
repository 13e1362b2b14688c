import type { ProbedEndpoint } from '../../apiserver/connection/observe.ts';
import { calledWith, probedCallouts } from '../../apiserver/connection/probed.ts';
import { denialSentence, gateAdvice, gateData, gateEvidence } from '../../pods/gate-words.ts';
import { gateOf, leaderFacts } from '../../pods/leadership.ts';
import { defineCheck } from '../check.ts';

const trust = ['alert', 'certificate'];

/** It listens, and does not answer as it should. */
const answersWrongly = ({ meeting }: ProbedEndpoint): boolean =>
  meeting.outcome === 'denies' ||
  (meeting.outcome === 'fails' && (meeting.link === 'response' || trust.includes(meeting.fault)));

const isTrust = ({ meeting }: ProbedEndpoint): boolean =>
  meeting.outcome === 'fails' && trust.includes(meeting.fault);

export const leaderGatedAnswer = defineCheck({
  meta: {
    id: 'leader-gated-answer',
    link: 'replica',
    title: 'Only the leader answers as it should',
    severity: 'warning',
    consequence: 'degraded',
    explains: { 'lease-not-held': 3, denial: 2 },
    why: 'All replicas listen, but what the webhook needs to answer (a cache, a certificate, a state that the controller keeps) is there on the leader only. The others deny what the leader allows, or fail. An API server keeps its connection to one replica: all of its calls meet that, or none, until that connection ends.',
    advice: gateAdvice,
    messages: {
      denies:
        '{others} deny {object}, and {holder}, which holds Lease {lease}, allows it: {said}; {bad} of {total} new connections meet that',
      fails:
        '{others} fail where {holder}, which holds Lease {lease}, answers: {said}; {bad} of {total} new connections meet that',
      certificate:
        '{others} have no certificate that the API server takes; only {holder}, which holds Lease {lease}, has one: {said}; {bad} of {total} new connections meet that',
    },
  },
  requires: [...leaderFacts, 'samples'],
  subjects: probedCallouts,
  run(probed, facts, find) {
    const [met] = calledWith(probed, facts).flatMap((called) => {
      const gate = gateOf(probed, called.facts, answersWrongly);
      return gate === undefined ? [] : [{ gate, object: called.what }];
    });
    if (met === undefined) return undefined;
    const { gate, object } = met;
    const deny = gate.others.every(({ meeting }) => meeting.outcome === 'denies');
    const message = deny ? 'denies' : gate.others.every(isTrust) ? 'certificate' : 'fails';
    const found = find(message, { ...gateData(gate), object }, gateEvidence(probed, gate), 'observed');
    return { ...found, ...denialSentence(gate.others) };
  },
});
