import { isOfTheWay } from '../../apiserver/connection/meeting.ts';
import { isUrlBacked } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';
import { failing, ownCall, probedCallouts, probeFacts } from '../probed.ts';

export const urlUnreachable = defineCheck({
  meta: {
    id: 'url-unreachable',
    link: 'routing',
    title: 'Nothing answers at the URL',
    severity: 'error',
    consequence: 'failing',
    why: "The API server dials the URL from its own host, past the cluster's network. This was seen from where the command runs: a firewall may treat us and the API server differently.",
    advice:
      'See whether the server runs and is reached from the hosts of the control plane; correct `clientConfig.url`.',
    messages: {
      unreached: 'no answer at {replicas}: {said}; a dry run fails as well',
      here: {
        text: 'no answer at {replicas}: {said}, as seen from here; whether the API server gets one, nobody could ask',
        severity: 'warning',
        consequence: 'unknown',
      },
    },
    follows: ['url-in-cluster-name', 'url-loopback'],
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(({ callout }) => isUrlBacked(callout)),
  run(probed, facts, find, takenAt) {
    const found = failing(
      probed,
      facts,
      takenAt,
      ({ meeting }) => isOfTheWay(meeting.fault) && meeting.fault !== 'unresolved',
    );
    const own = found && ownCall(probed, facts);
    if (found === undefined || own === 'passes') return undefined;
    return find(own === 'fails' ? 'unreached' : 'here', found.data, found.evidence, 'observed');
  },
});
