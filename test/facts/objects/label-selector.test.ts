import { expect } from 'chai';
import fc from 'fast-check';
import {
  type LabelSelector,
  type LabelSelectorRequirement,
  selectorKeys,
  selects,
  selectsEverything,
} from '../../../src/facts/objects/label-selector.ts';

const expression = (
  key: string,
  operator: LabelSelectorRequirement['operator'],
  ...values: string[]
): LabelSelector => ({ matchExpressions: [{ key, operator, values }] });

describe('selects', () => {
  const table: readonly (readonly [LabelSelector, Readonly<Record<string, string>>, boolean])[] = [
    [{}, {}, true],
    [{ matchLabels: { a: '1' } }, { a: '1', b: '2' }, true],
    [{ matchLabels: { a: '1' } }, { a: '2' }, false],
    [{ matchLabels: { a: '' } }, {}, false],
    [{ matchLabels: { a: '' } }, { a: '' }, true],
    [expression('a', 'In', '1', '2'), { a: '2' }, true],
    [expression('a', 'In', '1', '2'), {}, false],
    [expression('a', 'NotIn', '1'), { a: '2' }, true],
    [expression('a', 'NotIn', '1'), { a: '1' }, false],
    [expression('a', 'NotIn', '1'), {}, true],
    [expression('a', 'Exists'), { a: '' }, true],
    [expression('a', 'Exists'), {}, false],
    [expression('a', 'DoesNotExist'), {}, true],
    [expression('a', 'DoesNotExist'), { a: '' }, false],
    [expression('constructor', 'Exists'), {}, false],
    [{ matchLabels: { a: '1' }, ...expression('b', 'Exists') }, { a: '1' }, false],
  ];
  for (const [selector, labels, expected] of table) {
    it(`${JSON.stringify(selector)} ${expected ? 'selects' : 'does not select'} ${JSON.stringify(labels)}`, () => {
      expect(selects(selector, labels)).to.equal(expected);
    });
  }

  const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2', ''));
  const key = fc.constantFrom('a', 'b', 'c');
  const values = fc.array(fc.constantFrom('1', '2', ''), { minLength: 1 });
  it('In and NotIn, Exists and DoesNotExist are opposites', () => {
    fc.assert(
      fc.property(labels, key, values, (on, name, some) => {
        expect(selects(expression(name, 'In', ...some), on)).to.equal(
          !selects(expression(name, 'NotIn', ...some), on),
        );
        expect(selects(expression(name, 'Exists'), on)).to.equal(
          !selects(expression(name, 'DoesNotExist'), on),
        );
      }),
    );
  });
  it('matchLabels are In with one value', () => {
    fc.assert(
      fc.property(labels, labels, (on, wanted) => {
        const matchExpressions = Object.entries(wanted).map(([name, value]) => ({
          key: name,
          operator: 'In' as const,
          values: [value],
        }));
        expect(selects({ matchLabels: wanted }, on)).to.equal(selects({ matchExpressions }, on));
      }),
    );
  });
  it('an additional requirement never selects more', () => {
    fc.assert(
      fc.property(labels, labels, key, values, (on, matchLabels, name, some) => {
        const more = { matchLabels, ...expression(name, 'NotIn', ...some) };
        return !selects(more, on) || selects({ matchLabels }, on);
      }),
    );
  });
});

describe('selectsEverything and selectorKeys', () => {
  it('finds the empty selector, and every key that is used', () => {
    expect(selectsEverything({})).to.equal(true);
    expect(selectsEverything({ matchLabels: {}, matchExpressions: [] })).to.equal(true);
    expect(selectsEverything(expression('a', 'DoesNotExist'))).to.equal(false);
    expect(selectorKeys({ matchLabels: { a: '1' }, ...expression('b', 'Exists') })).to.deep.equal(['a', 'b']);
  });
});
