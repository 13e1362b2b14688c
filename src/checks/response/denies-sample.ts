import { type CalledWith, calledWith } from '../../apiserver/connection/called-with.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import {
  hasFailed,
  namesText,
  probedEndpointEvidence,
  serverNames,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import {
  denialIn,
  isErrorOfProgram,
  isOfTemplate,
  isPanic,
  panicAdvice,
} from '../../apiserver/sentences/component-texts/denial-reasons.ts';
import { outboundErrorIn } from '../../apiserver/sentences/logs/outbound-error.ts';
import type { Callout } from '../../facts/callout.ts';
import type { SampledObject } from '../../facts/sample.ts';
import type { World } from '../../facts/snapshot.ts';
import { briefEnd } from '../../phrases/brief.ts';
import { listed } from '../../phrases/lists.ts';
import { denialSentence, replicaErrorText } from '../../pods/gate-text.ts';
import { type RefusedPods, refusedBy, refusedEvidence, refusedText } from '../../pods/refused-pods.ts';
import { type CheckStep, defineCheck, fatalForSome, firstReported, latent, type Messages } from '../check.ts';
import { admitMeanwhile, correctTemplate, letDeletionPass } from './response-fault-check.ts';

const sampleFacts = [...probeFacts, 'samples', 'failedCreateEvents', 'podControllers'] as const;
type SampleFacts = World<(typeof sampleFacts)[number]>;

const hasHandshake = ({ probe }: ProbedEndpoint): boolean =>
  probe?.dialogues.some(({ handshake }) => handshake !== undefined) === true;

const answers = ({ callResult }: ProbedEndpoint): boolean => callResult.outcome === 'answers';

/** True for a patch that decodes and cannot be applied: the request fails whatever the failurePolicy. */
const hasUnappliedPatch = (result: ProbedEndpoint['callResult']): boolean =>
  result.outcome === 'fails' &&
  result.fault === 'patch-invalid' &&
  result.answer?.outcome === 'api-server-error';

/** What a denial says, if all of these endpoints deny; undefined if one does not. */
const denialOf = (endpoints: readonly ProbedEndpoint[]): string | undefined => {
  const [first] = endpoints;
  const isDenied =
    first !== undefined && endpoints.every(({ callResult }) => callResult.outcome === 'denies');
  return isDenied ? briefEnd(replicaErrorText(first)) : undefined;
};

/** The error of the first endpoint, if all of them allow the request and report one; undefined otherwise. */
function ignoredErrorOf(endpoints: readonly ProbedEndpoint[]): string | undefined {
  const errors = endpoints.map(({ callResult }) =>
    callResult.outcome === 'answers' && callResult.answer?.outcome === 'allowed'
      ? callResult.answer.ignoredError
      : undefined,
  );
  return errors.includes(undefined) ? undefined : errors[0];
}

const namesOf = (endpoints: readonly ProbedEndpoint[], callout: Callout, facts: SampleFacts): string =>
  namesText(endpoints, serverNames(callout, facts));

const evidenceOf = (endpoints: readonly ProbedEndpoint[], callout: Callout) =>
  endpoints.map((endpoint) => probedEndpointEvidence(callout, endpoint, replicaErrorText(endpoint)));

/** The denial of a node's heartbeat, while no node writes one. */
function deniedHeartbeat(callout: Callout, facts: SampleFacts) {
  for (const { sample, what, facts: seen } of calledWith(callout, facts)) {
    if (sample?.overdueSince === undefined) continue;
    const denying = usableEndpoints(callout, seen);
    const detail = denialOf(denying);
    const { operation, overdueSince: time } = sample;
    if (detail !== undefined) return { denying, data: { operation, object: what, time, detail } };
  }
  return undefined;
}

/** Workloads that miss Pods now, because the webhook denied them with the same error of its program. */
function blockedNow(callout: Callout, denial: string, facts: SampleFacts): readonly RefusedPods[] {
  const words = denialIn(denial);
  if (!isErrorOfProgram(words)) return [];
  return facts.failedCreateEvents.known('FailedCreate')
    ? refusedBy(callout, facts).filter(
        ({ blame: { error }, event: { message = '' } }) =>
          error.kind === 'denial' && denialIn(message) === words,
      )
    : [];
}

/** A denial that may depend on the user: the update of a stored object is sent as that of kubectl. */
const ofUser = /\b(?:only|users?|(?:service)?accounts?|permissions?|authori[sz]ed)\b|\bsystem:/i;

/** The denial of the test object, if at least two stored objects were called with, and each has the same. */
function deniedAlike(callout: Callout, facts: SampleFacts) {
  const denying = usableEndpoints(callout, facts);
  const detail = denialOf(denying);
  const stored = calledWith(callout, facts).filter(
    ({ sample }) => sample?.by === 'stored' && sample.overdueSince === undefined,
  );
  // An object can be called with as its creation and as its update: the creation is like that of the test object.
  const created = stored.filter(({ sample }) => sample?.operation === 'CREATE');
  const objects = created.length > 0 ? created : stored;
  // Another check reports a request of the handler to another server that failed.
  return detail !== undefined &&
    outboundErrorIn(replicaErrorText(denying[0] as ProbedEndpoint)) === undefined &&
    objects.length > 1 &&
    objects.every((one) => denialOf(usableEndpoints(callout, one.facts)) === detail)
    ? { denying, detail, count: objects.length }
    : undefined;
}

/** Another message, or another check, reports these. */
const isOfOther = ({ overdueSince, operation }: SampledObject): boolean =>
  overdueSince !== undefined || operation === 'CONVERT';

/** True for a denied update of a stored object that changes nothing, or only removes finalizers. */
const deniesUnchanged = (endpoint: ProbedEndpoint, { by, operation, finalizers }: SampledObject): boolean =>
  by === 'stored' &&
  operation === 'UPDATE' &&
  endpoint.callResult.outcome === 'denies' &&
  (finalizers !== undefined || !ofUser.test(denialIn(replicaErrorText(endpoint))));

const testObjectText = ({ object: { kind }, kibibytes, role }: SampledObject): string => {
  if (role === 'mirror-pod') return 'the mirror Pod of a static Pod';
  return kibibytes === undefined ? `a test object (${kind})` : `a test object of ${kibibytes} KiB (${kind})`;
};

const advice =
  '[end] Change the object as the denial requires. [end] If the object must be admitted as it is, change the policies of the webhook. [look] Then write the object to a FILE, and send it to the webhook: `kubectl webhook doctor {configuration} -f FILE`. [look] `kubectl webhook trace -f FILE` shows which webhook sets a value that the object does not have.';

const messages = {
  failed: fatalForSome(
    '{operation} of {object} fails at {replicas}: {detail}',
    '[look] Read the error, and the log of the webhook about this request: `kubectl -n {namespace} logs {backend}`.',
  ),
  patch: {
    text: '{operation} of {object} fails, because the patch of {replicas} cannot be applied to it: {detail}',
    severity: 'error',
    consequence: 'degraded',
    implies: 'refused-anyway',
    advice: `[end] Correct the path in the patch: use the version of the program for this cluster. [end] If the webhook is not needed for this kind of object, remove it from the rules: \`kubectl edit {kind} {configuration}\`. ${admitMeanwhile('such a patch')}`,
  },
  tooLarge: fatalForSome(
    'Small objects pass, but {operation} of {object} fails at {replicas}: {detail}',
    '[end] Raise the maximum size of a request to 8 MiB or more, in the server and in each proxy before it. [with] An update contains the object twice. [look] Read the log: `kubectl -n {namespace} logs {backend}`.',
  ),
  panics: latent(
    '{operation} of {object} makes the program of {replicas} panic, and is denied: {detail}',
    panicAdvice,
  ),
  given: latent('{replicas} denied {operation} of {object}: {detail}'),
  everything: {
    text: '{replicas} denied the test object and all {count} stored objects of a dry run, for the same reason: {detail}',
    severity: 'warning',
    advice:
      '[with] These objects cannot be created again. [end] If the reason is an error of the program or its configuration, correct that: `kubectl -n {namespace} logs {backend}`. [end] Otherwise correct the objects, or the policies of the webhook.',
  },
  blocked: {
    text: '{replicas} denied the test object and all {count} stored objects of a dry run; {pods} of {workloads} cannot be created: {detail}',
    severity: 'error',
    consequence: 'failing',
    implies: 'refused-anyway',
    advice: `[look] Read the error of the program: \`kubectl -n {namespace} logs {backend}\`. ${admitMeanwhile('denials')}`,
  },
  admitted: {
    text: '{replicas} admitted {operation} of {object}, but reported an error, which the API server ignores: {detail}',
    severity: 'warning',
    advice:
      '[with] The webhook did not do its work for such objects, for example inject a container. [end] Correct the value that the error names, in this object or in another one; the log may say more: `kubectl -n {namespace} logs {backend}`. [end] Then create the objects again: stored ones stay as they are.',
  },
  template: {
    text: '{replicas} denied the test object and all {count} stored objects of a dry run: a template of the program has an error: {detail}',
    severity: 'error',
    consequence: 'failing',
    implies: 'refused-anyway',
    advice: `${correctTemplate} ${admitMeanwhile('denials')}`,
  },
  heartbeat: {
    text: '{replicas} denied {operation} of {object} by its kubelet: {detail}. No node has renewed its Lease since {time}, and such nodes become NotReady',
    severity: 'error',
    consequence: 'failing',
    implies: 'refused-anyway',
    advice:
      '[end] Exclude the namespace of these Leases: `kubectl webhook fix {configuration} --remedy exclude-namespace -n {chosen}`. [end] Then correct the policy of the webhook, or make its rules narrower: `kubectl edit {kind} {configuration}`. [with] `failurePolicy` has no effect on denials.',
  },
  stored: '{replicas} denied {operation} of {object}, which is stored: {detail}',
  unchanged: latent(
    '{replicas} denied an UPDATE of {object} that changes nothing: {detail}',
    '[with] If the denial does not depend on the user, controllers cannot write such an object, either: its replicas or its finalizers. [end] Then correct the policy or the program, so that it admits what does not change. [look] The log of the webhook may say more: `kubectl -n {namespace} logs {backend}`.',
  ),
  deleted: latent(
    '{object} is being deleted, and {replicas} denied the updates that remove its finalizers ({finalizers}): {detail}',
    letDeletionPass,
  ),
} as const satisfies Messages;

type OwnStep<Subject = Callout> = CheckStep<Subject, typeof sampleFacts, typeof messages, typeof advice>;
type CalledSample = CalledWith<SampleFacts> & { readonly callout: Callout };

/** The denial of a heartbeat by which nodes become NotReady. */
const heartbeatDenied: OwnStep = (callout, facts, find) => {
  const overdue = deniedHeartbeat(callout, facts);
  if (overdue === undefined) return undefined;
  const { denying } = overdue;
  const data = { ...overdue.data, replicas: namesOf(denying, callout, facts) };
  const found = find('heartbeat', data, evidenceOf(denying, callout), { chosen: 'kube-node-lease' });
  return { ...found, ...denialSentence(denying) };
};

/** The same denial of the test object and of all stored objects, which perhaps blocks workloads now. */
const everythingDenied: OwnStep = (callout, facts, find) => {
  const all = deniedAlike(callout, facts);
  if (all === undefined) return undefined;
  const { denying, detail, count } = all;
  const data = { replicas: namesOf(denying, callout, facts), count, detail };
  const refused = blockedNow(callout, replicaErrorText(denying[0] as ProbedEndpoint), facts);
  const evidence = [...evidenceOf(denying, callout), ...refusedEvidence(refused)];
  if (isOfTemplate(replicaErrorText(denying[0] as ProbedEndpoint)))
    return { ...find('template', data, evidence), ...denialSentence(denying) };
  if (refused.length === 0) return find('everything', data, evidence);
  const names = { chosen: refused[0]?.workload.namespace };
  const found = find('blocked', { ...data, ...refusedText(refused) }, evidence, names);
  return { ...found, ...denialSentence(denying) };
};

/** True if all servers fail or deny for an object, in the same way, and do not so for the test object. */
function isOnlyForObject(
  sample: SampledObject,
  usable: readonly ProbedEndpoint[],
  ofTestObject: readonly ProbedEndpoint[],
): boolean {
  const outcome = usable[0]?.callResult.outcome;
  const isMadeUp = sample.by === 'made-up';
  if (outcome === undefined || usable.some(({ callResult }) => callResult.outcome !== outcome)) return false;
  // A process that ended since, for whatever reason, is no handler that fails for an object.
  if (isMadeUp && !usable.every(hasHandshake)) return false;
  // Without that, the size is not what makes the difference.
  if (sample.kibibytes !== undefined && !ofTestObject.every(answers)) return false;
  if (outcome === 'denies') return !isMadeUp || usable.every((one) => isPanic(replicaErrorText(one)));
  // If the test object fails as well, another check reports that.
  return outcome === 'fails' && !ofTestObject.every(hasFailed);
}

/** The id of the message about servers that all fail or deny. */
function messageFor(sample: SampledObject, usable: readonly [ProbedEndpoint, ...ProbedEndpoint[]]) {
  const { by, kibibytes, finalizers } = sample;
  const isFailure = usable[0].callResult.outcome === 'fails';
  if (kibibytes !== undefined) return 'tooLarge';
  if (by === 'made-up' && !isFailure) return 'panics';
  if (deniesUnchanged(usable[0], sample)) return finalizers === undefined ? 'unchanged' : 'deleted';
  if (usable.every(({ callResult }) => hasUnappliedPatch(callResult))) return 'patch';
  return by === 'made-up' || isFailure ? 'failed' : by;
}

/** What the servers respond to one object, if that is a fault: of an admitted one, an error that is ignored. */
const ofObject: OwnStep<CalledSample> = ({ callout, sample, what, facts: seen }, facts, find) => {
  const usable = usableEndpoints(callout, seen);
  const [first, ...others] = usable;
  if (sample === undefined || first === undefined || isOfOther(sample)) return undefined;
  const isMadeUp = sample.by === 'made-up';
  const ignored = isMadeUp ? undefined : ignoredErrorOf(usable);
  const data = {
    replicas: namesOf(usable, callout, seen),
    operation: sample.operation,
    object: isMadeUp ? testObjectText(sample) : what,
    detail: briefEnd(ignored ?? replicaErrorText(first)),
    finalizers: listed(sample.finalizers ?? [], { most: 3 }),
  };
  if (ignored !== undefined) {
    const evidence = usable.map((endpoint) => probedEndpointEvidence(callout, endpoint, ignored));
    return find('admitted', data, evidence);
  }
  return isOnlyForObject(sample, usable, usableEndpoints(callout, facts))
    ? find(messageFor(sample, [first, ...others]), data, evidenceOf(usable, callout))
    : undefined;
};

export const deniesSample = defineCheck({
  meta: {
    id: 'denies-sample',
    title: 'Webhook denies or fails certain objects',
    severity: 'info',
    confidence: 'observed',
    why: 'Every replica was called with the object in a dry run, and each denied it or failed, but not for the test object. Users get this response for such objects, whichever replica the API server calls.',
    advice,
    noRemedy: { because: 'denials are the purpose of a webhook' },
    messages,
    follows: ['service-account-lacks-rights', 'leader-lease-stale'],
  },
  requires: sampleFacts,
  subjects: probedCallouts,
  run: (callout, facts, find) =>
    firstReported(heartbeatDenied, everythingDenied)(callout, facts, find) ??
    calledWith(callout, facts).flatMap((called) => ofObject({ callout, ...called }, facts, find) ?? []),
});
