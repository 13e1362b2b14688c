import { expect } from 'chai';
import { fromJson } from '../../../src/apiserver/cel/value.ts';
import { conditionResult, conditionVariables } from '../../oracle/condition-cost/condition-result.ts';
import { recordedAnswers } from '../../support/recordings.ts';

const variables = new Map(Object.entries(conditionVariables).map(([name, of]) => [name, fromJson(of)]));

describe('conditions, and what the libraries of the API server made of them', () => {
  for (const [version, answers] of recordedAnswers<string>('condition-results')) {
    it(`${version}: the model has the same result or error, and few are unknown`, () => {
      let unknown = 0;
      for (const [expression, answer] of answers) {
        const result = conditionResult(expression, variables);
        if (result === undefined) unknown += 1;
        else expect(result, expression).to.equal(answer);
      }
      expect(answers.size).to.be.above(400);
      expect(unknown / answers.size).to.be.below(0.03);
    });
  }
});
