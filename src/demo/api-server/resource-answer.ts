import { groupOf } from '../../facts/resource.ts';
import { type ApiRequest, type ApiState, isWatch, type ResourcePath } from './api-request.ts';
import type { ServedApi } from './api-resources.ts';
import { allows } from './authorization.ts';
import type { ApiResource } from './built-in-resources.ts';
import { backendAnswer, isOfResource } from './discovery.ts';
import {
  type CollectionRequest,
  listAnswer,
  metadataOf,
  objectAnswer,
  selectionOf,
  storedObject,
} from './list.ts';
import type { ApiObject, ObjectStore, StoreChange } from './object-store.ts';
import { logAnswer } from './pod-log.ts';
import { proxyAnswer } from './pod-proxy.ts';
import { portForwardAnswer } from './port-forward.ts';
import {
  type ApiAnswer,
  failureAnswer,
  jsonAnswer,
  methodNotAllowed,
  NotSupported,
  notAcceptable,
  pageNotFound,
  Refused,
  resourceNotServed,
} from './status.ts';
import { writeAnswer } from './write.ts';

type Follow = NonNullable<ApiAnswer['stream']>;

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

/** The bookmark after the present objects, for which client-go waits (apiserver storage/cacher). */
const initialEnd = ({ resource: { kind, group, version } }: CollectionRequest, store: ObjectStore) => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
  metadata: {
    resourceVersion: `${store.revision()}`,
    annotations: { 'k8s.io/initial-events-end': 'true' },
  },
});

/**
 * Streams changes of a list's objects, one line each, until the client disconnects or the timeout is reached.
 * Without a revision it starts with all present objects (apiserver/pkg/endpoints/handlers/watch.go).
 */
function watchAnswer(request: CollectionRequest, store: ObjectStore): ApiAnswer {
  const { resource, query, metadataOnly } = request;
  const shown = (object: ApiObject): unknown => (metadataOnly ? metadataOf(object) : object);
  const selected = selectionOf(request);
  const from = Number(query.get('resourceVersion') ?? 0);
  if (from > 0 && from < store.oldest()) {
    const expired = failureAnswer(410, 'Expired', `too old resource version: ${from} (${store.oldest()})`);
    const expiredStream: Follow = async (write) => write(line('ERROR', JSON.parse(expired.body)));
    return { status: 200, contentType: 'application/json', body: '', stream: expiredStream };
  }
  const seconds = Number(query.get('timeoutSeconds') ?? 0) || 1800;
  /** An object that no longer matches the selector is reported as deleted. */
  const watchLine = ({ type, object, before }: StoreChange): string | undefined => {
    if (object.kind !== resource.kind || groupOf(object.apiVersion) !== resource.group) return undefined;
    const was = before !== undefined && selected(before);
    const is = type !== 'DELETED' && selected(object);
    if (!was && !is) return undefined;
    const change = is ? 'MODIFIED' : 'DELETED';
    return line(was ? change : 'ADDED', shown(object));
  };
  const stream: Follow = (write, signal) =>
    new Promise((resolve) => {
      const all = store.of(resource.group, resource.kind);
      if (from === 0) for (const object of all.filter(selected)) write(line('ADDED', shown(object)));
      if (query.get('sendInitialEvents') === 'true') write(line('BOOKMARK', initialEnd(request, store)));
      const leave = store.follow(from === 0 ? store.revision() : from, (change) => {
        const text = watchLine(change);
        if (text !== undefined) write(text);
      });
      const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
      over.addEventListener('abort', () => {
        leave();
        resolve();
      });
    });
  return { status: 200, contentType: 'application/json', body: '', stream };
}

const writing = /^(POST|PUT|PATCH|DELETE)$/;

interface AccessReview {
  readonly spec?: {
    /** Only of a SubjectAccessReview. */
    readonly user?: string;
    readonly resourceAttributes?: {
      readonly verb?: string;
      readonly group?: string;
      readonly resource?: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    };
  };
}

/** Whether the rules of a user allow a request. */
function accessOf(body: object, name: string, { users }: ApiState): { readonly allowed: boolean } {
  const { resourceAttributes: attributes } = (body as AccessReview).spec ?? {};
  if (attributes === undefined) throw new NotSupported('access reviews of paths');
  const { verb = '', group = '', resource = '', subresource, namespace, name: object } = attributes;
  const rules = users.find((user) => user.name === name)?.rules ?? [];
  const allowed = allows(rules, {
    ...{ verb, group, resource: subresource ? `${resource}/${subresource}` : resource },
    ...{ namespace: namespace || undefined, name: object || undefined },
  });
  return { allowed };
}

/** Review resources about identity and permissions. They are created but not stored. */
const reviews: Readonly<Record<string, (body: object, user: string, state: ApiState) => object>> = {
  SelfSubjectReview: (_body, username) => ({
    userInfo: { username, groups: ['system:authenticated'] },
  }),
  SelfSubjectAccessReview: accessOf,
  SubjectAccessReview: (body, _user, state) => accessOf(body, (body as AccessReview).spec?.user ?? '', state),
};

const isReview = ({ kind }: ApiResource): boolean => kind in reviews;

/** The response to the creation of a review: with its status. */
function reviewAnswer({ kind }: ApiResource, request: ApiRequest, user: string, state: ApiState): ApiAnswer {
  const body = JSON.parse(request.body) as object;
  return jsonAnswer(201, { ...body, status: reviews[kind]?.(body, user, state) });
}

/** The requested resource. Throws {@link Refused} if the API server does not serve it, or not at this path. */
function servedResource({ resources }: ServedApi, requested: ResourcePath): ApiResource {
  const { group, version, plural, namespace, name, subresource } = requested;
  const ofGroup = resources.filter((one) => one.group === group);
  const resource = ofGroup.find((one) => one.version === version && one.plural === plural);
  const isServed =
    resource !== undefined &&
    (subresource === undefined || resource.subresources.some((one) => one.name === subresource)) &&
    (resource.namespaced
      ? namespace !== undefined || name === undefined
      : namespace === undefined || isNamespaces(requested));
  if (isServed) return resource;
  throw new Refused(ofGroup.every(({ custom }) => custom) ? pageNotFound() : resourceNotServed());
}

const isNamespaces = ({ group, plural }: ResourcePath): boolean => group === '' && plural === 'namespaces';

/**
 * The response to a request for a collection, an object or a subresource.
 *
 * @param user has the permission.
 */
export function resourceAnswer(
  requested: ResourcePath,
  request: ApiRequest,
  state: ApiState,
  { api, user }: { readonly api: ServedApi; readonly user: string },
): ApiAnswer | Promise<ApiAnswer> {
  const aggregated = api.aggregated.find(isOfResource(requested));
  if (aggregated !== undefined) return aggregated.available ? pageNotFound() : backendAnswer(aggregated);
  const resource = servedResource(api, requested);
  if (requested.subresource === 'proxy') return proxyAnswer(requested, request, state);
  if (requested.subresource === 'portforward') return portForwardAnswer(requested, request, state);
  if (request.contentType === 'application/vnd.kubernetes.protobuf' && request.body !== '')
    throw new NotSupported('a body in protobuf; kubectl create -f FILE sends JSON');
  if (isReview(resource) && request.method === 'POST') return reviewAnswer(resource, request, user, state);
  const query = new URL(request.url, 'https://demo').searchParams;
  if (writing.test(request.method)) return writeAnswer({ requested, resource, request, query, user, state });
  if (request.method !== 'GET') return methodNotAllowed();
  if (request.accept !== '' && !/json|\*\/\*|application\/\*/.test(request.accept)) return notAcceptable();
  const metadataOnly = /as=PartialObjectMetadata(List)?\b/.test(request.accept);
  const namespace = isNamespaces(requested) ? undefined : requested.namespace;
  const { name, subresource } = requested;
  if (name === undefined) {
    const collection = { resource, namespace, query, metadataOnly };
    return isWatch(query) ? watchAnswer(collection, state.store) : listAnswer(collection, state.store);
  }
  const object = storedObject(state.store, resource, namespace, name);
  if (subresource === undefined || subresource === 'status')
    return metadataOnly ? jsonAnswer(200, metadataOf(object)) : objectAnswer(object);
  return subresource === 'log' ? logAnswer(object, query, state.logs()) : methodNotAllowed();
}
