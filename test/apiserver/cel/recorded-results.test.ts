import { expect } from 'chai';
import { chargedSoFar } from '../../../src/apiserver/cel/cost.ts';
import { fromJson } from '../../../src/apiserver/cel/value.ts';
import { holdAgreement } from '../../oracle/agreement.ts';
import {
  conditionResult,
  conditionVariables,
  type RecordedCondition,
} from '../../oracle/condition-cost/condition-result.ts';
import { recordedAnswers } from '../../support/recordings.ts';

const variables = new Map(Object.entries(conditionVariables).map(([name, of]) => [name, fromJson(of)]));

describe('conditions, compared with the libraries of the API server', () => {
  for (const [version, answers] of recordedAnswers<RecordedCondition>('condition-results')) {
    it(`${version}: the model has the same result or error and the same cost, and few are unknown`, () => {
      const results = [...answers].map(([expression, [answer, cost]]) => {
        const result = conditionResult(expression, variables, version);
        if (result === undefined) return [undefined, cost] as const;
        expect(result, expression).to.equal(answer);
        const { least, most } = chargedSoFar();
        expect(cost, expression).to.be.within(least, most);
        return [Math.min(Math.max(cost, least), most), cost] as const;
      });
      expect(answers.size).to.be.above(400);
      expect(results.filter(([found]) => found === undefined).length / answers.size).to.be.below(0.02);
      holdAgreement('condition-costs', version, results);
    });
  }
});
