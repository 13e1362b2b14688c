import { expect } from 'chai';
import { closest } from '../../src/cli/explain-error.ts';

const names = ['doctor', 'cert-check', 'checks', 'changes', 'demo'];

describe('closest', () => {
  const cases: readonly (readonly [word: string, meant: string | undefined])[] = [
    ['docter', 'doctor'],
    ['doc', 'doctor'],
    ['certcheck', 'cert-check'],
    ['check', 'checks'],
    ['deno', 'demo'],
    ['kustomize', undefined],
    ['get', undefined],
  ];
  for (const [word, meant] of cases) {
    it(`${word}: ${meant ?? 'nothing'}`, () => {
      expect(closest(word, names)).to.equal(meant);
    });
  }
});
