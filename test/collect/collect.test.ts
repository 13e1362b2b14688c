import { expect } from 'chai';
import type { ReadOptions } from '../../src/collect/collector.ts';
import { readCluster } from '../../src/collect/planner.ts';
import type { Callout } from '../../src/facts/callout.ts';
import { NotKnown, unreadText } from '../../src/facts/unread.ts';
import { collectAll } from '../support/collect-all.ts';
import { type Answers, type Failures, recordedReader } from '../support/recorded-reader.ts';
import { namespace, pod, service, slice, workload } from '../support/snapshot.ts';

const validating = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const mutating = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const slices = '/apis/discovery.k8s.io/v1/endpointslices';
const pods = '/api/v1/namespaces/shop/pods';
const deployments = '/apis/apps/v1/namespaces/shop/deployments';
const first = [
  '/api',
  '/apis',
  '/version',
  '/api/v1/namespaces',
  '/api/v1/services',
  validating,
  mutating,
  crds,
  apiServices,
  slices,
];
const pending = '/api/v1/namespaces/shop/pods?fieldSelector=status.phase=Pending&resourceVersion=0';
const always = [
  ...first,
  pending,
  '/api/v1/namespaces/kube-system/pods?labelSelector=component=kube-apiserver',
];

const configuration = (name = 'policy', backend = 'policy') => ({
  metadata: { name },
  webhooks: [
    { name: `${name}.example.com`, clientConfig: { service: { namespace: 'shop', name: backend } } },
  ],
});
const discovery = {
  '/api': { kind: 'APIGroupDiscoveryList', items: [] },
  '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
};
const whole: Answers = {
  ...discovery,
  '/version': { gitVersion: 'v1.35.4' },
  [validating]: [configuration()],
  '/api/v1/services': [service()],
  '/api/v1/namespaces': [namespace()],
  [slices]: [slice()],
};

async function collected(
  answers: Answers,
  failures: Failures = {},
  readOptions: Partial<ReadOptions> = {},
  choose: (callouts: readonly Callout[]) => readonly Callout[] = (all) => all,
) {
  const reader = recordedReader(answers, failures);
  const { snapshot, asked } = await collectAll(reader, readOptions, choose);
  return { snapshot, facts: snapshot.facts, asked, requests: reader.asked };
}

describe('collect', () => {
  it('sends twelve reads for a cluster with healthy backends', async () => {
    const { requests, snapshot } = await collected(whole);
    expect([...requests].sort()).to.deep.equal([...always].sort());
    expect(snapshot.notLookedAt).to.deep.equal([]);
    expect(snapshot.cluster.version).to.equal('v1.35.4');
    expect(snapshot.facts.takenAt).to.equal('1970-01-01T00:00:00.000Z');
  });

  it('starts when the API server has received all first reads, and reads nothing further unless requested', async () => {
    const reader = recordedReader(whole);
    const source = readCluster(reader, {
      now: new Date(0),
      readOptions: { topics: ['failures'], examineAll: true },
    });
    const lists = source.first();
    await source.attempts.firstResponse;
    expect(reader.asked).to.have.length(first.length);
    source.choose((await lists).callouts);
    await source.known(['callouts', 'services']);
    expect(reader.asked).to.have.length(first.length);
    const { facts } = await source.snapshot();
    expect(facts.pods.why('shop/policy')?.why).to.equal('not-requested');
    expect([...source.requested]).to.deep.equal([]);
  });

  it('reads the facts that keys depend on, and records the requested keys', async () => {
    const reader = recordedReader({ ...whole, [pods]: [pod()] });
    const source = readCluster(reader, {
      now: new Date(0),
      readOptions: { topics: ['failures'], examineAll: true },
    });
    source.choose((await source.first()).callouts);
    const { endpointPods } = await source.known(['endpointPods']);
    expect(endpointPods.why('shop/policy-1')?.why).to.equal('not-requested');
    const requested = [...source.requested].map(([fact, keys]) => `${fact} ${[...keys]}`);
    expect(requested).to.deep.equal(['startingPods ', 'probes ', 'pods shop/policy', 'endpointPods ']);
  });

  it('does not know the Pods of a backend that looks healthy', async () => {
    const { facts } = await collected(whole);
    expect(() => facts.pods.get('shop/policy')).to.throw(NotKnown);
    expect(facts.pods.why('shop/policy')?.why).to.equal('not-requested');
  });

  it('reads the Pods of one that changed in the last hour, and misses nothing if they may not be read', async () => {
    const given = slice();
    const changed = {
      ...given,
      metadata: {
        ...given.metadata,
        creationTimestamp: '1969-12-31T12:00:00Z',
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '1969-12-31T23:50:00Z' },
      },
    };
    const answers = { ...whole, [slices]: [changed], [pods]: [pod()] };
    expect((await collected(answers)).facts.pods.get('shop/policy')).to.deep.equal([pod()]);
    const { facts, snapshot } = await collected(answers, { [pods]: 'forbidden' });
    expect(facts.pods.why('shop/policy')?.why).to.equal('not-requested');
    expect(snapshot.notLookedAt).to.deep.equal([]);
  });

  it('reads the Pods of one with a new Pod that does not start, and misses nothing if they may not be listed', async () => {
    const waiting = (over: object) =>
      pod({ metadata: { creationTimestamp: '1969-12-31T23:50:00Z', ...over } });
    const podsWith = async (over: object) => {
      const { facts } = await collected({ ...whole, [pods]: [waiting(over)] });
      return facts.pods.getIfKnown('shop/policy');
    };
    expect(await podsWith({})).to.deep.equal([waiting({})]);
    expect(await podsWith({ creationTimestamp: '1969-12-31T23:59:30Z' })).to.equal(undefined);
    expect(await podsWith({ labels: { app: 'other' } })).to.equal(undefined);
    expect(await podsWith({ namespace: 'elsewhere' })).to.equal(undefined);
    for (const failure of ['forbidden', 'timeout', 'too-large'] as const) {
      const { facts, snapshot } = await collected(whole, { [pods]: failure });
      expect(facts.pods.why('shop/policy')?.why).to.equal('not-requested');
      expect(snapshot.notLookedAt).to.deep.equal([]);
    }
  });

  it('lists the Pending Pods of many namespaces together', async () => {
    const homes = ['shop', 'billing', 'gpu', 'mesh'];
    const configurations = homes.map((namespace) => ({
      metadata: { name: namespace },
      webhooks: [
        { name: `${namespace}.example.com`, clientConfig: { service: { namespace, name: 'policy' } } },
      ],
    }));
    const waiting = homes.map((namespace) => pod({ metadata: { namespace } }));
    const { facts, requests } = await collected({
      ...whole,
      [validating]: configurations,
      '/api/v1/pods': [...waiting, pod({ metadata: { namespace: 'elsewhere' } })],
    });
    expect(requests.filter((path) => path.includes('phase=Pending'))).to.deep.equal([
      '/api/v1/pods?fieldSelector=status.phase=Pending&resourceVersion=0',
    ]);
    for (const [at, home] of homes.entries())
      expect(facts.startingPods.get(home)?.map(({ metadata }) => metadata.namespace)).to.deep.equal([
        waiting[at]?.metadata.namespace,
      ]);
    expect(facts.startingPods.getIfKnown('elsewhere')).to.equal(undefined);
  });

  it('reads the Pods of a backend without a ready endpoint by its selector, once', async () => {
    const notReady = [slice([{ addresses: ['198.51.100.7'], conditions: { ready: false } }])];
    const waiting = pod({ status: { phase: 'Running', conditions: [], containerStatuses: [] } });
    const { facts, requests } = await collected({ ...whole, [slices]: notReady, [pods]: [waiting] });
    const extra = requests.filter((path) => !always.includes(path));
    expect(extra).to.deep.equal([
      `${pods}?labelSelector=app=policy`,
      '/api/v1/namespaces/shop/events?fieldSelector=type=Warning',
      // A Pod of the Service is in the list of Pending Pods.
      '/api/v1/events?fieldSelector=reason=Preempted',
      ...['deployments', 'replicasets', 'statefulsets', 'daemonsets'].map(
        (kind) => `/apis/apps/v1/namespaces/shop/${kind}`,
      ),
    ]);
    expect(facts.pods.get('shop/policy')).to.deep.equal([waiting]);
  });

  it('sends one request for the Pods of two Services of a namespace, and assigns them', async () => {
    const named = (name: string) => service({ selector: { app: name } }, { name });
    const podOf = (app: string) =>
      pod({ metadata: { name: `${app}-1`, namespace: 'shop', labels: { app } } });
    const stranger = podOf('other');
    const { facts, requests } = await collected({
      ...whole,
      [validating]: [configuration('policy', 'policy'), configuration('quota', 'quota')],
      '/api/v1/services': [named('policy'), named('quota')],
      [slices]: [],
      [pods]: [podOf('policy'), stranger, podOf('quota')],
    });
    expect(requests.filter((path) => path.startsWith(pods) && path !== pending)).to.deep.equal([
      `${pods}?labelSelector=app in (policy,quota)`,
    ]);
    expect(facts.pods.get('shop/policy')).to.deep.equal([podOf('policy')]);
    expect(facts.pods.get('shop/quota')).to.deep.equal([podOf('quota')]);
  });

  it('is complete without the Pods of a Service that is only named like a webhook, if they may not be read', async () => {
    const uncalled = service({}, { name: 'alert-webhook', namespace: 'news' });
    const refused: Failures = { '/api/v1/namespaces/news/pods': 'forbidden' };
    const { facts, requests, snapshot } = await collected(
      { ...whole, '/api/v1/services': [service(), uncalled] },
      refused,
    );
    expect(requests).to.include('/api/v1/namespaces/news/pods?labelSelector=app=policy');
    expect(facts.pods.why('news/alert-webhook')?.why).to.equal('forbidden');
    expect(snapshot.notLookedAt).to.deep.equal([]);
  });

  it('sends one request for the Pods of several namespaces if it has the permission, from the memory of the API server', async () => {
    const names = ['bank', 'mail', 'news', 'shop'];
    const everywhere = '/api/v1/pods';
    const answers: Answers = {
      ...whole,
      [validating]: names.map((name) => ({
        metadata: { name },
        webhooks: [
          { name: `${name}.example.com`, clientConfig: { service: { namespace: name, name: 'policy' } } },
        ],
      })),
      '/api/v1/services': names.map((name) => service({}, { namespace: name })),
      '/api/v1/namespaces': names.map((name) => namespace(name)),
      [slices]: [],
      [everywhere]: [...names, 'other'].map((name) =>
        pod({ metadata: { name: 'policy-1', namespace: name, labels: { app: 'policy' } } }),
      ),
    };
    const lists = async (given: Answers, failures: Failures = {}) => {
      const { facts, requests, snapshot } = await collected(given, failures);
      expect(snapshot.notLookedAt).to.deep.equal([]);
      expect(facts.pods.why('shop/policy')).to.equal(undefined);
      const listed = requests.filter((path) => path.includes('?labelSelector=app=policy'));
      return { listed, ofShop: facts.pods.get('shop/policy') };
    };
    const query = '?labelSelector=app=policy';
    const all = `${everywhere}${query}&resourceVersion=0`;
    const each = names.map((name) => `/api/v1/namespaces/${name}/pods${query}`);
    const { listed, ofShop = [] } = await lists(answers);
    expect(listed).to.deep.equal([all]);
    expect(ofShop.map(({ metadata }) => metadata.namespace)).to.deep.equal(['shop']);
    const refused = await lists(answers, { [everywhere]: 'forbidden' });
    expect(refused.listed).to.deep.equal([all, ...each]);
  });

  it('reads Deployments if there is no Pod, and other workloads only if no Deployment matches', async () => {
    const none = { ...whole, [slices]: [] };
    const fitting = await collected({ ...none, [deployments]: [workload()] });
    expect(fitting.requests.filter((path) => path.startsWith('/apis/apps/'))).to.deep.equal([deployments]);
    const other = await collected({
      ...none,
      [deployments]: [workload({ spec: { template: { spec: { containers: [] } } } })],
    });
    expect(other.requests.filter((path) => path.startsWith('/apis/apps/')).length).to.equal(4);
  });

  it('reads the Deployments, once, of a healthy backend whose webhook matches its own Pods', async () => {
    const onPods = (namespace: string, over: object = {}) => ({
      metadata: { name: namespace },
      webhooks: [
        {
          name: 'pods.example.com',
          clientConfig: { service: { namespace, name: 'policy' } },
          rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
          ...over,
        },
      ],
    });
    const listed = async (over: object) => {
      const { requests } = await collected({ ...whole, [validating]: [onPods('shop', over)] });
      return requests.filter((path) => !always.includes(path));
    };
    expect(await listed({})).to.deep.equal([deployments]);
    expect(await listed({ failurePolicy: 'Ignore' })).to.deep.equal([]);
    const elsewhere = { matchLabels: { 'kubernetes.io/metadata.name': 'elsewhere' } };
    expect(await listed({ namespaceSelector: elsewhere })).to.deep.equal([]);
    expect(await listed({ objectSelector: { matchLabels: { app: 'other' } } })).to.deep.equal([]);
    expect(await listed({ objectSelector: { matchLabels: { tier: 'web' } } })).to.deep.equal([deployments]);

    const names = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
    const many = await collected({
      ...whole,
      [validating]: names.map((name) => onPods(name)),
      '/api/v1/services': names.map((name) => service({}, { namespace: name })),
      '/api/v1/namespaces': names.map((name) => namespace(name)),
      [slices]: names.map((name) => slice(undefined, { metadata: { ...slice().metadata, namespace: name } })),
    });
    expect(many.requests.filter((path) => path.startsWith('/apis/apps/'))).to.have.length(10);
    expect(many.requests).to.have.length(always.length + 10);
  });

  it('reads all facts of named callouts', async () => {
    const { requests } = await collected({ ...whole, [pods]: [pod()] }, {}, { examineAll: true });
    expect(requests.filter((path) => path.startsWith('/apis/apps/')).length).to.equal(4);
    expect(requests).to.include('/apis/coordination.k8s.io/v1/namespaces/shop/leases');
  });

  describe('Leases, if some replicas accept connections and others do not', () => {
    const everywhere =
      '/apis/coordination.k8s.io/v1/leases?fieldSelector=metadata.namespace!=kube-node-lease';
    const near = '/apis/coordination.k8s.io/v1/namespaces/shop/leases';
    const heldBy = (holderIdentity: string, namespaceOfIt: string) => ({
      metadata: { name: 'leader', namespace: namespaceOfIt },
      spec: { holderIdentity, acquireTime: '2026-11-29T07:00:00Z' },
    });
    const two = (kind = 'ReplicaSet') =>
      ['policy-1', 'policy-2'].map((name) =>
        pod({ metadata: { name, ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'p', uid: 'u' }] } }),
      );
    const halves = [true, false].map((ready, at) => ({
      addresses: [`198.51.100.${7 + at}`],
      conditions: { ready },
      targetRef: { kind: 'Pod', namespace: 'shop', name: `policy-${1 + at}` },
    }));
    const seen = async (pair: readonly object[], answers: Answers, failures: Failures = {}) => {
      const given = { ...whole, [slices]: [slice(halves)], [pods]: pair, ...answers };
      const { facts, requests, snapshot } = await collected(given, failures);
      const leases = [...facts.leases.entries()].map(([at, all]) => `${at} ${all.length}`);
      return { leases, asked: requests.filter((path) => path.includes('/leases')), snapshot };
    };

    it('are read in the namespace of the Pods, and no further if one of them is the holder', async () => {
      const { leases, asked } = await seen(two(), { [near]: [heldBy('policy-1_uuid', 'shop')] });
      expect(asked).to.deep.equal([near]);
      expect(leases).to.deep.equal(['shop 1']);
    });

    for (const [manager, count] of [
      ['webhook', 0],
      ['kubectl-create', 1],
    ] as const)
      it(`with a time of renewal only: ${count} if ${manager} wrote it`, async () => {
        const { metadata, spec } = heldBy('policy-1', 'shop');
        const lease = {
          metadata: { ...metadata, managedFields: [{ manager, operation: 'Update' }] },
          spec: { holderIdentity: spec.holderIdentity, renewTime: spec.acquireTime },
        };
        expect((await seen(two(), { [near]: [lease] })).leases).to.deep.equal([`shop ${count}`]);
      });

    const far = [heldBy('policy-2_uuid', 'control'), heldBy('other_uuid', 'control'), heldBy('b', 'zoo')];
    const list = everywhere.split('?')[0] as string;
    it('are read in all namespaces once if none of the Pods is the holder, and only their own are kept', async () => {
      const { leases, asked } = await seen(two(), { [list]: far });
      expect(asked).to.deep.equal([near, everywhere]);
      expect(leases).to.deep.equal(['shop 0', 'control 1']);
    });

    it('of other namespaces are ignored if Pods with the same names can exist there', async () => {
      expect((await seen(two('StatefulSet'), { [list]: far })).leases).to.deep.equal(['shop 0']);
    });

    it('of other namespaces are ignored if the user may not list them', async () => {
      const { leases, snapshot } = await seen(two(), {}, { [list]: 'forbidden' });
      expect(leases).to.deep.equal(['shop 0']);
      expect(snapshot.notLookedAt).to.deep.equal([]);
    });
  });

  it('reads the serving Secret of a process that exits repeatedly, and no other Secret', async () => {
    const volumes = ['policy-tls', 'policy-database'].map((name) => ({ name, secret: { secretName: name } }));
    const crashing = pod({
      spec: {
        containers: [
          {
            name: 'webhook',
            args: ['--cert-dir=/certs'],
            volumeMounts: [
              { name: 'policy-tls', mountPath: '/certs' },
              { name: 'policy-database', mountPath: '/database' },
            ],
          },
        ],
        volumes,
      },
      status: {
        conditions: [],
        containerStatuses: [
          {
            name: 'webhook',
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1 } },
          },
        ],
      },
    });
    const { facts, requests } = await collected({ ...whole, [slices]: [], [pods]: [crashing] });
    expect(requests.filter((path) => path.includes('/secrets'))).to.deep.equal([
      '/api/v1/namespaces/shop/secrets/policy-tls',
    ]);
    expect(facts.secrets.known('shop/policy-tls')).to.equal(true);
  });

  it('reads each object once for a named backend that crashes, has a leader, and takes its Secret from a Certificate', async () => {
    const status = (ready: boolean) => ({
      name: 'webhook',
      ready,
      restartCount: ready ? 0 : 4,
      state: ready ? { running: {} } : { waiting: { reason: 'CrashLoopBackOff' } },
      ...(ready ? {} : { lastState: { terminated: { exitCode: 1 } } }),
    });
    const replica = (name: string, ready: boolean) =>
      pod({
        metadata: {
          name,
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'policy-abc', uid: 'u' }],
        },
        spec: {
          containers: [
            {
              name: 'webhook',
              args: ['--cert-dir=/certs', '--leader-elect'],
              volumeMounts: [{ name: 'certs', mountPath: '/certs' }],
            },
          ],
          volumes: [{ name: 'certs', secret: { secretName: 'policy-tls' } }],
        },
        status: {
          conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
          containerStatuses: [status(ready)],
        },
      });
    const halves = [true, false].map((ready, at) => ({
      addresses: [`198.51.100.${7 + at}`],
      conditions: { ready },
      targetRef: { kind: 'Pod', namespace: 'shop', name: `policy-${1 + at}` },
    }));
    const certificates = '/apis/cert-manager.io/v1/namespaces/shop/certificates';
    const annotated = { name: 'policy', annotations: { 'cert-manager.io/inject-ca-from': 'shop/policy' } };
    const { requests, facts } = await collected(
      {
        ...whole,
        '/apis': {
          kind: 'APIGroupDiscoveryList',
          items: [
            {
              metadata: { name: 'cert-manager.io' },
              versions: [
                {
                  version: 'v1',
                  resources: ['certificates', 'issuers'].map((resource) => ({ resource, verbs: [] })),
                },
              ],
            },
          ],
        },
        [validating]: [{ ...configuration(), metadata: annotated }],
        [slices]: [slice(halves)],
        [pods]: [replica('policy-1', true), replica('policy-2', false)],
        [deployments]: [workload()],
        [certificates]: [
          {
            metadata: { namespace: 'shop', name: 'policy' },
            spec: { secretName: 'policy-tls', issuerRef: { name: 'ca' } },
          },
        ],
      },
      {},
      { examineAll: true, topics: ['failures', 'certificates', 'deadlocks'] },
    );
    const leases = '/apis/coordination.k8s.io/v1';
    expect(requests.filter((path) => !always.includes(path)).toSorted()).to.deep.equal(
      [
        `${pods}?labelSelector=app=policy`,
        `${pods}/policy-2/log?container=webhook&previous=true&tailLines=500&limitBytes=262144`,
        '/api/v1/namespaces/shop/events?fieldSelector=type=Warning',
        '/api/v1/namespaces/shop/secrets/policy-tls',
        deployments,
        '/apis/apps/v1/namespaces/shop/replicasets',
        '/apis/apps/v1/namespaces/shop/statefulsets',
        '/apis/apps/v1/namespaces/shop/daemonsets',
        '/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies',
        '/apis/policy/v1/namespaces/shop/poddisruptionbudgets',
        `${leases}/namespaces/shop/leases`,
        `${leases}/namespaces/kube-system/leases`,
        `${leases}/leases?fieldSelector=metadata.namespace!=kube-node-lease`,
        certificates,
        '/apis/cert-manager.io/v1/namespaces/shop/issuers/ca',
      ].toSorted(),
    );
    expect(facts.issuers.isAbsent('Issuer shop/ca')).to.equal(true);
  });

  it('reads the issuers of the relevant Certificates, once each', async () => {
    const waiting = pod({
      spec: { nodeName: 'n1', volumes: [{ name: 'certs', secret: { secretName: 'policy-tls' } }] },
      status: { phase: 'Pending', containerStatuses: [] },
    });
    const certificate = (name: string, secretName: string, issuer: object) => ({
      metadata: { namespace: 'shop', name },
      spec: { secretName, issuerRef: issuer },
    });
    const certManager = {
      kind: 'APIGroupDiscoveryList',
      items: [
        {
          metadata: { name: 'cert-manager.io' },
          versions: [
            {
              version: 'v1',
              resources: [
                ['certificates', 'Certificate', 'Namespaced'],
                ['issuers', 'Issuer', 'Namespaced'],
                ['clusterissuers', 'ClusterIssuer', 'Cluster'],
              ].map(([resource, kind, scope]) => ({ resource, responseKind: { kind }, scope, verbs: [] })),
            },
          ],
        },
      ],
    };
    const root = '/apis/cert-manager.io/v1';
    const { facts, requests } = await collected({
      ...whole,
      '/apis': certManager,
      [slices]: [],
      [pods]: [waiting],
      [`${root}/namespaces/shop/certificates`]: [
        certificate('policy', 'policy-tls', { name: 'ca' }),
        certificate('again', 'policy-tls', { kind: 'Issuer', name: 'ca' }),
        certificate('wide', 'policy-tls', { kind: 'ClusterIssuer', name: 'ca' }),
        certificate('other', 'other-tls', { name: 'other' }),
      ],
      [`${root}/clusterissuers/ca`]: { metadata: { name: 'ca' } },
    });
    expect(requests.filter((path) => path.includes('issuers'))).to.deep.equal([
      `${root}/namespaces/shop/issuers/ca`,
      `${root}/clusterissuers/ca`,
    ]);
    expect(facts.issuers.get('Issuer shop/ca')).to.equal(undefined);
    expect(facts.issuers.get('ClusterIssuer ca')?.metadata.name).to.equal('ca');
    expect(facts.issuers.why('Issuer shop/other')?.why).to.equal('not-requested');
  });

  it('reads only the backends of the selected callouts', async () => {
    const two = { ...whole, [validating]: [configuration(), configuration('other', 'other')], [slices]: [] };
    const { requests, asked } = await collected(two, {}, {}, (all) =>
      all.filter((one) => one.configuration === 'other'),
    );
    expect(asked.map((callout) => callout.configuration)).to.deep.equal(['other']);
    expect(requests).to.not.include(`${pods}?labelSelector=app=policy`);
  });

  it('does not read a namespace that was deleted', async () => {
    const { requests } = await collected({
      ...whole,
      '/api/v1/services': [],
      '/api/v1/namespaces': [],
      [slices]: [],
    });
    expect([...requests].sort()).to.deep.equal([...always].sort());
  });

  it('lists Services per namespace if the cluster-wide list is forbidden', async () => {
    const { facts, snapshot } = await collected(
      { ...whole, '/api/v1/namespaces/shop/services': [service()] },
      { '/api/v1/services': 'forbidden' },
    );
    expect(facts.services.get('shop/policy')?.metadata.name).to.equal('policy');
    expect(facts.services.get('shop/other')).to.equal(undefined);
    expect(facts.services.known('elsewhere/policy')).to.equal(false);
    expect(snapshot.notLookedAt.map(({ what }) => what)).to.deep.equal([]);
  });

  it('reports what was forbidden and which permission allows it', async () => {
    const refused: Failures = {
      [crds]: 'forbidden',
      '/api/v1/services': 'forbidden',
      '/api/v1/namespaces/shop/services': 'forbidden',
    };
    const { facts, snapshot } = await collected(whole, refused);
    expect(facts.services.why('shop/policy')?.why).to.equal('forbidden');
    const told = snapshot.notLookedAt.map(({ why, allow, ...unread }) => ({
      what: unreadText(unread),
      why,
      resources: allow?.resources,
      namespace: allow?.namespace,
    }));
    expect(told).to.deep.include({
      what: 'customresourcedefinitions',
      why: 'forbidden',
      resources: ['customresourcedefinitions'],
      namespace: undefined,
    });
    expect(told).to.deep.include({
      what: 'services in namespace shop',
      why: 'forbidden',
      resources: ['services'],
      namespace: 'shop',
    });
  });

  it('reports every forbidden read, and completes the run, if nothing may be read', async () => {
    const { snapshot } = await collected({}, Object.fromEntries(always.map((path) => [path, 'forbidden'])));
    expect(snapshot.notLookedAt.length).to.be.greaterThan(7);
    expect(snapshot.facts.callouts).to.deep.equal([]);
  });

  for (const reason of ['unauthorized', 'unreachable', 'timeout'] as const) {
    it(`stops if the cluster as a whole is ${reason}`, async () => {
      const refused = collected({}, Object.fromEntries(always.map((path) => [path, reason])));
      const error = await refused.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.have.property('reason', reason);
    });
  }

  it('continues if one list times out', async () => {
    const { facts, snapshot } = await collected(whole, { [slices]: 'timeout' });
    expect(facts.endpointSlices.why('shop/policy')?.why).to.equal('timeout');
    expect(snapshot.notLookedAt.map(({ why }) => why)).to.deep.equal(['timeout']);
  });
});
