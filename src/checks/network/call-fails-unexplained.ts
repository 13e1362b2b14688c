import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { advise } from '../../facts/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

export const callFailsUnexplained = defineCheck({
  meta: {
    id: 'call-fails-unexplained',
    link: 'network',
    title: 'Calls fail, and nothing that was looked at says why',
    severity: 'error',
    consequence: 'failing',
    why: 'The API server itself just said so, or its rules leave no other end. What it says names the link at which the call ends; why it ends there is to be looked for beyond what doctor can see: the network of the control plane, a proxy on the way, the process itself.',
    advice: advise`Read the sentence of the API server. Ask again: what was a moment's trouble is gone then. Look at the log of the backend, at that of kube-apiserver for \`failed calling webhook\`, and at ${'kubectl describe {kind} {configuration}'}.`,
    noRemedy: { because: 'nothing that was seen tells what would help' },
    messages: {
      all: 'the next call fails: {said}',
      some: {
        text: 'some of the next calls fail: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    lastResort: true,
    follows: ['service-external-name', 'service-not-proxied', 'internal-traffic-policy-local'],
  },
  requires: ['version', 'callouts', 'routing', ...callFacts],
  subjects: ({ callouts }) => callouts.map((callout) => ({ ref: callout.ref, callout })),
  run({ callout, ref }, facts, find) {
    const next = nextCall(callout, facts);
    if (next.fate !== 'fails' && next.fate !== 'fails-for-some') return undefined;
    const link = next.link ?? 'network';
    const said = next.sentences[0] ?? `it ends at ${link}`;
    const found = find(
      next.fate === 'fails' ? 'all' : 'some',
      { said: brief(said.replace(/^.*? Post "[^"]*": /, '')) },
      [{ object: ref, value: said }],
      next.observed ? 'observed' : 'derived',
    );
    return { ...found, link };
  },
});
