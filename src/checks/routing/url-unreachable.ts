import { isNetworkFault } from '../../apiserver/connection/call-result.ts';
import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { ownCall, ownCallEndedIn } from '../../apiserver/connection/own-call-result.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { calloutUrl } from '../../apiserver/routing/callout-url.ts';
import { isUrlBacked } from '../../facts/callout.ts';
import { defineCheck, undecided } from '../check.ts';

/** Failures before any response, except timeouts of a slow server. */
const onTheWay = [
  'connection-refused',
  'no-route',
  'not-permitted',
  'network-unreachable',
  'connect-timeout',
] as const;

export const urlUnreachable = defineCheck({
  meta: {
    id: 'url-unreachable',
    title: 'No response from the URL',
    consequence: 'failing',
    confidence: 'observed',
    explains: { 'url-not-reached': 1, 'url-host-unknown': 2 },
    why: 'The API server connects to the URL from its own host, outside the cluster network. A firewall may treat it and the machine that runs this command differently.',
    advice:
      'Check that the server runs, and connect to the URL from a control plane node with `curl -vk`. If the URL is wrong, correct `clientConfig.url`: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'in-the-network',
    messages: {
      unreached: 'No response from {replicas}: {detail}; a dry run fails as well',
      itself: 'The API server gets no response from the URL: {detail}',
      here: undecided(
        'No response from {replicas} to this machine: {detail}; whether the API server gets one is unknown',
      ),
    },
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#url'],
    follows: ['bootstrap-deadlock', 'url-in-cluster-name', 'url-loopback'],
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(isUrlBacked),
  run(callout, facts, find) {
    const found = failingServers(
      callout,
      facts,
      ({ callResult }) => isNetworkFault(callResult.fault) && callResult.fault !== 'unresolved',
    );
    if (found === undefined) {
      const own = ownCallEndedIn(callout, facts, onTheWay);
      // The target of a redirect is a different URL.
      const quoted = `"${calloutUrl(callout)}?`;
      if (!own?.evidence.some(({ value }) => value.includes(quoted))) return undefined;
      return find('itself', { detail: own.detail }, own.evidence);
    }
    const own = ownCall(callout, facts);
    if (own === 'passes') return undefined;
    return find(own === 'fails' ? 'unreached' : 'here', found.data, found.evidence);
  },
});
