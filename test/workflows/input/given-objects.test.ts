import { expect } from 'chai';
import { complete } from '../../../src/facts/lookup.ts';
import type { ServedResources } from '../../../src/facts/served-resources.ts';
import { givenObjects, refuseSecrets, servedKind } from '../../../src/workflows/input/given-objects.ts';
import { forbidden } from '../../support/unread.ts';

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

describe('objects given with -f', () => {
  const names = (text: string) => givenObjects(text, 'x.yaml').map(({ metadata }) => metadata.name);

  it('are one, several documents, a List, or JSON', () => {
    expect(names(configMap('a'))).to.deep.equal(['a']);
    expect(names(`---\n${configMap('a')}---\n---\n${configMap('b')}`)).to.deep.equal(['a', 'b']);
    const items = ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
    expect(names(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))).to.deep.equal(['a', 'b']);
    expect(names(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMapList', items }))).to.have.lengthOf(2);
  });

  for (const [what, text, sentence] of [
    ['a syntax error', `${configMap('a')}---\na: [b\n`, /^x\.yaml, line [67]: /],
    ['no object', '# nothing\n', /^x\.yaml contains no object$/],
    ['a text', 'hello\n', /^x\.yaml, line 1: this is not a Kubernetes object$/],
    ['no kind', 'a: 1\n', /^x\.yaml, line 1: the object must have apiVersion, kind and metadata\.name$/],
    ['no name', `${configMap('a')}---\napiVersion: v1\nkind: Pod\n`, /^x\.yaml, line 6: .* metadata\.name$/],
    [
      'too many',
      configMap('a').concat(`---\n${configMap('b')}`.repeat(20)),
      /contains 21 objects: -f accepts at most 20$/,
    ],
  ] as const)
    it(`refuses ${what}, with its position`, () => {
      expect(() => givenObjects(text, 'x.yaml')).to.throw(sentence);
    });

  it('are no Secrets, unless that is confirmed', () => {
    const [secret] = givenObjects('apiVersion: v1\nkind: Secret\nmetadata: { name: a }\n', 'x');
    expect(() => refuseSecrets(secret === undefined ? [] : [secret])).to.throw(
      /Secret a .*with its data[\s\S]*--yes/,
    );
    expect(() => refuseSecrets(givenObjects(configMap('a'), 'x'))).to.not.throw();
  });

  it('have a kind that is served', () => {
    const one = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap' };
    const served: ServedResources = {
      resources: [
        { ...one, singular: 'configmap', namespaced: true, verbs: ['list'] },
        {
          ...one,
          resource: 'pods/eviction',
          kind: 'Eviction',
          singular: '',
          namespaced: true,
          verbs: ['create'],
        },
      ],
      stale: ['metrics.k8s.io/v1beta1'],
    };
    const facts = { served: complete([['served', served]]) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    expect(servedKind(object, facts).resource).to.equal('configmaps');
    expect(() => servedKind({ ...object, kind: 'Widget' }, facts)).to.throw(/serves no Widget of v1/);
    const eviction = { ...object, apiVersion: 'policy/v1', kind: 'Eviction' };
    expect(() => servedKind(eviction, facts)).to.throw(
      /Eviction is a request to pods\/eviction: subresources/,
    );
    const metric = { ...object, apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' };
    expect(() => servedKind(metric, facts)).to.throw(/unknown: discovery of metrics.k8s.io\/v1beta1 fails/);
    expect(() => servedKind(object, { served: forbidden('discovery') })).to.throw(/could not be read/);
  });
});
