import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { namesText, probedEndpointEvidence } from '../../apiserver/connection/probed-endpoints.ts';
import { lateServers, responseTimes, secondsText } from '../../apiserver/connection/response-times.ts';
import { isAdmission, webhookEvidence } from '../../facts/callout.ts';
import { defineCheck, fatal } from '../check.ts';

/** Seconds: a late response with this timeout means a slow webhook; a longer timeout does not fix that. */
const enough = 5;

/** A fraction of the timeout: slower responses leave no reserve for load, garbage collection or latency. */
const share = 0.5;

export const timeoutTooShort = defineCheck({
  meta: {
    id: 'timeout-too-short',
    title: 'timeoutSeconds is close to the response time',
    severity: 'warning',
    confidence: 'observed',
    why: 'A call without a response within timeoutSeconds fails: the request is refused, or admitted without the webhook. One review, without other load, took more than half of it; under load, after a start, or on a busy node, responses take longer.',
    advice:
      '[end] Set `timeoutSeconds` to several times the response time, up to about 5: `kubectl edit {kind} {configuration}`. [look] If that is not enough, find out why the webhook is slow: `kubectl -n {namespace} logs {backend}`.',
    messages: {
      late: fatal(
        '{replicas} responded after {slowest}, later than the {timeout} s timeout (timeoutSeconds)',
      ),
      close:
        '{replicas} took {slowest} of the {timeout} s timeout to respond (timeoutSeconds); more than half in {bad} of {total} replicas',
    },
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts'],
  },
  requires: probeFacts,
  // The timeout of a conversion webhook or an APIService cannot be configured.
  subjects: (facts) =>
    probedCallouts(facts)
      .filter(isAdmission)
      .filter(({ timeoutSeconds }) => timeoutSeconds < enough),
  run(callout, facts, find) {
    const { timeoutSeconds: timeout } = callout;
    const found = lateServers(callout, facts);
    // A slower webhook would be too close to the longest useful timeout as well.
    if (found?.extent === 'all' && found.slowest <= enough * 1000 * share)
      return { ...find('late', { ...found.data, timeout }, found.evidence), link: 'response' };
    const timed = responseTimes(callout, facts);
    const late = timed.filter(({ milliseconds }) => milliseconds > timeout * 1000 * share);
    if (late.length === 0) return undefined;
    const data = {
      replicas: namesText(late.map(({ endpoint }) => endpoint)),
      slowest: secondsText(Math.max(...late.map(({ milliseconds }) => milliseconds))),
      timeout,
      bad: late.length,
      total: timed.length,
    };
    const evidence = [
      webhookEvidence(callout, 'timeoutSeconds', timeout),
      ...late.map(({ endpoint, milliseconds }) =>
        probedEndpointEvidence(callout, endpoint, `responded in ${secondsText(milliseconds)}`),
      ),
    ];
    return find('close', data, evidence);
  },
});
