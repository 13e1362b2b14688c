import { expect } from 'chai';
import fc from 'fast-check';
import type { AdmissionRequest } from '../../../src/apiserver/admission/admission-request.ts';
import { resourceEntryCovers, ruleCovers } from '../../../src/apiserver/admission/rules.ts';
import type { RuleWithOperations } from '../../../src/facts/callout.ts';

const rule = (over: Partial<RuleWithOperations>): RuleWithOperations => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
  ...over,
});
const request = (over: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  namespace: 'shop',
  ...over,
});

describe('resourceEntryCovers', () => {
  // entry, resource, subresource, covered
  const table: readonly (readonly [string, string, string, boolean])[] = [
    ['pods', 'pods', '', true],
    ['pods', 'pods', 'status', false],
    ['pods', 'pod', '', false],
    ['pods/*', 'pods', '', true],
    ['pods/*', 'pods', 'exec', true],
    ['pods/*', 'nodes', '', false],
    ['*', 'pods', '', true],
    ['*', 'pods', 'exec', false],
    ['*/*', 'pods', '', true],
    ['*/*', 'pods', 'exec', true],
    ['*/scale', 'deployments', 'scale', true],
    ['*/scale', 'deployments', '', false],
    ['pods/status', 'pods', 'status', true],
    ['pods/status', 'pods', '', false],
    ['services/proxy/x', 'services', 'proxy/x', true],
    ['Pods', 'pods', '', false],
  ];
  for (const [entry, resource, subresource, covered] of table) {
    it(`${entry} ${covered ? 'covers' : 'does not cover'} ${resource}${subresource && `/${subresource}`}`, () => {
      expect(resourceEntryCovers(entry, resource, subresource)).to.equal(covered);
    });
  }

  const name = fc.constantFrom('pods', 'nodes', 'deployments');
  const sub = fc.constantFrom('', 'status', 'scale');
  it('*/* matches everything, and everything that * matches', () => {
    fc.assert(
      fc.property(name, sub, (resource, subresource) => resourceEntryCovers('*/*', resource, subresource)),
    );
  });
  it('x/* matches everything that x and x/y match', () => {
    fc.assert(
      fc.property(name, name, sub, sub, (entry, resource, subresource, own) => {
        const narrow = own === '' ? entry : `${entry}/${own}`;
        return (
          !resourceEntryCovers(narrow, resource, subresource) ||
          resourceEntryCovers(`${entry}/*`, resource, subresource)
        );
      }),
    );
  });
});

describe('ruleCovers', () => {
  const table: readonly (readonly [
    string,
    Partial<RuleWithOperations>,
    Partial<AdmissionRequest>,
    boolean,
  ])[] = [
    ['the core group by its empty name', { apiGroups: [''] }, {}, true],
    ['the core group by *', { apiGroups: ['*'] }, {}, true],
    ['a group v1, which is a version', { apiGroups: ['v1'] }, {}, false],
    ['another version', { apiVersions: ['v1beta1'] }, {}, false],
    ['one of several operations', { operations: ['UPDATE', 'CREATE'] }, {}, true],
    ['another operation', { operations: ['UPDATE'] }, {}, false],
    ['a namespaced object, Namespaced', { scope: 'Namespaced' }, {}, true],
    ['a namespaced object, Cluster', { scope: 'Cluster' }, {}, false],
    ['a node, Namespaced', { scope: 'Namespaced' }, { resource: 'nodes', namespace: '' }, false],
    ['a node, Cluster', { scope: 'Cluster' }, { resource: 'nodes', namespace: '' }, true],
    ['a Namespace, Namespaced', { scope: 'Namespaced' }, { resource: 'namespaces' }, false],
    ['a Namespace, Cluster', { scope: 'Cluster' }, { resource: 'namespaces' }, true],
    [
      'another group’s namespaces, Namespaced',
      { scope: 'Namespaced' },
      { resource: 'namespaces', group: 'x' },
      true,
    ],
    ['no operations', { operations: [] }, {}, false],
    ['no resources', { resources: [] }, {}, false],
  ];
  for (const [name, over, asked, covered] of table) {
    it(`${covered ? 'covers' : 'does not cover'} ${name}`, () => {
      expect(ruleCovers(rule(over), request(asked))).to.equal(covered);
    });
  }
});
