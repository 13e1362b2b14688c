import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { ownCall, ownCallEndedIn } from '../../apiserver/connection/own-call-result.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { isUrlBacked } from '../../facts/callout.ts';
import { defineCheck, undecided } from '../check.ts';

export const urlNotResolvable = defineCheck({
  meta: {
    id: 'url-not-resolvable',
    title: 'Host name of the URL does not resolve',
    consequence: 'failing',
    confidence: 'observed',
    why: 'The API server resolves the name on its own machine, without cluster DNS. The machine that runs this command may use another resolver.',
    advice:
      '[look] Resolve the name on a control plane node with `getent hosts`. [end] Correct `clientConfig.url`, or use `clientConfig.service`: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'in-the-network',
    messages: {
      unresolved: '{detail}, and a dry run fails as well',
      itself: 'The API server cannot resolve the host: {detail}',
      here: undecided('{detail}, from this machine; whether the API server can resolve the name is unknown'),
    },
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#url'],
    preventsReadiness: true,
    follows: ['url-in-cluster-name'],
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(isUrlBacked),
  run(callout, facts, find) {
    const found = failingServers(callout, facts, ({ callResult }) => callResult.fault === 'unresolved');
    if (found === undefined) {
      const own = ownCallEndedIn(callout, facts, ['dns']);
      return own && find('itself', { detail: own.detail }, own.evidence);
    }
    const own = ownCall(callout, facts);
    if (own === 'passes') return undefined;
    return find(own === 'fails' ? 'unresolved' : 'here', found.data, found.evidence);
  },
});
