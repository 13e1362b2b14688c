import { connectionRefused } from '../../apiserver/next-call/among-replicas.ts';
import { callSentence, internalError } from '../../apiserver/sentences/call-sentence.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { routeIn } from '../api-server/admission/call-webhook.ts';
import { matchIn, webhooksIn } from '../api-server/admission/matching.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import { groupOf, type ObjectsOf } from '../api-server/object-store.ts';
import { labelOf, type Template } from './make-pod.ts';

/**
 * The API server's error for a call of a webhook whose Service has no listening endpoint; undefined if it has
 * one.
 */
function failureOf(webhook: AdmissionCallout, store: ObjectsOf): string | undefined {
  const { service } = webhook.client;
  if (service === undefined) return undefined;
  const route = routeIn(store, service);
  const failed = (cause: string) => internalError(callSentence(webhook, cause));
  if (route.kind === 'refused') return failed(route.text);
  return route.endpoints.length > 0 ? undefined : failed(connectionRefused(route.address));
}

/**
 * The API server's error for a controller that creates a Pod while a webhook does not respond; undefined if
 * it is admitted.
 */
export function webhookRefusal(
  namespace: string,
  template: Template,
  objects: readonly ApiObject[],
): string | undefined {
  const store: ObjectsOf = {
    of: (group, kind) =>
      objects.filter((object) => object.kind === kind && groupOf(object.apiVersion) === group),
  };
  const request = {
    ...({ operation: 'CREATE', group: '', version: 'v1', resource: 'pods', kind: 'Pod' } as const),
    ...{ namespace, labels: labelOf(template), object: { apiVersion: 'v1', kind: 'Pod', ...template } },
  };
  return webhooksIn(store)
    .filter((webhook) => webhook.failurePolicy === 'Fail')
    .filter((webhook) => matchIn(webhook, request, store).outcome === 'called')
    .map((webhook) => failureOf(webhook, store))
    .find((failure) => failure !== undefined);
}
