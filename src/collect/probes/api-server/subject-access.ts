import type { Forbidden } from '../../../facts/rbac-denial.ts';
import type { ClusterProber } from '../../cluster.ts';
import { review } from './self-review.ts';

/**
 * Whether a request that a ServiceAccount was forbidden is forbidden now; undefined if it is not known. The roles
 * that `rbac` prints do not include the permission `create subjectaccessreviews`: a user without it learns only
 * what the log reported.
 */
export async function isStillForbidden(
  prober: ClusterProber,
  { account, verb, resource: groupResource, namespace, name }: Forbidden,
): Promise<boolean | undefined> {
  const [home = '', user = ''] = account.split('/');
  const [plural = '', ...group] = groupResource.split('.');
  const [resource, subresource] = plural.split('/');
  const status = await review<{ readonly allowed?: boolean }>(
    prober,
    'authorization.k8s.io',
    'SubjectAccessReview',
    {
      user: `system:serviceaccount:${home}:${user}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${home}`, 'system:authenticated'],
      resourceAttributes: { verb, group: group.join('.'), resource, subresource, namespace, name },
    },
  );
  return status?.allowed === undefined ? undefined : !status.allowed;
}
