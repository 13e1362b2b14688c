import type {
  AdmissionRequest,
  Operation,
  RequestUser,
} from '../../apiserver/admission/admission-request.ts';
import { accessChecks, readsVariable } from '../../apiserver/admission/match-conditions.ts';
import { accessKey } from '../../apiserver/cel/authorization-functions.ts';
import type { AccessCheck } from '../../apiserver/cel/value.ts';
import { forbiddenText } from '../../apiserver/sentences/forbidden-words.ts';
import { type Callout, isAdmission } from '../../facts/callout.ts';
import { defined } from '../../facts/defined.ts';
import type { ClusterProber } from '../cluster-prober.ts';
import { slots } from '../slots.ts';
import { jsonOf, requestEnds } from './api-call.ts';

/** Sends a self-review to the API server, impersonated or not; undefined if it does not respond. */
async function review<Status>(
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
export const whoAmI = async (prober: ClusterProber): Promise<RequestUser | undefined> =>
  (await review<{ readonly userInfo?: RequestUser }>(prober, 'authentication.k8s.io', 'SelfSubjectReview'))
    ?.userInfo;

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

/** Verbs that stand for an operation, each of which allows it. */
const verbs: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  CREATE: ['create'],
  UPDATE: ['patch', 'update'],
  DELETE: ['delete'],
};

/** The words with which the API server refuses a request for which its user has no right; undefined: not that we know. */
export async function lackedRight(
  { operation, group, resource, namespace, name, user }: AdmissionRequest,
  prober: ClusterProber,
): Promise<string | undefined> {
  let refusal: string | undefined;
  for (const verb of verbs[operation] ?? []) {
    const named = verb === 'create' ? undefined : name;
    const found = await access(prober, {
      verb,
      group,
      resource,
      ...defined({ namespace, name: named }),
    });
    if (found?.allowed !== false) return undefined;
    refusal = forbiddenText({
      user: user?.username ?? '',
      verb,
      group,
      resource,
      namespace,
      name: named,
      reason: found.reason,
    });
  }
  return refusal;
}

/** Two checks are all that an expression can pay for. */
const mostChecksOfAnExpression = 2;
/** Of all webhooks of a request; what is not asked stays unknown. */
const mostChecks = 100;
const atOnce = 8;

/** The request with what the API server's authorizer says of us, as far as matchConditions ask for it. */
export async function withRights(
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
