import { probedCallouts } from '../../apiserver/connection/probed-callouts.ts';
import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

export const probesContradictObjects = defineCheck({
  meta: {
    id: 'probes-contradict-objects',
    title: 'Objects indicate a failure, but probes succeed',
    severity: 'info',
    confidence: 'observed',
    why: 'According to the objects the next call fails, but every replica responded to a probe a moment ago. The probe counts: the objects are either outdated (a status from before a restart, a stale EndpointSlice) or incomplete.',
    advice:
      '[look] Run the diagnosis again in a minute: `kubectl webhook doctor {configuration}`. [look] If the result stays, compare the status in the objects with the Pods: `kubectl -n {namespace} get endpointslices,pods -o wide`.',
    noRemedy: {
      because: 'the objects and the probes differ: run the diagnosis again, and find out which is right',
    },
    messages: {
      answers: 'Objects indicate a failure ({detail}), but every replica responded to a probe',
    },
  },
  requires: ['version', 'callouts', 'routing', ...callFacts],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const { probes: _, ...objects } = facts;
    const withProbes = nextCall(callout, facts);
    const derived = nextCall(callout, objects);
    const broken = derived.outcome === 'fails' || derived.outcome === 'fails-for-some';
    if (withProbes.observed !== true || withProbes.outcome !== 'succeeds' || !broken) return undefined;
    const detail = derived.sentences[0] ?? `calls end at ${derived.link ?? 'an unknown link'}`;
    return find('answers', { detail: brief(detail) }, [{ object: callout.ref, value: detail }]);
  },
});
