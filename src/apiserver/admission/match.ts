import { groupBy } from '../../basics/collections.ts';
import { remembered } from '../../basics/derive.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../facts/callout.ts';
import {
  type LabelSelector,
  type Labels,
  selectorKeys,
  selects,
  selectsEverything,
} from '../../facts/objects/label-selector.ts';
import type { ServedResources } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { NotKnown, type Unread } from '../../facts/unread.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { exclusionsOfPlatform, exemption, mayBeExcluded } from './exempt.ts';
import { conditionsOf } from './match-conditions.ts';
import { ruleCovers } from './rules.ts';

/** The storage prefix of a resource. Events of both groups share one: the API server has one resource. */
const storedAs = (group: string, resource: string): string =>
  resource.split('/')[0] === 'events' && group === 'events.k8s.io' ? `/${resource}` : `${group}/${resource}`;

const byStorage = remembered((served: ServedResources) =>
  groupBy(served.resources, ({ group, resource }) => storedAs(group, resource)),
);

/**
 * The same request in every other version in which the resource is served, with the same subresource:
 * `matchPolicy: Equivalent` matches these too (apiserver/pkg/server/config.go EquivalentResourceMapper).
 */
function equivalentRequests(request: AdmissionRequest, served: ServedResources): readonly AdmissionRequest[] {
  const url = request.subresource ? `${request.resource}/${request.subresource}` : request.resource;
  const alike = byStorage(served).get(storedAs(request.group, url)) ?? [];
  return alike
    .filter(({ group, version }) => group !== request.group || version !== request.version)
    .map(({ group, version, kind }) => ({ ...request, group, version, kind }));
}

/** Facts that matching needs. If the version is not known, it counts as a current one. */
export type MatchFacts = Pick<Facts, 'namespaces' | 'served'> & Partial<Pick<Facts, 'version'>>;

/** The step of matching that skips the webhook. */
export type MatchStep =
  | 'virtual-resource'
  | 'admission-configuration'
  | 'namespace-selector'
  | 'object-selector'
  | 'rules'
  | 'match-conditions';

/** The step of matching whose result is unknown. `platform`: exemptions of a provider that no API returns. */
export type UndecidedStep = MatchStep | 'platform';

/** Whether a request is sent to a webhook. */
export type Match =
  /** `as`: the version that the webhook gets, if it is not the request's own. */
  | { readonly outcome: 'called'; readonly rule: RuleWithOperations; readonly as?: AdmissionRequest }
  | { readonly outcome: 'skipped'; readonly by: MatchStep }
  /** The request itself is rejected, whatever the failurePolicy is, with an error that names no webhook. */
  | { readonly outcome: 'rejected'; readonly text: string }
  | { readonly outcome: 'unknown'; readonly by: UndecidedStep; readonly unread?: Unread };

const skipped = (by: MatchStep): Match => ({ outcome: 'skipped', by });

/** True, false, or the unknown fact. `missing`, a namespace, counts only if the rules match the request. */
type Answer = boolean | { readonly unread?: Unread } | { readonly missing: string };

const isWriteOfNamespace = ({ resource, subresource, operation }: AdmissionRequest): boolean =>
  resource === 'namespaces' &&
  (subresource ?? '') === '' &&
  (operation === 'CREATE' || operation === 'UPDATE');

/** Applies the namespaceSelector (predicates/namespace/matcher.go); it matches cluster-scoped objects. */
function namespaceSelected(callout: AdmissionCallout, request: AdmissionRequest, facts: MatchFacts): Answer {
  const { namespace = '', resource } = request;
  if (namespace === '' && resource !== 'namespaces') return true;
  const { namespaceSelector: selector } = callout;
  if (selectsEverything(selector)) return true;
  if (isWriteOfNamespace(request)) return selects(selector, request.labels ?? {});
  const unread = facts.namespaces.why(namespace);
  if (unread !== undefined) return { unread };
  const found = facts.namespaces.get(namespace);
  return found === undefined ? { missing: namespace } : selects(selector, found.metadata.labels ?? {});
}

/** The labels of the objects of a request: CONNECT has options only, DELETE only the stored object. */
function objectsOf({ operation, labels = {}, oldLabels }: AdmissionRequest): readonly Labels[] {
  switch (operation) {
    case 'CREATE':
      return [labels];
    case 'UPDATE':
      return [labels, oldLabels ?? labels];
    case 'DELETE':
      return [oldLabels ?? {}];
    case 'CONNECT':
      return [];
  }
}

/** Applies the objectSelector: webhook/predicates/object/matcher.go. It matches the new or the old object. */
function objectSelected({ objectSelector: selector }: AdmissionCallout, request: AdmissionRequest): Answer {
  if (selectsEverything(selector)) return true;
  const objects = objectsOf(request);
  const unknown = selectorKeys(selector).filter((key) => request.unknownLabels?.includes(key));
  if (unknown.length === 0) return objects.some((labels) => selects(selector, labels));
  return objects.some((labels) => selects(without(selector, unknown), labels)) ? {} : false;
}

const without = (selector: LabelSelector, keys: readonly string[]): LabelSelector => ({
  matchLabels: Object.fromEntries(
    Object.entries(selector.matchLabels ?? {}).filter(([key]) => !keys.includes(key)),
  ),
  matchExpressions: (selector.matchExpressions ?? []).filter(({ key }) => !keys.includes(key)),
});

type Covered = { readonly rule: RuleWithOperations; readonly as?: AdmissionRequest };

/** The first rule that matches the request in its own version, else the first that matches another one. */
function covering(
  callout: AdmissionCallout,
  request: AdmissionRequest,
  facts: MatchFacts,
): Covered | undefined {
  const direct = callout.rules.find((rule) => ruleCovers(rule, request));
  if (direct !== undefined) return { rule: direct };
  if (callout.matchPolicy === 'Exact') return undefined;
  const inAnyVersion = callout.rules.some((rule) =>
    ruleCovers({ ...rule, apiVersions: ['*'], apiGroups: ['*'] }, request),
  );
  if (!inAnyVersion) return undefined;
  const served = facts.served.get('served') ?? { resources: [], stale: [] };
  const others = equivalentRequests(request, served);
  for (const rule of callout.rules) {
    const as = others.find((other) => ruleCovers(rule, other));
    if (as !== undefined) return { rule, as };
  }
  const stale = served.stale.find((groupVersion) => groupVersion.startsWith(`${request.group}/`));
  if (stale !== undefined) throw new NotKnown({ what: `resources of ${stale}`, why: 'server-error' });
  return undefined;
}

/**
 * Whether the API server sends a request to a webhook, in its own order: exemptions, namespaceSelector,
 * objectSelector, rules, equivalent versions, matchConditions (apiserver webhook/generic/webhook.go
 * ShouldCallHook). In the mutating phase earlier webhooks may have changed the labels that the objectSelector
 * sees.
 *
 * @param version the API server's; a current one when not known.
 */
export function matchRequest(
  callout: AdmissionCallout,
  request: AdmissionRequest,
  facts: MatchFacts,
  version: string | undefined = facts.version,
): Match {
  const exempt = exemption(request, version);
  if (exempt !== undefined) return skipped(exempt);
  const inNamespace = namespaceSelected(callout, request, facts);
  if (inNamespace === false) return skipped('namespace-selector');
  const ofObject = objectSelected(callout, request);
  if (ofObject === false) return skipped('object-selector');
  let covered: Covered | undefined;
  try {
    covered = covering(callout, request, facts);
  } catch (error) {
    if (error instanceof NotKnown) return { outcome: 'unknown', by: 'rules', unread: error.unread };
    throw error;
  }
  if (covered === undefined) return skipped('rules');
  if (inNamespace !== true) {
    return 'missing' in inNamespace
      ? { outcome: 'rejected', text: `namespaces "${inNamespace.missing}" not found` }
      : { outcome: 'unknown', by: 'namespace-selector', ...inNamespace };
  }
  const conditions = conditionsOf(callout, request, version, covered.as);
  if (conditions.outcome === 'skipped') return skipped('match-conditions');
  if (ofObject !== true) return { outcome: 'unknown', by: 'object-selector' };
  switch (conditions.outcome) {
    case 'unknown':
      return { ...conditions, by: 'match-conditions' };
    case 'rejected':
      return { outcome: 'rejected', text: conditions.text };
    case 'hold':
      return mayBeExcluded(request, version)
        ? { outcome: 'unknown', by: 'platform', unread: exclusionsOfPlatform.unread }
        : { outcome: 'called', ...covered };
  }
}
