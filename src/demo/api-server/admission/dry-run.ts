import { type ApiObject, fieldOf } from '../api-object.ts';
import type { ApiRequest, ApiState } from '../api-request.ts';
import type { ApiResource } from '../built-in-resources.ts';
import { uidOf } from '../object-store.ts';
import {
  type ApiAnswer,
  about,
  badRequest,
  failure,
  jsonAnswer,
  NotSupported,
  notSupported,
  objectNotFound,
  qualified,
} from '../status.ts';
import { callWebhook } from './call-webhook.ts';
import { type Creation, isMatched, type StoredWebhook } from './matching.ts';
import type { ReviewVerdict } from './review-answer.ts';

const names = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const words = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');

/** A ConfigMap of which nobody needs to ask whether it is valid. */
function plainConfigMap(body: string): ApiObject {
  const object = JSON.parse(body) as ApiObject;
  const { apiVersion, kind, metadata, data = {}, ...rest } = object;
  const {
    name,
    generateName: _prefix,
    namespace: _namespace,
    labels,
    ...more
  } = metadata as ApiObject['metadata'] & { generateName?: string };
  const sound =
    apiVersion === 'v1' && kind === 'ConfigMap' && names.test(name) && words(data) && words(labels ?? {});
  if (!sound || Object.keys(rest).length > 0 || Object.keys(more).length > 0)
    throw new NotSupported('a dry run of anything but a plain ConfigMap');
  return object;
}

/** Of one kind, in the order in which the API server calls them. */
const webhooksOf = (kind: string, state: ApiState): readonly StoredWebhook[] =>
  state.store
    .of('admissionregistration.k8s.io', kind)
    .flatMap((configuration) => (configuration.webhooks ?? []) as readonly StoredWebhook[]);

const callFailed = (name: string, message: string): ApiAnswer => {
  const cause = `failed calling webhook "${name}": ${message}`;
  return failure(500, 'InternalError', `Internal error occurred: ${cause}`, { causes: [{ message: cause }] });
};

function refusalOf({ name, failurePolicy }: StoredWebhook, judged: ReviewVerdict): ApiAnswer | undefined {
  if (judged.is === 'allowed') return undefined;
  if (judged.is === 'failed')
    return failurePolicy === 'Ignore' ? undefined : callFailed(name, judged.message);
  const { code, message } = judged;
  return jsonAnswer(code, {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code },
  });
}

/** What the webhooks of one kind have against it. One after the other: who answers first is always the same. */
async function refusedBy(
  kind: string,
  creation: Creation,
  call: Parameters<typeof callWebhook>[2],
  state: ApiState,
): Promise<ApiAnswer | undefined> {
  for (const webhook of webhooksOf(kind, state)) {
    if (!isMatched(webhook, creation)) continue;
    if ((webhook.matchConditions ?? []).length > 0) throw new NotSupported('match conditions');
    if (!['None', 'NoneOnDryRun'].includes(webhook.sideEffects ?? ''))
      return badRequest(`admission webhook "${webhook.name}" does not support dry run`);
    if (webhook.admissionReviewVersions[0] !== 'v1') throw new NotSupported('reviews other than v1');
    const refused = refusalOf(webhook, await callWebhook(webhook, creation, call, state));
    if (refused !== undefined) return refused;
  }
  return undefined;
}

async function admitted(
  resource: ApiResource,
  namespaceName: string,
  request: ApiRequest,
  user: string,
  state: ApiState,
): Promise<ApiAnswer> {
  const written = plainConfigMap(request.body);
  if ((written.metadata.namespace ?? namespaceName) !== namespaceName)
    return badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  const namespace = state.store.of('', 'Namespace').find(({ metadata }) => metadata.name === namespaceName);
  if (namespace === undefined) return objectNotFound({ group: '', plural: 'namespaces' }, namespaceName);
  if (fieldOf(namespace, 'status.phase') === 'Terminating')
    throw new NotSupported('a namespace that is going');
  const { name } = written.metadata;
  const metadata = {
    ...{ ...written.metadata, namespace: namespaceName, uid: uidOf('ConfigMap', namespaceName, name) },
    creationTimestamp: state
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z'),
  };
  const creation = { resource, namespace, object: { ...written, metadata } };
  const call = { user, signal: request.signal };
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const refused = await refusedBy(kind, creation, call, state);
    if (refused !== undefined) return refused;
  }
  const exists = state.store
    .of('', 'ConfigMap')
    .some((one) => one.metadata.namespace === namespaceName && one.metadata.name === name);
  return exists
    ? failure(409, 'AlreadyExists', `${qualified(resource)} "${name}" already exists`, about(resource, name))
    : jsonAnswer(201, creation.object);
}

/** POST with `dryRun=All`: every matching webhook is really called, and nothing is kept. */
export async function dryRunAnswer(
  resource: ApiResource,
  namespace: string,
  request: ApiRequest,
  user: string,
  state: ApiState,
): Promise<ApiAnswer> {
  try {
    return await admitted(resource, namespace, request, user, state);
  } catch (error) {
    if (error instanceof NotSupported) return notSupported(error.message);
    throw error;
  }
}
