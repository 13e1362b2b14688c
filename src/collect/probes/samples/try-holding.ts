import type { AdmissionRequest } from '../../../apiserver/admission/admission-request.ts';
import { matchRequest } from '../../../apiserver/admission/match.ts';
import {
  candidateWebhooks,
  type HeldPod,
  requestsOf,
  workloadKey,
} from '../../../apiserver/held-pods/holding-webhooks.ts';
import { hasSamePlaceholder, requestBefore } from '../../../apiserver/held-pods/released-object.ts';
import { type AdmissionCallout, calloutId, isAdmission } from '../../../facts/callout.ts';
import type { HoldTrial, TrialOutcome } from '../../../facts/hold-trial.ts';
import type { Lookup } from '../../../facts/lookup.ts';
import type { CalloutProbes } from '../../../facts/probes.ts';
import { pathOf } from '../../../facts/resource.ts';
import type { ClusterProber } from '../../cluster.ts';
import { fromReadings, notRequested } from '../../collector.ts';
import { jsonOf, refusalText, requestEnds } from '../api-server/api-call.ts';
import { wouldIntercept } from '../api-server/dry-run.ts';
import { reviewPayload } from '../payload.ts';
import { probe } from '../probe.ts';
import type { ProbePlan, ProbePlanFacts } from '../run.ts';
import { connectionUnread } from '../unread.ts';
import { firstResponse } from './first-response.ts';

/** The maximum number of workloads whose Pods are tried. */
const atMost = 10;

const inconclusive = (why: string): TrialOutcome => ({ outcome: 'untold', why });

const outcomeOf = (object: unknown, held: HeldPod): TrialOutcome => ({
  outcome: hasSamePlaceholder(object, held) ? 'parks' : 'leaves',
});

/** The first request that the webhook may match, with the object in its original form. */
const matchingRequest = (
  held: HeldPod,
  callout: AdmissionCallout,
  facts: ProbePlanFacts,
): AdmissionRequest | undefined =>
  requestsOf(held)
    .flatMap((about) => requestBefore(held, about) ?? [])
    .find((request) => ['called', 'unknown'].includes(matchRequest(callout, request, facts).outcome));

function triedBy(callout: AdmissionCallout, probes: CalloutProbes | undefined, held: HeldPod): TrialOutcome {
  const response = firstResponse(callout, probes);
  if ('why' in response) return inconclusive(response.why);
  const { evaluated, object } = response;
  if (evaluated.outcome === 'allowed') return outcomeOf(evaluated.patched ?? object, held);
  return inconclusive(evaluated.outcome === 'denied' ? evaluated.message : 'its response cannot be used');
}

/** The outcome of a dry run, in which the API server calls all webhooks that match. */
async function dryRun(
  prober: ClusterProber,
  held: HeldPod,
  request: AdmissionRequest,
): Promise<TrialOutcome> {
  const { group, version, resource, namespace, object = {} } = request;
  const { name, ...metadata } = (object as { readonly metadata: { readonly name?: string } }).metadata;
  // An object of this name exists.
  const another =
    name === undefined ? object : { ...object, metadata: { ...metadata, generateName: `${name}-` } };
  const path = pathOf({ group, version, plural: resource }, namespace);
  try {
    const answer = await prober.dryRun({ verb: 'create', path, object: another }, requestEnds(prober));
    const refused = refusalText(answer);
    return refused === '' ? outcomeOf(jsonOf(answer), held) : inconclusive(refused);
  } catch (error) {
    return inconclusive(
      connectionUnread(path, error, { apiGroups: [], resources: [], verbs: [] }).detail ?? 'no response',
    );
  }
}

/** The permissions that trials of held Pods require. */
interface Trials {
  readonly prober: ClusterProber;
  readonly facts: ProbePlanFacts;
  readonly plan: ProbePlan;
}

async function tryOne(
  { prober, facts, plan }: Trials,
  held: HeldPod,
  candidates: readonly AdmissionCallout[],
): Promise<HoldTrial> {
  const requests = new Map(
    candidates.map((callout) => [calloutId(callout), matchingRequest(held, callout, facts)]),
  );
  const matching = candidates.filter((callout) => requests.get(calloutId(callout)) !== undefined);
  const { probes } = await probe(prober, facts, matching, {
    ...plan,
    level: 'review',
    replicasOnly: true,
    payload: (callout) => {
      const request = requests.get(calloutId(callout));
      return isAdmission(callout) && request !== undefined
        ? reviewPayload(callout, request)
        : { payload: { callout: calloutId(callout), reviews: [] } };
    },
  });
  const answers = candidates.map((callout) => {
    const id = calloutId(callout);
    const tried = matching.includes(callout)
      ? triedBy(callout, probes.getIfKnown(id), held)
      : inconclusive('it does not match the object as it was before');
    return { webhook: callout.ref, tried };
  });
  if (answers.some(({ tried }) => tried.outcome === 'parks')) return { answers };
  const created = [...requests.values()].find((request) => request?.operation === 'CREATE');
  if (created === undefined || wouldIntercept({ request: created }, facts.callouts, facts))
    return { answers };
  return { answers, dryRun: await dryRun(prober, held, created) };
}

/**
 * Finds out which of several webhooks hold Pods in Pending: calls each of them, and the API server, with the
 * Pod in its original form. Tries a few Pods, one per workload.
 */
export async function runHoldTrials(trials: Trials, held: readonly HeldPod[]): Promise<Lookup<HoldTrial>> {
  const first = new Map<string, HeldPod>();
  for (const one of held) if (!first.has(workloadKey(one))) first.set(workloadKey(one), one);
  const doubtful = [...first]
    .map(([key, one]) => ({ key, one, candidates: candidateWebhooks(one, trials.facts) }))
    .filter(({ candidates }) => candidates.length > 1)
    .slice(0, atMost);
  const results = await Promise.all(
    doubtful.map(
      async ({ key, one, candidates }) => [key, { value: await tryOne(trials, one, candidates) }] as const,
    ),
  );
  return fromReadings(new Map(results), notRequested('which webhook holds Pods, where only one can'));
}
