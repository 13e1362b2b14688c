import { isMatched, type StoredWebhook } from '../api-server/admission/matching.ts';
import { type ApiObject, fieldOf } from '../api-server/api-object.ts';
import { builtInResources } from '../api-server/built-in-resources.ts';
import { groupOf } from '../api-server/object-store.ts';
import { labelOf, type Template } from './make-pod.ts';

const podResource = builtInResources.find(({ group, kind }) => group === '' && kind === 'Pod');

interface Ports {
  readonly clusterIP?: string;
}

/**
 * The API server's error for a call of a webhook whose Service has no listening endpoint; undefined if it has
 * one.
 */
function failureOf(webhook: StoredWebhook, objects: readonly ApiObject[]): string | undefined {
  const { service } = webhook.clientConfig;
  if (service === undefined) return undefined;
  const { namespace, name, port, path = '' } = service;
  const found = objects.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.namespace === namespace && metadata.name === name,
  );
  const url = `https://${name}.${namespace}.svc:${port}${path}?timeout=${webhook.timeoutSeconds}s`;
  const failed = (why: string) =>
    `Internal error occurred: failed calling webhook "${webhook.name}": failed to call webhook: Post "${url}": ${why}`;
  if (found === undefined) return failed(`service "${name}" not found`);
  const isReady = objects.some(
    ({ kind, metadata, endpoints }) =>
      kind === 'EndpointSlice' &&
      metadata.namespace === namespace &&
      metadata.labels?.['kubernetes.io/service-name'] === name &&
      ((endpoints ?? []) as readonly object[]).some((one) => fieldOf(one, 'conditions.ready') !== false),
  );
  const { clusterIP = '' } = found.spec as Ports;
  return isReady ? undefined : failed(`dial tcp ${clusterIP}:${port}: connect: connection refused`);
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
  if (podResource === undefined) return undefined;
  const namespaceObject = objects.find(
    ({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace,
  );
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: '', labels: labelOf(template) } };
  const request = {
    ...({ operation: 'CREATE', resource: podResource, namespace, object, dryRun: false } as const),
    ...(namespaceObject && { namespaceObject }),
  };
  const webhooks = objects
    .filter(({ apiVersion }) => groupOf(apiVersion) === 'admissionregistration.k8s.io')
    .flatMap((configuration) => (configuration.webhooks ?? []) as readonly StoredWebhook[]);
  return webhooks
    .filter((webhook) => webhook.failurePolicy === 'Fail' && isMatched(webhook, request))
    .map((webhook) => failureOf(webhook, objects))
    .find((failure) => failure !== undefined);
}
