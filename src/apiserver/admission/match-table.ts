import type { AdmissionCallout, RuleWithOperations } from '../../facts/callout.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { mayBeExcluded } from './exempt.ts';
import { type Match, type MatchFacts, matchRequest } from './match.ts';

/** Looks up a match by the indexes of webhook, namespace and request. */
export type MatchTable = (webhook: number, namespace: number, request: number) => Match;

const anyNamespace = 'default';
/** Represents every object in a namespace: the namespaceSelector uses no other property. */
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

/** True if the rules match, so that an error or an unknown result about the namespace counts. */
const rulesMatch = (match: Match): boolean =>
  match.outcome === 'called' || (match.outcome === 'unknown' && match.by === 'object-selector');

/**
 * The results of {@link matchRequest} for many webhooks, namespaces and requests. Namespace and request are
 * matched independently, so the work grows with webhooks × (namespaces + requests); only matchConditions,
 * which use both, are evaluated each time.
 *
 * The `requests` are about objects in a namespace, not Namespaces themselves; their own `namespace` does not
 * count.
 */
export function matchTable(
  {
    callouts,
    namespaces,
    requests,
  }: {
    readonly callouts: readonly AdmissionCallout[];
    readonly namespaces: readonly string[];
    readonly requests: readonly AdmissionRequest[];
  },
  facts: MatchFacts,
  version?: string,
): MatchTable {
  const placed = requests.map((request) => ({ ...request, namespace: anyNamespace }));
  const namespaceRequests = namespaces.map((namespace) => ({ ...anyRequest, namespace }));
  const ofNamespaces = callouts.flatMap((callout) => {
    const alone = { ...callout, matchConditions: [], objectSelector: {}, rules: [everything] };
    return namespaceRequests.map((request) => matchRequest(alone, request, facts, version));
  });
  const ofRequests = callouts.flatMap((callout) => {
    const alone = { ...callout, matchConditions: [], namespaceSelector: {} };
    return placed.map((request) => matchRequest(alone, request, facts, version));
  });
  return (webhook, namespace, request) => {
    const ofNamespace = ofNamespaces[webhook * namespaces.length + namespace];
    const ofRequest = ofRequests[webhook * requests.length + request];
    const callout = callouts[webhook];
    const name = namespaces[namespace];
    const made = requests[request];
    if (!ofNamespace || !ofRequest || !callout || name === undefined || !made) {
      throw new RangeError('No such webhook, namespace or request');
    }
    if (ofNamespace.outcome === 'skipped') return exempt(ofRequest) ? ofRequest : ofNamespace;
    if (!rulesMatch(ofRequest)) return ofRequest;
    if (ofNamespace.outcome !== 'called') return ofNamespace;
    if (callout.matchConditions.length > 0 || mayBeExcluded({ ...made, namespace: name }, version)) {
      return matchRequest(callout, { ...made, namespace: name }, facts, version);
    }
    return ofRequest.outcome === 'called' && ofRequest.as !== undefined
      ? { ...ofRequest, as: { ...ofRequest.as, namespace: name } }
      : ofRequest;
  };
}
