import { expect } from 'chai';
import fc from 'fast-check';
import type { AdmissionRequest } from '../../../src/apiserver/admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../../../src/apiserver/admission/match.ts';
import { matchTable } from '../../../src/apiserver/admission/match-table.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { LabelSelector } from '../../../src/facts/objects/label-selector.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';

const served = (group: string, version: string, resource: string) => ({
  group,
  version,
  resource,
  kind: 'Thing',
  singular: '',
  namespaced: true,
  verbs: [],
});
const facts: MatchFacts = {
  namespaces: objects(
    namespace('shop', { team: 'a' }),
    namespace('kube-system'),
    namespace('other', { team: 'b' }),
  ),
  served: complete([
    [
      'served',
      {
        resources: [served('apps', 'v1', 'deployments'), served('apps', 'v1beta1', 'deployments')],
        stale: ['metrics.example.com/v1'],
      },
    ],
  ]),
};
const namespaces = ['shop', 'kube-system', 'other', 'gone'];

const some = <T>(...values: T[]) => fc.subarray(values, { minLength: 1 });
const rule: fc.Arbitrary<RuleWithOperations> = fc.record({
  operations: some('*', 'CREATE', 'UPDATE'),
  apiGroups: some('*', '', 'apps'),
  apiVersions: some('*', 'v1', 'v1beta1'),
  resources: some('*', '*/*', 'pods', 'pods/*', 'deployments', 'tokenreviews'),
  scope: fc.constantFrom('*', 'Namespaced', 'Cluster'),
});
const selector: fc.Arbitrary<LabelSelector> = fc.constantFrom<LabelSelector>(
  {},
  { matchLabels: { team: 'a' } },
  { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] },
  { matchExpressions: [{ key: 'team', operator: 'In', values: ['b'] }] },
);
const callout: fc.Arbitrary<AdmissionCallout> = fc
  .record({
    rules: fc.array(rule, { maxLength: 3 }),
    namespaceSelector: selector,
    objectSelector: selector,
    matchPolicy: fc.constantFrom('Exact' as const, 'Equivalent' as const),
    matchConditions: fc.constantFrom(
      [],
      [],
      [{ name: 'no', expression: 'false' }],
      [{ name: 'shop', expression: 'request.namespace == "shop"' }],
    ),
  })
  .map((over) => webhook(over));
const request: fc.Arbitrary<AdmissionRequest> = fc.record({
  operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE', 'CONNECT'),
  group: fc.constantFrom('', 'apps', 'metrics.example.com', 'admissionregistration.k8s.io'),
  version: fc.constantFrom('v1', 'v1beta1'),
  resource: fc.constantFrom('pods', 'deployments', 'validatingwebhookconfigurations'),
  subresource: fc.constantFrom('', 'status'),
  labels: fc.constantFrom({}, { team: 'a' }),
  unknownLabels: fc.constantFrom([], ['team']),
});

describe('matchTable', () => {
  it('has the results of matchRequest', () => {
    fc.assert(
      fc.property(
        fc.array(callout, { maxLength: 4 }),
        fc.array(request, { maxLength: 4 }),
        fc.constantFrom('v1.37.1', 'v1.33.5-eks-113cf36'),
        (callouts, requests, version) => {
          const verdict = matchTable({ callouts, namespaces, requests }, facts, version);
          callouts.forEach((one, hook) => {
            namespaces.forEach((name, place) => {
              requests.forEach((asked, at) => {
                const wanted = matchRequest(one, { ...asked, namespace: name }, facts, version);
                expect(verdict(hook, place, at)).to.deep.equal(wanted);
              });
            });
          });
        },
      ),
    );
  });

  it('has no entry outside its lists', () => {
    const verdict = matchTable({ callouts: [webhook()], namespaces: ['shop'], requests: [] }, facts);
    expect(() => verdict(0, 0, 0)).to.throw(RangeError);
  });
});
