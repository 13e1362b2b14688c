import {
  type AdmissionRequest,
  type Operation,
  operations,
} from '../../apiserver/admission/admission-request.ts';
import { mayCover } from '../../apiserver/admission/impact.ts';
import { matchRequest } from '../../apiserver/admission/match.ts';
import { extentText, selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import { withUnknownLabels } from '../../apiserver/admission/unknown-labels.ts';
import { isBuiltIn } from '../../apiserver/cel/object-fields.ts';
import { groupBy } from '../../basics/collections.ts';
import { remembered } from '../../basics/derive.ts';
import {
  type AdmissionCallout,
  calloutId,
  isAdmission,
  type RuleWithOperations,
} from '../../facts/callout.ts';
import { pluralText } from '../../facts/resource.ts';
import { type ServedResource, type ServedResources, servedByGroup } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { anyResource, requestsPhrase } from '../../phrases/lists.ts';
import type { OutageReport } from '../report.ts';
import type { BrokenCallout, OutageLine } from './broken-callout.ts';

/** The maximum number of requests to distinguish: a longer list is not read. */
const mostRequests = 400;

/** A request that webhooks refuse, or admit unchecked, and the namespaces in which they do. */
interface AffectedRequest {
  readonly request: AdmissionRequest;
  readonly callouts: readonly string[];
  readonly which: OutageReport['which'];
  /** Undefined for cluster-scoped resources. */
  readonly namespaces: readonly string[] | undefined;
}

interface BrokenAdmission extends BrokenCallout {
  readonly callout: AdmissionCallout;
  readonly id: string;
  /** The namespaces that its selector matches; webhooks with equal selectors share one list. */
  readonly names: readonly string[];
}

/** The requests that webhooks refuse, or admit unchecked: a line for the same webhooks and namespaces. */
export function requestLines(all: readonly BrokenCallout[], facts: Facts): readonly OutageLine[] {
  const broken = all.flatMap((one): BrokenAdmission | readonly BrokenAdmission[] => {
    const { callout } = one;
    if (!isAdmission(callout)) return [];
    return { ...one, callout, id: calloutId(callout), names: selectedNamespaces(callout, facts) };
  });
  const named = broken.flatMap(({ callout }) => namedRequests(callout, facts));
  const requests = groupBy(named, ({ operation, group, resource, subresource }) =>
    [operation, group, resource, subresource].join(' '),
  );
  const found = [...requests.values()]
    .slice(0, mostRequests)
    .flatMap(([request]) => affectedRequests(request, broken, facts))
    .filter(({ callouts, namespaces }) => callouts.length > 0 && namespaces?.length !== 0);
  const placeOf = placesOf(found, broken);
  const byResource = groupBy(
    withoutRepeated(found, placeOf),
    (one) => `${resourceText(one.request, facts)} ${placeOf(one)}`,
  );
  const byOperations = groupBy([...byResource.values()], (same) =>
    [placeOf(same[0]), ...same.map(({ request }) => request.operation).sort()].join(' '),
  );
  return [...byOperations.values()].map((groups) => lineOf(groups, facts));
}

type PlaceOf = (one: AffectedRequest) => string;

function placesOf(found: readonly AffectedRequest[], broken: readonly BrokenAdmission[]): PlaceOf {
  // Lists of one selector are compared by identity: they can have thousands of names.
  const lists: ReadonlySet<unknown> = new Set(broken.map(({ names }) => names));
  const numbers = new Map<unknown, number>();
  const numberOf = (thing: unknown): number => {
    const number = numbers.get(thing) ?? numbers.size;
    numbers.set(thing, number);
    return number;
  };
  const keys = new Map(
    found.map((one) => {
      const { callouts, which, namespaces = [] } = one;
      const where = numberOf(lists.has(namespaces) ? namespaces : namespaces.join(' '));
      return [one, `${which} ${numberOf(callouts.join(' '))} ${where}`];
    }),
  );
  return (one) => keys.get(one) ?? '';
}

/** Drops requests that a line for all resources includes, with the same webhooks and namespaces. */
function withoutRepeated(found: readonly AffectedRequest[], placeOf: PlaceOf): readonly AffectedRequest[] {
  const keyOf = (one: AffectedRequest): string => `${one.request.operation} ${placeOf(one)}`;
  const isOfAll = ({ request }: AffectedRequest): boolean => request.resource === '*';
  const ofAll = new Set(found.filter(isOfAll).map(keyOf));
  return found.filter((one) => isOfAll(one) || !ofAll.has(keyOf(one)));
}

type Group = readonly [AffectedRequest, ...AffectedRequest[]];

/** How much of a cluster needs the resource, as in {@link OutageLine}. */
function weightOf({ group, resource, subresource = '' }: AdmissionRequest): number {
  const includesPods = ['', '*'].includes(group) && ['pods', '*'].includes(resource);
  if (includesPods && subresource === '') return 0;
  return isBuiltIn(group, resource) === false ? 2 : 1;
}

/** A line for a group of requests for each resource, the most important resource first. */
function lineOf(unordered: readonly [Group, ...Group[]], facts: Facts): OutageLine {
  const weightIn = ([{ request }]: Group): number => weightOf(request);
  const groups = unordered.toSorted(
    (one, other) => weightIn(one) - weightIn(other),
  ) as unknown as typeof unordered;
  const [[{ callouts, which, namespaces }]] = groups;
  const requests = {
    operations: operations.filter((one) => groups[0].some(({ request }) => request.operation === one)),
    which,
    resources: groups.map(([{ request }]) => resourceText(request, facts)),
    ...(namespaces && { extent: extentText(namespaces, facts) }),
  };
  const total = facts.namespaces.size;
  return {
    kind: 'requests',
    what: requestsPhrase(requests),
    ...requests,
    weight: weightIn(groups[0]),
    callouts,
    ...(namespaces && { namespaces: { covered: namespaces.length, total } }),
  };
}

/** The resource as discovery returns it; undefined if discovery does not list it. */
function servedAs(
  group: string,
  resource: string,
  { served }: Pick<Facts, 'served'>,
): ServedResource | undefined {
  const known = served.getIfKnown('served');
  return (
    known &&
    servedByGroup(known)
      .get(group)
      ?.find((one) => one.resource === resource)
  );
}

/** The kinds of built-in resources that the API server serves. */
const builtInKinds = remembered(
  ({ resources }: ServedResources): ReadonlySet<string> =>
    new Set(resources.filter(({ group, resource }) => isBuiltIn(group, resource)).map(({ kind }) => kind)),
);

/**
 * `ConfigMaps`, `Ingresses`, `pods/exec`, `any resource of apps`; `jobs.batch.volcano.sh` for a custom resource whose
 * kind is that of a built-in one.
 */
function resourceText(
  { group, resource, subresource = '' }: AdmissionRequest,
  facts: Pick<Facts, 'served'>,
): string {
  if (resource === '*') return anyResource(group === '*' ? undefined : group);
  if (subresource !== '') return `${resource}/${subresource}`;
  const kind = servedAs(group, resource, facts)?.kind ?? '';
  const known = facts.served.getIfKnown('served');
  const isAmbiguous =
    known !== undefined && isBuiltIn(group, resource) === false && builtInKinds(known).has(kind);
  return isAmbiguous ? `${resource}.${group}` : pluralText(kind, resource);
}

/**
 * False for a resource that is served in another group of the rule, and not in this one. Without discovery,
 * built-in resources decide.
 */
function isServedPair(
  { apiGroups }: RuleWithOperations,
  pair: readonly [string, string],
  facts: Pick<Facts, 'served'>,
) {
  const [group, resource] = pair;
  const known = facts.served.getIfKnown('served');
  const isServedIn = (one: string): boolean =>
    known === undefined ? isBuiltIn(one, resource) === true : servedAs(one, resource, facts) !== undefined;
  const isUnknown =
    known === undefined
      ? isBuiltIn(group, resource) === false
      : known.stale.some((groupVersion) => groupVersion.startsWith(`${group}/`));
  return group === '*' || isServedIn(group) || isUnknown || !apiGroups.some(isServedIn);
}

/** The requests that the rules name, one per operation and resource; `*`: all other resources. */
function namedRequests(
  { rules }: AdmissionCallout,
  facts: Pick<Facts, 'served'>,
): readonly AdmissionRequest[] {
  return rules.flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((entry) => {
        const [resource = '', below = ''] = entry.split('/');
        if (!isServedPair(rule, [group, resource], facts)) return [];
        const subresource = below === '*' ? '' : below;
        const version =
          rule.apiVersions.find((one) => one !== '*') ?? servedAs(group, entry, facts)?.version ?? 'v1';
        const wanted = rule.operations.includes('*')
          ? operations.slice(0, 3)
          : (rule.operations as Operation[]);
        return wanted.map((operation) => ({
          operation,
          group,
          version,
          resource,
          subresource,
          moreLabels: true,
        }));
      }),
    ),
  );
}

/** Groups namespaces by the webhooks whose selectors match them. */
function namespaceGroups(
  members: readonly BrokenAdmission[],
): readonly (readonly [names: readonly string[], members: readonly BrokenAdmission[]])[] {
  const selected = groupBy(members, ({ names }) => names);
  if (selected.size === 1) return [...selected];
  const sets = [...selected].map(([names, selecting]) => [new Set(names), selecting] as const);
  const bySelectors = groupBy([...new Set([...selected.keys()].flat())], (name) =>
    sets.map(([names]) => (names.has(name) ? 1 : 0)).join(''),
  );
  return [...bySelectors.values()].map((names) => [
    names,
    sets.flatMap(([set, selecting]) => (set.has(names[0]) ? selecting : [])),
  ]);
}

/** The namespaces in which a request is affected, and by which webhooks: an entry per set of webhooks. */
function affectedRequests(
  request: AdmissionRequest,
  broken: readonly BrokenAdmission[],
  facts: Facts,
): readonly AffectedRequest[] {
  const members = broken.filter(({ callout }) => mayCover(callout, request));
  const deciding = (
    inNamespace: AdmissionRequest,
    candidates: readonly BrokenAdmission[],
  ): Pick<AffectedRequest, 'callouts' | 'which'> => {
    const sure: string[] = [];
    const maybe: string[] = [];
    for (const { callout, report, id } of candidates) {
      const { outcome } = matchRequest(callout, withUnknownLabels(inNamespace, callout), facts);
      if (outcome !== 'called' && outcome !== 'unknown') continue;
      (outcome === 'called' && report.verdict.state === 'failing' ? sure : maybe).push(id);
    }
    return { callouts: [...sure, ...maybe], which: sure.length > 0 ? 'all' : 'some' };
  };
  const served = servedAs(request.group, request.resource, facts);
  if (served?.namespaced === false && request.resource !== 'namespaces')
    return [{ request, namespaces: undefined, ...deciding(request, members) }];
  const found = namespaceGroups(members).map(([names, selecting]) => ({
    names,
    ...deciding({ ...request, namespace: names[0] ?? '' }, selecting),
  }));
  return [...groupBy(found, ({ callouts, which }) => JSON.stringify([callouts, which])).values()].map(
    (same) => {
      const [{ callouts, which }] = same;
      const [{ names }, ...others] = same;
      const namespaces = others.length === 0 ? names : same.flatMap((one) => one.names);
      return { request, callouts, which, namespaces };
    },
  );
}
