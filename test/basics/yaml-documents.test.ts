import { expect } from 'chai';
import { yamlDocuments } from '../../src/basics/yaml-documents.ts';

const parsed = (text: string) =>
  [...yamlDocuments(text, {})].map((document) => ({
    value: document.toJS(),
    errors: document.errors.map(({ code }) => code),
  }));

describe('YAML documents', () => {
  it('accept quoted text whose next lines are not indented, as kubectl does', () => {
    for (const quote of ["'", '"'])
      expect(parsed(`a:\n  b: ${quote}one\n  two: 2\n\n three${quote}\n  c: 1\n---\nd: 2\n`)).to.deep.equal([
        { value: { a: { b: 'one two: 2\nthree', c: 1 } }, errors: [] },
        { value: { d: 2 }, errors: [] },
      ]);
  });

  it('refuse quoted text that does not end in its document', () => {
    const [first] = parsed("a:\n  b: 'one\n---\nc: 1\n");
    expect(first?.errors).to.include('MISSING_CHAR');
  });

  it('refuse other text that is not indented', () => {
    expect(parsed('a:\n  - b: 1\n   c: 2\n')[0]?.errors).not.to.deep.equal([]);
  });
});
