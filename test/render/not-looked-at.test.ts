import { expect } from 'chai';
import type { NotLookedAt } from '../../src/facts/unread.ts';
import { notLookedAtLines } from '../../src/render/terminal/not-looked-at.ts';
import { styleOf } from '../../src/render/terminal/style.ts';
import { listing } from '../support/unread.ts';

const style = styleOf({ width: 120, colour: false, unicode: true });
const forbidden = (resource: string, namespace?: string, verb = 'list'): NotLookedAt => ({
  what: listing(resource, namespace),
  why: 'forbidden',
  detail: 'the sentence of the server',
  allow: {
    apiGroups: [resource === 'endpointslices' ? 'discovery.k8s.io' : ''],
    resources: [resource],
    verbs: [verb],
    ...(namespace === undefined ? {} : { namespace }),
  },
});
const lines = (items: readonly NotLookedAt[], all = false) => notLookedAtLines(items, style, all).slice(1);

describe('what could not be read', () => {
  it('takes one line per missing permission, not per namespace', () => {
    expect(lines(['a', 'b', 'c'].map((namespace) => forbidden('pods', namespace)))).to.deep.equal([
      '  ? pods in namespaces a, b and c: forbidden, needs permission to list pods there',
    ]);
  });

  it('cuts a long list of namespaces, unless all are requested', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((namespace) => forbidden('pods', namespace));
    expect(lines(many)[0]).to.include('in namespaces a, b, c, d and 2 more:');
    expect(lines(many, true)[0]).to.include('in namespaces a, b, c, d, e and f:');
  });

  it('names permissions like kubectl, also cluster-wide ones', () => {
    expect(lines([forbidden('endpointslices')])).to.deep.equal([
      '  ? endpointslices: forbidden, needs permission to list endpointslices.discovery.k8s.io in the whole cluster',
    ]);
  });

  it('joins the permissions on one resource', () => {
    expect(lines([forbidden('pods', 'a'), forbidden('pods', 'b', 'get')])).to.deep.equal([
      '  ? pods in namespaces a and b: forbidden, needs permission to get and list pods there',
    ]);
  });

  it('keeps different resources and reasons apart', () => {
    const what = listing('pods', 'a');
    const timeout = { what, why: 'timeout', detail: 'no response within 20 s' } as const;
    expect(lines([forbidden('pods', 'a'), forbidden('pods'), forbidden('nodes'), timeout])).to.have.length(4);
    expect(lines([timeout])).to.deep.equal(['  ? pods in namespace a: timeout (no response within 20 s)']);
  });

  it('is empty if everything was read', () => {
    expect(notLookedAtLines([], style, false)).to.deep.equal([]);
  });
});
