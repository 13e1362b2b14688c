import type { ApiRequest, ApiState, ResourcePath } from './api-request.ts';
import type { ServedApi } from './api-resources.ts';
import { backendAnswer, isOf } from './discovery.ts';
import { listAnswer, objectAnswer } from './list.ts';
import { logAnswer } from './pod-log.ts';
import { proxyAnswer } from './pod-proxy.ts';
import { portForwardAnswer } from './port-forward.ts';
import { isReview, reviewAnswer } from './reviews.ts';
import {
  type ApiAnswer,
  methodNotAllowed,
  notAcceptable,
  notSupported,
  objectNotFound,
  pageNotFound,
  resourceNotServed,
} from './status.ts';
import { watchAnswer } from './watch.ts';
import { writeAnswer } from './write.ts';

const writing = /^(POST|PUT|PATCH|DELETE)$/;

/** A collection, an object or a subresource is read, watched or written by whoever may. */
export function resourceAnswer(
  asked: ResourcePath,
  request: ApiRequest,
  state: ApiState,
  api: ServedApi,
  user: string,
): ApiAnswer | Promise<ApiAnswer> {
  const aggregated = api.aggregated.find(isOf(asked));
  if (aggregated !== undefined) return aggregated.available ? pageNotFound() : backendAnswer(aggregated);
  const ofGroup = api.resources.filter(({ group }) => group === asked.group);
  if (ofGroup.length === 0) return pageNotFound();
  const resource = ofGroup.find(
    ({ version, plural }) => version === asked.version && plural === asked.plural,
  );
  const absent = ofGroup.every(({ custom }) => custom) ? pageNotFound() : resourceNotServed();
  if (resource === undefined) return absent;
  const cluster = asked.plural === 'namespaces' && asked.group === '';
  if (!resource.namespaced && asked.namespace !== undefined && !cluster) return absent;
  if (resource.namespaced && asked.namespace === undefined && asked.name !== undefined) return absent;
  if (
    asked.subresource !== undefined &&
    !resource.subresources.some(({ name }) => name === asked.subresource)
  )
    return absent;
  if (asked.subresource === 'proxy') return proxyAnswer(asked, request, state);
  if (asked.subresource === 'portforward') return portForwardAnswer(asked, request, state);
  const query = new URL(request.url, 'https://demo').searchParams;
  if (request.contentType === 'application/vnd.kubernetes.protobuf' && request.body !== '')
    return notSupported('a body in protobuf; kubectl create -f FILE sends JSON');
  if (isReview(resource) && request.method === 'POST') return reviewAnswer(resource, request, user, state);
  if (writing.test(request.method)) return writeAnswer({ asked, resource, request, query, user, state });
  if (request.method !== 'GET') return methodNotAllowed();
  if (request.accept !== '' && !/json|\*\/\*|application\/\*/.test(request.accept)) return notAcceptable();
  const metadataOnly = /as=PartialObjectMetadata(List)?\b/.test(request.accept);
  const namespace = cluster ? undefined : asked.namespace;
  if (asked.name === undefined && ['1', 'true'].includes(query.get('watch') ?? ''))
    return watchAnswer(resource, namespace, query, state.store, metadataOnly);
  if (asked.name === undefined) return listAnswer(resource, namespace, query, state.store, metadataOnly);
  const object = state.store
    .of(resource.group, resource.kind)
    .find(({ metadata }) => metadata.name === asked.name && metadata.namespace === namespace);
  if (object === undefined) return objectNotFound(resource, asked.name);
  if (asked.subresource === undefined || asked.subresource === 'status')
    return objectAnswer(object, metadataOnly);
  return asked.subresource === 'log' ? logAnswer(object, query, state.logs()) : methodNotAllowed();
}
