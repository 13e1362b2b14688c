import { expect } from 'chai';
import { placed, valueAt, withValue } from '../../src/change/document-value.ts';

describe('fields by JSON Pointer', () => {
  const document = { a: { 'b/c': [1, { d: null }] }, empty: {} };

  it('finds values, including null, and absent ones', () => {
    expect(valueAt(document, '/a/b~1c/0')).to.equal(1);
    expect(valueAt(document, '/a/b~1c/1/d')).to.equal(null);
    for (const path of ['/a/x', '/a/b~1c/7', '/a/b~1c/0/deeper', '/constructor', '/empty/toString']) {
      expect(valueAt(document, path), path).to.equal(undefined);
    }
  });

  it('adds the topmost missing member, so that an undo leaves nothing', () => {
    expect(placed({ metadata: {} }, '/metadata/annotations/a~1b', 'x')).to.deep.equal({
      path: '/metadata/annotations',
      value: { 'a/b': 'x' },
    });
    expect(placed({ metadata: { annotations: {} } }, '/metadata/annotations/a', 'x').path).to.equal(
      '/metadata/annotations/a',
    );
  });

  it('changes a copy, never the document', () => {
    expect(withValue(document, '/empty/x', 1).empty).to.deep.equal({ x: 1 });
    expect(withValue(document, '/a', undefined)).to.deep.equal({ empty: {} });
    expect(document.empty).to.deep.equal({});
    expect(() => withValue(document, '/nowhere/x', 1)).to.throw(RangeError);
  });
});
