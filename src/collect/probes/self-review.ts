import type { AdmissionRequest, RequestUser } from '../../apiserver/admission/admission-request.ts';
import { accessChecks, readsVariable } from '../../apiserver/admission/match-conditions.ts';
import { accessKey } from '../../apiserver/cel/authorization-functions.ts';
import type { AccessCheck } from '../../apiserver/cel/value.ts';
import { type Callout, isAdmission } from '../../facts/callout.ts';
import type { ClusterProber } from '../cluster-prober.ts';
import { slots } from '../slots.ts';
import { jsonOf, requestEnds } from './api-call.ts';

/** What the API server says of us, impersonated or not, in a review of its own; undefined where it does not say. */
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

/** Who we are to the API server; undefined where it does not say. */
export const whoAmI = async (prober: ClusterProber): Promise<RequestUser | undefined> =>
  (await review<{ readonly userInfo?: RequestUser }>(prober, 'authentication.k8s.io', 'SelfSubjectReview'))
    ?.userInfo;

async function mayI(prober: ClusterProber, check: AccessCheck): Promise<boolean | undefined> {
  const { path, verb, ...resource } = check;
  const status = await review<{ readonly allowed?: boolean }>(
    prober,
    'authorization.k8s.io',
    'SelfSubjectAccessReview',
    path === undefined
      ? { resourceAttributes: { ...resource, verb, version: '*' } }
      : { nonResourceAttributes: { path, verb } },
  );
  return status?.allowed;
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
    const asked = callouts
      .filter(isAdmission)
      .filter(({ matchConditions }) => matchConditions.some((one) => readsVariable(one, 'authorizer')))
      .flatMap((callout) => accessChecks(callout, { ...request, allowed }));
    const checks = new Map(asked.map((check) => [accessKey(check), check]));
    const slot = slots(atOnce);
    const answers = await Promise.all(
      [...checks]
        .slice(0, mostChecks)
        .map(async ([key, check]) => [key, await slot(() => mayI(prober, check))] as const),
    );
    for (const [key, answer] of answers) if (answer !== undefined) allowed = { ...allowed, [key]: answer };
  }
  return { ...request, allowed };
}
