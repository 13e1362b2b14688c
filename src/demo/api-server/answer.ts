import { PatchError } from '../../apiserver/patch/patch-error.ts';
import { forbiddenText } from '../../apiserver/sentences/logs/forbidden-request.ts';
import { SelectorError } from '../../facts/objects/label-selector-text.ts';
import { type ApiRequest, type ApiState, isWatch, type ResourcePath, resourcePath } from './api-request.ts';
import { servedBy } from './api-resources.ts';
import { allows, allowsPath, type DemoUser } from './authorization.ts';
import { pathAnswer } from './discovery.ts';
import { resourceAnswer } from './resource-answer.ts';
import {
  type ApiAnswer,
  about,
  badRequest,
  failureAnswer,
  Refused,
  unauthorized,
  unprocessable,
} from './status.ts';

const forbiddenPath = (user: string, path: string): ApiAnswer =>
  failureAnswer(403, 'Forbidden', `forbidden: User "${user}" cannot get path ${JSON.stringify(path)}`, {});

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const forbidden = (message: string, of: Pick<ResourcePath, 'group' | 'plural' | 'name'>): Refused =>
  new Refused(failureAnswer(403, 'Forbidden', message, about(of, of.name)));

/** The user of a request, after authentication and impersonation. Throws {@link Refused}. */
function callerOf({ token, as }: ApiRequest, { users }: ApiState): Pick<DemoUser, 'name' | 'rules'> {
  const found = users.find((user) => user.token === token);
  if (token !== undefined && found === undefined) throw new Refused(unauthorized());
  const caller = found ?? { name: 'system:anonymous', rules: [] };
  if (as === undefined) return caller;
  const attributes = { verb: 'impersonate', group: '', resource: 'users', namespace: undefined, name: as };
  if (!allows(caller.rules, attributes))
    throw forbidden(forbiddenText({ user: caller.name, ...attributes }), { ...attributes, plural: 'users' });
  return users.find(({ name }) => name === as) ?? { name: as, rules: [] };
}

/** Authentication, authorization, then the resource or path. Throws {@link Refused}. */
async function handled(request: ApiRequest, state: ApiState): Promise<ApiAnswer> {
  const { pathname: path, searchParams } = new URL(request.url, 'https://demo');
  const { name: user, rules } = callerOf(request, state);
  const api = servedBy(state.store);
  const requested = resourcePath(path);
  if (requested === undefined) {
    const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path;
    const administrator = rules.some(({ verbs: allowed }) => allowed.includes('*'));
    if (!administrator && !allowsPath(user === 'system:anonymous', path)) return forbiddenPath(user, path);
    return pathAnswer(trimmed, request, api);
  }
  const { group, plural, subresource, namespace, name } = requested;
  const collected = isWatch(searchParams) ? 'watch' : 'list';
  const reading = name === undefined ? collected : 'get';
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const attributes = { verb: verbs[request.method] ?? reading, group, resource, namespace, name };
  if (!allows(rules, attributes)) throw forbidden(forbiddenText({ user, ...attributes }), requested);
  // A connection to a Pod is authorized a second time, without a message
  // (pkg/registry/core/pod/rest/authorize.go).
  if (subresource === 'portforward' && !allows(rules, { ...attributes, verb: 'create' }))
    throw forbidden(`pods "${name}" is forbidden: `, requested);
  return resourceAnswer(requested, request, state, { api, user });
}

/** Handles a request of the API server. */
export const answer = (request: ApiRequest, state: ApiState): Promise<ApiAnswer> =>
  handled(request, state).catch((error: unknown) => {
    if (error instanceof Refused) return error.answer;
    if (error instanceof SelectorError) return badRequest(error.message);
    if (error instanceof PatchError) return unprocessable();
    if (error instanceof SyntaxError) return badRequest(`the body is not JSON: ${error.message}`);
    throw error;
  });
