import { expect } from 'chai';
import { namesForGrant } from '../../src/facts/rbac-denial.ts';

describe('namesForGrant', () => {
  for (const [verb, resource, verbs] of [
    ['create', 'secrets', 'get,create'],
    ['create', 'leases.coordination.k8s.io', 'get,create,update'],
    ['create', 'tokenreviews.authentication.k8s.io', 'create'],
    ['create', 'pods/eviction', 'create'],
    ['watch', 'secrets', 'get,list,watch'],
    ['delete', 'secrets', 'delete'],
  ] as const)
    it(`${verb} ${resource}: permits ${verbs}`, () => {
      expect(namesForGrant({ account: 'shop/policy', verb, resource, namespace: 'shop' })).to.include({
        verbs,
        resource,
        place: 'shop',
      });
    });

  it('names the role of a subresource without a slash, which no name may contain', () => {
    const forbidden = {
      account: 'kube-system/metrics-server',
      verb: 'get',
      resource: 'nodes/metrics',
      namespace: undefined,
    };
    expect(namesForGrant(forbidden)).to.include({
      clusterrole: 'kube-system:metrics-server:nodes-metrics',
      resource: 'nodes/metrics',
    });
  });

  for (const [verb, resource, isSensitive] of [
    ['get', 'nodes/proxy', true],
    ['create', 'pods/exec', true],
    ['create', 'pods/attach', true],
    ['create', 'pods/portforward', true],
    ['update', 'pods/ephemeralcontainers', true],
    ['update', 'certificatesigningrequests/approval.certificates.k8s.io', true],
    ['update', 'validatingwebhookconfigurations.admissionregistration.k8s.io', true],
    ['list', 'validatingwebhookconfigurations.admissionregistration.k8s.io', false],
    ['create', 'persistentvolumes', true],
    ['create', 'pods', true],
    ['create', 'daemonsets.apps', true],
    ['patch', 'cronjobs.batch', true],
    ['patch', 'namespaces', true],
    ['approve', 'signers.certificates.k8s.io', true],
    ['sign', 'signers.certificates.k8s.io', true],
    ['list', 'pods', false],
    ['delete', 'pods', false],
    ['watch', 'namespaces', false],
    ['create', 'persistentvolumeclaims', false],
    ['update', 'deployments.example.com', false],
    ['create', 'certificatesigningrequests.certificates.k8s.io', false],
    ['get', 'nodes/metrics', false],
    ['list', 'configmaps', false],
  ] as const)
    it(`${verb} ${resource}: ${isSensitive ? 'only if the program needs it' : 'is granted'}`, () => {
      expect(namesForGrant({ account: 'shop/policy', verb, resource, namespace: 'shop' })).to.include({
        sensitive: isSensitive ? resource : undefined,
      });
    });
});
