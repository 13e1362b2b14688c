import { answerTimes, secondsText } from '../../apiserver/connection/answer-times.ts';
import { namesText, probedCallouts, probeFacts, seenAt } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';

/** Of the timeout. */
const share = 0.5;

export const responseSlow = defineCheck({
  meta: {
    id: 'response-slow',
    link: 'response',
    title: 'An answer takes more than half of the timeout',
    severity: 'warning',
    explains: { 'slow-webhook-trace': 1, 'timeout-504': 3, canceled: 1, deadline: 5, 'gateway-timeout': 1 },
    why: 'One review, with nobody else asking, took this long; under load it takes longer, and a call that is over its timeoutSeconds has failed. Each request that matches waits as long.',
    advice:
      'See what the webhook waits for: a CPU limit that throttles it, a call of its own to somewhere slow. A longer timeoutSeconds makes every request slower and helps only for the moment.',
    noRemedy: 'in-the-server',
    messages: {
      slow: '{replicas}: {slowest} of the {timeout} s that the call has ({bad} of {total} replicas; the fastest took {fastest})',
    },
    follows: ['timeout-too-short'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find) {
    const { timeoutSeconds } = probed.callout;
    const timed = answerTimes(probed, facts);
    const slow = timed.filter(({ milliseconds }) => milliseconds > timeoutSeconds * 1000 * share);
    if (slow.length === 0) return undefined;
    const all = timed.map(({ milliseconds }) => milliseconds);
    const data = {
      replicas: namesText(slow.map(({ met }) => met)),
      slowest: secondsText(Math.max(...all)),
      fastest: secondsText(Math.min(...all)),
      timeout: timeoutSeconds,
      bad: slow.length,
      total: timed.length,
    };
    const evidence = timed.map(({ met, milliseconds }) =>
      seenAt(probed, met, `answered in ${secondsText(milliseconds)}`),
    );
    return find('slow', data, evidence, 'observed');
  },
});
