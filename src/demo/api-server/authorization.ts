import { isListed } from '../../apiserver/admission/rules.ts';

/** A permission of a demo user, in the form of an RBAC rule. `*` matches everything. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Undefined: cluster-wide. */
  readonly namespaces?: readonly string[];
  /** Undefined: every name. */
  readonly resourceNames?: readonly string[];
}

/** A user of the demo cluster, who authenticates with a bearer token. */
export interface DemoUser {
  readonly name: string;
  readonly token: string;
  readonly rules: readonly AccessRule[];
}

/** Every verb on every resource, as for the group system:masters. */
export const everything: AccessRule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };

/** The attributes of a resource request, in RBAC's terms. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  /** With the subresource: `pods/log`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Whether a rule allows the request (plugin/pkg/auth/authorizer/rbac). */
export const allows = (rules: readonly AccessRule[], attributes: ResourceAttributes): boolean =>
  rules.some(
    ({ apiGroups, resources, verbs, namespaces, resourceNames }) =>
      isListed(verbs, attributes.verb) &&
      isListed(apiGroups, attributes.group) &&
      isListed(resources, attributes.resource) &&
      (namespaces === undefined ||
        (attributes.namespace !== undefined && namespaces.includes(attributes.namespace))) &&
      (resourceNames === undefined ||
        (attributes.name !== undefined && resourceNames.includes(attributes.name))),
  );

const discovery = /^\/(api|apis|openapi|healthz|livez|readyz|version)(\/|$)/;
const publicInfo = /^\/(healthz|livez|readyz|version)\/?$/;

/** Whether a non-resource path is allowed, as by system:discovery and system:public-info-viewer. */
export const allowsPath = (anonymous: boolean, path: string): boolean =>
  (anonymous ? publicInfo : discovery).test(path);
