import { expect } from 'chai';
import type { Permission } from '../../../src/facts/resource.ts';
import { rolesFor } from '../../../src/workflows/rbac/rbac.ts';

const permission = (over: Partial<Permission>): Permission => ({
  group: '',
  resource: 'pods',
  verbs: ['list'],
  scope: 'backends',
  use: 'a test',
  ...over,
});

const namespaces = permission({ resource: 'namespaces', scope: 'cluster' });
const subject = { kind: 'ServiceAccount', name: 'check', namespace: 'monitoring' } as const;

const shown = (objects: ReturnType<typeof rolesFor>): readonly string[] =>
  objects.map(({ kind, metadata: { namespace = '' }, rules = [] }) =>
    [kind, namespace, ...rules.map(({ verbs, resources = [] }) => `${verbs.join()} ${resources.join()}`)]
      .filter((word) => word !== '')
      .join(' '),
  );

describe('rolesFor', () => {
  it('puts everything into one ClusterRole if no namespace is named', () => {
    expect(shown(rolesFor('r', [namespaces, permission({})], [], []))).to.deep.equal([
      'ClusterRole list namespaces,pods',
    ]);
  });

  it('puts what backends need into Roles of the named namespaces', () => {
    expect(shown(rolesFor('r', [namespaces, permission({})], ['a', 'b'], []))).to.deep.equal([
      'ClusterRole list namespaces',
      'Role a list pods',
      'Role b list pods',
    ]);
  });

  it('puts paths into a separate rule, and never into a Role', () => {
    const metrics = permission({ resource: '/metrics', verbs: ['get'], scope: 'cluster' });
    const objects = rolesFor('r', [permission({ verbs: ['get'] }), metrics], ['a'], []);
    expect(objects.map(({ kind, rules }) => ({ kind, rules }))).to.deep.equal([
      { kind: 'ClusterRole', rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'], uses: ['a test'] }] },
      { kind: 'Role', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], uses: ['a test'] }] },
    ]);
  });

  it('lists verbs of one resource once, with their reasons', () => {
    const [role] = rolesFor('r', [permission({}), permission({ verbs: ['get'], use: 'another' })], [], []);
    expect(role?.rules).to.deep.equal([
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'], uses: ['a test', 'another'] },
    ]);
  });

  it('keeps rules for one namespace there, named or not', () => {
    const dryRun = permission({ resource: 'configmaps', verbs: ['create'], scope: { namespace: 'default' } });
    expect(shown(rolesFor('r', [namespaces, dryRun], [], []))).to.deep.equal([
      'ClusterRole list namespaces',
      'Role default create configmaps',
    ]);
  });

  it('does not repeat in a namespace what is granted cluster-wide', () => {
    const everywhere = permission({ scope: 'cluster' });
    expect(
      shown(rolesFor('r', [everywhere, permission({ verbs: ['list', 'get'] })], ['a'], [])),
    ).to.deep.equal(['ClusterRole list pods', 'Role a get pods']);
  });

  it('binds each role in its scope, and only if there is a subject', () => {
    const objects = rolesFor('r', [namespaces, permission({})], ['a'], [subject]);
    expect(
      objects.map(({ kind, roleRef, subjects }) => ({ kind, roleRef, subjects })).slice(2),
    ).to.deep.equal([
      { kind: 'Role', roleRef: undefined, subjects: undefined },
      {
        kind: 'RoleBinding',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        subjects: [subject],
      },
    ]);
    expect(objects[1]?.kind).to.equal('ClusterRoleBinding');
    expect(rolesFor('r', [namespaces], [], []).map(({ kind }) => kind)).to.deep.equal(['ClusterRole']);
  });
});
