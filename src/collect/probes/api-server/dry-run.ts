import { mayCover } from '../../../apiserver/admission/impact.ts';
import { type MatchFacts, matchRequest } from '../../../apiserver/admission/match.ts';
import { conditionErrorsIn } from '../../../apiserver/admission/match-conditions.ts';
import { withoutSideEffects } from '../../../apiserver/admission/review.ts';
import { selectorText } from '../../../apiserver/admission/selector-text.ts';
import { isPatchFailure } from '../../../apiserver/connection/own-call.ts';
import { disagreesWithPriorityClass } from '../../../apiserver/patch/invalid-fields.ts';
import { isPublicLeaf, leafDigest, leavesOf } from '../../../apiserver/patch/leaves.ts';
import { type SampleRequest, sampleRequests } from '../../../apiserver/sample/sample-request.ts';
import { isValid } from '../../../apiserver/sample/test-object.ts';
import { parseCallError } from '../../../apiserver/sentences/call-error/parse-call-error.ts';
import { type AdmissionCallout, type Callout, isAdmission } from '../../../facts/callout.ts';
import type { DryRun, HttpResponse } from '../../../facts/probes.ts';
import { type Permission, pathOf } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import type { AllowRule, Unread } from '../../../facts/unread.ts';
import type { ClusterProber, DryRunRequest } from '../../cluster.ts';
import { statusOf } from '../../status.ts';
import { isUnread } from '../run.ts';
import { heartbeatPermissions } from '../samples/heartbeats.ts';
import { samplePermissions } from '../samples/sample-objects.ts';
import { asDryRun, firstObject, jsonOf, refusalText, withinTime } from './api-call.ts';
import { storedReadPermissions } from './stored-read.ts';

/** A dry run that calls a webhook, ready to be sent. Dry runs with equal keys are sent once. */
export interface PlannedDryRun {
  readonly key: string;
  readonly sample: SampleRequest;
  /** An UPDATE must first find its object. */
  readonly find?: string;
  readonly request: DryRunRequest;
}

const notPlanned = (detail: string): Unread => ({
  what: 'a server-side dry run',
  why: 'not-requested',
  detail,
});

/** True if the webhook may match the request, as far as facts show. */
function mayBeCalled(
  callout: AdmissionCallout,
  { request }: Pick<SampleRequest, 'request'>,
  facts: MatchFacts,
): boolean {
  if (!mayCover(callout, request)) return false;
  // An existing object is not yet known.
  if (request.operation !== 'CREATE') return true;
  const { outcome } = matchRequest(callout, request, facts);
  return outcome === 'called' || outcome === 'unknown';
}

/** True if the request matches, or may match, a webhook that may have side effects on a dry run. */
export const hasSideEffects = (
  sample: Pick<SampleRequest, 'request'>,
  callouts: readonly Callout[],
  facts: MatchFacts,
): boolean =>
  callouts.some(
    (other) =>
      isAdmission(other) &&
      !withoutSideEffects.includes(other.sideEffects) &&
      mayBeCalled(other, sample, facts),
  );

const resourceOf = ({ served }: SampleRequest) => ({
  group: served.group,
  version: served.version,
  plural: served.resource,
});

/** Sort order: creations that the API certainly accepts, then other creations, then updates. */
const place = ({ request }: SampleRequest): number =>
  request.operation === 'CREATE' ? Number(!isValid(request)) : 2;

/** Plans the dry run for a webhook, or returns the reason why there is none. */
export function planDryRun(
  callout: AdmissionCallout,
  callouts: readonly Callout[],
  facts: MatchFacts,
  version: string | undefined,
): PlannedDryRun | Unread {
  const writes = sampleRequests(callout, facts, version, 8)
    .filter(({ request }) => (request.subresource ?? '') === '')
    .filter(({ request: { operation } }) => operation === 'CREATE' || operation === 'UPDATE')
    .sort((a, b) => place(a) - place(b));
  const sure = writes.filter((sample) => sample.sure);
  // If only match conditions are uncertain, the dry run itself shows their result.
  const possible = sure.length > 0 || callout.matchConditions.length === 0 ? sure : writes;
  if (possible.length === 0) return notPlanned('no harmless request is certain to reach it');
  const sample = possible.find((candidate) => !hasSideEffects(candidate, callouts, facts));
  if (sample === undefined) return notPlanned('a webhook with side effects would be called as well');
  const { served, request } = sample;
  const namespace = served.namespaced ? request.namespace : undefined;
  const path = pathOf(resourceOf(sample), namespace);
  if (request.operation === 'CREATE') {
    const object = request.object ?? {};
    return { key: `${path} ${JSON.stringify(object)}`, sample, request: { verb: 'create', path, object } };
  }
  const selector = selectorText(callout.objectSelector);
  const query = selector === '' ? '' : `&labelSelector=${encodeURIComponent(selector)}`;
  return {
    key: `${path} ${selector}`,
    sample,
    find: `${path}?limit=1${query}`,
    request: { verb: 'patch', path },
  };
}

/** The permissions that {@link sendDryRun} requires: RBAC does not distinguish dry runs from other requests. */
function dryRunPermission({ sample: { served, request: about }, request, find }: PlannedDryRun): Permission {
  const { namespace } = about;
  return {
    group: served.group,
    resource: served.resource,
    verbs: [...(find === undefined ? [] : (['list'] as const)), request.verb],
    scope: served.namespaced && namespace !== undefined ? { namespace } : 'cluster',
    use: 'server-side dry runs, which need the same permissions as real requests',
  };
}

/** The permissions for the dry runs of these webhooks: the requests, and reads of stored objects. */
export const dryRunPermissions = (
  facts: MatchFacts & Pick<Facts, 'callouts' | 'version'>,
): readonly Permission[] => [
  ...facts.callouts.filter(isAdmission).flatMap((callout) => {
    const planned = planDryRun(callout, facts.callouts, facts, facts.version);
    return 'key' in planned ? [dryRunPermission(planned)] : [];
  }),
  ...storedReadPermissions(facts.callouts),
  ...samplePermissions(facts.callouts.filter(isAdmission), facts),
  ...heartbeatPermissions(facts.callouts.filter(isAdmission)),
];

const ruleFor = ({ sample }: PlannedDryRun, verb: string): AllowRule => ({
  apiGroups: [sample.served.group],
  resources: [sample.served.resource],
  verbs: [verb],
  ...(sample.served.namespaced && sample.request.namespace !== undefined
    ? { namespace: sample.request.namespace }
    : {}),
});

interface Answered {
  readonly answer: HttpResponse;
  readonly milliseconds: number;
}

/** The result of a dry run; shared by all webhooks that need it. */
export type DryRunResult = Answered | { readonly unread: Unread };

/** The list request that finds the object of an update. */
const listing = (planned: PlannedDryRun) => ({
  what: `an existing object for a dry run: ${planned.request.path}`,
  allow: ruleFor(planned, 'list'),
  none: notPlanned('there is no object that it matches'),
});

/** Sends a dry run once. Throws the signal's reason. */
export async function sendDryRun(
  prober: ClusterProber,
  planned: PlannedDryRun,
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<DryRunResult> {
  const { request, find } = planned;
  const { verb } = request;
  const what = `a server-side dry run: ${verb} ${request.path}`;
  const sent = await withinTime<Answered>(
    { what, allow: ruleFor(planned, verb), timeoutSeconds, signal },
    async (ends) => {
      let { path } = request;
      if (find !== undefined) {
        const found = await firstObject(prober, find, listing(planned), ends);
        if (isUnread(found)) return found;
        path = `${path}/${encodeURIComponent(found.name)}`;
      }
      const started = performance.now();
      const answer = await prober.dryRun({ ...request, path }, ends);
      const detail = statusOf(answer)?.message ?? '';
      if (answer.status === 403 && / cannot (create|patch) resource /.test(detail))
        return { what, why: 'forbidden', detail, allow: ruleFor(planned, verb) };
      return { answer, milliseconds: performance.now() - started };
    },
  );
  return isUnread(sent) ? { unread: sent } : sent;
}

const described = ({ sample: { request, served } }: PlannedDryRun, sent: Answered): DryRun =>
  asDryRun(request, served, sent);

/** The maximum length of a value that is compared, as JSON, and the maximum number of them. */
const [longest, mostValues] = [500, 1_000];

/** Digests of the values of the object that the API server would have created. The values may be secret. */
function resultOf({ request: { verb } }: PlannedDryRun, { answer }: Answered): Pick<DryRun, 'result'> {
  if (verb !== 'create' || answer.status !== 201) return {};
  try {
    const { metadata = {}, status: _, ...object } = jsonOf<Partial<Record<string, object>>>(answer);
    const { managedFields: __, ...rest } = metadata as Partial<Record<string, unknown>>;
    const kept = [...leavesOf({ ...object, metadata: rest })].filter(
      ([path, value]) => value.length <= longest && isPublicLeaf(path, value),
    );
    return { result: kept.slice(0, mostValues).map(([path, value]) => leafDigest(path, value)) };
  } catch {
    return {};
  }
}

/** The timeout error names no webhook, and each of them may be the cause. */
const outOfTime = 504;

/**
 * Extracts the result for one webhook from a response; else the response as the reason why there is none. If
 * several webhooks share the name in the response, or it is about a patch and names none, it counts only if
 * exactly one of them may match the request.
 */
export function dryRunOf(
  callout: AdmissionCallout,
  facts: MatchFacts & Pick<Facts, 'callouts'>,
  planned: PlannedDryRun,
  sent: DryRunResult,
): DryRun | Unread {
  if ('unread' in sent) return sent.unread;
  const message = refusalText(sent.answer);
  const what = `a server-side dry run: ${planned.request.verb} ${planned.request.path}`;
  if (message === '' && !planned.sample.sure) return notPlanned('no harmless request is certain to reach it');
  if (
    message !== '' &&
    sent.answer.status !== outOfTime &&
    conditionErrorsIn(callout, message).length === 0
  ) {
    const isBearer = isPatchFailure(message)
      ? ({ kind }: AdmissionCallout) => kind === 'mutating'
      : ({ webhook }: AdmissionCallout) => webhook === parseCallError(message)?.webhook;
    const bearers = facts.callouts.filter(
      (other) => isAdmission(other) && isBearer(other) && mayBeCalled(other, planned.sample, facts),
    );
    if (!isBearer(callout) || bearers.length !== 1) return { what, why: 'server-error', detail: message };
  }
  const dryRun = described(planned, sent);
  return callout.kind === 'mutating' ? { ...dryRun, ...resultOf(planned, sent) } : dryRun;
}

/** True for a test object that the API accepts, but that its mutating webhooks made invalid. */
export const invalidAfter = (
  { kind }: AdmissionCallout,
  planned: PlannedDryRun,
  sent: DryRunResult,
): DryRun | undefined =>
  'unread' in sent ||
  kind !== 'mutating' ||
  !(sent.answer.status === 422 || disagreesWithPriorityClass(refusalText(sent.answer))) ||
  !isValid(planned.sample.request)
    ? undefined
    : described(planned, sent);
