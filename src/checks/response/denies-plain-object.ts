import { type MatchFacts, matchRequest } from '../../apiserver/admission/match.ts';
import { isDenialBy } from '../../apiserver/connection/own-call.ts';
import {
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
} from '../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  serverNames,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import { sampleRequests } from '../../apiserver/sample/sample-request.ts';
import { denialReasonIn, panicAdvice } from '../../apiserver/sentences/component-texts/denial-reasons.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type AdmissionCallout, isAdmission } from '../../facts/callout.ts';
import type { DryRun } from '../../facts/probes.ts';
import { groupResourceOf } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { briefEnd } from '../../phrases/brief.ts';
import { listed } from '../../phrases/lists.ts';
import { replicaErrorText } from '../../pods/gate-text.ts';
import { defineCheck } from '../check.ts';
import { admitMeanwhile } from './response-fault-check.ts';

/** The reason of a denial that is in the program, not in the object. */
const ownReason = (message: string): 'notReady' | 'unlicensed' | 'panicked' | undefined => {
  const kind = denialReasonIn(
    message,
    message.replace(/^admission webhook ".*?" denied the request: /, ''),
  )?.kind;
  if (kind === 'denial-not-ready') return 'notReady';
  if (kind === 'denial-panicked') return 'panicked';
  return kind === 'denial-unlicensed' ? 'unlicensed' : undefined;
};

const meanwhile = admitMeanwhile('denials');

/** Mutating webhooks by the resources in their rules: `configmaps`, `*`. */
const mutatingByResource = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) => {
  const mutating = callouts.filter(isAdmission).filter(({ kind }) => kind === 'mutating');
  const named = mutating.flatMap((callout) =>
    [...new Set(callout.rules.flatMap(({ resources }) => resources))].map((name) => ({ name, callout })),
  );
  return groupBy(named, ({ name }) => name);
});

/** The maximum number of test objects among which that of the dry run is searched, as it was planned. */
const mostRequests = 8;
/** The maximum number of mutating webhooks that are compared with a request. */
const mostMutating = 100;

/** The mutating webhooks that the API server called with the test object before this one. */
function calledBefore(
  callout: AdmissionCallout,
  { operation, resource, namespace }: DryRun,
  facts: ProbeFacts & MatchFacts,
): readonly AdmissionCallout[] {
  const sent = sampleRequests(callout, facts, facts.version, mostRequests).find(
    ({ request, served }) =>
      request.operation === operation &&
      groupResourceOf(request) === resource &&
      (served.namespaced ? request.namespace : undefined) === namespace,
  );
  if (sent === undefined) return [];
  const { request } = sent;
  const named = mutatingByResource(facts);
  const possible = [request.resource, '*', '*/*'].flatMap((name) => named.get(name) ?? []);
  return [...new Set(possible.map((one) => one.callout))]
    .slice(0, mostMutating)
    .filter((one) => matchRequest(one, request, facts, facts.version).outcome === 'called');
}

export const deniesPlainObject = defineCheck({
  meta: {
    id: 'denies-plain-object',
    title: 'Webhook denies a test object',
    severity: 'info',
    confidence: 'observed',
    why: 'The webhook was called with a minimal test object and denied it. The call works; the denial matters only if such objects must be admitted.',
    advice:
      '[look] Read the denial. [end] If such objects must be admitted, check the policies of the webhook. [look] Then write one of them to a FILE, and try it: `kubectl webhook doctor {configuration} -f FILE`.',
    messages: {
      review: '{replicas} denied the test object ({resource}): {detail}',
      undecided: {
        text: '{replicas} returned a response without `allowed`, which denies every request',
        severity: 'error',
        implies: 'refused-anyway',
        advice: `[end] Correct the program: \`response.allowed\` must be true or false. [with] A denial also needs \`response.status.message\`. ${meanwhile}`,
      },
      dryRun: 'The webhook denied a dry run of the test object ({resource}): {detail}',
      changed: {
        text: 'The webhook denied a dry run of the test object ({resource}): {detail}. Its Pods admit the object without the changes of {others}',
        advice:
          '[with] A mutating webhook may set the value that the denial names. [look] Write such an object to a FILE, and see the changes of each webhook: `kubectl webhook trace -f FILE`. [end] Correct the one that sets the value, or the policy that denies it.',
      },
      notReady: {
        text: 'The webhook denies the test object, because its program is not ready: {detail}',
        severity: 'warning',
        implies: 'refused-anyway',
        advice: `[look] Find in the log why the program is not ready: \`kubectl -n {namespace} logs {backend}\`. [end] Correct that, then restart its Pods: \`kubectl -n {namespace} rollout restart {workload}\`. ${meanwhile}`,
      },
      panicked: {
        text: 'The test object makes the program of the webhook panic, and is denied: {detail}',
        severity: 'warning',
        advice: panicAdvice,
      },
      unlicensed: {
        text: 'The webhook denies the test object because of its license: {detail}',
        severity: 'warning',
        implies: 'refused-anyway',
        advice: `[end] Renew the license in the configuration of the program, then restart the Pods: \`kubectl -n {namespace} rollout restart {workload}\`. ${meanwhile}`,
      },
    },
    follows: [
      'handler-waits-for-service',
      'replicas-disagree',
      'leader-gated-answer',
      'service-account-lacks-rights',
      'leader-lease-stale',
    ],
  },
  requires: [...probeFacts, 'namespaces', 'served'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const usable = usableEndpoints(callout, facts);
    const denying = usable.filter(({ callResult }) => callResult.outcome === 'denies');
    const [first] = denying;
    if (first !== undefined && denying.length === usable.length) {
      const resource = first.probe?.dialogues.flatMap(({ reviews }) => reviews)[0]?.resource ?? 'object';
      const data = {
        replicas: namesText(denying, serverNames(callout, facts)),
        resource,
        detail: briefEnd(replicaErrorText(first)),
      };
      const undecided = denying.every(
        ({ callResult: { outcome, ...result } }) =>
          outcome === 'denies' &&
          'answer' in result &&
          result.answer?.outcome === 'denied' &&
          result.answer.undecided,
      );
      return find(
        undecided ? 'undecided' : (ownReason(data.detail) ?? 'review'),
        data,
        denying.map((endpoint) => probedEndpointEvidence(callout, endpoint, replicaErrorText(endpoint))),
      );
    }
    const dryRun = probesAt(callout, facts)?.dryRun;
    if (denying.length > 0 || dryRun === undefined || !isDenialBy(callout, dryRun.message)) return undefined;
    const { resource, message } = dryRun;
    const evidence = [{ object: callout.ref, value: message }];
    const admitted = usable.length > 0 && usable.every(({ callResult }) => callResult.outcome === 'answers');
    const own = ownReason(briefEnd(message));
    const before =
      own === undefined && isAdmission(callout) && callout.kind === 'validating' && admitted
        ? calledBefore(callout, dryRun, facts)
        : [];
    const data = { resource, detail: briefEnd(message) };
    return before.length > 0
      ? find(
          'changed',
          {
            ...data,
            others: listed(
              before.map(({ webhook }) => webhook),
              { most: 3 },
            ),
          },
          evidence,
        )
      : find(own ?? 'dryRun', data, evidence);
  },
});
