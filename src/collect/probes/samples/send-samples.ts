import type { AdmissionRequest, RequestUser } from '../../../apiserver/admission/admission-request.ts';
import { selectorText } from '../../../apiserver/admission/selector-text.ts';
import { convertedVersions } from '../../../apiserver/conversion/conversion-body.ts';
import {
  mirrorPodRequest,
  ownedReplicaSet,
  type RoleRequest,
} from '../../../apiserver/sample/role-requests.ts';
import { furtherRequests, sampleRequests } from '../../../apiserver/sample/sample-request.ts';
import { testObjectName } from '../../../apiserver/sample/test-object.ts';
import {
  type AdmissionCallout,
  type ConversionCallout,
  calloutId,
  isAdmission,
} from '../../../facts/callout.ts';
import { type ObjectRef, refOf } from '../../../facts/object-ref.ts';
import type {
  CalloutProbes,
  DryRun,
  HttpResponse,
  ProbeConnection,
  ReviewExchange,
} from '../../../facts/probes.ts';
import { pathOf } from '../../../facts/resource.ts';
import { type GivenObject, inNamespace, type SampledObject } from '../../../facts/sample.ts';
import { resourceOfKind, type ServedResource } from '../../../facts/served-resources.ts';
import type { ClusterProber, DryRunRequest } from '../../cluster.ts';
import { asDryRun, jsonOf, requestEnds } from '../api-server/api-call.ts';
import { hasSideEffects } from '../api-server/dry-run.ts';
import { whoAmI } from '../api-server/self-review.ts';
import type { PlannedReview } from '../connection/probe-peer.ts';
import { deniesAll, patchesAny } from '../looks-healthy.ts';
import { type CalloutPayload, conversionPayloadTo, reviewPayload } from '../payload.ts';
import { probe } from '../probe.ts';
import type { ProbePlan, ProbePlanFacts } from '../run.ts';
import { overdueHeartbeat } from './heartbeats.ts';
import {
  chooseStored,
  objectsAtMost,
  type RealObject,
  requestAbout,
  type SampleList,
  sampleLists,
  whyNotCalled,
} from './sample-objects.ts';

/** Options for samples. */
export interface SampleOptions {
  readonly given: readonly GivenObject[];
  /** The namespace for given objects that have none. */
  readonly namespace: string;
  readonly stored: boolean;
  /**
   * If `stored` is false: all the same, if every Pod denies an update of the test object that changes nothing; and those
   * that are being deleted, if one patches the update of a Pod.
   */
  readonly withStored: boolean;
  /** Test objects of other kinds and for other operations. */
  readonly further: boolean;
  /** Heartbeats of nodes that are overdue: only for webhooks that deny the test object. */
  readonly heartbeats: boolean;
  /** With `further`: a large test object, too. */
  readonly large: boolean;
}

/** The tools and facts for calling webhooks with samples. */
interface SampleContext {
  readonly prober: ClusterProber;
  readonly facts: ProbePlanFacts;
  readonly callout: AdmissionCallout;
  readonly plan: ProbePlan;
  readonly user: RequestUser | undefined;
}

const resourceOf = ({ group, version, resource: plural }: ServedResource) => ({ group, version, plural });

const refOfSample = (kind: string, metadata: GivenObject['metadata']): ObjectRef =>
  refOf(kind, { ...metadata, name: metadata.name ?? metadata.generateName ?? '' });

/** Drops the object of the review after it is sent; checks need it only to evaluate a patch. */
const withoutObject = ({ about: { object: _, ...about }, post }: PlannedReview): PlannedReview => ({
  about,
  post,
});

/** Whether a response has a patch, or may have one: compressed bodies are not read here. */
const mayPatch = ({ answer }: ReviewExchange): boolean =>
  answer !== undefined &&
  (answer.headers['content-encoding'] !== undefined || Buffer.from(answer.body).includes('"patch"'));

/**
 * The results of one review. Without its object, if no patch is applied to it: snapshots leave out probes with
 * objects.
 */
function resultsOf(review: PlannedReview, probes: CalloutProbes): CalloutProbes {
  const only = (connection: ProbeConnection): ProbeConnection => ({
    ...connection,
    reviews: connection.reviews
      .filter(({ uid }) => uid === review.about.uid)
      .map((exchange) => {
        const { object: _, ...rest } = exchange;
        return mayPatch(exchange) ? exchange : rest;
      }),
  });
  const replicas = probes.replicas.map((one) => ({ ...one, dialogues: one.dialogues.map(only) }));
  return { ...probes, replicas, ...(probes.url === undefined ? {} : { url: only(probes.url) }) };
}

/** The responses of all Pods to a review, or why it was not sent. */
type SampleResult = Pick<SampledObject, 'probes' | 'notAsked'>;

/** Sends each Pod a review of each request, in separate dry runs over one connection. Returns one result per request. */
const callWith = (
  context: SampleContext,
  requests: readonly AdmissionRequest[],
): Promise<readonly SampleResult[]> =>
  send(
    context,
    requests.map((request) => reviewPayload(context.callout, request)),
  );

async function send(
  {
    prober,
    facts,
    callout,
    plan,
  }: Pick<SampleContext, 'prober' | 'facts' | 'plan'> & {
    readonly callout: AdmissionCallout | ConversionCallout;
  },
  planned: readonly CalloutPayload[],
): Promise<readonly SampleResult[]> {
  const reviews = planned
    .flatMap(({ payload }) => payload.reviews)
    .map((review) => (callout.kind === 'validating' ? withoutObject(review) : review));
  const id = calloutId(callout);
  const { probes } = await probe(prober, facts, reviews.length === 0 ? [] : [callout], {
    ...plan,
    level: 'review',
    replicasOnly: true,
    payload: () => ({ payload: { callout: id, reviews } }),
  });
  const found = probes.getIfKnown(id);
  return planned.map(({ payload, notSent }): SampleResult => {
    const [review] = payload.reviews;
    if (review === undefined) return { notAsked: notSent?.detail ?? 'no review can be sent' };
    return found === undefined
      ? { notAsked: 'no replica could be called' }
      : { probes: resultsOf(review, found) };
  });
}

/** Sends a dry run, for which the API server calls all webhooks; with the object if it is admitted. */
export async function ownDryRun(
  prober: ClusterProber,
  request: AdmissionRequest,
  served: ServedResource,
  verb: DryRunRequest['verb'] = request.operation === 'UPDATE' ? 'patch' : 'create',
): Promise<{ readonly dryRun: DryRun; readonly admitted?: RealObject } | undefined> {
  const { object, name } = request;
  const namespace = served.namespaced ? request.namespace : undefined;
  const started = performance.now();
  try {
    const path = pathOf(resourceOf(served), namespace, verb === 'create' ? undefined : name);
    const answer = await prober.dryRun(
      { verb, path, ...(object === undefined ? {} : { object }) },
      requestEnds(prober),
    );
    const dryRun = asDryRun(request, served, { answer, milliseconds: performance.now() - started });
    return dryRun.message === '' ? { dryRun, admitted: jsonOf<RealObject>(answer) } : { dryRun };
  } catch {
    return undefined;
  }
}

/** Returns the stored object, if it exists and the rules of the webhook match updates. */
async function storedAs(
  context: SampleContext,
  { metadata: { name, namespace } }: GivenObject,
  served: ServedResource,
): Promise<RealObject | undefined> {
  const covers = context.callout.rules.some(({ operations }) =>
    operations.some((operation) => operation === '*' || operation === 'UPDATE'),
  );
  if (name === undefined || !covers) return undefined;
  try {
    const answer = await context.prober.get(
      pathOf(resourceOf(served), served.namespaced ? namespace : undefined, name),
      requestEnds(context.prober),
    );
    return answer.status === 200 ? jsonOf<RealObject>(answer) : undefined;
  } catch {
    return undefined;
  }
}

/** Converts a given object to a request: an update if the object is stored, else a creation. */
async function givenSample(
  context: SampleContext,
  written: GivenObject,
  namespace: string,
): Promise<SampledObject> {
  const { callout, facts, user } = context;
  const { apiVersion, kind } = written;
  const served = resourceOfKind(written, facts.served.getIfKnown('served'));
  const given = inNamespace(written, served?.namespaced === true, namespace);
  const about = { object: refOfSample(kind, given.metadata), by: 'given', admitted: false } as const;
  if (served === undefined)
    return { ...about, operation: 'CREATE', notAsked: `this cluster serves no ${kind} of ${apiVersion}` };
  const object = given as unknown as RealObject;
  const old = await storedAs(context, given, served);
  const requests = [...(old === undefined ? [] : [old]), undefined].map((before) =>
    requestAbout(object, served, user, before),
  );
  const [first] = requests;
  const request = requests.find((one) => whyNotCalled(callout, one, facts) === undefined) ?? first;
  if (request === undefined) throw new Error('an object without a request');
  const operation = request.operation === 'UPDATE' ? 'UPDATE' : 'CREATE';
  const notAsked = whyNotCalled(callout, request, facts);
  if (notAsked !== undefined) return { ...about, operation, notAsked };
  const own = await ownDryRun(context.prober, request, served);
  // Validating webhooks receive the object as the API server passes it on: with defaults, and changed by
  // other webhooks.
  const sent =
    callout.kind === 'validating' && own?.admitted ? { ...request, object: own.admitted } : request;
  const [result] = await callWith(context, [sent]);
  return { ...about, operation, ...result, ...(own === undefined ? {} : { dryRun: own.dryRun }) };
}

const system = 'metadata.name!=kube-root-ca.crt,metadata.namespace!=kube-system';

async function itemsOf(context: SampleContext, list: SampleList): Promise<readonly RealObject[]> {
  const { served, namespace } = list;
  const selector = selectorText(context.callout.objectSelector);
  const query = new URLSearchParams({
    limit: String(objectsAtMost),
    ...(selector === '' ? {} : { labelSelector: selector }),
    ...(served.namespaced ? { fieldSelector: system } : {}),
  });
  try {
    const answer = await context.prober.get(
      `${pathOf(resourceOf(served), namespace)}?${query.toString()}`,
      requestEnds(context.prober),
    );
    if (answer.status !== 200) return [];
    return jsonOf<{ readonly items?: readonly RealObject[] }>(answer).items ?? [];
  } catch {
    return [];
  }
}

async function storedSamples(
  context: SampleContext,
  which?: 'in deletion',
): Promise<readonly SampledObject[]> {
  const { callout, facts, user } = context;
  const lists = await Promise.all(
    sampleLists(callout, facts).map(async (list) => ({ ...list, items: await itemsOf(context, list) })),
  );
  const chosen = chooseStored(callout, lists, facts, user).filter(
    ({ object: { metadata } }) => which === undefined || metadata.deletionTimestamp !== undefined,
  );
  const asked = chosen.flatMap(({ requests, ...about }) =>
    requests.map((request) => ({ ...about, request })),
  );
  const results = await callWith(
    context,
    asked.map(({ request }) => request),
  );
  return Promise.all(
    asked.map(async ({ object, served, request, admitted }, index): Promise<SampledObject> => {
      const { deletionTimestamp, finalizers = [] } = object.metadata;
      const about = {
        object: refOfSample(object.kind ?? '', object.metadata),
        by: 'stored',
        operation: request.operation === 'UPDATE' ? 'UPDATE' : 'CREATE',
        admitted,
        ...results[index],
      } as const;
      if (deletionTimestamp === undefined || finalizers.length === 0) return about;
      // A patch of a mutating webhook can be the reason why an update is refused.
      const isSafe = callout.kind === 'mutating' && !hasSideEffects({ request }, facts.callouts, facts);
      const own = isSafe ? await ownDryRun(context.prober, { ...request, object: {} }, served) : undefined;
      // 403: the user may not patch it, or a webhook denies it. Neither is about a patch.
      const isUseful = own !== undefined && own.dryRun.status !== 403;
      return { ...about, finalizers, ...(isUseful ? { dryRun: own.dryRun } : {}) };
    }),
  );
}

/** Calls the webhook with a heartbeat of a node, if no node has written one for a while. */
async function heartbeatSamples(context: SampleContext): Promise<readonly SampledObject[]> {
  const { callout, facts, prober } = context;
  const overdue = await overdueHeartbeat(prober, callout, facts);
  if (overdue === undefined) return [];
  const { lease, request, since: overdueSince } = overdue;
  const [result] = await callWith(context, [request]);
  const object = refOfSample(request.kind ?? '', lease.metadata);
  return [{ object, by: 'stored', operation: 'UPDATE', admitted: true, overdueSince, ...result }];
}

/** Above the limits of common servers for a body (Express: 100 kB), and below that for annotations (256 KiB). */
const largeKibibytes = 128;

/** True for an HTTP error because of the size of a request, also from a server that uses another status for it. */
export const refusesSize = ({ status, body }: Pick<HttpResponse, 'status' | 'body'>): boolean =>
  status === 413 ||
  (status >= 400 && /too large|body.{0,20}(?:limit|size)/i.test(Buffer.from(body).toString('utf8')));

/** True if every Pod that was called refuses the size. Other errors may be due to the time or the connection. */
function isTooLarge({ probes }: SampleResult): boolean {
  const reviews = (probes?.replicas ?? []).flatMap(({ dialogues }) =>
    dialogues.flatMap((connection) => connection.reviews),
  );
  return reviews.length > 0 && reviews.every(({ answer }) => answer !== undefined && refusesSize(answer));
}

/** Calls the webhook with a large object. Returns the result only if it is too large: most of it is the object. */
async function largeSample(
  context: SampleContext,
  first: AdmissionRequest,
): Promise<readonly SampledObject[]> {
  const { kind = '', operation, object } = first;
  if (operation !== 'CREATE' || object === undefined) return [];
  const { metadata } = object as Partial<Pick<RealObject, 'metadata'>>;
  const annotations = { ...metadata?.annotations, [testObjectName]: 'x'.repeat(largeKibibytes * 1024) };
  const request = { ...first, object: { ...object, metadata: { ...metadata, annotations } } };
  const [result] = await callWith(context, [request]);
  if (result === undefined || !isTooLarge(result)) return [];
  const about = { object: refOfSample(kind, { ...first, name: testObjectName }), by: 'made-up' } as const;
  return [{ ...about, operation, kibibytes: largeKibibytes, admitted: false, ...result }];
}

async function furtherSamples(context: SampleContext, large: boolean): Promise<readonly SampledObject[]> {
  const { callout, facts } = context;
  const [first] = sampleRequests(callout, facts, facts.version);
  if (first?.sure !== true) return [];
  const others = furtherRequests(callout, facts, facts.version, first.request);
  const requests: readonly RoleRequest[] = [
    ...others.map((request) => ({ request })),
    ...[first.request, ...others].flatMap((one) => mirrorPodRequest(callout, facts, facts.version, one)),
    ...(callout.kind === 'mutating' ? ownedReplicaSet(callout, facts, facts.version) : []),
  ];
  const results = await callWith(
    context,
    requests.map(({ request }) => request),
  );
  const made = requests.map(
    ({ request, role }, index): SampledObject => ({
      object: refOfSample(request.kind ?? '', { ...request, name: testObjectName }),
      by: 'made-up',
      operation: request.operation === 'CONNECT' ? 'CREATE' : request.operation,
      admitted: false,
      ...(role === undefined ? {} : { role }),
      ...results[index],
    }),
  );
  return large ? [...made, ...(await largeSample(context, first.request))] : made;
}

/** The maximum number of versions of a CRD to which the test object is converted. */
const mostVersions = 4;

/** Converts the test object from the storage version to the other ones, as for a list of each. */
async function conversionSamples(
  tools: Pick<SampleContext, 'prober' | 'facts' | 'plan'>,
  callout: ConversionCallout,
): Promise<readonly SampledObject[]> {
  const versions = convertedVersions(callout).slice(0, mostVersions);
  const results = await send(
    { ...tools, callout },
    versions.map((version) => conversionPayloadTo(callout, version)),
  );
  const object = { kind: callout.resource.kind, name: testObjectName };
  return versions.map((desired, index) => ({
    object,
    by: 'made-up',
    operation: 'CONVERT',
    desired,
    admitted: false,
    ...results[index],
  }));
}

/** Calls every Pod of a webhook with further objects, in dry runs. Never throws because of the cluster. */
export async function sendSamples(
  { prober, facts, plan }: Pick<SampleContext, 'prober' | 'facts' | 'plan'>,
  callout: AdmissionCallout | ConversionCallout,
  { given, namespace, stored, withStored, heartbeats, further, large }: SampleOptions,
): Promise<readonly SampledObject[]> {
  if (!isAdmission(callout)) return further ? conversionSamples({ prober, facts, plan }, callout) : [];
  const context: SampleContext = { prober, facts, callout, plan, user: await whoAmI(prober) };
  const [ofGiven, ofStored, overdue, made] = await Promise.all([
    Promise.all(given.map((object) => givenSample(context, object, namespace))),
    stored ? storedSamples(context) : [],
    heartbeats ? heartbeatSamples(context) : [],
    further ? furtherSamples(context, large) : [],
  ]);
  // It admits the creation of the test object. The test object does not exist, so only a stored one shows whether the denial holds.
  const updates = made.filter(({ operation }) => operation === 'UPDATE');
  const deniesUpdate = updates.some(({ probes }) => probes !== undefined && deniesAll(probes));
  // The API server refuses a patch of a fixed field of a Pod, also in the update that removes its finalizers.
  const patchesPods = updates.some(
    ({ object, probes }) => object.kind === 'Pod' && probes !== undefined && patchesAny(probes),
  );
  const isFurther = !stored && withStored && (deniesUpdate || patchesPods);
  const updated = isFurther ? await storedSamples(context, deniesUpdate ? undefined : 'in deletion') : [];
  return [...ofGiven, ...ofStored, ...updated, ...overdue, ...made];
}
