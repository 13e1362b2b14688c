import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { catalogue as checks } from '../../src/checks/catalogue.ts';
import { whyNoRemedy } from '../../src/checks/check.ts';
import { remedyCatalogue } from '../../src/remedies/catalogue.ts';
import { fixCases } from '../e2e/fix-cases.ts';
import { refusalCases, refusedElsewhere } from '../e2e/refusal-cases.ts';

const root = join(import.meta.dirname, '..', '..');
const camelCase = (id: string): string => id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const ids = remedyCatalogue.map(({ meta }) => meta.id);
/** The files of a folder and of those in it. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
/** The file of each remedy, in a folder of src/remedies. */
const fileOf = new Map(filesIn('src/remedies').map((file) => [basename(file, '.ts'), file]));
/** Shown by a case of test/e2e/effects.e2e.ts. */
const elsewhere: readonly string[] = ['restore-scheduler'];
const answered = new Set(remedyCatalogue.flatMap(({ meta }) => meta.answers));

/** True for a text that a function, or one in a table, returns, directly or as a branch of a condition. */
function isReturned(text: ts.Node): boolean {
  const { parent } = text;
  if (ts.isConditionalExpression(parent)) return parent.condition !== text && isReturned(parent);
  return (
    ts.isReturnStatement(parent) || (ts.isArrowFunction(parent) && ts.isPropertyAssignment(parent.parent))
  );
}

/** Sentences with which the code of a remedy refuses; `refusedByItself` has one that several share. */
function refusalsIn(source: string): number {
  const isSentence = (text: string): boolean => /^['"`][A-Z$]/.test(text) && text.split(' ').length > 4;
  const count = (node: ts.Node): number =>
    (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && isSentence(node.getText())
      ? Number(isReturned(node))
      : node.getChildren().reduce((sum, child) => sum + count(child), 0);
  const file = ts.createSourceFile('remedy.ts', source, ts.ScriptTarget.Latest, true);
  return count(file) + Number(source.includes(' refusedByItself('));
}

describe('the catalogue of remedies', () => {
  it('contains each remedy once, named like its file and its export', async () => {
    expect(ids).to.deep.equal([...new Set(ids)]);
    for (const { meta } of remedyCatalogue) {
      expect(meta.id).to.match(/^[a-z]+(-[a-z]+)*$/);
      const module: object = await import(join(root, 'src/remedies', fileOf.get(meta.id) ?? ''));
      expect(module, meta.id).to.have.property(camelCase(meta.id));
    }
  });

  it('contains every remedy of src/remedies', async () => {
    for (const file of filesIn('src/remedies')) {
      const module: object = await import(join(root, 'src/remedies', file));
      for (const value of Object.values(module)) {
        if (typeof value === 'object' && value !== null && 'meta' in value)
          expect(remedyCatalogue).to.include(value);
      }
    }
  });

  it('has a test of the same name for every remedy', () => {
    const tests = new Set(filesIn('test/remedies').map((file) => basename(file, '.test.ts')));
    expect(ids.filter((id) => !tests.has(id))).to.deep.equal([]);
  });

  it('has a case on a real cluster for every remedy', () => {
    const cases = fixCases.flatMap(({ remedy }) => remedy.split(','));
    expect([...new Set([...cases, ...elsewhere])].toSorted()).to.deep.equal(ids.toSorted());
  });

  it('has every refusal on a real API server, or the reason why not', () => {
    const shown = [
      ...refusalCases.map(({ remedy }) => remedy),
      ...fixCases.flatMap(({ remedy, refused, refuses }) => [
        ...(refused === undefined ? [] : [remedy]),
        ...(refuses === undefined ? [] : [refuses[0]]),
      ]),
      ...Object.entries(refusedElsewhere).flatMap(([id, whys]) => whys.map(() => id)),
    ];
    const written = ids.flatMap((id) => {
      const source = readFileSync(join(root, 'src/remedies', fileOf.get(id) ?? ''), 'utf8');
      // A plan that requires a flag counts as a refusal.
      const rules = refusalsIn(source) + (source.includes('needsFlag: {') ? 1 : 0);
      return Array.from({ length: rules }, () => id);
    });
    expect(shown.toSorted()).to.deep.equal(written.toSorted());
  });

  it('has a remedy for every check, or the check has a reason', () => {
    const wrong = checks.filter(({ meta }) => answered.has(meta.id) === (meta.noRemedy !== undefined));
    expect(wrong.map(({ meta }) => meta.id)).to.deep.equal([]);
  });

  it('has texts without typing errors: spaces, full stops, empty words', () => {
    for (const { meta } of remedyCatalogue) {
      for (const text of [meta.title, meta.does, meta.leaves]) {
        expect(text, meta.id)
          .to.match(/^\S/)
          .and.match(/\S$/)
          .and.not.match(/ {2}|\n|\t| [,.;:]/);
      }
      expect(meta.title, meta.id).to.not.match(/\.$/);
      for (const text of [meta.does, meta.leaves]) expect(text, meta.id).to.match(/[.)]$/);
    }
    for (const { meta } of checks)
      expect(whyNoRemedy(meta.id, checks) ?? 'none', meta.id).to.match(/^[a-z].*[^.]$/);
  });
});
