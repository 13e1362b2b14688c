import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck, partial } from '../check.ts';

export const callFailsUnexplained = defineCheck({
  meta: {
    id: 'call-fails-unexplained',
    title: 'Calls fail without a known reason',
    severity: 'error',
    consequence: 'failing',
    why: 'The API server reported the failure during this run, or the objects that doctor read allow no other result. The reason is where doctor cannot look: in the network of the control plane, in a proxy, or in the process itself.',
    advice:
      'Run doctor again, to rule out a momentary failure: `kubectl webhook doctor {configuration}`. Read the log of the backend at the time of the call: `kubectl -n {namespace} logs {backend}`. Search the log of kube-apiserver for `failed calling webhook`.',
    noRemedy: { because: 'the reason is not known' },
    messages: {
      all: 'The next call fails: {detail}',
      some: partial('Some of the next calls fail: {detail}'),
    },
    lastResort: true,
    follows: ['service-external-name', 'service-not-proxied', 'internal-traffic-policy-local'],
  },
  requires: ['version', 'callouts', 'routing', ...callFacts],
  subjects: ({ callouts }) => callouts.map((callout) => ({ ref: callout.ref, callout })),
  run({ callout, ref }, facts, find) {
    const next = nextCall(callout, facts);
    if (next.outcome !== 'fails' && next.outcome !== 'fails-for-some') return undefined;
    const link = next.link ?? 'network';
    const detail = next.sentences[0] ?? `it ends at ${link}`;
    const found = find(
      next.outcome === 'fails' ? 'all' : 'some',
      { detail: brief(detail.replace(/^.*? Post "[^"]*": /, '')) },
      [{ object: ref, value: detail }],
      next.observed ? 'observed' : 'derived',
    );
    return { ...found, link };
  },
});
