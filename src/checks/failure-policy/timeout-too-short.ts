import { answerTimes, secondsText } from '../../apiserver/connection/answer-times.ts';
import { namesText, probedCallouts, probeFacts, seenAt } from '../../apiserver/connection/probed.ts';
import { isAdmission } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

/** Seconds: whoever has as many and still answers late is slow, and more time is no cure. */
const enough = 5;

/** Of the timeout: an answer that takes longer leaves no room for load, for a full garbage collection, for distance. */
const share = 0.5;

export const timeoutTooShort = defineCheck({
  meta: {
    id: 'timeout-too-short',
    link: 'failure-policy',
    title: 'The timeout is hardly more than an answer takes',
    severity: 'warning',
    explains: { deadline: 7 },
    why: 'A call that is not answered within timeoutSeconds has failed: the request is refused, or passes without the webhook. One review, with nobody else asking, took more than half of it; under load, after a start, or while a node is busy, answers take longer.',
    advice:
      'Set `timeoutSeconds` to several times what an answer takes, up to 5 or so. If that is not enough, find out what the webhook waits for.',
    messages: {
      close:
        '{replicas}: an answer took {slowest}, and a call ends after {timeout} s (timeoutSeconds); {bad} of {total} replicas leave less than half of it',
    },
    references: [
      'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts',
    ],
  },
  requires: probeFacts,
  // The timeout of a conversion webhook or an APIService is nobody's to set.
  subjects: (facts) =>
    probedCallouts(facts).filter(({ callout }) => isAdmission(callout) && callout.timeoutSeconds < enough),
  run(probed, facts, find) {
    const { ref, index, timeoutSeconds: timeout } = probed.callout;
    const timed = answerTimes(probed, facts);
    const late = timed.filter(({ milliseconds }) => milliseconds > timeout * 1000 * share);
    if (late.length === 0) return undefined;
    const data = {
      replicas: namesText(late.map(({ met }) => met)),
      slowest: secondsText(Math.max(...late.map(({ milliseconds }) => milliseconds))),
      timeout,
      bad: late.length,
      total: timed.length,
    };
    const evidence = [
      { object: ref, field: `webhooks[${index}].timeoutSeconds`, value: String(timeout) },
      ...late.map(({ met, milliseconds }) => seenAt(probed, met, `answered in ${secondsText(milliseconds)}`)),
    ];
    return find('close', data, evidence, 'observed');
  },
});
