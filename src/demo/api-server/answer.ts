import { forbiddenText } from '../../apiserver/sentences/forbidden-request.ts';
import { type ApiRequest, type ApiState, resourcePath } from './api-request.ts';
import { servedBy } from './api-resources.ts';
import { allows, allowsPath } from './authorization.ts';
import { pathAnswer } from './discovery.ts';
import { resourceAnswer } from './resource-answer.ts';
import { type ApiAnswer, about, failure, unauthorized } from './status.ts';

const forbiddenPath = (user: string, path: string): ApiAnswer =>
  failure(403, 'Forbidden', `forbidden: User "${user}" cannot get path ${JSON.stringify(path)}`, {});

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Handles a request of the API server: authentication, authorization, then the resource or path. */
export function answer(request: ApiRequest, state: ApiState): ApiAnswer | Promise<ApiAnswer> {
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
      return failure(403, 'Forbidden', forbiddenText({ user: real, ...attributes }), {
        name: request.as,
        kind: 'users',
      });
  }
  const name = request.as ?? real;
  const user = request.as === undefined ? authenticated : state.users.find((other) => other.name === name);
  const api = servedBy(state.store);
  const requested = resourcePath(path);
  if (requested === undefined) {
    const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path;
    const administrator = user?.rules.some(({ verbs: allowed }) => allowed.includes('*')) === true;
    if (!administrator && !allowsPath(name === 'system:anonymous', path)) return forbiddenPath(name, path);
    return pathAnswer(trimmed, request, api);
  }
  const watching = new URL(request.url, 'https://demo').searchParams.get('watch');
  const reading =
    requested.name !== undefined ? 'get' : ['1', 'true'].includes(watching ?? '') ? 'watch' : 'list';
  const attributes = {
    verb: verbs[request.method] ?? reading,
    group: requested.group,
    resource:
      requested.subresource === undefined ? requested.plural : `${requested.plural}/${requested.subresource}`,
    namespace: requested.namespace,
    name: requested.name,
  };
  if (!allows(user?.rules ?? [], attributes))
    return failure(
      403,
      'Forbidden',
      forbiddenText({ user: name, ...attributes }),
      about(requested, requested.name),
    );
  // A connection to a Pod is authorized a second time, without a message
  // (pkg/registry/core/pod/rest/authorize.go).
  if (
    requested.subresource === 'portforward' &&
    !allows(user?.rules ?? [], { ...attributes, verb: 'create' })
  )
    return failure(
      403,
      'Forbidden',
      `pods "${requested.name}" is forbidden: `,
      about(requested, requested.name),
    );
  return resourceAnswer(requested, request, state, { api, user: name });
}
