import {
  failingServers,
  ownCall,
  ownCallEndedIn,
  probedCallouts,
  probeFacts,
} from '../../apiserver/connection/probed.ts';
import { isUrlBacked } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

export const urlNotResolvable = defineCheck({
  meta: {
    id: 'url-not-resolvable',
    link: 'routing',
    title: 'The host name of the URL has no address',
    severity: 'error',
    consequence: 'failing',
    explains: { dns: 2 },
    why: "The API server asks the resolver of its own host, not the cluster's DNS; ours, where the command runs, may know more or less than that.",
    advice:
      'Resolve the name on a host of the control plane; correct `clientConfig.url`, or name a Service instead.',
    noRemedy: 'in-the-network',
    messages: {
      unresolved: '{said}, and a dry run fails as well',
      itself: 'the API server finds no address: {said}',
      here: {
        text: '{said}, as seen from here; whether the resolver of the API server knows the name, nobody could ask',
        severity: 'warning',
        consequence: 'unknown',
      },
    },
    follows: ['url-in-cluster-name'],
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(({ callout }) => isUrlBacked(callout)),
  run(probed, facts, find) {
    const found = failingServers(probed, facts, ({ meeting }) => meeting.fault === 'unresolved');
    if (found === undefined) {
      const own = ownCallEndedIn(probed, facts, ['dns']);
      return own && find('itself', { said: own.said }, own.evidence, 'observed');
    }
    const own = ownCall(probed, facts);
    if (own === 'passes') return undefined;
    return find(own === 'fails' ? 'unresolved' : 'here', found.data, found.evidence, 'observed');
  },
});
