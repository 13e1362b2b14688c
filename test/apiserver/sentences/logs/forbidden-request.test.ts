import { expect } from 'chai';
import { forbiddenIn } from '../../../../src/apiserver/sentences/logs/forbidden-request.ts';

describe('requests that the API server forbids a ServiceAccount', () => {
  it('are parsed from a log of controller-runtime', () => {
    const line = `E1122 09:00:00.000000 1 reflector.go:200] "Failed to watch" err="failed to list *v1.Secret: secrets is forbidden: User \\"system:serviceaccount:wave:wave\\" cannot list resource \\"secrets\\" in API group \\"\\" at the cluster scope"`;
    expect(forbiddenIn(line)).to.deep.equal({
      account: 'wave/wave',
      verb: 'list',
      resource: 'secrets',
      namespace: undefined,
    });
  });

  it('are parsed from the error, with group and namespace', () => {
    const text =
      'deployments.apps "cart" is forbidden: User "system:serviceaccount:wave:default" cannot update resource "deployments" in API group "apps" in the namespace "shop"';
    expect(forbiddenIn(text)).to.deep.equal({
      account: 'wave/default',
      verb: 'update',
      resource: 'deployments.apps',
      namespace: 'shop',
      name: 'cart',
    });
  });

  it('are parsed with the verb of a constrained impersonation', () => {
    const text =
      'configmaps is forbidden: User "system:serviceaccount:wave:default" cannot impersonate-on:user-info:create resource "configmaps" in API group "" in the namespace "shop"';
    expect(forbiddenIn(text)?.verb).to.equal('impersonate-on:user-info:create');
  });

  for (const text of [
    'pods "a" is forbidden: exceeded quota: none',
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope',
    // A name that no ServiceAccount can have: a process can log any text, and the name stands in a command.
    'pods is forbidden: User "system:serviceaccount:shop:a & calc" cannot list resource "pods" in API group "" at the cluster scope',
    '',
  ]) {
    it(`is not in: ${text || 'nothing'}`, () => {
      expect(forbiddenIn(text)).to.equal(undefined);
    });
  }
});
