import { isCalledNow } from '../../apiserver/connection/own-call.ts';
import { probedCallouts, probesAt } from '../../apiserver/connection/probed-callouts.ts';
import { callsFailPartly } from '../../apiserver/connection/probed-endpoints.ts';
import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

export const keptConnectionHidesBreak = defineCheck({
  meta: {
    id: 'kept-connection-hides-break',
    title: 'Calls succeed only over an existing keep-alive connection',
    severity: 'warning',
    confidence: 'observed',
    why: 'A dry run, or a read of a stored object of a CRD, just succeeded: the API server reused an older connection to a Pod. The next new connection fails: after 90 s without a call, when that Pod is deleted, or when the API server restarts. Another API server has no such connection.',
    advice:
      'Fix the other findings about this webhook now, while requests still succeed: `kubectl webhook doctor {configuration}`.',
    noRemedy: 'only-follows',
    messages: {
      all: 'Now {call} succeeds, but the next new connection fails: {detail}',
      some: 'Now {call} succeeds, but a new connection to some replicas fails: {detail}',
    },
    follows: 'every-break',
  },
  requires: ['version', 'callouts', 'routing', ...callFacts],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const probes = probesAt(callout, facts);
    const { dryRun } = probes ?? {};
    if (probes === undefined || dryRun === undefined) return undefined;
    if (!isCalledNow(callout, probes)) return undefined;
    const next = nextCall(callout, facts);
    if (next.outcome !== 'fails' && next.outcome !== 'fails-for-some') return undefined;
    // A new connection passes as well, for the other direction of a conversion.
    if (callsFailPartly(callout, facts)) return undefined;
    const detail = brief(next.sentences[0] ?? `it ends at ${next.link ?? 'an unknown link'}`);
    const { operation, resource, milliseconds } = dryRun;
    const call = callout.kind === 'conversion' ? 'the read of a stored object' : 'a dry run';
    const evidence = [
      {
        object: callout.ref,
        value: `${call}: ${operation} ${resource} passed in ${Math.round(milliseconds)} ms`,
      },
    ];
    return find(next.outcome === 'fails' ? 'all' : 'some', { call, detail }, evidence);
  },
});
