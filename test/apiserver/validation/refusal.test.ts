import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { manifestCases } from '../../e2e/validation-cases.ts';
import { agreesWith, type RecordedRefusal } from './recorded-refusal.ts';

const recorded = (version: string): readonly RecordedRefusal[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'recorded', `validation-${version}.json`), 'utf8'));

describe('what the API server refuses to store', () => {
  for (const version of ['1.35.4', '1.37.1']) {
    const answers = recorded(version);

    it(`is what ${version} said to ${manifestCases.length} manifests`, () => {
      for (const [index, one] of manifestCases.entries()) {
        const answer = answers[index] as RecordedRefusal;
        expect(answer.name).to.equal(one.name);
        const { model, server } = agreesWith(one, answer, `v${version}`);
        expect(model, one.name).to.equal(server);
      }
    });

    it(`holds refused and stored ones of ${version}`, () => {
      const refused = answers.filter(({ message }) => message !== '').length;
      expect(refused).to.be.greaterThan(150);
      expect(answers.length - refused).to.be.greaterThan(60);
    });
  }
});
