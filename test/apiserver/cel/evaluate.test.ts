import { expect } from 'chai';
import { resultOf } from '../../../src/apiserver/cel/evaluate.ts';
import { parse } from '../../../src/apiserver/cel/parse.ts';
import {
  CelError,
  type CelValue,
  completeFromJson,
  fromJson,
  NotEvaluable,
  openMap,
  partOfJson,
  unknownValue,
} from '../../../src/apiserver/cel/value.ts';
import { costing } from '../../oracle/condition-cost/costing.ts';

const object = openMap(
  [
    ['name', 'a'],
    ['secret', unknownValue],
    ['large', completeFromJson(2 ** 53)],
    ['part', partOfJson({ count: 1, list: [1], inner: { flag: true } }) as CelValue],
    ['whole', fromJson({ count: 1, list: [1, 2], nothing: null })],
  ],
  (key) => key !== 'absent',
);

const told = (expression: string): unknown => {
  try {
    return resultOf(parse(expression), new Map([['object', object]]));
  } catch (error) {
    if (error instanceof CelError) return error.message;
    if (error instanceof NotEvaluable) return 'unknown';
    throw error;
  }
};

/** Objects of which only a part is known. */
const cases: readonly (readonly [expression: string, value: unknown])[] = [
  ['object.name == "a"', true],
  ['object.secret == "a"', 'unknown'],
  ['has(object.secret)', true],
  ['has(object.other)', 'unknown'],
  ['has(object.absent)', false],
  ['object.absent == 1', 'no such key: absent'],
  ['object.?absent.orValue(2) == 2', true],
  ['object.?other.orValue(2) == 2', 'unknown'],
  ['object.other == 1 && object.name == "b"', false],
  ['object.other == 1 || object.name == "a"', true],
  ['object.other == 1 && object.absent == 1', 'unknown'],
  ['object.absent == 1 && object.other == 1', 'unknown'],
  ['[1, 2].exists(x, x == 2 || object.other == x)', true],
  ['[1, 2].all(x, object.other == x)', 'unknown'],
  ['object.all(k, k != "x")', 'unknown'],
  ['size(object) > 0', 'unknown'],
  ['object == object', true],
  ['object.part == {"count": 1}', 'unknown'],
  ['object.part.count == 1', true],
  ['object.part.inner.flag', true],
  ['object.part.list.size() == 1', 'unknown'],
  ['has(object.part.nothing)', 'unknown'],
  ['object.whole.list.size() == 2', true],
  ['has(object.whole.other)', false],
  ['object.whole.nothing == null', true],
  ['object.whole.count == 1.0', true],
  ['object.large == 9007199254740993', 'unknown'],
  ['nothing == 1', 'unknown'],
  ['"%e".format([1.5]) == ""', 'unknown'],
];

describe('expressions over partly known objects', () => {
  for (const [expression, value] of cases) {
    it(`${expression}: ${String(value)}`, () => {
      expect(told(expression)).to.equal(value);
    });
  }
});

describe('expressions from users', () => {
  const tens = `[${Array.from({ length: 10 }, (_, at) => at).join(',')}]`;
  const nested = (depth: number): string =>
    depth === 0 ? 'true' : `${tens}.all(x${depth}, ${nested(depth - 1)})`;
  const hostile: readonly (readonly [name: string, expression: string])[] = [
    [
      'makes too long a text',
      Array.from({ length: 30 }).reduce<string>((of) => `${of}.replace("a", "aaaaaaaa")`, '"a"'),
    ],
    ['is nested too deep', `${'('.repeat(5000)}1${')'.repeat(5000)}`],
    ['is a chain too long', `1${' + 1'.repeat(60_000)} == 1`],
    ['compares each item of a long list', 'lists.range(200000).distinct().size() == 1'],
    [
      'buys time with a list below zero',
      'lists.range(-9000000000000000000).size() == 0 && lists.range(200000).distinct().size() == 1',
    ],
    [
      'puts long texts into one',
      `"%s%s%s".format([${Array(3)
        .fill(`"${'a'.repeat(400_000)}"`)
        .join()}]) == ""`,
    ],
    ['has a duration of many digits', `duration("${'1'.repeat(200_000)}") > duration("1s")`],
    ['has a version of many digits', `semver("${'1'.repeat(200_000)}.0.0").major() == 1`],
    ['flattens a list to a depth below zero', '[[1]].flatten(-1) == [1]'],
    ['names what JavaScript has', 'object.constructor == 1 || object.__proto__ == 1'],
  ];
  for (const [name, expression] of hostile) {
    it(`one that ${name} is unknown`, () => {
      expect(told(expression)).to.equal('unknown');
    });
  }

  it('one that costs more than the API server allows returns its error, wherever it is', () => {
    const cancelled = 'operation cancelled: actual cost limit exceeded';
    for (const expression of [nested(9), `${nested(9)} || true`, costing(1_000_001)])
      expect(told(expression)).to.equal(cancelled);
    expect(told(costing(1_000_000))).to.equal(true);
  });

  it('one with a pattern that backtracks in other engines has a value', () => {
    const text = 'a'.repeat(10_000);
    for (const pattern of ['^(([a-z])+.)+[A-Z]([a-z])+$', '^(a|aa)+$', '(.*)*x'])
      expect(told(`"${text}".matches("${pattern}")`), pattern).to.equal(pattern === '^(a|aa)+$');
  });
});
