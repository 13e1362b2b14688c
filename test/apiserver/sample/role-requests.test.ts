import { expect } from 'chai';
import { mirrorPodRequest, ownedReplicaSet } from '../../../src/apiserver/sample/role-requests.ts';
import { sampleRequests } from '../../../src/apiserver/sample/sample-request.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { healthy, webhook } from '../../support/snapshot.ts';

const served = (group: string, resource: string, kind: string) => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: true,
  verbs: ['create', 'update'],
});
const resources = [
  served('', 'configmaps', 'ConfigMap'),
  served('', 'pods', 'Pod'),
  served('apps', 'deployments', 'Deployment'),
  served('apps', 'replicasets', 'ReplicaSet'),
];
const facts = { ...healthy(), served: complete([['served', { resources, stale: [] }]]) } as unknown as Facts;

describe('the mirror Pod of a static Pod', () => {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  const namespaces = complete([
    [
      'kube-system',
      { metadata: { name: 'kube-system', labels: { 'kubernetes.io/metadata.name': 'kube-system' } } },
    ],
    ['shop', { metadata: { name: 'shop', labels: { 'kubernetes.io/metadata.name': 'shop' } } }],
  ]) as unknown as Facts['namespaces'];
  const mirrorFor = (over: Partial<AdmissionCallout>) => {
    const callout = webhook({ rules, ...over }) as AdmissionCallout;
    const [first] = sampleRequests(callout, { ...facts, namespaces }, undefined);
    return first && mirrorPodRequest(callout, { ...facts, namespaces }, undefined, first.request)[0]?.request;
  };
  it('is created by a kubelet without a ServiceAccount', () => {
    const request = mirrorFor({});
    expect(request?.user?.username).to.equal('system:node:kubectl-webhook-probe');
    expect(request?.namespace).to.equal('kube-system');
    const object = request?.object;
    expect(object).to.have.nested.include({ 'spec.hostNetwork': true });
    expect(object).to.have.deep.nested.include({
      'metadata.annotations.kubernetes\\.io/config\\.source': 'file',
    });
    expect(object).to.not.have.nested.property('spec.serviceAccountName');
  });
  it('is not sent if the namespaceSelector excludes kube-system, or for other objects', () => {
    const others = {
      key: 'kubernetes.io/metadata.name',
      operator: 'NotIn',
      values: ['kube-system'],
    } as const;
    expect(mirrorFor({ namespaceSelector: { matchExpressions: [others] } })).to.equal(undefined);
    expect(mirrorFor({ rules: [{ ...rules[0], resources: ['configmaps'] }] as never })).to.equal(undefined);
  });
});

describe('the ReplicaSet of a Deployment', () => {
  const asked = (...names: readonly string[]) =>
    ownedReplicaSet(
      webhook({
        kind: 'mutating',
        rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: names }],
      }) as AdmissionCallout,
      facts,
      undefined,
    );
  it('has the Pod template of the Deployment and a hash', () => {
    const [owned, owner] = asked('*');
    expect([owned?.role, owner?.role]).to.deep.equal(['owned-replicaset', 'owner-of-replicaset']);
    expect(owned?.request.object).to.have.nested.property('metadata.ownerReferences[0].kind', 'Deployment');
    expect(owned?.request.object).to.have.nested.property(
      'spec.template.metadata.labels.pod-template-hash',
      'kubectl-webhook-probe',
    );
    expect(owner?.request.object).to.not.have.nested.property(
      'spec.template.metadata.labels.pod-template-hash',
    );
  });
  it('is sent alone if the rules do not match Deployments, and not if they match only these', () => {
    expect(asked('replicasets').map(({ role }) => role)).to.deep.equal(['owned-replicaset']);
    expect(asked('deployments')).to.deep.equal([]);
  });
});
