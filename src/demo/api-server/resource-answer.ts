import type { ApiRequest, ApiState, ResourcePath } from './api-request.ts';
import type { ServedApi } from './api-resources.ts';
import { allows } from './authorization.ts';
import type { ApiResource } from './built-in-resources.ts';
import { backendAnswer, isOf } from './discovery.ts';
import { listAnswer, objectAnswer } from './list.ts';
import { logAnswer } from './pod-log.ts';
import { proxyAnswer } from './pod-proxy.ts';
import { portForwardAnswer } from './port-forward.ts';
import {
  type ApiAnswer,
  jsonAnswer,
  methodNotAllowed,
  NotSupported,
  notAcceptable,
  notSupported,
  objectNotFound,
  pageNotFound,
  resourceNotServed,
} from './status.ts';
import { watchAnswer } from './watch.ts';
import { writeAnswer } from './write.ts';

const writing = /^(POST|PUT|PATCH|DELETE)$/;

interface AccessReview {
  readonly spec?: {
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

/** Review resources about identity and permissions. They are created but not stored. */
const reviews: Readonly<Record<string, (body: object, user: string, state: ApiState) => object>> = {
  SelfSubjectReview: (_body, username) => ({
    userInfo: { username, groups: ['system:authenticated'] },
  }),
  SelfSubjectAccessReview(body, name, { users }) {
    const { resourceAttributes: attributes } = (body as AccessReview).spec ?? {};
    if (attributes === undefined) throw new NotSupported('access reviews of paths');
    const { verb = '', group = '', resource = '', subresource, namespace, name: object } = attributes;
    const rules = users.find((user) => user.name === name)?.rules ?? [];
    const allowed = allows(rules, {
      ...{ verb, group, resource: subresource ? `${resource}/${subresource}` : resource },
      ...{ namespace: namespace || undefined, name: object || undefined },
    });
    return { allowed };
  },
};

const isReview = ({ kind }: ApiResource): boolean => kind in reviews;

/**
 * The response to the creation of a review: 201, with its status; 501 for a review that the demo does not
 * implement.
 */
function reviewAnswer({ kind }: ApiResource, request: ApiRequest, user: string, state: ApiState): ApiAnswer {
  try {
    const body = JSON.parse(request.body) as object;
    return jsonAnswer(201, { ...body, status: reviews[kind]?.(body, user, state) });
  } catch (error) {
    if (error instanceof NotSupported) return notSupported(error.message);
    throw error;
  }
}

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
  const aggregated = api.aggregated.find(isOf(requested));
  if (aggregated !== undefined) return aggregated.available ? pageNotFound() : backendAnswer(aggregated);
  const ofGroup = api.resources.filter(({ group }) => group === requested.group);
  if (ofGroup.length === 0) return pageNotFound();
  const resource = ofGroup.find(
    ({ version, plural }) => version === requested.version && plural === requested.plural,
  );
  const absent = ofGroup.every(({ custom }) => custom) ? pageNotFound() : resourceNotServed();
  if (resource === undefined) return absent;
  const cluster = requested.plural === 'namespaces' && requested.group === '';
  if (!resource.namespaced && requested.namespace !== undefined && !cluster) return absent;
  if (resource.namespaced && requested.namespace === undefined && requested.name !== undefined) return absent;
  if (
    requested.subresource !== undefined &&
    !resource.subresources.some(({ name }) => name === requested.subresource)
  )
    return absent;
  if (requested.subresource === 'proxy') return proxyAnswer(requested, request, state);
  if (requested.subresource === 'portforward') return portForwardAnswer(requested, request, state);
  const query = new URL(request.url, 'https://demo').searchParams;
  if (request.contentType === 'application/vnd.kubernetes.protobuf' && request.body !== '')
    return notSupported('a body in protobuf; kubectl create -f FILE sends JSON');
  if (isReview(resource) && request.method === 'POST') return reviewAnswer(resource, request, user, state);
  if (writing.test(request.method)) return writeAnswer({ requested, resource, request, query, user, state });
  if (request.method !== 'GET') return methodNotAllowed();
  if (request.accept !== '' && !/json|\*\/\*|application\/\*/.test(request.accept)) return notAcceptable();
  const metadataOnly = /as=PartialObjectMetadata(List)?\b/.test(request.accept);
  const namespace = cluster ? undefined : requested.namespace;
  if (requested.name === undefined && ['1', 'true'].includes(query.get('watch') ?? ''))
    return watchAnswer({ resource, namespace, query, metadataOnly }, state.store);
  if (requested.name === undefined)
    return listAnswer({ resource, namespace, query, metadataOnly }, state.store);
  const object = state.store
    .of(resource.group, resource.kind)
    .find(({ metadata }) => metadata.name === requested.name && metadata.namespace === namespace);
  if (object === undefined) return objectNotFound(resource, requested.name);
  if (requested.subresource === undefined || requested.subresource === 'status')
    return objectAnswer(object, metadataOnly);
  return requested.subresource === 'log' ? logAnswer(object, query, state.logs()) : methodNotAllowed();
}
