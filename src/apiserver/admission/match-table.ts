import type { AdmissionCallout, RuleWithOperations } from '../../facts/callout.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { mayBeExcluded } from './exempt.ts';
import { type Match, type MatchFacts, matchRequest } from './match.ts';

/** The verdict about one kind of request, made in one namespace, by their places in the lists. */
export type MatchTable = (webhook: number, namespace: number, request: number) => Match;

const anyNamespace = 'default';
/** Stands for every object in a namespace: the namespaceSelector looks at no other property. */
const anyRequest: AdmissionRequest = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'configmaps',
};

const everything: RuleWithOperations = {
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
};

const exempt = (match: Match): boolean =>
  match.outcome === 'skipped' && (match.by === 'virtual-resource' || match.by === 'admission-configuration');

/** Whether the rules let the request through to the error or the doubt about its namespace. */
const pastTheRules = (match: Match): boolean =>
  match.outcome === 'called' || (match.outcome === 'unknown' && match.by === 'object-selector');

/**
 * The verdicts of {@link matchRequest} about many webhooks, namespaces and requests at once. A namespace and a request
 * decide independently of each other, in a fixed order, so that the work grows with webhooks × (namespaces + requests);
 * only matchConditions, which see both, are asked anew each time.
 *
 * @param requests about objects in a namespace, not Namespaces themselves; their own `namespace` does not count.
 */
export function matchTable(
  callouts: readonly AdmissionCallout[],
  namespaces: readonly string[],
  requests: readonly AdmissionRequest[],
  facts: MatchFacts,
  version?: string,
): MatchTable {
  const placed = requests.map((request) => ({ ...request, namespace: anyNamespace }));
  const there = namespaces.map((namespace) => ({ ...anyRequest, namespace }));
  const ofNamespaces = callouts.flatMap((callout) => {
    const alone = { ...callout, matchConditions: [], objectSelector: {}, rules: [everything] };
    return there.map((request) => matchRequest(alone, request, facts, version));
  });
  const ofRequests = callouts.flatMap((callout) => {
    const alone = { ...callout, matchConditions: [], namespaceSelector: {} };
    return placed.map((request) => matchRequest(alone, request, facts, version));
  });
  return (webhook, namespace, request) => {
    const here = ofNamespaces[webhook * namespaces.length + namespace];
    const asked = ofRequests[webhook * requests.length + request];
    const callout = callouts[webhook];
    const name = namespaces[namespace];
    const made = requests[request];
    if (!here || !asked || !callout || name === undefined || !made) {
      throw new RangeError('No such webhook, namespace or request');
    }
    if (here.outcome === 'skipped') return exempt(asked) ? asked : here;
    if (!pastTheRules(asked)) return asked;
    if (here.outcome !== 'called') return here;
    if (callout.matchConditions.length > 0 || mayBeExcluded({ ...made, namespace: name }, version)) {
      return matchRequest(callout, { ...made, namespace: name }, facts, version);
    }
    return asked.outcome === 'called' && asked.as !== undefined
      ? { ...asked, as: { ...asked.as, namespace: name } }
      : asked;
  };
}
