import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { probedCallouts, probesAt } from '../../apiserver/connection/probed.ts';
import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

export const keptConnectionHidesBreak = defineCheck({
  meta: {
    id: 'kept-connection-hides-break',
    link: 'network',
    title: 'Calls still pass over a connection from before the break',
    severity: 'warning',
    why: 'A dry run (for a CRD: the read of a stored object in another version) just passed: the API server has a connection to a replica from before, and keeps it for as long as calls come. What is broken is met by the next new connection: after 90 s without a call, when that Pod goes, when the API server starts anew, or at another API server. The break is latent.',
    advice: 'Repair it now, while requests still pass.',
    noRemedy: 'only-follows',
    messages: {
      all: '{call} passes, and the next new connection fails: {said}',
      some: '{call} passes, and a new connection fails for some replicas: {said}',
    },
    follows: 'every-break',
  },
  requires: ['version', 'callouts', 'routing', ...callFacts],
  subjects: probedCallouts,
  run(probed, facts, find) {
    const { callout, ref } = probed;
    const probes = probesAt(probed, facts);
    const { dryRun } = probes ?? {};
    if (probes === undefined || dryRun === undefined) return undefined;
    if (ownCallEnd(callout, probes).outcome !== 'passes') return undefined;
    const next = nextCall(callout, facts);
    if (next.fate !== 'fails' && next.fate !== 'fails-for-some') return undefined;
    const said = brief(next.sentences[0] ?? `it ends at ${next.link ?? 'a link that nobody sees'}`);
    const { operation, resource, milliseconds } = dryRun;
    const call = callout.kind === 'conversion' ? 'the read of a stored object' : 'a dry run';
    const evidence = [
      { object: ref, value: `${call}: ${operation} ${resource} passed in ${Math.round(milliseconds)} ms` },
    ];
    return find(next.fate === 'fails' ? 'all' : 'some', { call, said }, evidence, 'observed');
  },
});
