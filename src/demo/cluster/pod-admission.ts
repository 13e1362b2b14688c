import { connectionRefused } from '../../apiserver/next-call/among-replicas.ts';
import { callSentence, internalError } from '../../apiserver/sentences/call-sentence.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import type { PodSpec } from '../../facts/objects/pod.ts';
import { groupOf } from '../../facts/resource.ts';
import { isReachable, routeIn } from '../api-server/admission/call-webhook.ts';
import { matchIn, webhooksIn } from '../api-server/admission/matching.ts';
import { type ApiObject, fieldOf, type ObjectsOf } from '../api-server/object-store.ts';
import { labelOf, type Template } from './make-pod.ts';

const quotaOf = (objects: readonly ApiObject[], namespace: string): ApiObject | undefined =>
  objects.find(
    (object) =>
      object.kind === 'ResourceQuota' &&
      object.metadata.namespace === namespace &&
      fieldOf(object, 'spec.hard.pods') === '0',
  );

const restricted = (containers: string): string =>
  [
    `allowPrivilegeEscalation != false (${containers} must set securityContext.allowPrivilegeEscalation=false)`,
    `unrestricted capabilities (${containers} must set securityContext.capabilities.drop=["ALL"])`,
    `runAsNonRoot != true (pod or ${containers} must set securityContext.runAsNonRoot=true)`,
    `seccompProfile (pod or ${containers} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
  ].join(', ');

/**
 * The API server's error for a controller that creates the Pod `name`; undefined if it is admitted. Messages
 * of the admission plugins ServiceAccount, PodSecurity and ResourceQuota, in this order.
 */
export function admissionRefusal(
  name: string,
  namespace: string,
  spec: PodSpec,
  objects: readonly ApiObject[],
): string | undefined {
  const forbidden = `pods "${name}" is forbidden: `;
  const account = spec.serviceAccountName ?? 'default';
  const exists = objects.some(
    ({ kind, metadata }) =>
      kind === 'ServiceAccount' && metadata.name === account && metadata.namespace === namespace,
  );
  if (account !== 'default' && !exists)
    return `${forbidden}error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
  const home = objects.find(({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace);
  if (home?.metadata.labels?.['pod-security.kubernetes.io/enforce'] === 'restricted') {
    const names = spec.containers.map((container) => `"${container.name}"`).join(', ');
    const containers = `container${spec.containers.length === 1 ? '' : 's'} ${names}`;
    return `${forbidden}violates PodSecurity "restricted:latest": ${restricted(containers)}`;
  }
  const quota = quotaOf(objects, namespace);
  if (quota !== undefined)
    return `${forbidden}exceeded quota: ${quota.metadata.name}, requested: pods=1, used: pods=0, limited: pods=0`;
  return undefined;
}

/** The API server's error for a webhook whose Service has no listening endpoint; otherwise undefined. */
function failureOf(webhook: AdmissionCallout, store: ObjectsOf): string | undefined {
  const { service } = webhook.client;
  if (service === undefined) return undefined;
  const route = routeIn(store, service);
  if (!isReachable(route)) return undefined;
  const failed = (cause: string) => internalError(callSentence(webhook, cause));
  if (route.kind === 'refused') return failed(route.text);
  return route.endpoints.length > 0 ? undefined : failed(connectionRefused(route.address));
}

/** The API server's error for a new Pod while a webhook does not respond; undefined if admitted. */
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
