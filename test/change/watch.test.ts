import { expect } from 'chai';
import type { Step } from '../../src/change/plan.ts';
import { revertedWrite } from '../../src/change/watch.ts';
import type { ClusterReader } from '../../src/collect/cluster.ts';

const holding = (replicas: number) =>
  ({
    get: async () => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'policy', namespace: 'shop', uid: 'd', resourceVersion: '9' },
      spec: { replicas },
    }),
  }) as unknown as ClusterReader;

const step = (operation: Step['operation']): Step => ({
  object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
  operation,
  path: '/spec/replicas',
  before: 0,
  after: 1,
  uid: 'd',
});

const seen = (operation: Step['operation'], replicas: number) =>
  revertedWrite(holding(replicas), [step(operation)], '20260101-000000-abc', 0);

describe('a change after it was applied', () => {
  it('is in place while the value is the new one', async () => {
    expect(await seen('scale', 1)).to.equal(undefined);
  });

  it('is in place if an autoscaler scales further', async () => {
    expect(await seen('scale', 2)).to.equal(undefined);
  });

  it('is reverted if another client scales to the previous value', async () => {
    expect(await seen('scale', 0)).to.match(/\/spec\/replicas is 0 again/);
  });

  it('is reverted if another client writes another value into any other field', async () => {
    expect(await seen('patch', 2)).to.match(/\/spec\/replicas is 2 again/);
  });
});
