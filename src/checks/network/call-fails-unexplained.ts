import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck, partial } from '../check.ts';

export const callFailsUnexplained = defineCheck({
  meta: {
    id: 'call-fails-unexplained',
    link: 'network',
    title: 'Calls fail without a known reason',
    severity: 'error',
    consequence: 'failing',
    why: 'The API server itself just reported it, or its rules allow no other result. Its error names the link that fails; the reason is outside of what doctor can read: the network of the control plane, a proxy, or the process itself.',
    advice:
      'Read the error of the API server. Run doctor again, which rules out a momentary failure. Read the log of the backend, the log of kube-apiserver for `failed calling webhook`, and `kubectl describe {kind} {configuration}`.',
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
