import { expect } from 'chai';
import { compareQuantities, parseQuantity, sumOf } from '../../../src/apiserver/cel/quantity.ts';
import { type CelQuantity, NotEvaluable } from '../../../src/apiserver/cel/value.ts';

const quantity = (text: string): CelQuantity => {
  const read = parseQuantity(text);
  if (read === undefined) throw new Error(`${text} is no quantity`);
  return read;
};

const compared: readonly (readonly [a: string, order: '<' | '=' | '>', b: string])[] = [
  ['1', '=', '1000m'],
  ['1k', '<', '1Ki'],
  ['1Gi', '>', '1G'],
  ['0.5', '=', '500m'],
  ['.5', '=', '5e-1'],
  ['1.', '=', '1'],
  ['1e3', '=', '1k'],
  ['1E', '=', '1000P'],
  ['1E3', '=', '1k'],
  ['-1', '<', '0'],
  ['+1', '=', '1'],
  ['1n', '<', '1u'],
  ['1.5Gi', '=', '1536Mi'],
];

describe('quantities', () => {
  for (const [a, order, b] of compared) {
    it(`${a} ${order} ${b}`, () => {
      expect('<=>'.charAt(compareQuantities(quantity(a), quantity(b)) + 1)).to.equal(order);
    });
  }
  for (const text of ['', 'x', '1x', '1KI', '1 Gi', 'Gi', '1..2', '--1', '1e', '1Gii']) {
    it(`${JSON.stringify(text)} is none`, () => {
      expect(parseQuantity(text)).to.equal(undefined);
    });
  }
  it('adds and subtracts', () => {
    expect(compareQuantities(sumOf(quantity('1k'), quantity('500m'), 1n), quantity('1000.5'))).to.equal(0);
    expect(compareQuantities(sumOf(quantity('1k'), quantity('500m'), -1n), quantity('999.5'))).to.equal(0);
  });
  it('is unknown if the API server would round or cap', () => {
    for (const text of ['0.1n', '9223372036854775808', '1e99', '.']) {
      expect(() => parseQuantity(text), text).to.throw(NotEvaluable);
    }
  });
});
