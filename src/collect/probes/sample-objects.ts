import type { AdmissionRequest, RequestUser } from '../../apiserver/admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../../apiserver/admission/match.ts';
import { storedCandidates } from '../../apiserver/sample/sample-request.ts';
import { matchReason } from '../../apiserver/trace/match-reason.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { defined } from '../../facts/defined.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Right } from '../../facts/right.ts';
import type { SampledObject } from '../../facts/sample.ts';
import type { ServedResource } from '../../facts/served-resources.ts';

/** Any object, as far as a review of it goes. */
export interface RealObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

/** A list of stored objects from which samples may be taken. */
export interface SampleList {
  readonly served: ServedResource;
  readonly operation: SampledObject['operation'];
  readonly namespace?: string;
}

/** Lists for one webhook at most, and objects of each. */
const listsAtMost = 3;
export const objectsAtMost = 50;
/** Stored objects that a webhook is called with, at most. */
const samplesAtMost = 3;

/** Lists of what a webhook's rules and selectors match, the plainest first. Secrets are never among them. */
export const sampleLists = (callout: AdmissionCallout, facts: MatchFacts): readonly SampleList[] =>
  storedCandidates(callout, facts)
    .filter(({ served: { group, resource } }) => group !== '' || resource !== 'secrets')
    .flatMap(({ served, operation, namespaces }) =>
      (namespaces ?? [undefined]).map((namespace) => ({
        served,
        operation,
        ...(namespace === undefined ? {} : { namespace }),
      })),
    )
    .slice(0, listsAtMost);

/** What listing stored objects of what these webhooks' rules match needs. */
export const sampleRights = (callouts: readonly AdmissionCallout[], facts: MatchFacts): readonly Right[] =>
  callouts.flatMap((callout) =>
    sampleLists(callout, facts).map(
      ({ served: { group, resource }, namespace }): Right => ({
        group,
        resource,
        verbs: ['list'],
        scope: namespace === undefined ? 'cluster' : { namespace },
        use: 'stored objects, as samples that replicas are called with',
      }),
    ),
  );

/** The request that creates an object, or that updates it without a change where `old` is given. */
export function requestAbout(
  object: RealObject,
  { group, version, resource, kind, namespaced }: ServedResource,
  user: RequestUser | undefined,
  old?: RealObject,
): AdmissionRequest {
  const { name, namespace, labels = {} } = object.metadata;
  const isNamespace = group === '' && resource === 'namespaces';
  const place = isNamespace ? name : namespaced ? namespace : undefined;
  return {
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    group,
    version,
    resource,
    kind,
    ...defined({ name, namespace: place }),
    labels,
    object,
    ...(old === undefined ? {} : { oldObject: old, oldLabels: old.metadata.labels ?? {} }),
    dryRun: true,
    ...(user === undefined ? {} : { user }),
  };
}

/** What the API server adds to an object, and does not take from whoever creates one. */
const setByServer = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];
const specSetByServer = ['nodeName', 'clusterIP', 'clusterIPs'];

const without = (object: object, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));

/** A stored object as somebody would create it anew. */
export function asCreated({ status: _, ...object }: RealObject): RealObject {
  const { metadata, spec } = object;
  return {
    ...object,
    metadata: without(metadata, setByServer) as Metadata,
    ...(typeof spec === 'object' && spec !== null ? { spec: without(spec, specSetByServer) } : {}),
  };
}

/** A stored object that a webhook is to be called with. */
export interface ChosenObject {
  readonly object: RealObject;
  readonly request: AdmissionRequest;
  readonly admitted: boolean;
}

/** Alike in what webhooks go by: their kind and the keys of their labels. */
const shapeOf = ({ kind }: ServedResource, { labels = {} }: Metadata): string =>
  `${kind} ${Object.keys(labels).sort().join()}`;

/**
 * Of listed objects those that a webhook is called with, one of each shape first: those that were created while its
 * configuration existed before others, those that somebody wrote before those that a controller made.
 */
export function chooseStored(
  callout: AdmissionCallout,
  lists: readonly (SampleList & { readonly items: readonly RealObject[] })[],
  facts: MatchFacts,
  user: RequestUser | undefined,
): readonly ChosenObject[] {
  const since = callout.metadata.creationTimestamp ?? '';
  const found = lists.flatMap(({ served, operation, items }) => {
    const { group, version, kind } = served;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return items.flatMap((item) => {
      if (item.metadata.deletionTimestamp !== undefined) return [];
      // Items of a list carry no kind of their own.
      const stored = { apiVersion, kind, ...item };
      const isUpdate = operation === 'UPDATE';
      const object = isUpdate ? stored : asCreated(stored);
      const request = requestAbout(object, served, user, isUpdate ? stored : undefined);
      if (matchRequest(callout, request, facts).outcome !== 'called') return [];
      const { creationTimestamp = '', ownerReferences = [] } = item.metadata;
      const admitted = since !== '' && creationTimestamp > since;
      const place = (admitted ? 0 : 2) + (ownerReferences.length === 0 ? 0 : 1);
      return [{ object: stored, request, admitted, place, shape: shapeOf(served, item.metadata) }];
    });
  });
  const sorted = found.toSorted((a, b) => a.place - b.place);
  const firsts = sorted.filter(({ shape }, at) => sorted.findIndex((one) => one.shape === shape) === at);
  const others = sorted.filter((one) => !firsts.includes(one));
  return [...firsts, ...others].slice(0, samplesAtMost);
}

/** The part of a webhook for which the API server does not call it with a request; undefined: it does. */
export function whyNotCalled(
  callout: AdmissionCallout,
  request: AdmissionRequest,
  facts: MatchFacts,
): string | undefined {
  const match = matchRequest(callout, request, facts);
  return match.outcome === 'called' ? undefined : matchReason(callout, request, match);
}
