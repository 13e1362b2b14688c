import { refText } from '../facts/object-ref.ts';
import type { AllowRule } from '../facts/unread.ts';
import { type ClusterWriter, WriteError } from './cluster-writer.ts';
import { changeableResource } from './kinds.ts';
import type { ChangeRequest } from './requests.ts';

const verbs = { POST: 'create', PATCH: 'patch', DELETE: 'delete' } as const;

/** Milliseconds. Before 1.37 webhooks are called for this request, too, and can block it. */
const reviewTimeout = 4000;

/** Returns the user name in the API server; undefined if there is no response in time. */
export async function userName(writer: ClusterWriter): Promise<string | undefined> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  try {
    const answer = await writer.write<{ readonly status?: { readonly userInfo?: { username?: string } } }>(
      { method: 'POST', path, body: review },
      { timeout: reviewTimeout },
    );
    return answer.status?.userInfo?.username;
  } catch (error) {
    if (error instanceof WriteError) return undefined;
    throw error;
  }
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

const subresourceOf = (path: string): string | undefined => /\/(scale|status)$/.exec(path)?.[1];

function permissionFor({ object, method, path }: ChangeRequest): AllowRule {
  const { group, plural } = changeableResource(object.kind);
  const subresource = subresourceOf(path);
  return {
    apiGroups: [group],
    resources: [subresource === undefined ? plural : `${plural}/${subresource}`],
    verbs: [verbs[method]],
    ...(object.namespace === undefined ? {} : { namespace: object.namespace }),
  };
}

/** True if the request is permitted. `undefined`: no response; the dry run of the request decides. */
async function allowed(writer: ClusterWriter, request: ChangeRequest): Promise<boolean | undefined> {
  const { group, plural } = changeableResource(request.object.kind);
  const { name, namespace } = request.object;
  const subresource = subresourceOf(request.path);
  try {
    const review = await writer.write<AccessReview>(
      {
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: {
            resourceAttributes: {
              group,
              resource: plural,
              ...(subresource === undefined ? {} : { subresource }),
              verb: verbs[request.method],
              ...(namespace === undefined ? {} : { namespace }),
              ...(request.method === 'POST' ? {} : { name }),
            },
          },
        },
      },
      { timeout: reviewTimeout },
    );
    return review.status?.allowed;
  } catch (error) {
    if (error instanceof WriteError) return undefined;
    throw error;
  }
}

/** A request for which the user lacks a permission: a sentence, and the minimum permission that is required. */
export interface MissingPermission {
  readonly request: ChangeRequest;
  readonly sentence: string;
  readonly allow: AllowRule;
}

/** Returns the requests for which the user lacks a permission. */
export async function missingPermissions(
  writer: ClusterWriter,
  requests: readonly ChangeRequest[],
): Promise<readonly MissingPermission[]> {
  const answers = await Promise.all(
    requests.map(async (request) => {
      const first = await allowed(writer, request);
      const { instead } = request;
      return first === false && instead !== undefined ? allowed(writer, instead) : first;
    }),
  );
  return requests.flatMap((request, at) => {
    if (answers[at] !== false) return [];
    const allow = permissionFor(request);
    const sentence = `you are not allowed to ${allow.verbs.join()} ${allow.resources.join()} (${refText(request.object)})`;
    return [{ request, sentence, allow }];
  });
}
