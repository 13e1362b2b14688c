import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { ownCall } from '../../apiserver/connection/own-call-result.ts';
import {
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
} from '../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  serverNames,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import type { Callout } from '../../facts/callout.ts';
import type { ProbeConnection } from '../../facts/probes.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck, partial } from '../check.ts';
import { checksBehindResponses } from './response-fault-check.ts';

function redirectTarget({ probe }: ProbedEndpoint, url: ProbeConnection | undefined): string | undefined {
  const connections = probe?.dialogues ?? (url === undefined ? [] : [url]);
  const answers = connections.flatMap(({ reviews }) => reviews).flatMap(({ answer }) => answer ?? []);
  const moved = answers.find(({ status, headers }) => [307, 308].includes(status) && headers.location);
  return moved && `HTTP ${moved.status} to ${moved.headers.location}`;
}

/** 307 and 308 preserve the POST, and may lead to a valid response: a cause only if the call fails. */
function failedAfterRedirect(callout: Callout, facts: ProbeFacts) {
  if (ownCall(callout, facts) !== 'fails') return undefined;
  const url = probesAt(callout, facts)?.url;
  const usable = usableEndpoints(callout, facts);
  const redirected = usable.flatMap((endpoint) => {
    const detail = endpoint.callResult.outcome === 'undecided' ? redirectTarget(endpoint, url) : undefined;
    return detail === undefined ? [] : [{ endpoint, detail }];
  });
  const [first] = redirected;
  if (first === undefined) return undefined;
  return {
    extent: redirected.length === usable.length ? ('all' as const) : ('some' as const),
    data: {
      replicas: namesText(
        redirected.map(({ endpoint }) => endpoint),
        serverNames(callout, facts),
      ),
      bad: redirected.length,
      total: usable.length,
      detail: brief(first.detail),
    },
    evidence: redirected.map(({ endpoint, detail }) => probedEndpointEvidence(callout, endpoint, detail)),
  };
}

export const responseRedirects = defineCheck({
  meta: {
    id: 'response-redirects',
    title: 'Webhook redirects the call',
    consequence: 'failing',
    confidence: 'observed',
    why: 'After 301, 302 or 303 the API server requests the new location with GET and without the review. It cannot decode the response. 307 and 308 keep the POST. The usual cause is a Go ServeMux, which redirects a path that lacks the trailing slash of its pattern.',
    advice:
      '[end] Set the path in `clientConfig` to one that the server serves without a redirect: `kubectl edit {kind} {configuration}`. [end] If the server serves only the path with a trailing slash, which the API server removes, change the server. [look] Check the result: `kubectl webhook doctor {configuration}`.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas} returned a redirect instead of a review: {detail}',
      some: partial(
        '{replicas} returned a redirect instead of a review ({bad} of {total} new connections): {detail}',
      ),
    },
    preventsReadiness: true,
    follows: checksBehindResponses,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const found =
      failingServers(callout, facts, ({ callResult }) => callResult.fault === 'redirects') ??
      failedAfterRedirect(callout, facts);
    return found && find(found.extent, found.data, found.evidence);
  },
});
