import { expect } from 'chai';
import { type HeldPod, requestsOf } from '../../../src/apiserver/held-pods/holding-webhooks.ts';
import { hasSamePlaceholder, requestBefore } from '../../../src/apiserver/held-pods/released-object.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { PodController } from '../../../src/facts/objects/pod-controller.ts';

const metadata = { name: 'import-x', namespace: 'shop', labels: { app: 'import' } };
const containers = [{ name: 'main' }];
const pod = (spec: Partial<Pod['spec']>, over: object = {}): Pod => ({
  metadata: { ...metadata, ...over },
  spec: { containers, ...spec },
  status: { phase: 'Pending' },
});
const alone = (one: Pod, by: HeldPod['by']): HeldPod => ({
  pod: one,
  workload: { kind: 'Pod', namespace: 'shop', name: 'import-x' },
  owner: undefined,
  by,
});
const requests = (parked: HeldPod) => requestsOf(parked).map((about) => requestBefore(parked, about));

describe('an object as it was before it was held', () => {
  it('a bare Pod: with the scheduler in the annotation, without the annotation, under a new name', () => {
    const annotations = { 'park.example.com/former': 'my-scheduler', team: 'shop' };
    const one = pod({ schedulerName: 'park.example.com/never' }, { annotations });
    const [request, ...others] = requests(alone(one, { scheduler: 'park.example.com/never' }));
    expect(others).to.deep.equal([]);
    expect(request?.object).to.deep.equal({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: 'import-x-',
        namespace: 'shop',
        labels: { app: 'import' },
        annotations: { team: 'shop' },
      },
      spec: { containers, schedulerName: 'my-scheduler' },
    });
  });

  it('gates of others remain', () => {
    const gates = [{ name: 'a.example.com/wait' }, { name: 'b.example.com/wait' }];
    const parked = alone(pod({ schedulingGates: gates }), { gates: ['a.example.com/wait'] });
    const [request] = requests(parked);
    expect(request?.object).to.have.nested.property('spec.schedulingGates').that.deep.equals([gates[1]]);
    expect(hasSamePlaceholder(request?.object, parked)).to.equal(false);
    expect(hasSamePlaceholder(pod({ schedulingGates: gates }), parked)).to.equal(true);
  });

  it('a Job: without the values that its controller generated', () => {
    const own = { 'batch.kubernetes.io/controller-uid': 'u', 'controller-uid': 'u', 'job-name': 'import' };
    const owner = {
      kind: 'Job',
      metadata: { name: 'import', namespace: 'shop', uid: 'u', labels: { app: 'import' } },
      spec: {
        parallelism: 2,
        selector: { matchLabels: { 'controller-uid': 'u' } },
        template: {
          metadata: { labels: { app: 'import', ...own } },
          spec: { containers, schedulerName: 'nobody' },
        },
      },
      status: { active: 1 },
    } as PodController;
    const parked: HeldPod = {
      pod: pod({ schedulerName: 'nobody' }),
      workload: { kind: 'Job', namespace: 'shop', name: 'import' },
      owner,
      by: { scheduler: 'nobody' },
    };
    const [create, update] = requests(parked);
    expect(create?.operation).to.equal('CREATE');
    expect(create?.object).to.deep.equal({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'import', namespace: 'shop', labels: { app: 'import' }, annotations: {} },
      spec: {
        parallelism: 2,
        template: {
          metadata: { labels: { app: 'import' } },
          spec: { containers, schedulerName: 'default-scheduler' },
        },
      },
    });
    expect(update).to.deep.include({ operation: 'UPDATE', oldObject: update?.object });
    expect(hasSamePlaceholder(owner, parked)).to.equal(true);
    expect(hasSamePlaceholder(create?.object, parked)).to.equal(false);
  });

  it('unknown if the owner of the Pod was not read', () => {
    const parked: HeldPod = {
      ...alone(pod({ schedulerName: 'nobody' }), { scheduler: 'nobody' }),
      workload: { kind: 'StatefulSet', namespace: 'shop', name: 'import' },
    };
    expect(requests(parked).map((request) => request?.resource)).to.deep.equal([
      'pods',
      undefined,
      undefined,
    ]);
  });
});
