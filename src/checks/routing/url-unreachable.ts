import { isOfTheWay } from '../../apiserver/connection/meeting.ts';
import {
  failingServers,
  ownCall,
  ownCallEndedIn,
  probedCallouts,
  probeFacts,
} from '../../apiserver/connection/probed.ts';
import { calloutUrl } from '../../apiserver/routing/callout-url.ts';
import { isUrlBacked } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

/** Ends of a call before anybody answered: none of a server that is slow. */
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
    link: 'routing',
    title: 'Nothing answers at the URL',
    severity: 'error',
    consequence: 'failing',
    why: "The API server dials the URL from its own host, past the cluster's network; what is seen from where the command runs may differ, for a firewall may treat the two differently.",
    advice:
      'See whether the server runs and is reached from the hosts of the control plane; correct `clientConfig.url`.',
    noRemedy: 'in-the-network',
    messages: {
      unreached: 'no answer at {replicas}: {said}; a dry run fails as well',
      itself: 'the API server gets no answer at the URL: {said}',
      here: {
        text: 'no answer at {replicas}: {said}, as seen from here; whether the API server gets one, nobody could ask',
        severity: 'warning',
        consequence: 'unknown',
      },
    },
    follows: ['bootstrap-deadlock', 'url-in-cluster-name', 'url-loopback'],
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(({ callout }) => isUrlBacked(callout)),
  run(probed, facts, find) {
    const found = failingServers(
      probed,
      facts,
      ({ meeting }) => isOfTheWay(meeting.fault) && meeting.fault !== 'unresolved',
    );
    if (found === undefined) {
      const own = ownCallEndedIn(probed, facts, onTheWay);
      // Where a redirect leads is another URL.
      const quoted = `"${calloutUrl(probed.callout)}?`;
      if (!own?.evidence.some(({ value }) => value.includes(quoted))) return undefined;
      return find('itself', { said: own.said }, own.evidence, 'observed');
    }
    const own = ownCall(probed, facts);
    if (own === 'passes') return undefined;
    return find(own === 'fails' ? 'unreached' : 'here', found.data, found.evidence, 'observed');
  },
});
