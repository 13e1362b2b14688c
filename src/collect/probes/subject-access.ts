import type { Forbidden } from '../../facts/rbac-denial.ts';
import type { Permission } from '../../facts/resource.ts';
import type { ClusterProber } from '../cluster.ts';
import { review } from './self-review.ts';

/** The permission to read from the API server what another user may do. */
export const subjectAccessPermission: Permission = {
  group: 'authorization.k8s.io',
  resource: 'subjectaccessreviews',
  verbs: ['create'],
  scope: 'cluster',
  use: 'whether a permission that a log names is still missing (stores nothing)',
};

/** Whether a request that a ServiceAccount was forbidden is forbidden now; undefined if it is not known. */
export async function isStillForbidden(
  prober: ClusterProber,
  { account, verb, resource: named, namespace }: Forbidden,
): Promise<boolean | undefined> {
  const [home = '', name = ''] = account.split('/');
  const [plural = '', ...group] = named.split('.');
  const [resource, subresource] = plural.split('/');
  const status = await review<{ readonly allowed?: boolean }>(
    prober,
    'authorization.k8s.io',
    'SubjectAccessReview',
    {
      user: `system:serviceaccount:${home}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${home}`, 'system:authenticated'],
      resourceAttributes: { verb, group: group.join('.'), resource, subresource, namespace },
    },
  );
  return status?.allowed === undefined ? undefined : !status.allowed;
}
