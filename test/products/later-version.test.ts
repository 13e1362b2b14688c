import { expect } from 'chai';
import { isLater } from '../../src/products/later-version.ts';

describe('isLater', () => {
  for (const [one, other] of [
    ['v1.11.0', 'v1.9.2'],
    ['1.11.0', 'v1.10'],
    ['v1.11.0', 'v1.11.0-rc.1'],
    ['v1.11.0-rc.10', 'v1.11.0-rc.9'],
    ['v1.11.0-rc.1', 'v1.11.0-beta.3'],
    ['v1.11.0-alpha.0', 'v1.10.4'],
    ['2.0.0-eks.1', '1.9.0-eks.4'],
  ] as const)
    it(`${one} is later than ${other}`, () => {
      expect([isLater(one, other), isLater(other, one)]).to.deep.equal([true, false]);
    });

  for (const [one, other] of [
    ['v1.11.0', '1.11.0'],
    ['v1.11', 'v1.11.0'],
    ['v1.11.0+build.2', 'v1.11.0'],
    ['v1.11.0-eks.1', 'v1.11.0'],
    ['v1.11.0-eks.2', 'v1.11.0-eks.1'],
    ['latest', 'v1.11.0'],
    ['sha-2f1c', 'sha-1f1c'],
  ] as const)
    it(`neither of ${one} and ${other} is known to be later`, () => {
      expect([isLater(one, other), isLater(other, one)]).to.deep.equal([false, false]);
    });
});
