import { expect } from 'chai';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { replicasOf } from '../../../src/facts/workloads/replicas.ts';
import {
  as,
  endpointOf,
  event,
  events,
  only,
  replacedByReady,
  status,
  unready,
  waiting,
} from '../../checks/replica/replicas.ts';
import {
  healthy,
  lists,
  objects,
  service,
  slice,
  snapshotOf,
  takenAt,
  webhook,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const replicas = (facts: Partial<Facts>, callout = webhook()) => replicasOf(callout, snapshotOf(facts).facts);
const bare = (address: string, conditions = {}) => ({ addresses: [address], conditions });

describe('replicas of a callout', () => {
  it('are the Pods with their addresses', () => {
    expect(replicas(healthy())).to.deep.equal([
      { pod: 'policy-1', endpoint: '198.51.100.7:8443', ready: true, state: 'ready' },
    ]);
  });

  it('are those of the EndpointSlices if Pods were not read', () => {
    const leaving = {
      ...endpointOf(unready(), false),
      conditions: { ready: false, serving: true, terminating: true },
    };
    const facts = healthy({
      endpointSlices: lists({
        'shop/policy': [slice([leaving, bare('198.51.100.8'), bare('198.51.100.9', { ready: false })])],
      }),
      pods: nothingRead({ what: 'Pods', why: 'not-requested' }),
      endpointPods: forbidden(),
    });
    expect(replicas(facts)).to.deep.equal([
      { pod: 'policy-1', endpoint: '198.51.100.7:8443', ready: false, state: 'terminating' },
      { endpoint: '198.51.100.8:8443', ready: true, state: 'ready' },
      { endpoint: '198.51.100.9:8443', ready: false, state: 'not-ready' },
    ]);
  });

  it('omit Pods of Helm tests and other hooks', () => {
    const failed = as(waiting('ContainerCreating'), {
      annotations: { 'helm.sh/hook': 'test' },
      ownerReferences: [],
    });
    expect(replicas(only([failed], { endpointSlices: lists({ 'shop/policy': [slice([])] }) }))).to.deep.equal(
      [],
    );
  });

  it('include Pods of a controller that have the annotation of a hook from their template', () => {
    const made = as(waiting('ContainerCreating'), {
      annotations: { 'helm.sh/hook': 'post-install' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'policy-1', uid: 'r', controller: true },
      ],
    });
    expect(
      replicas(only([made], { endpointSlices: lists({ 'shop/policy': [slice([])] }) })).map(({ pod }) => pod),
    ).to.deep.equal(['policy-1']);
  });

  it('include Pods that have no address yet', () => {
    const { podIP: _none, ...rest } = waiting('ContainerCreating').status;
    const facts = only([{ ...waiting('ContainerCreating'), status: rest }], {
      endpointSlices: lists({ 'shop/policy': [slice([])] }),
      ...events(event('FailedMount', 'secret "policy-certs" not found')),
    });
    expect(replicas(facts)).to.deep.equal([{ pod: 'policy-1', ready: false, state: 'volume-missing' }]);
  });

  it('contain an endpoint whose Pod does not exist', () => {
    const facts = only([], { endpointSlices: lists({ 'shop/policy': [slice()] }) });
    expect(replicas(facts)).to.deep.equal([
      { pod: 'policy-1', endpoint: '198.51.100.7:8443', ready: false, state: 'no-pod' },
    ]);
  });

  it('omit Pods that ended and were replaced', () => {
    const evicted = unready({ status: { phase: 'Failed', reason: 'Evicted' } });
    const next = as(waiting('ImagePullBackOff'), {
      name: 'policy-2',
      uid: 'uid-2',
      creationTimestamp: takenAt,
    });
    const facts = only([evicted, next], { endpointSlices: lists({ 'shop/policy': [slice([])] }) });
    expect(replicas(facts).map(({ pod, state }) => [pod, state])).to.deep.equal([
      ['policy-2', 'image-pull-failing'],
    ]);
  });

  it('keep the last Pod that a node rejected beside one without a status', () => {
    const rejected = unready({ status: { phase: 'Failed', reason: 'SysctlForbidden' } });
    const older = as(rejected, { name: 'policy-0', uid: 'uid-0', creationTimestamp: '2025-12-31T09:00:00Z' });
    const created = as(unready({ status: { phase: 'Pending', containerStatuses: [] } }), {
      name: 'policy-2',
      uid: 'uid-2',
      creationTimestamp: takenAt,
    });
    const facts = only([older, rejected, created], {
      endpointSlices: lists({ 'shop/policy': [slice([])] }),
      nodes: objects({ metadata: { name: 'n1' } }),
    });
    expect(replicas(facts).map(({ pod, state }) => [pod, state])).to.deep.equal([
      ['policy-1', 'evicted'],
      ['policy-2', 'starting'],
    ]);
  });

  it('keep both sides of a rollout', () => {
    const states = replicas(replacedByReady(waiting('CrashLoopBackOff'))).map(({ state }) => state);
    expect(states).to.deep.equal(['crash-looping', 'ready']);
  });

  it('put IPv6 addresses in brackets, and list an address of two slices once', () => {
    const six = slice([bare('2001:db8::7')], { addressType: 'IPv6' });
    const facts = healthy({
      endpointSlices: lists({ 'shop/policy': [six, six] }),
      pods: lists({ 'shop/policy': [] }),
    });
    expect(replicas(facts)).to.deep.equal([{ endpoint: '[2001:db8::7]:8443', ready: true, state: 'ready' }]);
  });

  it('are those of the called port', () => {
    const ports = [
      { name: 'metrics', port: 8080 },
      { name: 'webhook', port: 443 },
    ];
    const facts = healthy({
      services: objects(service({ ports })),
      endpointSlices: lists({
        'shop/policy': [
          slice([bare('198.51.100.8')], {
            ports: [
              { name: 'metrics', port: 9090 },
              { name: 'webhook', port: 9443 },
            ],
          }),
        ],
      }),
      pods: lists({ 'shop/policy': [] }),
    });
    expect(replicas(facts).map(({ endpoint }) => endpoint)).to.deep.equal(['198.51.100.8:9443']);
  });

  it('are none for a URL, a missing Service, and unreadable EndpointSlices', () => {
    expect(replicas(healthy(), webhook({ client: { url: 'https://hooks.example.com' } }))).to.deep.equal([]);
    expect(replicas(healthy({ services: objects() }))).to.deep.equal([]);
    expect(replicas(healthy({ services: forbidden() }))).to.deep.equal([]);
    expect(replicas(healthy({ endpointSlices: forbidden() }))).to.deep.equal([]);
  });

  it('show that a Pod was killed out of memory even while it waits for its restart', () => {
    const killed = status({
      restartCount: 2,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
    });
    const [replica] = replicas(only([unready({ status: { containerStatuses: [killed] } })]));
    expect(replica?.state).to.equal('out-of-memory');
  });
});
