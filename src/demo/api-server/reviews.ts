import type { ApiRequest, ApiState } from './api-request.ts';
import { allows } from './authorization.ts';
import type { ApiResource } from './built-in-resources.ts';
import { type ApiAnswer, jsonAnswer, NotSupported, notSupported } from './status.ts';

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

/** Whether the resource is a review. */
export const isReview = ({ kind }: ApiResource): boolean => kind in reviews;

/**
 * The response to the creation of a review: 201, with its status; 501 for a review that the demo does not
 * implement.
 */
export function reviewAnswer(
  { kind }: ApiResource,
  request: ApiRequest,
  user: string,
  state: ApiState,
): ApiAnswer {
  try {
    const body = JSON.parse(request.body) as object;
    return jsonAnswer(201, { ...body, status: reviews[kind]?.(body, user, state) });
  } catch (error) {
    if (error instanceof NotSupported) return notSupported(error.message);
    throw error;
  }
}
