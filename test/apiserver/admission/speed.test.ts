import { expect } from 'chai';
import type { AdmissionRequest, Operation } from '../../../src/apiserver/admission/admission-request.ts';
import type { MatchFacts } from '../../../src/apiserver/admission/match.ts';
import { matchTable } from '../../../src/apiserver/admission/match-table.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { LabelSelector } from '../../../src/facts/objects/metadata.ts';
import type { ServedResource } from '../../../src/facts/served-resources.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';

const operations: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE'];
const versions = ['v1', 'v1beta1'] as const;
const resourceOf = (index: number) => ({ group: `g${index % 20}.example.com`, resource: `things${index}` });

const facts = (namespaces: number, resources: number): MatchFacts => ({
  namespaces: objects(
    ...Array.from({ length: namespaces }, (_, index) => namespace(`ns${index}`, { team: `t${index % 10}` })),
  ),
  served: complete([
    [
      'served',
      {
        resources: Array.from({ length: resources }, (_, index) =>
          versions.map(
            (version): ServedResource => ({
              ...resourceOf(index),
              version,
              kind: 'Thing',
              singular: '',
              namespaced: true,
              verbs: [],
            }),
          ),
        ).flat(),
        stale: [],
      },
    ],
  ]),
});

const requestsFor = (resources: number): readonly AdmissionRequest[] =>
  Array.from({ length: resources }, (_, index) => ({
    operation: operations[index % 3] ?? 'CREATE',
    ...resourceOf(index),
    version: 'v1',
    labels: { app: index % 2 === 0 ? 'shop' : 'policy' },
  }));

const rulesOf = (index: number): readonly RuleWithOperations[] =>
  index % 10 === 0
    ? [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]
    : Array.from({ length: 4 }, (_, turn) => {
        const { group, resource } = resourceOf((index * 7 + turn * 31) % 400);
        return {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: [group],
          // Half of them in another version than the one asked about.
          apiVersions: [versions[turn % 2] ?? 'v1'],
          resources: [resource, `${resource}/status`],
        };
      });

const namespaceSelectors: readonly LabelSelector[] = [
  {},
  { matchLabels: { team: 't3' } },
  { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['ns1', 'ns2'] }] },
];
const objectSelectors: readonly LabelSelector[] = [{}, { matchLabels: { app: 'shop' } }];

const webhooks = (count: number): readonly AdmissionCallout[] =>
  Array.from({ length: count }, (_, index) =>
    webhook({
      configuration: `w${index}`,
      rules: rulesOf(index),
      namespaceSelector: namespaceSelectors[index % 3] ?? {},
      objectSelector: objectSelectors[index % 2] ?? {},
      matchPolicy: index % 4 === 0 ? 'Exact' : 'Equivalent',
    }),
  );

/** How many of all verdicts are `called`. */
function countCalled(counts: { webhooks: number; namespaces: number; resources: number }) {
  const callouts = webhooks(counts.webhooks);
  const names = Array.from({ length: counts.namespaces }, (_, index) => `ns${index}`);
  const requests = requestsFor(counts.resources);
  const known = facts(counts.namespaces, counts.resources);
  const verdict = matchTable(callouts, names, requests, known, 'v1.37.1');
  let called = 0;
  for (let hook = 0; hook < callouts.length; hook += 1) {
    for (let place = 0; place < names.length; place += 1) {
      for (let asked = 0; asked < requests.length; asked += 1) {
        if (verdict(hook, place, asked).outcome === 'called') called += 1;
      }
    }
  }
  return called;
}

describe('40 000 000 verdicts', () => {
  it('are found for 500 webhooks, 200 namespaces and 400 resources', () => {
    const called = countCalled({ webhooks: 500, namespaces: 200, resources: 400 });
    expect(called).to.be.greaterThan(1_000_000).and.lessThan(10_000_000);
  });
});
