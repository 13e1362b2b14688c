import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../basics/collections.ts';
import { rfc3339 } from '../../basics/time.ts';
import { withDefaults } from '../cluster/defaults.ts';
import { type AdmissionAttributes, admit } from './admission/admit.ts';
import type { ApiRequest, ApiState, ResourcePath } from './api-request.ts';
import type { ApiResource } from './built-in-resources.ts';
import { objectAnswer, storedObject } from './list.ts';
import { type ApiObject, objectIdentity } from './object-store.ts';
import { patched } from './patched.ts';
import {
  type ApiAnswer,
  about,
  badRequest,
  failureAnswer,
  jsonAnswer,
  methodNotAllowed,
  NotSupported,
  objectNotFound,
  qualified,
} from './status.ts';

type Metadata = ApiObject['metadata'];

interface Write {
  readonly requested: ResourcePath;
  readonly resource: ApiResource;
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly user: string;
  readonly state: ApiState;
}

const isDryRun = ({ request, query }: Write): boolean =>
  query.get('dryRun') === 'All' ||
  (request.method === 'DELETE' && isDeepStrictEqual(deleteOptions(request).dryRun, ['All']));

interface DeleteOptions {
  readonly dryRun?: readonly string[];
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}
const deleteOptions = ({ body }: ApiRequest): DeleteOptions =>
  body === '' ? {} : (JSON.parse(body) as DeleteOptions);

const conflict = (resource: Parameters<typeof qualified>[0], name: string, why: string): ApiAnswer =>
  failureAnswer(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    about(resource, name),
  );
const alreadyExists = (resource: ApiResource, name: string): ApiAnswer =>
  failureAnswer(
    409,
    'AlreadyExists',
    `${qualified(resource)} "${name}" already exists`,
    about(resource, name),
  );
const modified =
  'the object has been modified; please apply your changes to the latest version and try again';

const names = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const areStrings = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');

/** Whether an object needs no validation: the dry run's response is as that of a real API server. */
function isPlain({ apiVersion, kind, metadata, data = {}, ...rest }: ApiObject): boolean {
  const { name, namespace: _home, uid: _uid, creationTimestamp: _time, labels = {}, ...more } = metadata;
  if (kind !== 'ConfigMap') return createdByTools.includes(kind);
  const sound = apiVersion === 'v1' && names.test(name) && areStrings(data) && areStrings(labels);
  return sound && Object.keys({ ...rest, ...more }).length === 0;
}

/** Resources that users and remedies create, besides workloads. No dry run of doctor uses them. */
const createdByTools: readonly string[] = [
  'PodDisruptionBudget',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'CronJob',
];

/** A change of one object: `before` is undefined for a creation, `next` for a deletion. */
interface Change {
  readonly operation: AdmissionAttributes['operation'];
  readonly before?: ApiObject;
  readonly next?: ApiObject | undefined;
}

/** The request as webhooks receive it. A Namespace is in itself. */
function admissionRequest(write: Write, { operation, before, next }: Change): AdmissionAttributes {
  const { resource, requested, user } = write;
  const { group, version, kind, plural } = resource;
  const { name } = ((next ?? before) as ApiObject).metadata;
  const namespace = kind === 'Namespace' ? name : requested.namespace;
  const object = operation === 'DELETE' ? undefined : next;
  return {
    ...{ operation, group, version, kind, resource: plural, name, dryRun: isDryRun(write) },
    ...{ labels: next?.metadata.labels ?? {}, oldLabels: before?.metadata.labels ?? {} },
    ...defined({ subresource: requested.subresource, namespace, object, oldObject: before }),
    user: { username: user, groups: ['system:authenticated'] },
  };
}

/** The list of containers whose length an update of a Pod changes (ValidatePodUpdate, pkg/apis/core/validation). */
function resizedList(before: ApiObject, after: ApiObject): string | undefined {
  if (before.kind !== 'Pod' || before.apiVersion !== 'v1') return undefined;
  const lengthOf = (object: ApiObject, list: string): number =>
    (object.spec as Readonly<Record<string, readonly unknown[] | undefined>>)[list]?.length ?? 0;
  return ['containers', 'initContainers'].find((list) => lengthOf(before, list) !== lengthOf(after, list));
}

const podInvalid = (name: string, list: string): ApiAnswer => {
  const message = 'Forbidden: pod updates may not add or remove containers';
  return failureAnswer(422, 'Invalid', `Pod "${name}" is invalid: spec.${list}: ${message}`, {
    ...{ name, kind: 'Pod', causes: [{ message }] },
  });
};

/** Calls admission webhooks, stores the object and runs the controllers. */
async function stored(
  write: Write,
  change: Change,
  answer: (object: ApiObject) => ApiAnswer,
): Promise<ApiAnswer> {
  const { state, resource } = write;
  const { operation, before } = change;
  const admitted = await admit(admissionRequest(write, change), write.request.signal, state);
  const resized = before && admitted && resizedList(before, admitted);
  if (before !== undefined && resized !== undefined) return podInvalid(before.metadata.name, resized);
  const kept = admitted && withDefaults(admitted);
  const key = objectIdentity((kept ?? before) as ApiObject);
  const { store } = state;
  const now = store.get(key);
  if (now !== undefined && operation === 'CREATE') return alreadyExists(resource, now.metadata.name);
  if (isDryRun(write)) return answer(kept ?? (before as ApiObject));
  // Another write may have been stored while webhooks were called.
  if (now?.metadata.resourceVersion !== before?.metadata.resourceVersion)
    return conflict(resource, (kept ?? now)?.metadata.name ?? '', modified);
  const namespace = kept === undefined && before?.kind === 'Namespace' ? before.metadata.name : undefined;
  const others = store
    .all()
    .filter((object) => object !== now && (!namespace || object.metadata.namespace !== namespace));
  store.replace(kept === undefined ? others : [...others, kept]);
  state.settle();
  return answer(store.get(key) ?? ((kept ?? before) as ApiObject));
}

function create(write: Write): Promise<ApiAnswer> | ApiAnswer {
  const { requested, resource, request, state } = write;
  const given = JSON.parse(request.body) as ApiObject;
  if (given.kind !== resource.kind) throw new NotSupported(`an object that is no ${resource.kind}`);
  const { generateName, ...metadata } = given.metadata as Metadata & { readonly generateName?: string };
  const namespace = resource.namespaced ? requested.namespace : undefined;
  if (namespace !== undefined && (metadata.namespace ?? namespace) !== namespace)
    return badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  const uid = randomUUID();
  const name = metadata.name ?? `${generateName}${uid.slice(0, 5)}`;
  const object: ApiObject = {
    ...given,
    metadata: {
      ...{ ...metadata, name, uid, creationTimestamp: rfc3339(state.now()) },
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
  const { store } = state;
  const home = store.of('', 'Namespace').find((one) => one.metadata.name === namespace);
  if (namespace !== undefined && home === undefined)
    return objectNotFound({ group: '', plural: 'namespaces' }, namespace);
  if (isDryRun(write) && !isPlain(object))
    throw new NotSupported(`a dry run of a ${resource.kind} like this: the demo does not validate objects`);
  return stored(write, { operation: 'CREATE', next: object }, (made) => ({
    ...objectAnswer(made),
    status: 201,
  }));
}

const scaleOf = ({ metadata, spec, status }: ApiObject): ApiObject => {
  const { replicas } = spec as { readonly replicas?: number };
  const { name, namespace = '', uid, resourceVersion } = metadata;
  return {
    ...{ kind: 'Scale', apiVersion: 'autoscaling/v1' },
    metadata: { name, namespace, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
    // Zero is omitted (omitempty).
    spec: replicas ? { replicas } : {},
    status: { replicas: (status as { replicas?: number } | undefined)?.replicas ?? 0 },
  };
};

/** The object after a PUT or PATCH of the object or a subresource. */
function updated({ requested, resource, request }: Write, before: ApiObject): ApiObject {
  const change = (object: ApiObject): ApiObject =>
    request.method === 'PUT'
      ? (JSON.parse(request.body) as ApiObject)
      : patched(object, request.contentType, request.body);
  if (requested.subresource === 'scale') {
    const { spec } = change(scaleOf(before));
    const { replicas = 0 } = spec as { readonly replicas?: number };
    return { ...before, spec: { ...(before.spec as object), replicas } };
  }
  const after = change(before);
  if (requested.subresource === 'status') return { ...before, status: after.status };
  const own = resource.subresources.some(({ name }) => name === 'status');
  const { uid, creationTimestamp, deletionTimestamp, name, namespace } = before.metadata;
  const fixed = { uid, creationTimestamp, deletionTimestamp, name, namespace };
  const { status: _status, ...rest } = after;
  return JSON.parse(
    JSON.stringify({
      ...(own ? { ...rest, status: before.status } : after),
      metadata: { ...after.metadata, ...fixed },
    }),
  ) as ApiObject;
}

function update(write: Write, before: ApiObject): Promise<ApiAnswer> | ApiAnswer {
  const { requested, resource } = write;
  const after = updated(write, before);
  const wanted = after.metadata.resourceVersion;
  if (wanted !== undefined && wanted !== before.metadata.resourceVersion)
    return conflict(resource, before.metadata.name, modified);
  const isDeleted =
    after.metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
  const shown = (object: ApiObject): ApiAnswer =>
    objectAnswer(requested.subresource === 'scale' ? scaleOf(object) : object);
  return stored(write, { operation: 'UPDATE', before, next: isDeleted ? undefined : after }, shown);
}

function remove(write: Write, before: ApiObject): Promise<ApiAnswer> | ApiAnswer {
  const { resource, state } = write;
  const { name, uid, resourceVersion, finalizers = [] } = before.metadata;
  const { preconditions = {} } = deleteOptions(write.request);
  for (const [what, wanted, is] of [
    ['UID', preconditions.uid, uid],
    ['ResourceVersion', preconditions.resourceVersion, resourceVersion],
  ] as const)
    if (wanted !== undefined && wanted !== is)
      return conflict(
        // This message has the kind (registry/generic/registry/store.go).
        { group: resource.group, plural: resource.kind },
        name,
        `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${is}). The object might have been deleted and then recreated`,
      );
  if (finalizers.length > 0) {
    const deletionTimestamp = before.metadata.deletionTimestamp ?? rfc3339(state.now());
    const marked = { ...before, metadata: { ...before.metadata, deletionTimestamp } };
    return stored(write, { operation: 'DELETE', before, next: marked }, objectAnswer);
  }
  const details = { ...about(resource, name), uid };
  return stored(write, { operation: 'DELETE', before }, () =>
    jsonAnswer(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }),
  );
}

/** Handles POST, PUT, PATCH and DELETE of one object. Validates only as far as the checks here go. */
export async function writeAnswer(write: Write): Promise<ApiAnswer> {
  const { requested, resource, request, state } = write;
  const { name, subresource, namespace } = requested;
  if (subresource !== undefined && subresource !== 'scale' && subresource !== 'status')
    return methodNotAllowed();
  if (request.method === 'POST') return name === undefined ? create(write) : methodNotAllowed();
  if (name === undefined) return methodNotAllowed();
  const home = resource.namespaced ? namespace : undefined;
  const before = storedObject(state.store, resource, home, name);
  return request.method === 'DELETE' ? remove(write, before) : update(write, before);
}
