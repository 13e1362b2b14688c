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
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import { sampleRequests } from '../../apiserver/sample/sample-request.ts';
import { knownResources } from '../../apiserver/sample/test-object.ts';
import {
  denialReasonIn,
  isOfTemplate,
  panicAdvice,
} from '../../apiserver/sentences/component-texts/denial-reasons.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type AdmissionCallout, type Callout, isAdmission } from '../../facts/callout.ts';
import type { DryRun } from '../../facts/probes.ts';
import { groupResourceOf } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { briefEnd } from '../../phrases/brief.ts';
import { listed } from '../../phrases/lists.ts';
import { replicaErrorText } from '../../pods/gate-text.ts';
import { type CheckStep, defineCheck, firstReported, type Messages } from '../check.ts';
import { admitMeanwhile, correctTemplate } from './response-fault-check.ts';

/**
 * The reason of a denial that is in the program, not in the object. The test object of a custom resource has an empty
 * spec: the API server refuses it before it calls validating webhooks, and after mutating ones. A dry run of an update is
 * of a stored object.
 */
const ownReason = (
  message: string,
  resource: string,
  operation?: string,
): 'notReady' | 'unlicensed' | 'template' | 'panicked' | 'panickedEmpty' | 'panickedStored' | undefined => {
  const kind = denialReasonIn(
    message,
    message.replace(/^admission webhook ".*?" denied the request: /, ''),
  )?.kind;
  if (kind === 'denial-not-ready') return 'notReady';
  if (kind === 'denial-panicked' && operation === 'UPDATE') return 'panickedStored';
  if (kind === 'denial-panicked') return knownResources.includes(resource) ? 'panicked' : 'panickedEmpty';
  if (isOfTemplate(message) && operation !== 'UPDATE') return 'template';
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

const advice =
  '[look] Read the denial. [end] If such objects must be admitted, check the policies of the webhook. [look] Then write such an object to a FILE, and send it to the webhook: `kubectl webhook doctor {configuration} -f FILE`.';

const messages = {
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
  panickedStored: {
    text: 'An update of a stored object ({resource}) makes the program of the webhook panic, and is denied: {detail}',
    severity: 'warning',
    advice: panicAdvice,
  },
  panickedEmpty:
    'The program panics at the test object ({resource}), which lacks the fields of real ones: {detail}',
  template: {
    text: 'The webhook denies the test object, because a template of its program has an error: {detail}',
    severity: 'warning',
    implies: 'refused-anyway',
    advice: `${correctTemplate} ${meanwhile}`,
  },
  unlicensed: {
    text: 'The webhook denies the test object because of its license: {detail}',
    severity: 'warning',
    implies: 'refused-anyway',
    advice: `[end] Renew the license in the configuration of the program, then restart the Pods: \`kubectl -n {namespace} rollout restart {workload}\`. ${meanwhile}`,
  },
} as const satisfies Messages;

const requires = [...probeFacts, 'namespaces', 'served'] as const;

type OwnStep = CheckStep<Callout, typeof requires, typeof messages, typeof advice>;

/** True for a response without `allowed`. */
const isUndecided = ({ callResult }: ProbedEndpoint): boolean =>
  callResult.outcome === 'denies' &&
  callResult.answer?.outcome === 'denied' &&
  callResult.answer.undecided === true;

/** A denial by every Pod. */
const ofPods: OwnStep = (callout, facts, find) => {
  const usable = usableEndpoints(callout, facts);
  const [first] = usable;
  if (first === undefined || !usable.every(({ callResult }) => callResult.outcome === 'denies'))
    return undefined;
  const data = {
    replicas: namesText(usable, serverNames(callout, facts)),
    resource: first.probe?.dialogues.flatMap(({ reviews }) => reviews)[0]?.resource ?? 'object',
    detail: briefEnd(replicaErrorText(first)),
  };
  const messageId = usable.every(isUndecided)
    ? 'undecided'
    : (ownReason(data.detail, data.resource) ?? 'review');
  const evidence = usable.map((endpoint) =>
    probedEndpointEvidence(callout, endpoint, replicaErrorText(endpoint)),
  );
  return find(messageId, data, evidence);
};

/** A denial that only the API server got, perhaps of an object that other webhooks have changed. */
const ofDryRun: OwnStep = (callout, facts, find) => {
  const usable = usableEndpoints(callout, facts);
  const dryRun = probesAt(callout, facts)?.dryRun;
  if (dryRun === undefined || !isDenialBy(callout, dryRun.message)) return undefined;
  if (usable.some(({ callResult }) => callResult.outcome === 'denies')) return undefined;
  const detail = briefEnd(dryRun.message);
  const own = ownReason(detail, dryRun.resource, dryRun.operation);
  const isAdmitted = usable.length > 0 && usable.every(({ callResult }) => callResult.outcome === 'answers');
  const before =
    own === undefined && callout.kind === 'validating' && isAdmitted
      ? calledBefore(callout, dryRun, facts).map(({ webhook }) => webhook)
      : [];
  const data = { resource: dryRun.resource, detail, others: listed(before, { most: 3 }) };
  const messageId = before.length > 0 ? 'changed' : (own ?? 'dryRun');
  return find(messageId, data, [{ object: callout.ref, value: dryRun.message }]);
};

export const deniesPlainObject = defineCheck({
  meta: {
    id: 'denies-plain-object',
    title: 'Webhook denies a test object',
    severity: 'info',
    confidence: 'observed',
    why: 'The webhook was called with a minimal test object and denied it. The call works; the denial matters only if such objects must be admitted.',
    advice,
    messages,
    follows: [
      'handler-waits-for-service',
      'replicas-disagree',
      'leader-gated-answer',
      'service-account-lacks-rights',
      'leader-lease-stale',
    ],
  },
  requires,
  subjects: probedCallouts,
  run: firstReported(ofPods, ofDryRun),
});
