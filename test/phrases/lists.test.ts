import { expect } from 'chai';
import { andMore, clauses, firstOf, listed, namedList, requestsPhrase } from '../../src/phrases/lists.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

describe('listed', () => {
  for (const [count, most, sentence] of [
    [0, undefined, ''],
    [1, undefined, 'a'],
    [2, undefined, 'a and b'],
    [3, undefined, 'a, b and c'],
    [3, 3, 'a, b and c'],
    [4, 3, 'a, b, c and 1 more'],
    [5, 1, 'a and 4 more'],
  ] as const) {
    it(`joins ${count} of at most ${most ?? 'any number'}: ${sentence}`, () => {
      expect(listed(names.slice(0, count), { most })).to.equal(sentence);
    });
  }

  it('uses "or" for a choice', () => {
    expect(listed(['create', 'update', 'delete'], { word: 'or' })).to.equal('create, update or delete');
  });

  it('separates clauses by a comma', () => {
    expect(clauses(['a fails'])).to.equal('a fails');
    expect(clauses(['a fails', 'b hangs', 'c waits'])).to.equal('a fails, b hangs, and c waits');
  });

  it('puts a noun before the names, in their number', () => {
    expect(namedList('Pod', ['a'])).to.equal('Pod a');
    expect(namedList('Pod', names, 2)).to.equal('Pods a, b and 3 more');
  });

  it('names the first for all, and counts the omitted ones', () => {
    expect(firstOf(names)).to.equal('a and 4 more');
    expect(firstOf(['a'])).to.equal('a');
    expect(andMore(3)).to.equal('and 3 more');
    expect(andMore(3, '--all lists them')).to.equal('and 3 more (--all lists them)');
  });
});

describe('requests', () => {
  const connect = (...resources: readonly string[]) =>
    requestsPhrase({ operations: ['CONNECT'], which: 'all', resources, extent: 'all namespaces' });
  it('have the name of their command, if all of them have one', () => {
    expect(connect('pods/exec', 'pods/attach')).to.equal(
      'run `kubectl exec` or run `kubectl attach` in all namespaces',
    );
    expect(connect('pods/exec', 'services/proxy')).to.equal(
      'connect to pods/exec or services/proxy in all namespaces',
    );
  });
});
