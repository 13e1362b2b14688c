import { calledWith, reviewsTo } from '../../apiserver/connection/called-with.ts';
import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { callErrorText, isPatchFailure } from '../../apiserver/connection/own-call.ts';
import {
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
} from '../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import {
  invalidFields,
  isFieldChanged,
  isValueQuoted,
  patchedAgain,
} from '../../apiserver/patch/invalid-fields.ts';
import { calloutUrl } from '../../apiserver/routing/callout-url.ts';
import type { Callout } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { brief } from '../../phrases/brief.ts';
import { notInDeletion } from '../../phrases/exempting-expressions.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck, latent, partial } from '../check.ts';
import { admitMeanwhile, checksBehindResponses, letDeletionPass } from './response-fault-check.ts';

const nameOf = (object: unknown): unknown =>
  (object as { readonly metadata?: { readonly name?: unknown } } | undefined)?.metadata?.name;

interface InvalidPatch {
  readonly endpoint: ProbedEndpoint;
  readonly fields: readonly string[];
  /** The patch changed or removed the name: it replaces every object with this one. */
  readonly replaced: boolean;
  /** The patch makes them invalid only if it is applied to its own result. */
  readonly twice: boolean;
}

/** True if the API server can apply the patch twice: it calls the program again, or for another webhook. */
const isCalledTwice = (callout: Callout, { callouts }: ProbeFacts): boolean =>
  callout.kind === 'mutating' &&
  (callout.reinvocationPolicy === 'IfNeeded' ||
    callouts.some(
      (other) => other !== callout && other.kind === 'mutating' && calloutUrl(other) === calloutUrl(callout),
    ));

function invalidPatchOf(
  endpoint: ProbedEndpoint,
  { invalid, url }: CalloutProbes,
  calledTwice: boolean,
): readonly InvalidPatch[] {
  const { callResult, probe } = endpoint;
  if (invalid === undefined || callResult.outcome !== 'answers' || callResult.answer?.outcome !== 'allowed')
    return [];
  const { patched, patch = [] } = callResult.answer;
  const connections = probe?.dialogues ?? (url === undefined ? [] : [url]);
  const sent = connections.flatMap(({ reviews }) => reviews).find(({ answer }) => answer !== undefined);
  if (patched === undefined || sent?.resource !== invalid.resource) return [];
  const changed = (before: unknown, after: unknown) =>
    invalidFields(invalid.message).filter((field) => isFieldChanged(before, after, field));
  const once = changed(sent.object, patched);
  const twice = once.length === 0;
  const again = (twice && calledTwice ? patchedAgain(patched, patch) : undefined) ?? patched;
  // Another webhook can add an item at the same index.
  const fields = twice
    ? changed(patched, again).filter((field) => isValueQuoted(invalid.message, field, again))
    : once;
  const replaced = nameOf(patched) !== nameOf(sent.object);
  return fields.length === 0 ? [] : [{ endpoint, fields, replaced, twice }];
}

/** Reports patches that apply and make the object invalid. */
function invalidAfterPatch(callout: Callout, facts: ProbeFacts) {
  const probes = probesAt(callout, facts);
  if (probes?.invalid === undefined) return undefined;
  const { resource, message } = probes.invalid;
  const usable = usableEndpoints(callout, facts);
  const calledTwice = isCalledTwice(callout, facts);
  const invalidPatches = usable.flatMap((endpoint) => invalidPatchOf(endpoint, probes, calledTwice));
  if (invalidPatches.length === 0) return undefined;
  const data = {
    replicas: namesText(invalidPatches.map(({ endpoint }) => endpoint)),
    resource,
    fields: listed(new Set(invalidPatches.flatMap(({ fields }) => fields))),
    detail: brief(message),
  };
  const replaced = invalidPatches.length === usable.length && invalidPatches.every((one) => one.replaced);
  const evidence = [{ object: callout.ref, field: 'a server-side dry run', value: message }];
  const applied = invalidPatches.every((one) => one.twice) ? ('twice' as const) : ('spoils' as const);
  const messageId = replaced ? ('replaces' as const) : applied;
  return { messageId, data, evidence, message };
}

/** The patch of an update without a change because of which the API server refuses to remove the finalizers of an object. */
function keepsFinalizers(callout: Callout, facts: ProbeFacts & Pick<Facts, 'samples'>) {
  for (const { sample, what, facts: seen } of calledWith(callout, facts)) {
    const { finalizers, dryRun } = sample ?? {};
    if (finalizers === undefined || dryRun === undefined || dryRun.message === '') continue;
    const [first, ...others] = usableEndpoints(callout, seen);
    const answer = first?.callResult.outcome === 'answers' ? first.callResult.answer : undefined;
    if (first === undefined || answer?.outcome !== 'allowed' || answer.patched === undefined) continue;
    const sent = reviewsTo(first, callout, seen).find((one) => one.answer);
    const fields = invalidFields(dryRun.message).filter((field) =>
      isFieldChanged(sent?.object, answer.patched, field),
    );
    if (fields.length === 0) continue;
    const value = `patch of an UPDATE changes ${listed(fields)}`;
    return {
      messageId: sample?.object.kind === 'Pod' ? ('podInDeletion' as const) : ('onDeletion' as const),
      data: {
        replicas: namesText([first, ...others]),
        object: what,
        finalizers: listed(finalizers, { most: 3 }),
        detail: brief(dryRun.message),
      },
      evidence: [probedEndpointEvidence(callout, first, value)],
    };
  }
  return undefined;
}

/** Lists to which no update of a Pod may add (ValidatePodUpdate, pkg/apis/core/validation). */
const fixedLists = ['containers', 'initContainers', 'volumes'] as const;

const podLists = (object: unknown): Partial<Record<(typeof fixedLists)[number], readonly unknown[] | null>> =>
  (object as { readonly spec?: object } | undefined)?.spec ?? {};

/** The lists of a Pod to which a webhook adds when the Pod is updated, at each of its servers. */
function addedOnUpdate(callout: Callout, facts: ProbeFacts & Pick<Facts, 'samples'>) {
  if (callout.kind !== 'mutating') return undefined;
  const sampled = calledWith(callout, facts).find(
    ({ sample }) => sample?.operation === 'UPDATE' && sample.object.kind === 'Pod',
  );
  const endpoints = sampled === undefined ? [] : usableEndpoints(callout, sampled.facts);
  const fields = fixedLists.filter(
    (list) =>
      endpoints.length > 0 &&
      endpoints.every(({ callResult, probe }) => {
        const sent = probe?.dialogues.flatMap(({ reviews }) => reviews).find(({ answer }) => answer);
        if (callResult.outcome !== 'answers' || callResult.answer?.outcome !== 'allowed') return false;
        const { patched } = callResult.answer;
        return (
          sent?.resource === 'pods' &&
          (podLists(patched)[list]?.length ?? 0) > (podLists(sent.object)[list]?.length ?? 0)
        );
      }),
  );
  if (fields.length === 0) return undefined;
  const value = `patch of an UPDATE adds to ${listed(fields.map((field) => `spec.${field}`))}`;
  return {
    data: { replicas: namesText(endpoints), fields: listed(fields) },
    evidence: endpoints.map((endpoint) => probedEndpointEvidence(callout, endpoint, value)),
  };
}

/** Reports a dry run of which only the API server saw the patch: no Pod could be called. */
function unappliedPatch(callout: Callout, facts: ProbeFacts) {
  const dryRun = callout.kind === 'mutating' ? probesAt(callout, facts)?.dryRun : undefined;
  if (dryRun === undefined || !isPatchFailure(dryRun.message)) return undefined;
  const message = callErrorText(dryRun.message);
  const evidence = [{ object: callout.ref, field: 'a server-side dry run', value: message }];
  const data = { resource: dryRun.resource, detail: brief(message) };
  return { data, evidence, message };
}

/** What a patch has done to the object, by the error of the API server that decodes or checks the result. */
function stoppedBy(detail: string): 'mistyped' | 'moves' | 'stops' {
  if (/cannot unmarshal \w+ into Go struct field/.test(detail)) return 'mistyped';
  return /does not match the namespace sent on the request/.test(detail) ? 'moves' : 'stops';
}

const validPatch =
  '[end] Return a JSON patch (RFC 6902) in base64 and `patchType: JSONPatch`. [look] Test the patch with an object without labels, annotations and other optional fields: `kubectl webhook doctor {configuration} -f FILE`.';
const meanwhile = admitMeanwhile('such a patch');

const keepsObject =
  '{object} is being deleted, and the patch of {replicas} makes the API server refuse the updates that remove its finalizers ({finalizers}): {detail}';

export const responsePatchInvalid = defineCheck({
  meta: {
    id: 'response-patch-invalid',
    title: 'Patch of the webhook cannot be applied',
    consequence: 'failing',
    confidence: 'observed',
    textAdvice: {
      'pod-update-invalid':
        '[look] Compare the containers of the request with those of the Pod: `kubectl get pod NAME -o yaml`. [look] If the request changes none, find the mutating webhook that does: `kubectl webhook list -o wide`. [end] Remove UPDATE from its rules for Pods. [end] If the request does, delete the Pod and create it again, or change the workload that creates it.',
      'immutable-field-changed': `[look] Compare the request with the object. [look] If it does not change the field, find the mutating webhook: \`kubectl webhook list -o wide\`. [end] Remove UPDATE from its rules, or exclude objects in deletion by a matchCondition: \`${notInDeletion}\`.`,
      'pod-priority-changed':
        '[look] Compare the Pod with its template: `kubectl webhook trace -f FILE`. [with] A webhook that sets `priorityClassName` must also set `priority` and `preemptionPolicy` of that class, or neither. [end] Until then, use a PriorityClass with the same `preemptionPolicy`.',
      'patched-namespace':
        '[look] Compare `metadata.namespace` of the object with the namespace of the request. [look] If they are the same, find the mutating webhook that changes it: `kubectl webhook trace -f FILE`. [with] Its program must not change `metadata.namespace`.',
    },
    why: 'A patch that does not decode is a failed call (before 1.34 an internal error). One that decodes but does not apply fails the request whatever the failurePolicy, and the message does not name the webhook. A patch that leaves an invalid object causes a 422 that names only its fields, and one that removes the name fails every request.',
    advice: validPatch,
    messages: {
      all: '{replicas} returned a patch that does not decode or apply: {detail}',
      some: partial(
        '{replicas} returned a patch that does not decode or apply ({bad} of {total} new connections): {detail}',
      ),
      validating: {
        text: '{replicas} returned a patch, which only a mutating webhook may',
        advice:
          '[end] Correct the path of the webhook, or register it in a MutatingWebhookConfiguration instead: `kubectl edit {kind} {configuration}`. [end] If this is the validating handler, its program must not return a patch.',
      },
      stops: {
        text: '{replicas} returned a patch that cannot be applied: {detail}',
        implies: 'refused-anyway',
        advice: `${validPatch} ${meanwhile}`,
      },
      mistyped: {
        text: '{replicas} returned a patch that writes a value of the wrong type: {detail}',
        implies: 'refused-anyway',
        advice: `[end] Correct the value that the patch writes to this field: a setting of the webhook, or its program. [with] Numbers and booleans in \`data\`, labels and annotations must be strings. ${meanwhile}`,
      },
      moves: {
        text: '{replicas} returned a patch that changes the namespace of the object: {detail}',
        implies: 'refused-anyway',
        advice: `[end] Correct the program: a patch must not change \`metadata.namespace\`. ${meanwhile}`,
      },
      stopsSome: {
        text: '{replicas} returned a patch that cannot be applied ({bad} of {total} new connections): {detail}',
        severity: 'warning',
        consequence: 'degraded',
        implies: 'refused-anyway',
      },
      spoils: {
        text: 'The patch of {replicas} makes a test object ({resource}) invalid in {fields}, and the API server refuses it: {detail}',
        consequence: 'degraded',
        implies: 'refused-anyway',
        advice: `[end] Correct the value that the patch writes to the field: a setting of the webhook, or its program. [look] Test the patch: \`kubectl webhook doctor {configuration} -f FILE\`. ${meanwhile}`,
      },
      twice: {
        text: 'The patch of {replicas} makes a test object ({resource}) invalid in {fields} if it is applied twice: {detail}',
        consequence: 'degraded',
        implies: 'refused-anyway',
        advice: `[end] The program must not repeat a change that the object already has. [end] Until then, set \`reinvocationPolicy\` to Never, and check that no other configuration calls the same program: \`kubectl edit {kind} {configuration}\`. ${meanwhile}`,
      },
      dryRun: {
        text: 'Dry run of a test object ({resource}) fails, because the patch of this webhook cannot be applied to it: {detail}',
        consequence: 'degraded',
        implies: 'refused-anyway',
      },
      replaces: {
        text: 'The patch of {replicas} replaces every object with another one, and the API server refuses it: {detail}',
        implies: 'refused-anyway',
      },
      onUpdate: latent(
        'On UPDATE, the patch of {replicas} adds {fields}: updates of older Pods are refused ("may not add or remove containers")',
        '[end] Remove UPDATE from the rules for Pods: `kubectl edit {kind} {configuration}`. [end] Or correct the program: for an UPDATE, it must not add to these fields. [with] Pods get them when they are recreated.',
      ),
      onDeletion: latent(keepsObject, letDeletionPass),
      podInDeletion: latent(
        keepsObject,
        `[end] Remove UPDATE from the rules for Pods, if the webhook only changes new Pods: \`kubectl edit {kind} {configuration}\`. [end] Or exclude Pods in deletion by \`matchConditions\`, with the expression \`${notInDeletion}\`. [with] The controller of the finalizers then removes them, and the Pod is deleted.`,
      ),
    },
    preventsReadiness: true,
    follows: checksBehindResponses,
  },
  requires: [...probeFacts, 'samples'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const found = failingServers(callout, facts, ({ callResult }) => callResult.fault === 'patch-invalid');
    if (found !== undefined) {
      const { extent, endpoints, data, evidence } = found;
      // Not a failed call, so failurePolicy does not apply.
      const answers = endpoints.map(({ callResult }) => callResult.answer);
      const stops = answers.every((answer) => answer?.outcome === 'api-server-error');
      const nameless = answers.every(
        (answer) => answer?.outcome === 'api-server-error' && answer.code === 422,
      );
      if (nameless && extent === 'all') return find('replaces', data, evidence);
      if (callout.kind === 'validating' && extent === 'all') return find('validating', data, evidence);
      if (!stops) return find(extent, data, evidence);
      return find(extent === 'all' ? stoppedBy(data.detail) : 'stopsSome', data, evidence);
    }
    const unapplied = unappliedPatch(callout, facts);
    if (unapplied !== undefined) {
      const { data, evidence, message } = unapplied;
      return { ...find('dryRun', data, evidence), sentence: message };
    }
    const bad = invalidAfterPatch(callout, facts);
    if (bad !== undefined) return { ...find(bad.messageId, bad.data, bad.evidence), sentence: bad.message };
    const kept = keepsFinalizers(callout, facts);
    if (kept !== undefined) return find(kept.messageId, kept.data, kept.evidence);
    const added = addedOnUpdate(callout, facts);
    return added && find('onUpdate', added.data, added.evidence);
  },
});
