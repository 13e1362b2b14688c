/** A request in the terms of RBAC. */
export interface RequestedPermission {
  readonly group: string;
  /** With its subresource; or a path that is not a resource. */
  readonly resource: string;
  readonly verb: string;
}

const path =
  /^\/(?:api\/v1|apis\/(?<group>[^/]+)\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/(?<plural>[^/?]+)(?:\/(?<name>[^/?]+))?(?:\/(?<subresource>[^/?]+))?/;

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PATCH: 'patch',
  PUT: 'update',
  DELETE: 'delete',
};

/**
 * The permission that a request needs (apiserver/pkg/endpoints/request/requestinfo.go); undefined for paths
 * that every user may get: discovery, version, self-reviews.
 */
export function requestedPermission(method: string, target: string): RequestedPermission | undefined {
  if (target === '/metrics') return { group: '', resource: target, verb: 'get' };
  const { group = '', plural, name, subresource } = path.exec(target)?.groups ?? {};
  if (plural === undefined || plural === 'selfsubjectreviews') return undefined;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const reading = name === undefined ? 'list' : 'get';
  return { group, resource, verb: verbs[method] ?? reading };
}

/** `get secrets`, `list deployments.apps`. */
export const permissionText = ({ group, resource, verb }: RequestedPermission): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
