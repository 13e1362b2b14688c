import { defined } from '../../basics/collections.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import {
  type LabelSelector,
  type Labels,
  selectorKeys,
  selects,
} from '../../facts/objects/label-selector.ts';
import { groupResourceOf } from '../../facts/resource.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import { type AdmissionRequest, type Operation, operations } from '../admission/admission-request.ts';
import { type Match, type MatchFacts, matchRequest } from '../admission/match.ts';
import { isListed, resourceEntryCovers } from '../admission/rules.ts';
import { serves } from '../admission/served-operations.ts';
import { buildTestObject, isValid, knownResources, testObjectName } from './test-object.ts';

/** A request with a test object. */
export interface SampleRequest {
  readonly request: AdmissionRequest;
  readonly served: ServedResource;
  /** The webhook is certainly called for it, by its rules, selectors and conditions. */
  readonly sure: boolean;
}

const sampleUser = { username: testObjectName, groups: ['system:authenticated'] };

/** Labels that a selector matches; undefined if the selector contradicts itself. */
export function labelsFor(selector: LabelSelector): Labels | undefined {
  const labels: Record<string, string> = { ...selector.matchLabels };
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (Object.hasOwn(labels, key)) continue;
    if (operator === 'In') labels[key] = values[0] ?? '';
    if (operator === 'Exists') labels[key] = 'true';
  }
  return selects(selector, labels) ? labels : undefined;
}

/** Maximum number of requests to match for one webhook: each one evaluates its conditions. */
const mostTried = 400;
const mostNamespaces = 20;

/** Sort order: the simplest first, then others that can be created, then the rest. */
const rank = (served: ServedResource): number => {
  const known = knownResources.indexOf(groupResourceOf(served));
  if (known >= 0) return known;
  if (served.resource.includes('/')) return knownResources.length + 2;
  return knownResources.length + (served.verbs.includes('create') ? 0 : 1);
};

/** A resource and an operation on it. */
export interface Candidate {
  readonly served: ServedResource;
  readonly operation: Operation;
}

function candidates(callout: AdmissionCallout, served: readonly ServedResource[]): readonly Candidate[] {
  const covered = served.filter(({ group, version, resource }) => {
    const [name = '', subresource = ''] = resource.split('/');
    return callout.rules.some(
      (rule) =>
        isListed(rule.apiGroups, group) &&
        isListed(rule.apiVersions, version) &&
        rule.resources.some((entry) => resourceEntryCovers(entry, name, subresource)),
    );
  });
  const ranked = covered.map((one) => ({ one, place: rank(one) })).sort((a, b) => a.place - b.place);
  return operations.flatMap((operation) =>
    ranked.filter(({ one }) => serves(one, operation)).map(({ one }) => ({ served: one, operation })),
  );
}

/** Existing namespaces: those that the namespaceSelector matches first, `default` before others. */
export function namespacesFor(callout: AdmissionCallout, { namespaces }: MatchFacts): readonly string[] {
  const alive = namespaces.all().filter(({ status }) => status?.phase !== 'Terminating');
  const keys = selectorKeys(callout.namespaceSelector);
  const selected = alive.filter(
    ({ metadata }) => keys.length === 0 || selects(callout.namespaceSelector, metadata.labels ?? {}),
  );
  const place = (name: string): number => (name === 'default' ? 0 : 1 + Number(name.startsWith('kube-')));
  const names = selected.map(({ metadata }) => metadata.name);
  names.sort((a, b) => place(a) - place(b));
  return names.length === 0 ? ['default'] : names.slice(0, mostNamespaces);
}

/** A request with a test object. */
export function requestFor(
  { served, operation }: Candidate,
  namespace: string | undefined,
  labels: Labels,
): AdmissionRequest {
  const { group, version, kind } = served;
  const [resource = '', subresource] = served.resource.split('/');
  const isNamespace = group === '' && resource === 'namespaces';
  const object = buildTestObject({
    group,
    version,
    resource,
    kind,
    labels,
    ...(namespace === undefined || isNamespace ? {} : { namespace }),
  });
  return {
    operation,
    group,
    version,
    resource,
    kind,
    name: testObjectName,
    dryRun: true,
    user: sampleUser,
    ...defined({ subresource, namespace: isNamespace ? testObjectName : namespace }),
    ...(operation === 'DELETE' || operation === 'CONNECT' ? {} : { labels, object }),
    ...(operation === 'CREATE' || operation === 'CONNECT' ? {} : { oldLabels: labels, oldObject: object }),
  };
}

/** Requests with test objects, one for each resource that the rules match, regardless of the conditions. */
export function plainRequests(callout: AdmissionCallout, facts: MatchFacts): readonly AdmissionRequest[] {
  const labels = labelsFor(callout.objectSelector);
  const served = facts.served.getIfKnown('served')?.resources ?? [];
  if (labels === undefined) return [];
  const [namespace] = namespacesFor(callout, facts);
  return candidates(callout, served)
    .filter(({ operation }) => callout.rules.some(({ operations: all }) => isListed(all, operation)))
    .slice(0, mostTried)
    .map((one) => requestFor(one, one.served.namespaced ? namespace : undefined, labels));
}

/** A resource that the rules match and that may have stored objects, with the namespaces to list. */
export interface StoredCandidate {
  readonly served: ServedResource;
  readonly operation: 'CREATE' | 'UPDATE';
  /** The namespaces that the namespaceSelector matches, if they are few; absent: all. */
  readonly namespaces?: readonly string[];
}

const fewNamespaces = 3;

/** Resources whose stored objects can be listed, the simplest first; for each, CREATE before UPDATE. */
export function storedCandidates(callout: AdmissionCallout, facts: MatchFacts): readonly StoredCandidate[] {
  const served = facts.served.getIfKnown('served')?.resources ?? [];
  const few = namespacesFor(callout, facts);
  const narrow = selectorKeys(callout.namespaceSelector).length > 0 && few.length <= fewNamespaces;
  const found = candidates(callout, served).flatMap(({ served: one, operation }) =>
    (operation === 'CREATE' || operation === 'UPDATE') &&
    !one.resource.includes('/') &&
    one.verbs.includes('list') &&
    callout.rules.some(({ operations: all }) => isListed(all, operation))
      ? [{ served: one, operation, ...(narrow && one.namespaced ? { namespaces: few } : {}) }]
      : [],
  );
  return found.filter((one, at) => found.findIndex(({ served: first }) => first === one.served) === at);
}

/**
 * Requests with test objects that a webhook is called for, the best one first: certain before uncertain,
 * creations of simple objects before others. Empty if its rules match no served resource, or its selectors
 * match nothing.
 *
 * @param atMost stop after this many certain requests.
 */
export function sampleRequests(
  callout: AdmissionCallout,
  facts: MatchFacts,
  version: string | undefined,
  atMost = 1,
): readonly SampleRequest[] {
  const labels = labelsFor(callout.objectSelector);
  const served = facts.served.getIfKnown('served')?.resources ?? [];
  if (labels === undefined) return [];
  const namespaces = namespacesFor(callout, facts);
  const sure: SampleRequest[] = [];
  const unsure: SampleRequest[] = [];
  let tried = 0;
  for (const candidate of candidates(callout, served)) {
    const places = candidate.served.namespaced ? namespaces : [undefined];
    for (const namespace of places) {
      tried += 1;
      if (sure.length >= atMost || tried > mostTried) return [...sure, ...unsure];
      // For a Namespace, the selector applies to its own labels.
      const ofNamespace = candidate.served.resource === 'namespaces' && candidate.served.group === '';
      const both = ofNamespace ? { ...labelsFor(callout.namespaceSelector), ...labels } : labels;
      const request = requestFor(candidate, namespace, both);
      const match = matchRequest(callout, request, facts, version);
      if (match.outcome === 'called') {
        sure.push({ request, served: candidate.served, sure: true });
        break;
      }
      if (unsure.length === 0 && mayBeCalled(match))
        unsure.push({ request, served: candidate.served, sure: false });
    }
  }
  return [...sure, ...unsure];
}

/** The maximum number of further resources that a webhook is called with. */
const mostFurther = 2;

/**
 * Requests with valid test objects besides the `first` one: of two other resources, and an update and a deletion. A
 * handler can fail for one kind or one operation alone.
 */
export function furtherRequests(
  callout: AdmissionCallout,
  facts: MatchFacts,
  version: string | undefined,
  first: AdmissionRequest,
): readonly AdmissionRequest[] {
  const served = facts.served.getIfKnown('served')?.resources ?? [];
  const [place] = namespacesFor(callout, facts);
  const found = [first];
  const isNew = ({ served: one, operation }: Candidate): boolean =>
    found.every((other) => other.operation !== operation) ||
    (operation === first.operation &&
      found.length <= mostFurther &&
      found.every((other) => groupResourceOf(other) !== groupResourceOf(one)));
  for (const candidate of candidates(callout, served)) {
    // The webhook has responded to the creation of the first one, valid or not.
    const isKnown = isValid(candidate.served) || groupResourceOf(candidate.served) === groupResourceOf(first);
    if (candidate.operation === 'CONNECT' || !isKnown || !isNew(candidate)) continue;
    const namespace = candidate.served.namespaced ? (first.namespace ?? place) : undefined;
    const request = requestFor(candidate, namespace, labelsFor(callout.objectSelector) ?? {});
    if (matchRequest(callout, request, facts, version).outcome === 'called') found.push(request);
  }
  return found.slice(1);
}

/** True if the rules match, even if another part of the configuration excludes the request. */
const mayBeCalled = (match: Match): boolean =>
  match.outcome === 'unknown' ||
  match.outcome === 'rejected' ||
  (match.outcome === 'skipped' && (match.by === 'match-conditions' || match.by === 'namespace-selector'));
