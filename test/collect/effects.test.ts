import { expect } from 'chai';
import type { ReadOptions } from '../../src/collect/collector.ts';
import { readCluster } from '../../src/collect/planner.ts';
import { findStuckObject } from '../../src/collect/stuck-object.ts';
import { StuckObjectError, type StuckObjectName } from '../../src/facts/stuck-object.ts';
import { event, failed, maker } from '../checks/effect/failed-create-events.ts';
import { collectAll } from '../support/collect-all.ts';
import { type Answers, type Failures, recordedReader } from '../support/recorded-reader.ts';
import { namespace, service, slice } from '../support/snapshot.ts';

const refusals = '/api/v1/events?fieldSelector=type=Warning,reason=FailedCreate';
const pending = '/api/v1/pods?fieldSelector=status.phase=Pending';
const kinds = { validating: 'validatingwebhookconfigurations', mutating: 'mutatingwebhookconfigurations' };
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const configuration = (over: object = {}) => ({
  metadata: { name: 'policy' },
  webhooks: [
    {
      name: 'policy.example.com',
      clientConfig: { service: { namespace: 'shop', name: 'policy' } },
      rules: [rule],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'orders' } },
      ...over,
    },
  ],
});
const answers = (
  over: Answers = {},
  webhook: object = {},
  kind: keyof typeof kinds = 'validating',
): Answers => ({
  '/api': { kind: 'APIGroupDiscoveryList', items: [] },
  '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
  '/version': { gitVersion: 'v1.35.4' },
  [`/apis/admissionregistration.k8s.io/v1/${kinds[kind]}`]: [configuration(webhook)],
  '/api/v1/services': [service()],
  '/api/v1/namespaces': [namespace(), namespace('orders')],
  '/apis/discovery.k8s.io/v1/endpointslices': [slice()],
  ...over,
});
async function run(given: Answers, readOptions: Partial<ReadOptions> = {}) {
  const reader = recordedReader(given);
  return { ...(await collectAll(reader, readOptions)), requests: reader.asked };
}
const replicaSet = { ...maker(), spec: { ...maker().spec, selector: {} } };
const broken = { '/apis/discovery.k8s.io/v1/endpointslices': [] };

describe('reads for effects', () => {
  it('are none if backends look healthy', async () => {
    const { requests, snapshot } = await run(answers());
    expect(requests).to.not.include(refusals);
    expect(snapshot.facts.failedCreateEvents.why('FailedCreate')?.why).to.equal('not-requested');
  });
  it('are one list if the backend of a webhook that covers Pods does not, and the objects of its events', async () => {
    const other = event({ name: 'quota-1', message: 'exceeded quota: tight' });
    const { requests, snapshot } = await run(
      answers({
        ...broken,
        '/api/v1/events': [event(), other],
        '/apis/apps/v1/namespaces/orders/replicasets/cart-5d9': replicaSet,
      }),
    );
    expect(requests.filter((path) => path === refusals)).to.have.length(1);
    expect(requests).to.include('/apis/apps/v1/namespaces/orders/replicasets/cart-5d9');
    expect(requests.filter((path) => path.includes('/quota-1'))).to.deep.equal([]);
    expect(snapshot.facts.podControllers.get('ReplicaSet orders/cart-5d9')?.kind).to.equal('ReplicaSet');
    expect(requests).to.not.include(pending);
  });
  it('are none for a webhook that fails open, or covers other resources', async () => {
    for (const over of [{ failurePolicy: 'Ignore' }, { rules: [{ ...rule, resources: ['secrets'] }] }]) {
      expect((await run(answers(broken, over))).requests).to.not.include(refusals);
    }
  });
  it('include pending Pods and PodDisruptionBudgets for a named callout', async () => {
    const { requests } = await run(answers({}, {}, 'mutating'), { examineAll: true });
    expect(requests).to.include(pending);
    expect(requests).to.include('/apis/policy/v1/namespaces/shop/poddisruptionbudgets');
    expect((await run(answers(), { examineAll: true })).requests).to.not.include(pending);
  });
});

describe('doctor --from', () => {
  const cart = {
    metadata: { name: 'cart', namespace: 'orders', uid: 'd' },
    spec: {
      replicas: 3,
      selector: {},
      template: { metadata: { labels: { app: 'cart' } }, spec: { containers: [] } },
    },
    status: { replicas: 1 },
  };
  const from = { kind: 'Deployment', namespace: 'orders', name: 'cart' } as const;
  const path = '/apis/apps/v1/namespaces/orders/deployments/cart';

  async function led(given: Answers, failures: Failures = {}, named: StuckObjectName = from) {
    const source = readCluster(recordedReader(given, failures), {
      now: new Date(0),
      readOptions: { topics: [], examineAll: true },
    });
    const found = await findStuckObject(source.attempts, await source.first(), named);
    return { ...found, failed: source.attempts.failed };
  }

  it('selects the callouts that the messages of the object name', async () => {
    const { trail, stuckObject: victim } = await led(
      answers({
        [path]: cart,
        '/apis/apps/v1/namespaces/orders/replicasets': [replicaSet],
        '/api/v1/namespaces/orders/events': [event({ message: failed() }), event({ name: 'other-1' })],
      }),
    );
    expect(trail.by).to.equal('words');
    expect(victim.missing).to.equal(2);
    expect(victim.words.map(({ object }) => object.name)).to.deep.equal(['cart-5d9']);
    expect(trail.callouts).to.have.length(1);
  });
  it('selects those that its requests reach if no message names one', async () => {
    const { trail } = await led(answers({ [path]: cart }));
    expect(trail.by).to.equal('requests');
    expect(trail.callouts).to.have.length(1);
  });
  it('ends if the object does not exist', async () => {
    const error = await led(answers()).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(StuckObjectError);
    expect((error as Error).message).to.equal('there is no Deployment "cart" in namespace orders');
  });
  describe('a kind that discovery resolves', () => {
    const widgets = {
      resource: 'widgets',
      responseKind: { kind: 'Widget' },
      singularResource: 'widget',
      scope: 'Namespaced',
      verbs: ['get'],
    };
    const secrets = {
      ...widgets,
      resource: 'secrets',
      responseKind: { kind: 'Secret' },
      singularResource: 'secret',
    };
    const discovery = (name: string, ...resources: object[]) => ({
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: { name }, versions: [{ version: 'v1', resources }] }],
    });
    const given = answers({
      '/api': discovery('', secrets),
      '/apis': discovery('example.com', widgets),
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': [],
    });
    const widget = '/apis/example.com/v1/namespaces/orders/widgets/w';
    const typed = (kind: string) => ({ kind, namespace: 'orders', name: 'w' });

    it('is read at the path of its resource', async () => {
      const read = {
        ...given,
        [widget]: { metadata: { name: 'w', namespace: 'orders', labels: { a: 'b' } } },
      };
      const { stuckObject } = await led(read, {}, typed('widget'));
      expect(stuckObject.ref.kind).to.equal('Widget');
      expect(stuckObject.metadata.labels).to.deep.equal({ a: 'b' });
    });
    it('must be served, and no Secret', async () => {
      const messageFor = (kind: string) =>
        led(given, {}, typed(kind)).catch((thrown: unknown) => (thrown as Error).message);
      expect(await messageFor('gadget')).to.equal('this cluster serves no resource "gadget"');
      expect(await messageFor('secret')).to.equal('the data of Secrets are not read');
      expect(await messageFor('widgets.example.com')).to.equal('there is no Widget "w" in namespace orders');
    });
  });
  it('has no result for an object that the user may not read', async () => {
    const { trail, stuckObject: victim, failed } = await led(answers(), { [path]: 'forbidden' });
    expect(victim.unread?.why).to.equal('forbidden');
    expect(trail.callouts).to.deep.equal([]);
    expect(failed).to.have.length(1);
  });
});
