import { expect } from 'chai';
import {
  chooseStored,
  type RealObject,
  requestAbout,
  sampleLists,
  whyNotCalled,
} from '../../../../src/collect/probes/samples/sample-objects.ts';
import type { AdmissionCallout } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { ServedResource } from '../../../../src/facts/served-resources.ts';
import { namespace, webhook } from '../../../support/snapshot.ts';

const resource = (name: string, kind: string): ServedResource => ({
  group: '',
  version: 'v1',
  resource: name,
  kind,
  singular: name.slice(0, -1),
  namespaced: true,
  verbs: ['create', 'get', 'list', 'update'],
});
const configMaps = resource('configmaps', 'ConfigMap');
const facts = {
  served: complete([['served', { resources: [configMaps, resource('secrets', 'Secret')], stale: [] }]]),
  namespaces: complete(['shop', 'other'].map((name) => [name, namespace(name)])),
};
const everything = {
  operations: ['CREATE', 'UPDATE'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*'],
};
const guard = (over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
  webhook({
    rules: [everything],
    metadata: { name: 'policy', creationTimestamp: '2025-06-01T00:00:00Z' },
    ...over,
  }) as AdmissionCallout;

const object = (name: string, over: Partial<RealObject['metadata']> = {}): RealObject => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2025-01-01T00:00:00Z',
    ...over,
  },
});
const choose = (items: readonly RealObject[], operation: 'CREATE' | 'UPDATE' = 'CREATE', callout = guard()) =>
  chooseStored(callout, [{ served: configMaps, operation, items }], facts, undefined);

describe('stored objects as samples', () => {
  it('are read if rules cover them, except Secrets', () => {
    expect(sampleLists(guard(), facts)).to.deep.equal([{ served: configMaps, operation: 'CREATE' }]);
    const [updates] = sampleLists(guard({ rules: [{ ...everything, operations: ['UPDATE'] }] }), facts);
    expect(updates?.operation).to.equal('UPDATE');
    expect(sampleLists(guard({ rules: [{ ...everything, operations: ['DELETE'] }] }), facts)).to.deep.equal(
      [],
    );
    expect(sampleLists(guard({ rules: [{ ...everything, resources: ['secrets'] }] }), facts)).to.deep.equal(
      [],
    );
  });

  it('are read in the few selected namespaces', () => {
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } };
    const found = sampleLists(guard({ namespaceSelector }), facts);
    expect(found.map((one) => one.namespace)).to.deep.equal(['shop']);
  });

  it('are created without server-side fields, and updated unchanged', () => {
    const [created, changed] = choose([object('a')])[0]?.requests ?? [];
    expect(created?.object).to.deep.equal({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'shop' },
    });
    expect([created?.operation, changed?.operation]).to.deep.equal(['CREATE', 'UPDATE']);
    const [updated, ...others] = choose([object('a')], 'UPDATE')[0]?.requests ?? [];
    expect([updated?.operation, others]).to.deep.equal(['UPDATE', []]);
    expect(updated?.object).to.equal(updated?.oldObject);
    const creations = guard({ rules: [{ ...everything, operations: ['CREATE'] }] });
    const only = choose([object('a')], 'CREATE', creations)[0]?.requests ?? [];
    expect(only.map(({ operation }) => operation)).to.deep.equal(['CREATE']);
  });

  it('are three at most, of different shapes, the admitted ones first', () => {
    const late = { creationTimestamp: '2025-07-01T00:00:00Z' };
    const found = choose([
      object('a'),
      object('b'),
      object('c', { labels: { team: 'x' } }),
      object('d', late),
      object('e', { ...late, labels: { team: 'y' } }),
    ]);
    expect(found.map(({ object: { metadata }, admitted }) => [metadata.name, admitted])).to.deep.equal([
      ['d', true],
      ['e', true],
      ['a', false],
    ]);
  });

  it('are first of all those that request injection', () => {
    const asks = (name: string, annotations: Readonly<Record<string, string>>) =>
      object(name, { annotations, ownerReferences: [] });
    const found = choose([
      object('a', { labels: { team: 'x' } }),
      object('b', { labels: { app: 'y' } }),
      asks('c', { 'otel.io/inject-exclude-ports': '80' }),
      asks('d', { 'otel.io/inject-java': 'true' }),
    ]);
    expect(found.map(({ object: { metadata } }) => metadata.name)).to.deep.equal(['d', 'a', 'b']);
  });

  it('omit objects that the webhook does not match', () => {
    const objectSelector = { matchLabels: { team: 'x' } };
    expect(choose([object('a')], 'CREATE', guard({ objectSelector }))).to.deep.equal([]);
  });

  it('are first of all the update of one that waits for its finalizers', () => {
    const ending = { deletionTimestamp: '2025-07-01T00:00:00Z' };
    const gone = object('b', { ...ending, finalizers: ['example.com/b'] });
    const another = object('c', { ...ending, finalizers: ['example.com/c'], labels: { app: 'c' } });
    const found = choose([object('a'), gone, another, object('pod-in-deletion', ending)]);
    expect(found.map(({ object: { metadata } }) => metadata.name)).to.deep.equal(['b', 'a']);
    expect(found[0]?.requests.map(({ operation }) => operation)).to.deep.equal(['UPDATE']);
    const creations = guard({ rules: [{ ...everything, operations: ['CREATE'] }] });
    expect(choose([gone], 'CREATE', creations)).to.deep.equal([]);
  });
});

describe('the reason why a webhook does not match an object', () => {
  const why = (over: Partial<AdmissionCallout>, place = 'shop') =>
    whyNotCalled(guard(over), requestAbout(object('a', { namespace: place }), configMaps, undefined), facts);

  for (const [part, over, sentence] of [
    [
      'rules',
      { rules: [{ ...everything, resources: ['pods'] }] },
      /`rules` do not match: none has CREATE of configmaps/,
    ],
    [
      'namespaceSelector',
      { namespaceSelector: { matchLabels: { a: 'b' } } },
      /`namespaceSelector` .* namespace shop$/,
    ],
    ['objectSelector', { objectSelector: { matchLabels: { a: 'b' } } }, /`objectSelector` does not match/],
    [
      'matchConditions',
      {
        matchConditions: [
          { name: 'yes', expression: 'true' },
          { name: 'never', expression: 'false' },
        ],
      },
      /`matchConditions` do not match: `yes` is true, `never` is false$/,
    ],
  ] as const)
    it(`names ${part}`, () => {
      expect(why(over as Partial<AdmissionCallout>)).to.match(sentence);
    });

  it('names a namespace that does not exist, and is none if the webhook matches', () => {
    expect(why({ namespaceSelector: { matchLabels: { a: 'b' } } }, 'gone')).to.match(
      /namespaces "gone" not found$/,
    );
    expect(why({})).to.equal(undefined);
  });
});
