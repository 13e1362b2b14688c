import { probedCallouts } from '../../apiserver/connection/probed.ts';
import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

export const probesContradictObjects = defineCheck({
  meta: {
    id: 'probes-contradict-objects',
    link: 'replica',
    title: 'Objects speak of a break that probes do not meet',
    severity: 'info',
    why: 'By its objects the next call would fail; every replica that it can meet was asked a moment ago and answered. What was seen counts. Either the objects lag behind (a status from before a restart, a slice that is not updated), or they do not say all.',
    advice: 'Ask again in a minute. If it stays, compare what the objects say with the Pods themselves.',
    noRemedy: {
      because: 'what was seen and what is written differ: look again, and find out which is right',
    },
    messages: {
      answers: 'objects say: {said}; probes saw every replica answer',
    },
  },
  requires: ['version', 'callouts', 'routing', ...callFacts],
  subjects: probedCallouts,
  run({ callout, ref }, facts, find) {
    const { probes: _, ...objects } = facts;
    const seen = nextCall(callout, facts);
    const derived = nextCall(callout, objects);
    const broken = derived.fate === 'fails' || derived.fate === 'fails-for-some';
    if (seen.observed !== true || seen.fate !== 'succeeds' || !broken) return undefined;
    const said = derived.sentences[0] ?? `calls end at ${derived.link ?? 'an unknown link'}`;
    return find('answers', { said: brief(said) }, [{ object: ref, value: said }], 'observed');
  },
});
