import { expect } from 'chai';
import { autoscalers } from '../../../../src/collect/collectors/workloads/scaling.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { healthy, snapshotOf, webhook } from '../../../support/snapshot.ts';

const scaled = {
  group: 'autoscaling',
  version: 'v2',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  singular: '',
  namespaced: true,
  verbs: ['list'],
};

describe('autoscalers', () => {
  const only = webhook();
  const { facts } = snapshotOf(
    healthy({ callouts: [only], served: complete([['served', { resources: [scaled], stale: [] }]]) }),
  );

  for (const [what, named, expected] of [
    ['of all namespaces, if the run examines all webhooks', false, ['*']],
    ['of none, if the only webhook was named', true, []],
  ] as const)
    it(`reads those ${what}`, () => {
      const readOptions = { chosen: [only], examineAll: true, named, topics: [] };
      expect(autoscalers.wants?.(facts, readOptions)).to.deep.equal(expected);
    });
});
