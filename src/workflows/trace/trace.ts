import type { Operation, RequestUser } from '../../apiserver/admission/admission-request.ts';
import { matchRequest } from '../../apiserver/admission/match.ts';
import type { TracedResponse } from '../../apiserver/trace/trace-call.ts';
import { type Trace, traceRequest } from '../../apiserver/trace/trace-request.ts';
import { defined } from '../../basics/collections.ts';
import type { ClusterProber, ClusterReader, OpenProber } from '../../collect/cluster.ts';
import type { FirstFacts } from '../../collect/planner.ts';
import type { DoctorReport, RequestTrace, TracedDryRun } from '../../diagnose/report.ts';
import {
  budgetReport,
  fieldAt,
  fieldPath,
  stepReport,
  withoutField,
  writerOf,
} from '../../diagnose/request-trace.ts';
import { type AdmissionCallout, type Callout, calloutId, isAdmission } from '../../facts/callout.ts';
import type { GivenObject } from '../../facts/sample.ts';
import type { Snapshot } from '../../facts/snapshot.ts';
import { isReadOf } from '../../facts/unread.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { type ClusterOptions, deadlineOf, onCluster } from '../cluster/with-cluster.ts';
import { examineCluster } from '../doctor.ts';
import { givenObjects, objectsIn } from '../input/given-objects.ts';
import { inputName } from '../input/input-file.ts';
import { inItsShare } from '../time-slice.ts';
import { answerTo, type TracedCalls } from './answer-to.ts';
import { comparedDryRun, refusedByAuthorizer, whyNoDryRun } from './own-dry-run.ts';
import { type TracedObject, type TracedRequest, tracedRequest } from './traced-request.ts';

/** The arguments and flags of `trace`. */
export interface TraceOptions {
  readonly about: TracedObject;
  readonly operation?: Operation | undefined;
  /** A path into the object: which webhook sets it. */
  readonly field?: string | undefined;
  /** `none`: no webhook is called. */
  readonly probe: 'none' | 'review';
  /** The data of a Secret may be sent. */
  readonly secrets: boolean;
  readonly now: Date;
  readonly onStage?: (stage: string) => void;
  /** The user of the request, and a prober that impersonates it; absent: the user of the kubeconfig. */
  readonly requester?: { readonly user: RequestUser; readonly prober?: OpenProber } | undefined;
}

/** Webhooks that match the request, or may match after others have changed it; and conversion webhooks of its object. */
function concerned(request: TracedRequest['request'], facts: FirstFacts): readonly Callout[] {
  return facts.callouts.filter((callout) => {
    if (callout.kind === 'conversion')
      return callout.resource.group === request.group && callout.resource.plural === request.resource;
    if (!isAdmission(callout)) return false;
    const match = matchRequest(callout, request, facts);
    return match.outcome !== 'skipped' || match.by === 'object-selector' || match.by === 'match-conditions';
  });
}

/** A traced request, and everything that is known about it. */
interface Traced {
  readonly options: TraceOptions;
  readonly made: TracedRequest;
  readonly snapshot: Snapshot;
  readonly report: DoctorReport;
  /** The path of {@link TraceOptions.field}. */
  readonly path: readonly string[] | undefined;
  readonly live: boolean;
  /** Sends requests as the user of the kubeconfig; absent: none is sent. */
  readonly prober: ClusterProber | undefined;
  /** Sends requests as the user of the request. */
  readonly requester: ClusterProber | undefined;
}

/** Traces a request through the webhooks. Throws CannotStart if the arguments describe no request. */
async function trace(
  reader: ClusterReader,
  openProber: OpenProber,
  options: TraceOptions,
): Promise<RequestTrace> {
  const traced = await examine(reader, openProber, options);
  const { made, snapshot, prober, requester } = traced;
  const { request } = made;
  const withPermissions =
    prober === undefined
      ? request
      : await (await selfReview()).withPermissions(
          request,
          concerned(request, snapshot.facts),
          requester ?? prober,
        );
  const followed = await follow(reader, traced, withPermissions);
  const dryRun = await ownDryRunOf(traced, followed);
  // A request that the authorizer refuses reaches no webhook.
  const refusal =
    'why' in dryRun
      ? prober && (await (await selfReview()).lackedPermission(withPermissions, requester ?? prober))
      : dryRun.message;
  const result: Trace =
    refusal !== undefined && refusedByAuthorizer.test(refusal)
      ? { steps: [], result: 'failed', messages: [refusal], budget: { ...followed.budget, spent: 0 } }
      : followed;
  return reportOf(traced, result, dryRun);
}

const selfReview = () => import('../../collect/probes/api-server/self-review.ts');

/** Reads the cluster, and derives the request from the arguments. Throws CannotStart. */
async function examine(
  reader: ClusterReader,
  openProber: OpenProber,
  options: TraceOptions,
): Promise<Traced> {
  const path = options.field === undefined ? undefined : fieldPath(options.field);
  if (options.field !== undefined && path === undefined)
    throw new CannotStart(`"${options.field}" is not a field path; an example is spec.schedulerName`);
  const live = reader.recorded === undefined;
  const calling = live && options.probe === 'review';
  const prober = calling ? await openProber() : undefined;
  const requester = calling ? await options.requester?.prober?.() : undefined;
  const user = prober && selfReview().then(({ whoAmI }) => whoAmI(requester ?? prober));
  let made: TracedRequest | undefined;
  const { snapshot, report } = await examineCluster(reader, {
    now: options.now,
    withoutSamples: true,
    onStage: options.onStage,
    probe: options.probe === 'review' ? { level: 'review', prober: openProber } : undefined,
    choose: async (first, read) => {
      const { about, operation } = options;
      const who = (await user) ?? options.requester?.user;
      const found = await tracedRequest(
        { about, operation, namespace: reader.namespace, user: who, live },
        first,
        read,
      );
      made = withoutTracedField(found, path);
      return inItsShare(reader, 1 / 2, 'before webhooks were matched', () => concerned(found.request, first));
    },
  });
  if (made === undefined) throw new Error('nothing was traced');
  return { options, made, snapshot, report, path, live, prober, requester };
}

/** The request without the field in question, if the object is stored: a webhook may have set it before. */
function withoutTracedField(found: TracedRequest, path: readonly string[] | undefined): TracedRequest {
  const { object } = found.request;
  return path === undefined || found.stored === undefined || object === undefined
    ? found
    : { ...found, request: { ...found.request, object: withoutField(object, path) } };
}

const isSecret = ({ request }: TracedRequest): boolean =>
  request.group === '' && request.resource === 'secrets';

function whyNothingSent({ options, made, live, prober }: Traced): string | undefined {
  if (prober !== undefined && (!isSecret(made) || options.secrets)) return undefined;
  if (options.probe === 'none') return 'not asked for (--probe none)';
  return live ? 'the data of a Secret are sent only with --yes' : 'a snapshot has no webhooks to call';
}

const unlistedOf = ({ facts, notLookedAt }: Snapshot) => {
  const unlisted = (kind: AdmissionCallout['kind']) => facts.configurations.why(kind) !== undefined;
  return {
    mutating: unlisted('mutating'),
    webhooks: unlisted('mutating') || unlisted('validating'),
    definitions: notLookedAt.some((one) => isReadOf(one, ['customresourcedefinitions'])),
  };
};

/** Follows the request, and calls the webhooks that match it. */
async function follow(
  reader: ClusterReader,
  traced: Traced,
  request: TracedRequest['request'],
): Promise<Trace> {
  const { snapshot, report, prober } = traced;
  const why = whyNothingSent(traced);
  const calls: TracedCalls = {
    snapshot,
    verdicts: new Map(report.callouts.map((one) => [calloutId(one), one.verdict])),
    calls: prober === undefined || why !== undefined ? { why: why ?? '' } : { prober },
  };
  const tracing = traceRequest(request, snapshot.facts.callouts, snapshot.facts, unlistedOf(snapshot));
  const advance = (...responses: [] | [readonly TracedResponse[]]) =>
    inItsShare(reader, 1, 'before the request was followed to its end', () => tracing.next(...responses));
  let next = await advance();
  while (next.done !== true)
    next = await advance(await Promise.all(next.value.map((call) => answerTo(call, calls))));
  return next.value;
}

/** The dry run of the request by the API server; or the reason that there is none. */
async function ownDryRunOf(
  traced: Traced,
  followed: Trace,
): Promise<TracedDryRun | { readonly why: string }> {
  const { made, snapshot, prober, requester } = traced;
  const why = whyNothingSent(traced) ?? whyNoDryRun(made, snapshot.facts);
  return prober === undefined || why !== undefined
    ? { why: why ?? '' }
    : comparedDryRun(made, followed, requester ?? prober);
}

async function reportOf(
  traced: Traced,
  result: Trace,
  dryRun: TracedDryRun | { readonly why: string },
): Promise<RequestTrace> {
  const { made, report } = traced;
  const { request } = made;
  const { object, messages, steps } = result;
  const secret = isSecret(made);
  const changed = !secret && steps.some(({ after }) => after !== undefined);
  const diff = changed
    ? (await import('../../change/diff.ts')).yamlDiff(['sent', request.object], ['admitted', object])
    : undefined;
  const { operation, group, version, resource, namespace, name, user } = request;
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'RequestTrace',
    takenAt: report.takenAt,
    cluster: report.cluster,
    request: { operation, group, version, resource, ...defined({ namespace, name }) },
    ...(user === undefined ? {} : { user: { username: user.username, groups: user.groups } }),
    steps: steps.map(stepReport),
    budget: budgetReport(result),
    result: result.result,
    messages,
    ...(object === undefined || secret ? {} : { object }),
    ...(diff === undefined ? {} : { diff }),
    ...fieldReport(traced, result),
    ...('why' in dryRun ? { noDryRun: dryRun.why } : { dryRun }),
    notLookedAt: report.notLookedAt,
  };
}

function fieldReport(
  { options: { field }, made, snapshot, path }: Traced,
  { steps }: Trace,
): Pick<RequestTrace, 'field'> {
  if (path === undefined || field === undefined) return {};
  return {
    field: {
      path: field,
      ...writerOf(path, made.request.object, steps),
      ...(unlistedOf(snapshot).mutating ? { unlisted: true } : {}),
      ...(made.stored === undefined ? {} : { stored: fieldAt(made.stored, path) }),
    },
  };
}

/** The one object of a manifest. Throws CannotStart. */
function onlyObject([object, ...others]: readonly GivenObject[], name: string): GivenObject {
  if (object === undefined || others.length > 0)
    throw new CannotStart(`${name} contains ${others.length + 1} objects: trace accepts one`);
  return object;
}

/**
 * The groups of an impersonated user: if none is named, those of a ServiceAccount follow from its name (apiserver
 * pkg/endpoints/filters/impersonation).
 */
function groupsOf(username: string, named: readonly string[]): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username) ?? [];
  const accounts = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return [...(namespace !== undefined && named.length === 0 ? accounts : named), 'system:authenticated'];
}

/**
 * Traces a request in the cluster of the flags. `--as` impersonates the user of the request only: webhooks are read and
 * called as the user of the kubeconfig. Throws CannotStart.
 */
export async function traceFor(
  {
    file,
    manifest,
    stored = '',
    ...options
  }: Omit<TraceOptions, 'about' | 'requester'> & {
    readonly file?: string;
    /** The text of such a file. */
    readonly manifest?: string;
    readonly stored?: string;
  },
  clusterOptions: ClusterOptions,
): Promise<RequestTrace> {
  const { rest } = deadlineOf(clusterOptions);
  const given =
    manifest !== undefined
      ? onlyObject(givenObjects(manifest, 'the manifest'), 'the manifest')
      : file && onlyObject(await objectsIn(file, clusterOptions), inputName(file));
  const about = given ? { given } : { stored };
  const cluster = { ...clusterOptions, ...rest() };
  const { as, 'as-group': groups = [], 'as-uid': _, ...own } = cluster.flags;
  return onCluster({ ...cluster, flags: own }, (reader, prober) => {
    const traced = { ...options, about };
    if (as === undefined) return trace(reader, prober, traced);
    const user = { username: as, groups: groupsOf(as, groups) };
    if (cluster.snapshot !== undefined) return trace(reader, prober, { ...traced, requester: { user } });
    return onCluster(cluster, (_reader, other) =>
      trace(reader, prober, { ...traced, requester: { user, prober: other } }),
    );
  });
}

/** Exit code: 0 admitted, 1 denied or failed, 3 unknown. The result of the dry run has precedence. */
export function exitCodeOf({ result, dryRun }: RequestTrace): number {
  if (dryRun?.agrees === false) return dryRun.result === 'admitted' ? 3 : 1;
  return { admitted: 0, denied: 1, failed: 1, unknown: 3 }[result];
}
