import type {
  AdmissionRequest,
  Operation,
  RequestUser,
} from '../../../apiserver/admission/admission-request.ts';
import { accessChecks, readsVariable } from '../../../apiserver/admission/match-conditions.ts';
import { accessKey } from '../../../apiserver/cel/authorization-functions.ts';
import type { AccessCheck } from '../../../apiserver/cel/value.ts';
import { forbiddenText } from '../../../apiserver/sentences/logs/forbidden-request.ts';
import { defined } from '../../../basics/collections.ts';
import { type Callout, isAdmission } from '../../../facts/callout.ts';
import type { ClusterProber } from '../../cluster.ts';
import { slots } from '../../slots.ts';
import { jsonOf, requestEnds } from './api-call.ts';

/** Sends a review to the API server, impersonated or not; undefined if it does not respond. */
export async function review<Status>(
  prober: ClusterProber,
  group: string,
  kind: string,
  spec?: object,
): Promise<Status | undefined> {
  try {
    const path = `/apis/${group}/v1/${kind.toLowerCase()}s`;
    const object = { apiVersion: `${group}/v1`, kind, ...(spec && { spec }) };
    const answer = await prober.dryRun({ verb: 'create', path, object }, requestEnds(prober));
    return answer.status === 201 ? jsonOf<{ readonly status?: Status }>(answer).status : undefined;
  } catch {
    return undefined;
  }
}

/** The user of this program in the API server; undefined if not known. */
export async function whoAmI(prober: ClusterProber): Promise<RequestUser | undefined> {
  const status = await review<{ readonly userInfo?: Partial<RequestUser> }>(
    prober,
    'authentication.k8s.io',
    'SelfSubjectReview',
  );
  return status?.userInfo && { username: '', groups: [], uid: '', extra: {}, ...status.userInfo };
}

interface Access {
  readonly allowed?: boolean;
  readonly reason?: string;
}

const access = (
  prober: ClusterProber,
  { path, verb, ...resource }: AccessCheck,
): Promise<Access | undefined> =>
  review<Access>(
    prober,
    'authorization.k8s.io',
    'SelfSubjectAccessReview',
    path === undefined
      ? { resourceAttributes: { ...resource, verb, version: '*' } }
      : { nonResourceAttributes: { path, verb } },
  );

/** Verbs that include an operation; each of them allows it. */
const verbs: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  CREATE: ['create'],
  UPDATE: ['patch', 'update'],
  DELETE: ['delete'],
};

/** The API server's error if the user has no permission for the request; undefined if not, or if unknown. */
export async function lackedPermission(
  { operation, group, resource, namespace, name, user }: AdmissionRequest,
  prober: ClusterProber,
): Promise<string | undefined> {
  let refusal: string | undefined;
  for (const verb of verbs[operation] ?? []) {
    const attributes = { verb, group, resource, namespace, name: verb === 'create' ? undefined : name };
    const found = await access(prober, defined(attributes));
    if (found?.allowed !== false) return undefined;
    refusal = forbiddenText({ user: user?.username ?? '', ...attributes, reason: found.reason });
  }
  return refusal;
}

/** An expression has a cost budget for two checks. */
const mostChecksOfAnExpression = 2;
/** For all webhooks of a request; unchecked permissions remain unknown. */
const mostChecks = 100;
const atOnce = 8;

/** Adds decisions of the authorizer about the user to a request, as far as matchConditions need them. */
export async function withPermissions(
  request: AdmissionRequest,
  callouts: readonly Callout[],
  prober: ClusterProber,
): Promise<AdmissionRequest> {
  let allowed: Readonly<Record<string, boolean>> = {};
  for (let round = 0; round < mostChecksOfAnExpression; round += 1) {
    const needed = callouts
      .filter(isAdmission)
      .filter(({ matchConditions }) => matchConditions.some((one) => readsVariable(one, 'authorizer')))
      .flatMap((callout) => accessChecks(callout, { ...request, allowed }));
    const checks = new Map(needed.map((check) => [accessKey(check), check]));
    const slot = slots(atOnce);
    const answers = await Promise.all(
      [...checks]
        .slice(0, mostChecks)
        .map(async ([key, check]) => [key, (await slot(() => access(prober, check)))?.allowed] as const),
    );
    for (const [key, answer] of answers) if (answer !== undefined) allowed = { ...allowed, [key]: answer };
  }
  return { ...request, allowed };
}
