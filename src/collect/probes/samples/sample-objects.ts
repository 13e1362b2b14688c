import type { AdmissionRequest, RequestUser } from '../../../apiserver/admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../../../apiserver/admission/match.ts';
import { storedCandidates } from '../../../apiserver/sample/sample-request.ts';
import { matchReason } from '../../../apiserver/trace/match-reason.ts';
import { defined } from '../../../basics/collections.ts';
import type { AdmissionCallout } from '../../../facts/callout.ts';
import type { Metadata } from '../../../facts/objects/metadata.ts';
import { groupVersionOf, type Permission } from '../../../facts/resource.ts';
import type { SampledObject } from '../../../facts/sample.ts';
import type { ServedResource } from '../../../facts/served-resources.ts';
import { requestsInjection } from '../../../products/requested-injection.ts';

/** Any object, with the fields that a review needs. */
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

/** The maximum number of lists per webhook, and of objects per list. */
const listsAtMost = 3;
/** The maximum number of objects of one list that are considered; further pages are not read. */
export const objectsAtMost = 50;
/** The maximum number of stored objects with which a webhook is called. */
const samplesAtMost = 3;

/** List paths for objects that a webhook matches, the most common first. Never lists Secrets. */
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

/** The permissions that listing stored objects for these webhooks requires. */
export const samplePermissions = (
  callouts: readonly AdmissionCallout[],
  facts: MatchFacts,
): readonly Permission[] =>
  callouts.flatMap((callout) =>
    sampleLists(callout, facts).map(
      ({ served: { group, resource }, namespace }): Permission => ({
        group,
        resource,
        verbs: ['list'],
        scope: namespace === undefined ? 'cluster' : { namespace },
        use: 'stored objects, as samples that replicas are called with',
      }),
    ),
  );

/** The request that creates an object, or that updates it without a change if `old` is given. */
export function requestAbout(
  object: RealObject,
  { group, version, resource, kind, namespaced }: ServedResource,
  user: RequestUser | undefined,
  old?: RealObject,
): AdmissionRequest {
  const { name, namespace, labels = {} } = object.metadata;
  const isNamespace = group === '' && resource === 'namespaces';
  const ofObject = namespaced ? namespace : undefined;
  const place = isNamespace ? name : ofObject;
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

/** Fields that the API server sets, and does not accept from a client that creates an object. */
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

/** A stored object in the form in which a client would create it. */
export function asCreated({ status: _, ...object }: RealObject): RealObject {
  const { metadata, spec } = object;
  return {
    ...object,
    metadata: without(metadata, setByServer) as Metadata,
    ...(typeof spec === 'object' && spec !== null ? { spec: without(spec, specSetByServer) } : {}),
  };
}

/** A stored object with which a webhook is called. */
export interface ChosenObject {
  readonly object: RealObject;
  readonly served: ServedResource;
  /** Its creation, and its update without a change: those for which the API server calls the webhook. */
  readonly requests: readonly AdmissionRequest[];
  readonly admitted: boolean;
}

/** True for an object with an annotation that requests injection. */
const requestsIt = ({ annotations = {} }: Metadata): boolean =>
  Object.entries(annotations).some(([key, value]) => requestsInjection(key, value));

/**
 * The shape of an object, as far as webhooks depend on it: its kind, the keys of its labels, and whether it requests
 * injection.
 */
const shapeOf = ({ kind }: ServedResource, metadata: Metadata): string =>
  `${kind} ${requestsIt(metadata)} ${Object.keys(metadata.labels ?? {})
    .sort()
    .join()}`;

/** The shape of all objects that wait for their finalizers. */
const inDeletion = 'in deletion';

/**
 * Selects the listed objects with which a webhook is called: one that waits for its finalizers first, then one of each
 * shape, objects that request injection before others, objects created since its configuration exists before older
 * ones, objects written by users before those that a controller created.
 */
export function chooseStored(
  callout: AdmissionCallout,
  lists: readonly (SampleList & { readonly items: readonly RealObject[] })[],
  facts: MatchFacts,
  user: RequestUser | undefined,
): readonly ChosenObject[] {
  const since = callout.metadata.creationTimestamp ?? '';
  const isCalled = (request: AdmissionRequest): boolean =>
    matchRequest(callout, request, facts).outcome === 'called';
  const found = lists.flatMap(({ served, operation, items }) => {
    const { kind } = served;
    const apiVersion = groupVersionOf(served);
    return items.flatMap((item) => {
      const {
        creationTimestamp = '',
        deletionTimestamp,
        finalizers = [],
        ownerReferences = [],
      } = item.metadata;
      // Items of a list have no kind.
      const stored = { apiVersion, kind, ...item };
      const isDeleted = deletionTimestamp !== undefined;
      if (isDeleted && finalizers.length === 0) return [];
      const creation =
        operation === 'UPDATE' || isDeleted ? [] : [requestAbout(asCreated(stored), served, user)];
      const requests = [...creation, requestAbout(stored, served, user, stored)].filter(isCalled);
      if (requests.length === 0) return [];
      const admitted = since !== '' && creationTimestamp > since;
      const place =
        (isDeleted ? -8 : 0) +
        (requestsIt(item.metadata) ? 0 : 4) +
        (admitted ? 0 : 2) +
        (ownerReferences.length === 0 ? 0 : 1);
      const shape = isDeleted ? inDeletion : shapeOf(served, item.metadata);
      return [{ object: stored, served, requests, admitted, place, shape }];
    });
  });
  const sorted = found.toSorted((a, b) => a.place - b.place);
  const firsts = sorted.filter(({ shape }, at) => sorted.findIndex((one) => one.shape === shape) === at);
  const others = sorted.filter((one) => !firsts.includes(one) && one.shape !== inDeletion);
  return [...firsts, ...others].slice(0, samplesAtMost);
}

/** The part of a webhook for which the API server does not call it with a request; undefined: it does. */
export function whyNotCalled(
  callout: AdmissionCallout,
  request: AdmissionRequest,
  facts: MatchFacts,
): string | undefined {
  const match = matchRequest(callout, request, facts);
  return match.outcome === 'called' ? undefined : matchReason(callout, request, match, facts.version);
}
