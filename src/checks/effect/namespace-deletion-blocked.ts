import { closedApi } from '../../apiserver/aggregation/closed-api.ts';
import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { probesOf } from '../../apiserver/connection/probed-servers.ts';
import { stuckBecauseOf } from '../../apiserver/sentences/call-error/stuck-namespaces.ts';
import { denialReasonIn } from '../../apiserver/sentences/component-texts/denial-reasons.ts';
import { secondsSince } from '../../basics/time.ts';
import type { Callout } from '../../facts/callout.ts';
import type { World } from '../../facts/snapshot.ts';
import { brief } from '../../phrases/brief.ts';
import { namedList } from '../../phrases/lists.ts';
import { defineCheck, note } from '../check.ts';

/** Seconds within which the namespace controller retries, even if it has much to do. */
const retriedWithin = 300;

/** True for an APIService that has been Available for longer than the namespace controller needs to retry. */
const wasRetried = (callout: Callout, takenAt: string): boolean => {
  if (callout.kind !== 'aggregated-api') return false;
  const available = callout.conditions.find(({ type }) => type === 'Available');
  return (
    available?.status === 'True' && (secondsSince(available.lastTransitionTime, takenAt) ?? 0) > retriedWithin
  );
};

/** True for an APIService that is Available and responds to a probe. */
const respondsAgain = (callout: Callout, facts: World<'probes'>): boolean => {
  const probes = probesOf(callout, facts);
  return (
    callout.kind === 'aggregated-api' &&
    closedApi(callout) === undefined &&
    probes !== undefined &&
    ownCallEnd(callout, probes).outcome === 'passes'
  );
};

export const namespaceDeletionBlocked = defineCheck({
  meta: {
    id: 'namespace-deletion-blocked',
    title: 'Namespaces cannot be deleted because of failed calls',
    severity: 'error',
    confidence: 'observed',
    textAdvice: {
      'finalizers-remain':
        '[look] Find the objects that remain, and their finalizers: `kubectl get namespace NAMESPACE -o yaml`. [end] Start the controller of those finalizers again, and let it remove them. [end] If its product was deleted permanently, remove the finalizers of these objects: `kubectl -n NAMESPACE edit RESOURCE NAME`. [end] If that is denied, fix the webhook first.',
    },
    why: 'To delete a namespace, its controller lists every served resource and deletes the objects. An unavailable APIService, a failed conversion, or a webhook that fails on DELETE blocks it; the controller retries until it succeeds.',
    advice:
      '[end] Fix the cause of the failed call; the namespace is then deleted without further action. [end] If the APIService is no longer needed, delete it: `kubectl delete {kind} {leftover}`. [with] Delete a CRD only if its objects are not needed, because they are deleted with it: `kubectl delete crd {crd}`. [with] Do not remove the finalizer of the namespace: its objects would remain, invisible.',
    messages: {
      stuck: 'Deletion of {namespaces} has been blocked since {since}',
      denied: {
        text: 'Webhook {webhook} denies deletions in {namespaces}, whose own deletion has been blocked since {since}: {detail}',
        advice:
          '[end] If the denial protects the objects, follow its message. [end] If the webhook must not decide about deletions, remove DELETE from its rules: `kubectl edit {kind} {configuration}`. [with] Do not remove the finalizer of the namespace: its objects would remain, invisible.',
      },
      undecoded: {
        text: 'Webhook {webhook} does not support DELETE requests, whose `object` is null. It has blocked the deletion of {namespaces} since {since}: {detail}',
        advice:
          '[end] Remove DELETE from the operations of its rules, also where they are declared: `kubectl edit {kind} {configuration}`. [end] Or use a version of its program that reads `oldObject`. [with] The namespace is then deleted without further action.',
      },
      unlisted: {
        text: 'Deletion of {namespaces} has been blocked since {since}: discovery of this API fails, although it is Available',
        advice:
          '[look] Compare the error in the condition of the namespace with the response: `kubectl get --raw {api}`. [end] Update the product, or delete the APIService if it is not needed: `kubectl delete {kind} {leftover}`. [with] Do not remove the finalizer of the namespace.',
      },
      retried: note(
        'Deletion of {namespaces} was blocked since {since}, and the API responds again',
        '[with] No action is required: the namespace controller retries within a minute.',
      ),
    },
    references: ['/docs/concepts/overview/working-with-objects/finalizers/'],
    follows: 'every-break',
  },
  requires: ['callouts', 'namespaces', 'probes'],
  subjects: (facts) => facts.callouts.filter((callout) => stuckBecauseOf(callout, facts).length > 0),
  run(callout, facts, find) {
    const mine = stuckBecauseOf(callout, facts);
    const since = mine.flatMap(({ namespace }) => namespace.metadata.deletionTimestamp ?? []).sort()[0] ?? '';
    const names = [...new Set(mine.map(({ namespace }) => namespace.metadata.name))];
    const namespaces = namedList('namespace', names);
    const evidence = mine.map(({ namespace, condition }) => ({
      object: { kind: 'Namespace', name: namespace.metadata.name },
      field: `status.conditions[type=${condition.type}].message`,
      value: condition.message ?? '',
    }));
    if (!respondsAgain(callout, facts)) {
      const denial = mine.map(({ blame }) => blame.error).find(({ kind }) => kind === 'denial');
      const { webhook, message } = denial ?? {};
      if (webhook === undefined || message === undefined)
        return find('stuck', { namespaces, since }, evidence);
      const data = { namespaces, since, webhook, detail: brief(message) };
      const undecoded = denialReasonIn('', message)?.kind === 'denial-undecodable';
      return find(undecoded ? 'undecoded' : 'denied', data, evidence);
    }
    return callout.kind === 'aggregated-api' && wasRetried(callout, facts.takenAt)
      ? find('unlisted', { namespaces, since }, evidence, {
          api: `/apis/${callout.group}/${callout.version}`,
        })
      : find('retried', { namespaces, since }, evidence);
  },
});
