import type { AdmissionRequest, Operation } from '../apiserver/admission/admission-request.ts';
import { mayCover } from '../apiserver/admission/impact.ts';
import { matchRequest } from '../apiserver/admission/match.ts';
import {
  everyNamespace,
  extentText,
  selectedNamespaces,
} from '../apiserver/admission/selected-namespaces.ts';
import { withUnknownLabels } from '../apiserver/admission/unknown-labels.ts';
import { stuckBecauseOf } from '../apiserver/sentences/stuck-namespaces.ts';
import { type AdmissionCallout, type Callout, calloutId, failsOpen, isAdmission } from '../facts/callout.ts';
import { groupBy } from '../facts/group-by.ts';
import { keyOf } from '../facts/object-ref.ts';
import { type ServedResource, servedByGroup } from '../facts/served-resources.ts';
import type { Facts } from '../facts/snapshot.ts';
import { listed, named } from '../phrases/lists.ts';
import { agreeing } from '../phrases/numbers.ts';
import { byRank } from './cause.ts';
import { impactTexts, namespacesNotDeletable } from './impact-report.ts';
import type { Effect, FindingReport, OutageReport } from './report.ts';
import type { CalloutBeforeStory } from './stories.ts';

/** A webhook or APIService whose next call fails, or fails for some. */
export interface BrokenCallout {
  readonly callout: Callout;
  readonly report: CalloutBeforeStory;
  /** Absent if the failure is assumed. */
  readonly findings?: readonly FindingReport[];
}

/** The maximum number of requests to distinguish: a longer list is not read. */
const mostRequests = 400;

const verbs: Readonly<Record<Operation, string>> = {
  CREATE: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
  CONNECT: 'connect to',
};
const operations = Object.keys(verbs) as readonly Operation[];

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

/** `ConfigMaps`, `Ingresses`, `pods/exec`, `any resource of apps`. */
function resourceText(
  { group, resource, subresource = '' }: AdmissionRequest,
  facts: Pick<Facts, 'served'>,
): string {
  if (resource === '*')
    return group === '*' ? 'any resource' : `any resource of ${group || 'the core group'}`;
  if (subresource !== '') return `${resource}/${subresource}`;
  return pluralText(servedAs(group, resource, facts)?.kind ?? '', resource);
}

/** `ConfigMaps` of ConfigMap and configmaps. */
function pluralText(kind: string, plural: string): string {
  if (kind !== '' && plural.startsWith(kind.toLowerCase())) return kind + plural.slice(kind.length);
  return plural.endsWith('ies') && kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : plural;
}

/**
 * The requests that the rules name, one for each operation and resource; `*` stands for all other resources.
 */
function namedRequests(
  { rules }: AdmissionCallout,
  facts: Pick<Facts, 'served'>,
): readonly AdmissionRequest[] {
  return rules.flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((entry) => {
        const [resource = '', below = ''] = entry.split('/');
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

/**
 * The namespaces in which a request is affected, and by which webhooks: one entry for each set of webhooks.
 */
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

type OutageStart = Required<Pick<OutageReport, 'since' | 'sign'>>;

const earliest = (starts: readonly OutageStart[]): OutageStart | undefined =>
  starts.toSorted((a, b) => (a.since < b.since ? -1 : 1))[0];

/** The time since which no current Pod is Ready; undefined if one is, or if a Pod has no such time. */
function notReadySince({ replicas }: CalloutBeforeStory): string | undefined {
  const times = replicas.flatMap((replica) => replica.notReadySince ?? []);
  return times.length === replicas.length ? times.sort().at(-1) : undefined;
}

/** The last write of EndpointSlices without a ready endpoint; undefined if one is ready, or if not recorded. */
function noEndpointSince({ client: { service } }: Callout, facts: Facts): string | undefined {
  const slices = (service && facts.endpointSlices.getIfKnown(keyOf(service))) ?? [];
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  if (endpoints.some(({ conditions }) => conditions?.ready !== false)) return undefined;
  const written = slices.map(({ metadata: { managedFields = [] } }) =>
    managedFields
      .flatMap(({ time = [] }) => time)
      .sort()
      .at(-1),
  );
  return written.includes(undefined) ? undefined : written.sort().at(-1);
}

/** States that still exist, and the time since which each has existed. */
function currentSigns(
  { callout, report, findings = [] }: BrokenCallout,
  facts: Facts,
): readonly OutageStart[] {
  if (report.verdict.state !== 'failing') return [];
  const [because] = report.verdict.because;
  const cause = findings.find(({ check, causedBy }) => causedBy === undefined && check === because);
  const signs = [
    { since: notReadySince(report), sign: 'pods-not-ready' },
    { since: noEndpointSince(callout, facts), sign: 'no-endpoint' },
    { since: cause?.since, sign: 'cause' },
  ] as const;
  return signs.flatMap(({ since, sign }) => (since === undefined ? [] : { since, sign }));
}

/**
 * The first sign of an outage: the change that made the webhook fail open, an Event about a refused Pod, the
 * condition Available of an APIService, the condition Ready of all Pods, or a value that causes it.
 */
function startOf(broken: BrokenCallout, facts: Facts): OutageStart | undefined {
  const { callout, report } = broken;
  const { opened } = report;
  if (opened !== undefined) return { since: opened.at, sign: 'failed-open' };
  const refused = (report.impact?.blocked ?? []).flatMap(({ since = [] }) => since);
  const conditions = callout.kind === 'aggregated-api' ? callout.conditions : [];
  const unavailable = conditions.filter(({ type, status }) => type === 'Available' && status !== 'True');
  const seen = [...refused, ...unavailable.flatMap(({ lastTransitionTime = [] }) => lastTransitionTime)];
  return earliest([
    ...seen.map((since) => ({ since, sign: 'seen' as const })),
    ...currentSigns(broken, facts),
  ]);
}

type Line = Omit<OutageReport, keyof OutageStart>;

function requestLines(broken: readonly BrokenAdmission[], facts: Facts): readonly Line[] {
  const total = [...facts.namespaces.all()].length;
  const named = broken.flatMap(({ callout }) => namedRequests(callout, facts));
  const requests = groupBy(named, ({ operation, group, resource, subresource }) =>
    [operation, group, resource, subresource].join(' '),
  );
  const found = [...requests.values()]
    .slice(0, mostRequests)
    .flatMap(([request]) => affectedRequests(request, broken, facts))
    .filter(({ callouts, namespaces }) => callouts.length > 0 && namespaces?.length !== 0);
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
  const placeKey = (one: AffectedRequest): string => keys.get(one) ?? '';
  // A line for all resources includes the lines with the same webhooks and namespaces.
  const ofAll = new Set(
    found
      .filter(({ request }) => request.resource === '*')
      .map((one) => `${one.request.operation} ${placeKey(one)}`),
  );
  const own = found.filter(
    (one) => one.request.resource === '*' || !ofAll.has(`${one.request.operation} ${placeKey(one)}`),
  );
  const byResource = groupBy(own, (one) => `${resourceText(one.request, facts)} ${placeKey(one)}`);
  const byOperations = groupBy([...byResource.values()], (same) =>
    [placeKey(same[0]), ...same.map(({ request }) => request.operation).sort()].join(' '),
  );
  return [...byOperations.values()].map((groups) => {
    const [[{ callouts, which, namespaces }]] = groups;
    const done = operations.filter((one) => groups[0].some(({ request }) => request.operation === one));
    const resources = groups.map(([{ request }]) => resourceText(request, facts));
    const where = namespaces === undefined ? '' : ` in ${extentText(namespaces, facts)}`;
    const does = listed(
      done.map((one) => verbs[one]),
      { word: 'or' },
    );
    const what = `${which === 'some' ? 'some requests to ' : ''}${does} ${listed(resources, { most: 3, word: 'or' })}${where}`;
    const extent = namespaces && { namespaces: { covered: namespaces.length, total } };
    return { kind: 'requests', what, which, callouts, resources, ...extent };
  });
}

const missingMetrics: Readonly<Record<string, string>> = {
  'metrics.k8s.io': 'HorizontalPodAutoscalers get no CPU and memory metrics',
  'custom.metrics.k8s.io': 'HorizontalPodAutoscalers get no custom metrics',
  'external.metrics.k8s.io': 'HorizontalPodAutoscalers get no external metrics',
};

/** Work of the cluster that stops; deletions of namespaces are not urgent. */
interface Harm {
  readonly what: string;
  readonly urgent: boolean;
}

/** Deletions of namespaces, with those that are stuck in Terminating because of it. */
function namespaceHarms(callout: Callout, cannotBeDeleted: boolean, facts: Facts): readonly Harm[] {
  const names = [...new Set(stuckBecauseOf(callout, facts).map(({ namespace }) => namespace.metadata.name))];
  const covered = isAdmission(callout)
    ? extentText(selectedNamespaces(callout, facts), facts)
    : everyNamespace;
  const notDeletable = covered === everyNamespace ? namespacesNotDeletable : `${covered} cannot be deleted`;
  const stuck = `${named('namespace', names, 3)} ${agreeing(names.length, 'is', 'are')} stuck in Terminating`;
  const what = [...(cannotBeDeleted ? [notDeletable] : []), ...(names.length === 0 ? [] : [stuck])].join(
    ', ',
  );
  return what === '' ? [] : [{ what, urgent: false }];
}

/** The cluster's own work that stops while the webhook or APIService fails; deletions of namespaces last. */
function systemImpact({ callout, report }: BrokenCallout, facts: Facts): readonly Harm[] {
  const { verdict, impact } = report;
  if (verdict.state !== 'failing') return [];
  const { namespace = '', name = '' } = callout.client.service ?? {};
  const stopped =
    callout.kind === 'aggregated-api'
      ? [missingMetrics[callout.group] ?? [], namespacesNotDeletable].flat()
      : [
          ...impactTexts(impact?.stops ?? []),
          ...(impact?.comesBack === 'no'
            ? [`new Pods of Service ${namespace}/${name} cannot be created`]
            : []),
        ];
  return [
    ...stopped.filter((what) => what !== namespacesNotDeletable).map((what) => ({ what, urgent: true })),
    ...namespaceHarms(callout, stopped.includes(namespacesNotDeletable), facts),
  ];
}

function systemLines(broken: readonly BrokenCallout[], facts: Facts): readonly Line[] {
  const harms = groupBy(
    broken.flatMap((one) => systemImpact(one, facts).map((harm) => ({ harm, id: calloutId(one.callout) }))),
    ({ harm }) => harm.what,
  );
  const idsOf = (same: readonly { readonly id: string }[]) => [...new Set(same.map(({ id }) => id))];
  const byCallouts = groupBy([...harms.values()], (same) => JSON.stringify(idsOf(same)));
  return [...byCallouts.values()].map((same) => ({
    kind: 'system',
    what: same.map(([{ harm }]) => harm.what).join('; '),
    ...(same.some(([{ harm }]) => harm.urgent) ? { urgent: true as const } : {}),
    which: 'all',
    callouts: idsOf(same[0]),
  }));
}

/** The line of an APIService or a conversion webhook, which have no rules. */
function apiLine({ callout, report: { verdict } }: BrokenCallout): readonly Line[] {
  const [some, which] =
    verdict.state === 'degraded' ? (['some requests to ', 'some'] as const) : (['', 'all'] as const);
  const line = { kind: 'requests', which, callouts: [calloutId(callout)] } as const;
  switch (callout.kind) {
    case 'aggregated-api': {
      const api = `the API ${callout.group}/${callout.version}`;
      return [{ ...line, what: `${some}use ${api}`, resources: [api] }];
    }
    case 'conversion': {
      const { kind, plural } = callout.resource;
      const objects = pluralText(kind, plural);
      return [
        { ...line, what: `${some}read or write ${objects} that need conversion`, resources: [objects] },
      ];
    }
    case 'validating':
    case 'mutating':
      return [];
  }
}

const breadth = (outage: OutageReport): readonly number[] => {
  const { which, namespaces, callouts, resources = [] } = outage;
  return [
    outage.urgent === true ? 0 : 1,
    which === 'all' ? 0 : 1,
    namespaces === undefined ? 0 : -namespaces.covered,
    // All other workloads need Pods.
    resources.some((one) => one === 'any resource' || one === 'Pods') ? 0 : 1,
    -callouts.length,
  ];
};

/** The same with its state changed from unknown to failing; empty for any other state. */
export const ifItFailed = (broken: BrokenCallout): readonly BrokenCallout[] => {
  const { callout, report } = broken;
  const { verdict } = report;
  if (verdict.state !== 'unknown') return [];
  const effect = failsOpen(callout) ? 'fails-open' : 'blocks';
  return [{ ...broken, report: { ...report, verdict: { ...verdict, state: 'failing', effect } } }];
};

/**
 * Returns the requests that are refused now, or admitted unchecked, widest first. A line names all webhooks
 * and APIServices with this effect, because fixing only one of them does not end it.
 */
export function outageOf(
  all: readonly BrokenCallout[],
  effect: Exclude<Effect, 'none'>,
  facts: Facts,
): readonly OutageReport[] {
  const broken = all.filter(({ report }) => report.verdict.effect === effect);
  const admission = broken.flatMap((one) => {
    const { callout } = one;
    if (!isAdmission(callout)) return [];
    return [{ ...one, callout, id: calloutId(callout), names: selectedNamespaces(callout, facts) }];
  });
  const starts = new Map(broken.map((one) => [calloutId(one.callout), startOf(one, facts)]));
  const lines = [
    ...(effect === 'blocks' ? systemLines(broken, facts) : []),
    ...requestLines(admission, facts),
    ...broken.flatMap(apiLine),
  ];
  return lines
    .map(
      (line): OutageReport => ({ ...line, ...earliest(line.callouts.flatMap((id) => starts.get(id) ?? [])) }),
    )
    .sort(byRank(breadth));
}
