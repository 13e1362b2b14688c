import { expect } from 'chai';
import { trailOf } from '../../../src/apiserver/admission/trail.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { StuckObject } from '../../../src/facts/stuck-object.ts';
import { aggregatedApi, conversion, namespace, objects, webhook } from '../../support/snapshot.ts';

const rule = (operations: readonly string[], group: string, resource: string) => ({
  rules: [
    { operations, apiGroups: [group], apiVersions: ['v1'], resources: [resource], scope: '*' as const },
  ],
});
const onPods = webhook({
  configuration: 'pods',
  webhook: 'pods.example.com',
  ...rule(['CREATE'], '', 'pods'),
});
const onDeployments = webhook({
  configuration: 'apps',
  webhook: 'apps.example.com',
  ...rule(['UPDATE'], 'apps', 'deployments'),
});
const onDeletion = webhook({
  configuration: 'secrets',
  webhook: 'secrets.example.com',
  ...rule(['DELETE'], '', 'secrets'),
});
const onWidgets = webhook({
  configuration: 'widgets',
  webhook: 'widgets.example.com',
  ...rule(['CREATE'], 'example.com', 'widgets'),
});
const elsewhere = webhook({
  configuration: 'elsewhere',
  webhook: 'elsewhere.example.com',
  ...rule(['CREATE'], '', 'pods'),
  namespaceSelector: { matchLabels: { team: 'other' } },
});
const callouts = [onPods, onDeployments, onDeletion, onWidgets, elsewhere, conversion(), aggregatedApi()];
const facts = {
  namespaces: objects(namespace()),
  served: complete([
    [
      'served',
      {
        resources: [
          {
            group: '',
            version: 'v1',
            resource: 'secrets',
            kind: 'Secret',
            singular: 'secret',
            namespaced: true,
            verbs: ['delete'],
          },
          {
            group: '',
            version: 'v1',
            resource: 'secrets/status',
            kind: 'Secret',
            singular: '',
            namespaced: true,
            verbs: ['delete'],
          },
        ],
        stale: [],
      },
    ] as const,
  ]),
  version: 'v1.35.4',
};
const victim = (over: Partial<StuckObject> = {}): StuckObject => ({
  ref: { kind: 'Deployment', namespace: 'shop', name: 'cart' },
  metadata: { name: 'cart', namespace: 'shop' },
  template: { metadata: { labels: { app: 'cart' } }, spec: { containers: [] } },
  owners: [],
  missing: 2,
  words: [],
  ...over,
});
const words = (value: string, field = 'Event FailedCreate') => ({
  object: { kind: 'ReplicaSet', namespace: 'shop', name: 'cart-1' },
  field,
  value,
});
const refused = words('Error creating: admission webhook "widgets.example.com" denied the request: no');
const found = (one: StuckObject) => {
  const { by, callouts: led } = trailOf(one, callouts, facts);
  return [by, ...led.map(calloutId).map((id) => id.split('/')[1])];
};

describe('callouts that may block a stuck object', () => {
  it('are those in its own messages', () => {
    expect(found(victim({ words: [refused] }))).to.deep.equal(['words', 'widgets']);
    expect(trailOf(victim({ words: [refused] }), callouts, facts).words).to.deep.equal([refused]);
  });
  it('ignore old Events if nothing is missing, but not conditions', () => {
    expect(found(victim({ words: [refused], missing: 0 }))[0]).to.equal('requests');
    const condition = words(refused.value, 'status.conditions[type=ReplicaFailure].message');
    expect(found(victim({ words: [condition], missing: 0 }))).to.deep.equal(['words', 'widgets']);
  });
  it('may include a webhook without a configuration, perhaps from a static manifest', () => {
    const call = (name: string) =>
      words(`Internal error occurred: failed calling webhook "${name}": failed to call webhook: EOF`);
    const onDisk = call('gate.static.k8s.io');
    const gone = call('gone.example.com');
    const told = (...all: (typeof gone)[]) => trailOf(victim({ words: all }), callouts, facts).unknownWebhook;
    expect(told(onDisk)).to.deep.equal({ webhook: 'gate.static.k8s.io', isStatic: true, words: [onDisk] });
    expect(told(gone, onDisk, gone)).to.deep.equal({
      webhook: 'gone.example.com',
      isStatic: false,
      words: [gone, gone],
    });
    expect(told(gone, refused), 'a webhook that is here is named as well').to.equal(undefined);
    expect(told(words('exceeded quota: tight')), 'nobody is named').to.equal(undefined);
    expect(trailOf(victim({ words: [gone], missing: 0 }), callouts, facts).unknownWebhook).to.equal(
      undefined,
    );
    expect(found(victim({ words: [gone] }))).to.deep.equal(['requests', 'pods', 'apps']);
  });
  it('are those that match the requests of a workload', () => {
    expect(found(victim())).to.deep.equal(['requests', 'pods', 'apps']);
    expect(found(victim({ words: [words('exceeded quota: tight')] }))).to.deep.equal([
      'requests',
      'pods',
      'apps',
    ]);
  });
  it('list the selectors of mutating webhooks that exclude its Pods', () => {
    const injector = { ...elsewhere, kind: 'mutating' as const };
    const leftOut = (callout: typeof injector, over: Partial<StuckObject> = {}) =>
      trailOf(victim(over), [callout], facts).leftOut;
    expect(leftOut(injector)).to.deep.equal([
      {
        object: injector.ref,
        field: 'webhooks[0].namespaceSelector',
        value: 'team=other; namespace shop has kubernetes.io/metadata.name=shop: not called for its Pods',
      },
    ]);
    const selected = { ...injector, namespaceSelector: {} };
    expect(leftOut({ ...selected, objectSelector: { matchLabels: { app: 'web' } } })).to.deep.equal([
      {
        object: injector.ref,
        field: 'webhooks[0].objectSelector',
        value: 'app=web; the Pods have app=cart: not called for its Pods',
      },
    ]);
    expect(leftOut(selected), 'it is called').to.deep.equal([]);
    expect(leftOut({ ...injector, ...rule(['CREATE'], 'apps', 'deployments') }), 'of no Pods').to.deep.equal(
      [],
    );
    expect(trailOf(victim(), [elsewhere], facts).leftOut, 'it injects nothing').to.deep.equal([]);
    const named = trailOf(victim({ words: [refused] }), [...callouts, injector], facts);
    expect(named.leftOut, 'words name another').to.equal(undefined);
  });
  it('are found for a Pod and its owner', () => {
    const ref = { kind: 'Pod', namespace: 'shop', name: 'cart-1-x' } as const;
    expect(found(victim({ ref, owners: ['Deployment', 'ReplicaSet'] }))).to.deep.equal([
      'requests',
      'pods',
      'apps',
    ]);
    expect(found(victim({ ref }))).to.deep.equal(['requests', 'pods']);
  });
  it('are found for the deletion of a namespace', () => {
    const ref = { kind: 'Namespace', name: 'shop' } as const;
    const { template: _, missing: __, ...rest } = victim({ ref });
    const going = { name: 'shop', deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(found({ ...rest, metadata: going })).to.deep.equal([
      'requests',
      'secrets',
      'widgets.example.com',
      'v1beta1.metrics.example.com',
    ]);
    expect(found({ ...rest, metadata: { name: 'shop' } })).to.deep.equal(['requests', 'pods']);
  });
  describe('match requests of the blocked client only:', () => {
    const rest = (over: Partial<StuckObject>): StuckObject => {
      const { template: _, missing: __, ...bare } = victim(over);
      return bare;
    };
    const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const pod = { kind: 'Pod', namespace: 'shop', name: 'cart-1-x' } as const;
    const job = { kind: 'Job', namespace: 'shop', name: 'import' } as const;
    const needs: (readonly [string, StuckObject, readonly [string, string, string], boolean])[] = [
      [
        'the deletion of a Pod that goes',
        victim({ ref: pod, metadata: { name: 'cart-1-x', ...going } }),
        ['DELETE', '', 'pods'],
        true,
      ],
      [
        'the finalizers of a Pod that goes',
        victim({ ref: pod, metadata: { name: 'cart-1-x', ...going } }),
        ['UPDATE', '', 'pods'],
        true,
      ],
      [
        'the creation of a Pod that goes',
        victim({ ref: pod, metadata: { name: 'cart-1-x', ...going } }),
        ['CREATE', '', 'pods'],
        false,
      ],
      ['the deletion of a Pod that stays', victim({ ref: pod }), ['DELETE', '', 'pods'], false],
      ['the status of a workload', victim(), ['UPDATE', 'apps', 'deployments/status'], true],
      ['the status of what it makes', victim(), ['UPDATE', 'apps', 'replicasets/status'], true],
      ['the status of another kind', victim(), ['UPDATE', 'apps', 'statefulsets/status'], false],
      ['the finalizers of the Pods of a Job', victim({ ref: job }), ['UPDATE', '', 'pods'], true],
      ['updates of the Pods of a Deployment', victim(), ['UPDATE', '', 'pods'], false],
      [
        'the last finalizer of a namespace',
        rest({ ref: { kind: 'Namespace', name: 'shop' }, metadata: { name: 'shop', ...going } }),
        ['UPDATE', '', 'namespaces/finalize'],
        true,
      ],
      [
        'that of one that stays',
        rest({ ref: { kind: 'Namespace', name: 'shop' }, metadata: { name: 'shop' } }),
        ['UPDATE', '', 'namespaces/finalize'],
        false,
      ],
      [
        'the status of a CRD',
        rest({ ref: { kind: 'CustomResourceDefinition', name: 'widgets.example.com' } }),
        ['UPDATE', 'apiextensions.k8s.io', 'customresourcedefinitions/status'],
        true,
      ],
    ];
    const resource = { group: 'example.com', version: 'v1', plural: 'widgets' };
    const ref = { kind: 'Widget', namespace: 'shop', name: 'w', resource };
    const widget = (over = {}) => rest({ ref, metadata: { name: 'w', ...over } });
    needs.push(
      ['a change of a custom resource', widget(), ['UPDATE', 'example.com', 'widgets'], true],
      ['its status', widget(), ['UPDATE', 'example.com', 'widgets/status'], true],
      ['its deletion', widget(), ['DELETE', 'example.com', 'widgets'], true],
      ['its deletion if it goes', widget(going), ['DELETE', 'example.com', 'widgets'], false],
      ['its last finalizer', widget(going), ['UPDATE', 'example.com', 'widgets'], true],
      ['its creation', widget(), ['CREATE', 'example.com', 'widgets'], false],
      ['new Pods', widget(), ['CREATE', '', 'pods'], false],
    );
    it('a custom resource: the conversion webhook and the APIService of its resource', () => {
      expect(found(widget())).to.deep.equal(['requests', 'widgets.example.com']);
      const served = {
        ...ref,
        resource: { group: 'metrics.example.com', version: 'v1beta1', plural: 'pods' },
      };
      expect(found(rest({ ref: served, metadata: { name: 'w' } }))).to.deep.equal([
        'requests',
        'v1beta1.metrics.example.com',
      ]);
    });
    for (const [what, one, [operation, group, resource], asked] of needs) {
      it(`${what}: ${asked ? 'yes' : 'no'}`, () => {
        const hook = webhook({ configuration: 'hook', ...rule([operation], group, resource) });
        const { by, callouts: led } = trailOf(one, [hook], facts);
        expect([by, ...led.map(({ configuration }) => configuration)]).to.deep.equal(
          asked ? ['requests', 'hook'] : ['requests'],
        );
      });
    }
  });
  it('are found for the objects of a CRD', () => {
    const ref = { kind: 'CustomResourceDefinition', name: 'widgets.example.com' } as const;
    const { template: _, missing: __, ...rest } = victim({ ref });
    const resource = { group: 'example.com', plural: 'widgets', versions: ['v1'] };
    expect(found({ ...rest, resource })).to.deep.equal(['requests', 'widgets', 'widgets.example.com']);
  });
});
