import { expect } from 'chai';
import fc from 'fast-check';
import type { AdmissionRequest } from '../../../src/apiserver/admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../../../src/apiserver/admission/match.ts';
import { ruleCovers } from '../../../src/apiserver/admission/rules.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { LabelSelector } from '../../../src/facts/objects/label-selector.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';

const groups = ['', 'apps'];
const versions = ['v1', 'v1beta1'];
const resources = ['pods', 'deployments', 'namespaces'];
const subresources = ['', 'status', 'scale'];
const namespaces = ['', 'shop', 'other'];

const facts: MatchFacts = {
  namespaces: objects(namespace('shop', { team: 'a' }), namespace('other')),
  served: complete([
    [
      'served',
      {
        resources: groups.flatMap((group) =>
          versions.flatMap((version) =>
            ['pods', 'deployments', 'deployments/scale'].map((resource) => ({
              group,
              version,
              resource,
              kind: 'Thing',
              singular: '',
              namespaced: true,
              verbs: [],
            })),
          ),
        ),
        stale: [],
      },
    ],
  ]),
};

const some = (...values: readonly string[]) => fc.subarray([...values], { minLength: 1 });
const rule: fc.Arbitrary<RuleWithOperations> = fc.record({
  operations: some('*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT'),
  apiGroups: some('*', ...groups),
  apiVersions: some('*', ...versions),
  resources: some('*', '*/*', '*/scale', 'pods', 'pods/*', 'deployments/status', 'deployments'),
  scope: fc.constantFrom('*', 'Namespaced', 'Cluster'),
});
const rules = fc.array(rule, { maxLength: 3 });
const labels = fc.dictionary(fc.constantFrom('app', 'team'), fc.constantFrom('a', 'b'));
const selector: fc.Arbitrary<LabelSelector> = fc.record({
  matchLabels: labels,
  matchExpressions: fc.array(
    fc.oneof(
      fc.record({
        key: fc.constantFrom('app', 'team'),
        operator: fc.constantFrom('In' as const, 'NotIn' as const),
        values: some('a', 'b'),
      }),
      fc.record({
        key: fc.constantFrom('app', 'team'),
        operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
      }),
    ),
    { maxLength: 2 },
  ),
});
const request: fc.Arbitrary<AdmissionRequest> = fc.record({
  operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE', 'CONNECT'),
  group: fc.constantFrom(...groups),
  version: fc.constantFrom(...versions),
  resource: fc.constantFrom(...resources),
  subresource: fc.constantFrom(...subresources),
  namespace: fc.constantFrom(...namespaces),
  labels,
  oldLabels: labels,
});
const callout: fc.Arbitrary<AdmissionCallout> = fc
  .record({
    rules,
    namespaceSelector: fc.oneof(fc.constant({}), selector),
    objectSelector: fc.oneof(fc.constant({}), selector),
    matchPolicy: fc.constantFrom('Exact' as const, 'Equivalent' as const),
  })
  .map((over) => webhook(over));

const isCalled = (of: AdmissionCallout, asked: AdmissionRequest): boolean =>
  matchRequest(of, asked, facts).outcome === 'called';
const wanted = { numRuns: 300 };

describe('any rule', () => {
  it('still matches its requests after an addition to a list', () => {
    const key = fc.constantFrom('operations', 'apiGroups', 'apiVersions', 'resources');
    fc.assert(
      fc.property(rule, rule, key, request, (one, other, name, asked) => {
        const more = { ...one, [name]: [...one[name], ...other[name]] };
        return !ruleCovers(one, asked) || ruleCovers(more, asked);
      }),
      wanted,
    );
  });

  it('matches with * what it matches with the exact value', () => {
    fc.assert(
      fc.property(rule, request, (one, asked) => {
        const open = { ...one, operations: ['*'], apiGroups: ['*'], apiVersions: ['*'] };
        const exact = {
          ...one,
          operations: [asked.operation],
          apiGroups: [asked.group],
          apiVersions: [asked.version],
        };
        expect(ruleCovers(open, asked)).to.equal(ruleCovers(exact, asked));
      }),
      wanted,
    );
  });

  it('is either Namespaced or Cluster, never both', () => {
    fc.assert(
      fc.property(rule, request, (one, asked) => {
        const scoped = (['Namespaced', 'Cluster'] as const).filter((scope) =>
          ruleCovers({ ...one, scope }, asked),
        );
        expect(scoped).to.have.length(ruleCovers({ ...one, scope: '*' }, asked) ? 1 : 0);
      }),
      wanted,
    );
  });
});

describe('any webhook', () => {
  it('is called with Equivalent whenever it is with Exact, by the same rule and without conversion', () => {
    fc.assert(
      fc.property(callout, request, (of, asked) => {
        const exact = matchRequest({ ...of, matchPolicy: 'Exact' }, asked, facts);
        if (exact.outcome !== 'called') return;
        expect(matchRequest({ ...of, matchPolicy: 'Equivalent' }, asked, facts)).to.deep.equal(exact);
        expect(exact.as).to.equal(undefined);
      }),
      wanted,
    );
  });

  it('is called in another version only for requests that its rules match there', () => {
    fc.assert(
      fc.property(callout, request, (of, asked) => {
        const match = matchRequest(of, asked, facts);
        if (match.outcome === 'called') expect(ruleCovers(match.rule, match.as ?? asked)).to.equal(true);
      }),
      wanted,
    );
  });

  it('is not called more often with more requirements in a selector', () => {
    fc.assert(
      fc.property(callout, request, selector, (of, asked, more) => {
        const narrow = (own: LabelSelector): LabelSelector => ({
          matchLabels: own.matchLabels ?? {},
          matchExpressions: [...(own.matchExpressions ?? []), ...(more.matchExpressions ?? [])],
        });
        for (const name of ['namespaceSelector', 'objectSelector'] as const) {
          const narrowed = { ...of, [name]: narrow(of[name]) };
          expect(isCalled(narrowed, asked) && !isCalled(of, asked)).to.equal(false);
        }
      }),
      wanted,
    );
  });

  it('with a namespaceSelector is called for cluster-scoped objects as without one', () => {
    fc.assert(
      fc.property(callout, request, (of, asked) => {
        if (asked.resource === 'namespaces') return;
        const clusterScoped = { ...asked, namespace: '' };
        expect(isCalled(of, clusterScoped)).to.equal(
          isCalled({ ...of, namespaceSelector: {} }, clusterScoped),
        );
      }),
      wanted,
    );
  });

  it('with an objectSelector is called for an update if the old or the new object matches', () => {
    fc.assert(
      fc.property(callout, request, labels, labels, (of, asked, before, after) => {
        const anyOperation = { ...of, rules: of.rules.map((one) => ({ ...one, operations: ['*'] })) };
        // A write of a Namespace is also matched by its new labels.
        const elsewhere = asked.resource === 'namespaces' ? { ...asked, resource: 'pods' } : asked;
        const seen = (over: Partial<AdmissionRequest>) => isCalled(anyOperation, { ...elsewhere, ...over });
        expect(seen({ operation: 'UPDATE', labels: after, oldLabels: before })).to.equal(
          seen({ operation: 'CREATE', labels: after }) || seen({ operation: 'DELETE', oldLabels: before }),
        );
      }),
      wanted,
    );
  });

  it('with an objectSelector is never called for CONNECT', () => {
    fc.assert(
      fc.property(callout, request, labels, (of, asked, matchLabels) => {
        fc.pre(Object.keys(matchLabels).length > 0);
        const selecting = { ...of, objectSelector: { matchLabels } };
        expect(isCalled(selecting, { ...asked, operation: 'CONNECT' })).to.equal(false);
      }),
      wanted,
    );
  });

  it('is never called for webhook configurations', () => {
    fc.assert(
      fc.property(callout, request, (of, asked) => {
        const configuration = {
          ...asked,
          group: 'admissionregistration.k8s.io',
          resource: 'validatingwebhookconfigurations',
        };
        expect(matchRequest(of, configuration, facts)).to.deep.equal({
          outcome: 'skipped',
          by: 'admission-configuration',
        });
      }),
      wanted,
    );
  });
});
