import { expect } from 'chai';
import { manifestCases } from '../../e2e/validation-cases.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { agreesWith } from './recorded-refusal.ts';

describe('objects that the API server does not store', () => {
  for (const [version, answers] of recordedAnswers<string>('validation')) {
    it(`have the same errors as on ${version}: ${manifestCases.length} manifests`, () => {
      for (const one of manifestCases) {
        const { model, server } = agreesWith(one, answers.get(one.name) as string, `v${version}`);
        expect(model, one.name).to.equal(server);
      }
    });

    it(`include refused and stored ones of ${version}`, () => {
      const refused = [...answers.values()].filter((message) => message !== '').length;
      expect(refused).to.be.greaterThan(150);
      expect(answers.size - refused).to.be.greaterThan(60);
    });
  }
});
