import { expect } from 'chai';
import type { Node } from '../../../src/facts/objects/node.ts';
import { untoleratedTaintKeys, waitsForNodes } from '../../../src/facts/workloads/unscheduled.ts';
import { pod } from '../../support/snapshot.ts';

const key = 'node.kubernetes.io/not-ready';
const node = (...taints: NonNullable<NonNullable<Node['spec']>['taints']>): Node => ({
  metadata: { name: 'n' },
  spec: { taints },
});
const { spec } = pod();
const bearing = (...tolerations: NonNullable<typeof spec.tolerations>) => ({ ...spec, tolerations });
const both = node({ key, effect: 'NoSchedule' }, { key, effect: 'NoExecute' });

describe('a Pod waits for what only Nodes say', () => {
  const waiting = (message: string) =>
    waitsForNodes(pod({ status: { conditions: [{ type: 'PodScheduled', status: 'False', message }] } }));
  it('if the scheduler names a resource of a device plugin, and not one that every node has', () => {
    expect(waiting('0/1 nodes are available: 1 Insufficient example.com/hsm.')).to.equal(true);
    expect(waiting('0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate')).to.equal(
      false,
    );
  });
});

describe('taints that repel a Pod from a node', () => {
  it('are those that it does not tolerate', () => {
    expect(untoleratedTaintKeys(bearing(), both)).to.deep.equal([key, key]);
    expect(untoleratedTaintKeys(bearing({ key, operator: 'Exists' }), both)).to.deep.equal([]);
    expect(untoleratedTaintKeys(bearing({ operator: 'Exists' }), both)).to.deep.equal([]);
  });
  it('are those of another effect than it tolerates', () => {
    const asEveryPod = bearing({ key, operator: 'Exists', effect: 'NoExecute' });
    expect(untoleratedTaintKeys(asEveryPod, both)).to.deep.equal([key]);
    expect(untoleratedTaintKeys(asEveryPod, node({ key, effect: 'NoExecute' }))).to.deep.equal([]);
  });
  it('do not include PreferNoSchedule', () => {
    expect(untoleratedTaintKeys(bearing(), node({ key, effect: 'PreferNoSchedule' }))).to.deep.equal([]);
  });
});
