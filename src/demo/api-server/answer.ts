import { type AggregatedVersion, type ServedApi, servedBy } from './api-resources.ts';
import { allows, allowsPath, type DemoUser, refusal } from './authorization.ts';
import { discoveryAnswer } from './discovery.ts';
import { listAnswer, objectAnswer } from './list.ts';
import type { ObjectStore } from './object-store.ts';
import { logAnswer, type PodLogs } from './pod-log.ts';
import { type ResourcePath, resourcePath } from './request.ts';
import {
  type ApiAnswer,
  about,
  failure,
  jsonAnswer,
  methodNotAllowed,
  notAcceptable,
  objectNotFound,
  pageNotFound,
  resourceNotServed,
  textAnswer,
  unauthorized,
} from './status.ts';

/** One request, as far as an answer depends on it. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, still escaped. */
  readonly url: string;
  readonly accept: string;
  /** Bearer token; undefined for an anonymous request. */
  readonly token: string | undefined;
  /** `Impersonate-User`. */
  readonly as: string | undefined;
  /** The server's own `address:port`. */
  readonly host: string;
}

/** What the demo API server answers from. */
export interface ApiState {
  readonly store: ObjectStore;
  readonly logs: PodLogs;
  readonly users: readonly DemoUser[];
}

const serverVersion = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: 'v1.35.4',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.25.9',
  compiler: 'gc',
  platform: 'linux/amd64',
};

const forbiddenPath = (user: string, path: string): ApiAnswer =>
  failure(403, 'Forbidden', `forbidden: User "${user}" cannot get path ${JSON.stringify(path)}`, {});

const isOf =
  (asked: { readonly group: string; readonly version: string }) =>
  ({ group, version }: AggregatedVersion): boolean =>
    group === asked.group && version === asked.version;

/** Of an aggregated API: its backend serves no resource, or the API server cannot use it. */
const backendAnswer = ({ group, version, available }: AggregatedVersion): ApiAnswer =>
  available
    ? jsonAnswer(200, {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: `${group}/${version}`,
        resources: [],
      })
    : textAnswer(503, 'service unavailable\n');

function pathAnswer(path: string, request: ApiRequest, api: ServedApi): ApiAnswer {
  const readOnly = request.method === 'GET';
  if (path === '/version') return readOnly ? jsonAnswer(200, serverVersion) : methodNotAllowed();
  if (['/healthz', '/livez', '/readyz'].includes(path)) return textAnswer(200, 'ok');
  const [, , group = '', version = ''] = path.split('/');
  const aggregated = api.aggregated.find(isOf({ group, version }));
  if (aggregated !== undefined) return backendAnswer(aggregated);
  const found = discoveryAnswer(path, request.accept, api, request.host);
  if (found === undefined) return pageNotFound();
  return readOnly || found.status !== 200 ? found : methodNotAllowed();
}

function resourceAnswer(
  asked: ResourcePath,
  request: ApiRequest,
  state: ApiState,
  api: ServedApi,
): ApiAnswer {
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
  // Nothing can be written here, and nothing changes: there is nothing to watch.
  const query = new URL(request.url, 'https://demo').searchParams;
  if (
    request.method !== 'GET' ||
    (asked.name === undefined && ['1', 'true'].includes(query.get('watch') ?? ''))
  )
    return methodNotAllowed();
  if (request.accept !== '' && !/json|\*\/\*|application\/\*/.test(request.accept)) return notAcceptable();
  const metadataOnly = /as=PartialObjectMetadata(List)?\b/.test(request.accept);
  const namespace = cluster ? undefined : asked.namespace;
  if (asked.name === undefined) return listAnswer(resource, namespace, query, state.store, metadataOnly);
  const object = state.store
    .of(resource.group, resource.kind)
    .find(({ metadata }) => metadata.name === asked.name && metadata.namespace === namespace);
  if (object === undefined) return objectNotFound(resource, asked.name);
  if (asked.subresource === undefined || asked.subresource === 'status')
    return objectAnswer(object, metadataOnly);
  return asked.subresource === 'log' ? logAnswer(object, query, state.logs) : methodNotAllowed();
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The whole API server: who asks, whether they may, what there is. */
export function answer(request: ApiRequest, state: ApiState): ApiAnswer {
  const path = new URL(request.url, 'https://demo').pathname;
  const authenticated = state.users.find(({ token }) => token === request.token);
  if (request.token !== undefined && authenticated === undefined) return unauthorized();
  const real = authenticated?.name ?? 'system:anonymous';
  if (request.as !== undefined) {
    const attributes = {
      verb: 'impersonate',
      group: '',
      resource: 'users',
      namespace: undefined,
      name: request.as,
    };
    if (!allows(authenticated?.rules ?? [], attributes))
      return failure(403, 'Forbidden', refusal(real, attributes), { name: request.as, kind: 'users' });
  }
  const name = request.as ?? real;
  const user = request.as === undefined ? authenticated : state.users.find((other) => other.name === name);
  const api = servedBy(state.store);
  const asked = resourcePath(path);
  if (asked === undefined) {
    const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path;
    const administrator = user?.rules.some(({ verbs: allowed }) => allowed.includes('*')) === true;
    if (!administrator && !allowsPath(name === 'system:anonymous', path)) return forbiddenPath(name, path);
    return pathAnswer(trimmed, request, api);
  }
  const watching = new URL(request.url, 'https://demo').searchParams.get('watch');
  const reading =
    asked.name !== undefined ? 'get' : ['1', 'true'].includes(watching ?? '') ? 'watch' : 'list';
  const attributes = {
    verb: verbs[request.method] ?? reading,
    group: asked.group,
    resource: asked.subresource === undefined ? asked.plural : `${asked.plural}/${asked.subresource}`,
    namespace: asked.namespace,
    name: asked.name,
  };
  if (!allows(user?.rules ?? [], attributes))
    return failure(403, 'Forbidden', refusal(name, attributes), about(asked, asked.name));
  return resourceAnswer(asked, request, state, api);
}
