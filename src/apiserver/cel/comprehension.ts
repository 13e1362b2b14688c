import { attempt, collected, conditionValue, logical } from './answer.ts';
import { isConstant } from './constant.ts';
import { charge, chargeCall, chargedSoFar } from './cost.ts';
import { sortedBy } from './list-functions.ts';
import type { CelNode } from './parse.ts';
import {
  allOf,
  CelError,
  type CelKey,
  type CelValue,
  celMap,
  isList,
  isMap,
  NotEvaluable,
  typeName,
} from './value.ts';

/** Go names of the types that a comprehension cannot iterate over. */
const notIterable: Readonly<Record<string, string>> = {
  bool: 'Bool',
  double: 'Double',
  int: 'Int',
  null_type: 'Null',
  string: 'String',
};

/** An index and an item of a list, or a key and a value of a map. */
export type RangeItem = readonly [first: CelValue, second: CelValue];

/** The range of a comprehension. Throws cel-go's error for a value of another type than list or map. */
export function itemsOf(value: CelValue, variables: 1 | 2): readonly RangeItem[] {
  if (isList(value)) return value.map((item, at) => [BigInt(at), item]);
  if (isMap(value)) return allOf(value);
  const type = notIterable[typeName(value)];
  if (type === undefined) throw new NotEvaluable();
  throw new CelError(
    variables === 1
      ? `got 'types.${type}', expected iterable type`
      : `unsupported comprehension range type: types.${type}`,
  );
}

/** Cost of a macro's loop for each item, and once more if it ends early (cel-go parser/macro.go). */
const loops: Readonly<Record<string, number>> = { all: 2, exists: 3 };
/** Cost of creating a list. */
export const aList = 10;
/** Cost of a collected item: the accumulator and the call of `+`. */
const accumulated = 2;

/** A comprehension macro: `over.name(first, …)`. */
export interface Comprehension {
  readonly name: string;
  readonly range: CelValue;
  readonly items: readonly RangeItem[];
  readonly first: CelNode;
  readonly last: CelNode | undefined;
  /** Evaluates an argument with the variables bound to an item. */
  readonly inside: (body: CelNode, item: RangeItem) => CelValue;
}

/** The value of a macro. */
export function comprehended(macro: Comprehension): CelValue {
  const { name, range: container, items } = macro;
  charge(name === 'exists_one' || name === 'existsOne' ? 2 : 1);
  switch (name) {
    case 'all':
    case 'exists':
      return quantified(macro, name === 'exists');
    case 'exists_one':
    case 'existsOne':
      return filtered(macro, 0).length === 1;
    case 'filter':
      return filtered(macro, aList + 1);
    case 'sortBy':
      chargeCall('sort', [container]);
      return sortedBy(
        items.map(([, value]) => value),
        transformed(macro, aList).map(([, key]) => key),
      );
    case 'transformMap':
      return celMap(transformed(macro, 1).map(([[key], value]) => [key as CelKey, value]));
    default:
      return transformed(macro, aList).map(([, value]) => value);
  }
}

/** `all` and `exists`: the loop ends at the item that decides. */
function quantified(
  { name, range: container, items, first, inside }: Comprehension,
  exists: boolean,
): CelValue {
  const loop = loops[name] ?? 0;
  let at = 0;
  const answers = function* () {
    for (const item of items) {
      at += 1;
      charge(loop + 1);
      yield attempt(() => inside(first, item));
    }
  };
  const before = chargedSoFar().least;
  const result = logical(exists, answers());
  if (at < items.length) charge(loop);
  // Go iterates over the keys of a map in any order: the deciding item can be the first or the last.
  const spent = chargedSoFar().least - before;
  if (isMap(container) && result === exists) charge(-spent, spent * (items.length - at));
  return result;
}

/** The items (of a map: the keys) for which the condition is true. `cost` is charged for each. */
const filtered = ({ range: container, items, first, inside }: Comprehension, cost: number): CelValue[] =>
  collected(
    items,
    (item) => conditionValue(inside(first, item)),
    ([key, value]) => {
      charge(accumulated + cost);
      return isList(container) ? value : key;
    },
  ).map(([, value]) => value);

/** `map` and `transform…`: values of the last argument, for items for which the one before is true. */
function transformed(
  { items, first, last, inside }: Comprehension,
  cost: number,
): readonly (readonly [RangeItem, CelValue])[] {
  const collect = (body: CelNode) => (item: RangeItem) => {
    charge(accumulated + (isConstant(body) ? 0 : cost));
    return inside(body, item);
  };
  return last === undefined
    ? collected(items, () => true, collect(first))
    : collected(items, (item) => conditionValue(inside(first, item)), collect(last));
}

/** How many arguments macros have, by name: of one variable, and of two (cel-go ext/comprehensions.go). */
const ofOneVariable: Readonly<Record<string, readonly number[]>> = {
  all: [2],
  exists: [2],
  exists_one: [2],
  filter: [2],
  map: [2, 3],
  sortBy: [2],
};
const ofTwoVariables: Readonly<Record<string, readonly number[]>> = {
  all: [3],
  exists: [3],
  exists_one: [3],
  existsOne: [3],
  transformList: [3, 4],
  transformMap: [3, 4],
};

/** Whether a macro binds two variables: index and item, or key and value. */
export const hasTwoVariables = (name: string, args: readonly CelNode[]): boolean =>
  ofTwoVariables[name]?.includes(args.length) === true;
/** Whether a method with this number of arguments is a comprehension macro. */
export const isComprehension = (name: string, args: readonly CelNode[]): boolean =>
  hasTwoVariables(name, args) || ofOneVariable[name]?.includes(args.length) === true;
